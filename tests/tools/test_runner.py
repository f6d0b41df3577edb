"""The runner: fresh kernels, failures that are reported, storing, the report."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from course_utils.kit import results
from tools import notebook_kernel, report, runner

IMPORT = "from course_utils.kit import results\n"
EXPECT = IMPORT + "results.expect('demo.{}', {}, at_least={})"
GOOD = ["import os\nprint(os.environ['COURSE_DATA'])"]
GOOD += [EXPECT.format("accuracy", 0.9, {"sample": 0.8})]


@pytest.fixture
def folders(tmp_path):
    """The options that name a folder of notebooks, and one for what runs leave."""
    notebooks, output = str(tmp_path / "notebooks"), str(tmp_path / "build")
    return "--notebooks", notebooks, "--output", output


@pytest.fixture
def run(write_notebook, make_notebook, folders, tmp_path):
    """Run notebooks, or lists of sources, by name; return (exit status, facts)."""

    def run(notebooks, *options):
        for name, notebook in notebooks.items():
            if isinstance(notebook, list):
                notebook = make_notebook(notebook)
            write_notebook(notebook, f"notebooks/{name}.ipynb")
        status = runner.main([*folders, *options])
        path = tmp_path / "build/report.json"
        return status, json.loads(path.read_text()) if path.exists() else None

    return run


@pytest.fixture
def cells(tmp_path):
    """A function that returns the cells of a notebook in one of the folders."""
    return lambda path: nbformat.read(tmp_path / f"{path}.ipynb", 4).cells


def test_lessons_run_in_order_and_are_reported(run, cells, tmp_path, capsys):
    status, facts = run({"05_second": GOOD, "00_first": GOOD})
    assert status == 0
    first, second = facts["lessons"]
    assert (first["lesson"], first["status"]) == ("00_first", "passed")
    assert (second["lesson"], second["status"]) == ("05_second", "passed")
    assert first["results"][0]["at_least"] == 0.8
    assert first["peak_memory_gb"] > 0
    shown = capsys.readouterr().out
    assert re.search(r"\[1/2\] 00_first: passed, \d+\.\d min", shown)
    assert "2 of 2 passed" in shown
    assert cells("build/notebooks/00_first")[0].outputs[0].text == "sample\n"
    assert cells("notebooks/00_first")[0].outputs == []  # it wasn't to be stored
    assert "sample" in (tmp_path / "build/html/00_first.html").read_text()
    html = (tmp_path / "build/report.html").read_text()
    for text in ("demo.accuracy", "at least 0.8: reached", "2 of 2 lessons passed"):
        assert text in html


def test_failures_name_cell_and_error_and_others_run(run, cells, tmp_path, capsys):
    lessons = {
        "01_bad": ["x = 1", "# look here\nx / 0", "print('never')"],
        "02_dead": ["import os\nos._exit(1)"],
        "03_missed": [EXPECT.format("bleu", 43, 44), "print('the end')"],
        "04_good": ["1"],
    }
    status, facts = run(lessons)
    assert status == 1
    bad, dead, missed, good = facts["lessons"]
    assert (bad["status"], bad["cell"]) == ("failed", 2)
    assert "ZeroDivisionError" in bad["error"] and "# look here" in bad["error"]
    assert dead["status"] == "failed" and "the kernel died" in dead["error"]
    assert missed["status"] == "failed" and missed["results"][0]["value"] == 43
    assert missed["error"] == "demo.bleu is 43, but it should be at least 44"
    assert good["status"] == "passed"
    shown = capsys.readouterr().out
    assert "cell 2: ZeroDivisionError" in shown and "1 of 4 passed" in shown
    assert "ZeroDivisionError" in (tmp_path / "build/report.html").read_text()
    _, failing, after = cells("build/notebooks/01_bad")
    assert failing.outputs[-1].ename == "ZeroDivisionError" and after.outputs == []
    assert cells("build/notebooks/03_missed")[1].outputs[0].text == "the end\n"


def test_a_cell_that_takes_too_long_is_a_failure(run):
    slow = ["import time\ntime.sleep(600)"]
    status, facts = run({"02_slow": slow}, "--timeout", "2")
    assert status == 1 and "more than 2 seconds" in facts["lessons"][0]["error"]


SLOW = """from course_utils.kit import results
results.expect("demo.minutes", 6.4, at_most=6, unit="minutes", clock=True)
results.expect("demo.by_naive", 1.5, at_least=2, clock=True)"""


def test_a_slow_clock_fails_nothing(run, make_notebook, tmp_path, capsys):
    """It is compared with the stored run, and told."""
    notebook = make_notebook([SLOW])
    notebook.metadata["course"] = {"hardware": "a fast machine"}
    status, facts = run({"00_first": notebook}, "--store")
    assert status == 0 and facts["lessons"][0]["status"] == "passed"
    minutes = "demo.minutes is 6.4 minutes here; the stored run on a fast machine"
    minutes += " was asked for at most 6"
    assert facts["lessons"][0]["slower"][0] == minutes
    printed = capsys.readouterr().out
    assert minutes in printed and "demo.by_naive is 1.5 here" in printed
    page = (tmp_path / "build/report.html").read_text()
    assert minutes in page and 'class="failed"' not in page
    assert "at most 6: missed here; machines differ in speed" in page
    assert "0 of 0 checked figures" in page
    stored = nbformat.read(tmp_path / "notebooks/00_first.ipynb", 4)
    assert results.collect(stored)[0]["value"] == pytest.approx(6.4)  # written down


def test_what_the_kernel_is_given(run, make_notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", "some/folder")
    monkeypatch.chdir(tmp_path)
    code = f"""import os
import sys
assert sys.executable == {sys.executable!r}
assert os.environ["COURSE_DATA"] == "full"
assert os.environ["COURSE_DATA_DIR"] == {str(tmp_path / "some/folder")!r}
assert os.path.basename(os.getcwd()) == "notebooks\""""
    notebook = make_notebook([code])
    notebook.metadata["kernelspec"]["name"] = "no-such-kernel"
    status, facts = run({"00_x": notebook}, "--data", "full")
    assert (status, facts["data_mode"]) == (0, "full"), facts["lessons"][0]["error"]


def test_one_lesson_by_its_number(run, capsys):
    lessons = {"00_a": ["1"], "05_b": ["2"]}
    status, facts = run(lessons, "--lesson", "05")
    assert (status, [one["lesson"] for one in facts["lessons"]]) == (0, ["05_b"])
    further = {"further/05_more": ["3"]}
    status, facts = run(further, "--lesson", "more")
    assert (status, [one["lesson"] for one in facts["lessons"]]) == (0, ["05_more"])
    assert run(lessons, "--lesson", "07")[0] == 2
    assert (
        "no lesson '07'; the lessons here are: 00, 05, more" in capsys.readouterr().err
    )


def test_store_writes_a_clean_notebook_back(run, make_notebook, tmp_path):
    notebook = make_notebook(["x = 1", "print('a', end='')\nprint('b')", "6 * 7"])
    notebook.cells[1].metadata["execution"] = {"iopub.status.busy": "2026-01-01"}
    notebook.metadata["widgets"] = {"state": {}}
    assert run({"00_x": notebook}, "--store")[0] == 0
    path = tmp_path / "notebooks/00_x.ipynb"
    stored = nbformat.read(path, 4)
    nbformat.validate(stored)
    assert [c["id"] for c in stored.cells] == [c["id"] for c in notebook.cells]
    assert [cell.execution_count for cell in stored.cells] == [1, 2, 3]
    _, printing, last = stored.cells
    assert printing.outputs[0].text == "ab\n" and printing.metadata == {}
    assert last.outputs[0].execution_count == 3
    assert set(stored.metadata) == {"kernelspec", "language_info", "course"}
    course = stored.metadata["course"]
    assert course["data_mode"] == "sample" and course["versions"]["Python"]
    assert set(course) == {"data_mode", "versions", "hardware", "date", "minutes"}
    assert path.read_text().endswith("}\n")
    assert [p.name for p in path.parent.iterdir()] == ["00_x.ipynb"]


def test_a_failure_a_machine_path_or_a_warning_is_not_stored(run, cells):
    lessons = {"00_x": ["1 / 0"], "01_y": ["import os\nprint(os.getcwd())"]}
    lessons["02_z"] = ["import warnings\nwarnings.warn('old')"]
    status, facts = run(lessons, "--store")
    assert status == 1
    for lesson in facts["lessons"]:
        assert lesson["status"] == "failed"
        assert cells(f"notebooks/{lesson['lesson']}")[0].outputs == []


PATHS = [
    ("saved to /root/x.keras", True),
    ("('/tmp/ipykernel_1/2.py')", True),
    ("in /home/me/x", True),
    ("/work/a", True),
    ("/Users/me/x", True),
    ("at /usr/lib/python3", True),
    ("C:\\Users\\me", True),
    ("\n/opt/venv/bin", True),
    ("~/.cache/keras-attention-course", False),
    ("https://x.org/home/index", False),
    ("and/or 1/2", False),
    ("$COURSE_DATA_DIR/tmp/x", False),
    ("sentences/s", False),
    ("data/opt/x", False),
    ("http://host/work/x", False),
]


@pytest.mark.parametrize("text, own", PATHS)
def test_paths_of_one_machine_are_found(make_notebook, text, own):
    outputs = {0: [nbformat.v4.new_output("stream", text=text)]}
    (cell,) = make_notebook(["x"], outputs).cells
    assert bool([*runner.forbidden_output(cell)]) == own


CORE_NAMES = "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"
MEET = """import pathlib, time
pathlib.Path({0!r}).touch()
end = time.monotonic() + 600  # a machine may be busy; this only ends a hang
while not pathlib.Path({1!r}).exists():
    assert time.monotonic() < end, "the other lesson did not run meanwhile"
    time.sleep(0.1)
import os
print(os.environ["TF_NUM_INTRAOP_THREADS"])"""


def test_two_lessons_run_at_a_time(run, cells, tmp_path, monkeypatch):
    for name in CORE_NAMES:  # known before, so that monkeypatch puts them back
        monkeypatch.setenv(name, "1")
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    first, second = MEET.format(one, other), MEET.format(other, one)
    lessons = {"00_a": [first], "01_b": [second], "02_c": ["1"]}
    status, facts = run(lessons, "--jobs", "2")
    assert status == 0
    assert [lesson["lesson"] for lesson in facts["lessons"]] == list(lessons)
    assert cells("build/notebooks/00_a")[0].outputs[0].text == "1\n"


def test_kernels_side_by_side_share_the_cores_that_this_process_may_use(monkeypatch):
    for name in CORE_NAMES:
        monkeypatch.setenv(name, "")  # known before, so that monkeypatch puts it back
        monkeypatch.delenv(name)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    cores = set(range(8))
    monkeypatch.setattr("os.sched_getaffinity", lambda process: cores, raising=False)
    monkeypatch.setenv(CORE_NAMES[0], "7")  # the user's own choice
    for jobs, shared in ((3, "2"), (16, "1")):
        notebook_kernel.share_cores(jobs)
        assert [os.environ[name] for name in CORE_NAMES] == ["7", shared, shared]
        for name in CORE_NAMES[1:]:
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--jobs", "0"), "at least 1"), (("--jobs", "2", "--store"), "--jobs 1")],
)
def test_jobs_that_make_no_sense_are_refused(options, said, capsys):
    with pytest.raises(SystemExit):
        runner.main(options)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_the_run_and_keeps_the_report(
    jobs, write_notebook, make_notebook, folders, tmp_path
):
    ready = tmp_path / "ready"
    slow = f"import pathlib, time\npathlib.Path({str(ready)!r}).touch()\ntime.sleep(99)"
    for name, source in (("00_a", "1"), ("01_b", slow), ("02_c", slow)):
        write_notebook(make_notebook([source]), f"notebooks/{name}.ipynb")
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.runner", "--jobs", str(jobs), *folders],
        stdout=subprocess.PIPE,
        text=True,
        # A shell lets its background jobs ignore interrupts, and so would this process.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    first = tmp_path / "build/html/00_a.html"
    deadline = time.monotonic() + 600
    while not (ready.exists() and first.exists()) and time.monotonic() < deadline:
        time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    shown, _ = process.communicate(timeout=600)
    assert process.returncode == 130 and "Interrupted" in shown
    facts = json.loads((tmp_path / "build/report.json").read_text())
    assert [lesson["lesson"] for lesson in facts["lessons"]] == ["00_a"]
    assert not (tmp_path / "build/notebooks/01_b.ipynb").exists()


def test_the_report_escapes_what_lessons_print():
    lesson = dict(lesson="00_x", title="<b>T</b>", status="failed", minutes=0.1)
    lesson |= dict(peak_memory_gb=None, cell=3, error="ValueError: <script>")
    result = {"name": "a.b", "value": 1, "unit": "", "at_most": 0}
    lesson |= dict(results=[result], slower=["<i>slow</i>"])
    facts = {"data_mode": "sample", "date": "", "hardware": "", "versions": {}}
    page = report.as_html({**facts, "minutes": 0.1, "lessons": [lesson]})
    assert not any(mark in page for mark in ("<script>", "<b>T</b>", "<i>"))
    assert "cell 3: ValueError: &lt;script&gt;" in page
    assert "missed" in page and "0 of 1 lessons passed" in page
