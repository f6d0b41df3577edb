"""The launcher starts processes that can find each other, and ends them together."""

import ast
import json
from pathlib import Path

import pytest

from course_utils.scaling import launch
from tools import lessons

TELL = """
import os, sys, time
names = "JOB_ADDRESSES", "NUM_PROCESSES", "PROCESS_ID"
print(*[os.environ.get(f"KERAS_DISTRIBUTION_{name}") for name in names], sys.argv[1])
"""
FAIL = TELL + "os.environ['KERAS_DISTRIBUTION_PROCESS_ID'] == '1' and sys.exit('no')\n"
SLEEP = "print('ready', flush=True)\ntime.sleep(999)"


@pytest.fixture
def workers(tmp_path):
    def make(text, processes=2):
        (tmp_path / "program.py").write_text(text, "utf-8")
        return launch.Workers([tmp_path / "program.py", "word"], processes, tmp_path)

    return make


def test_processes_get_their_number_and_one_alone_is_no_cluster(workers):
    with workers(TELL) as two:
        two.wait()
    (one, *rest), (other, *last) = (
        two.log_path(i).read_text().split() for i in range(2)
    )
    assert one == other and one.startswith("127.0.0.1:")
    assert (rest, last) == (["2", "0", "word"], ["2", "1", "word"])
    with workers(TELL, 1) as alone:
        alone.wait()
    assert alone.log_path(0).read_text().startswith("None None None word")


def test_when_one_fails_or_is_killed_all_are_ended_in_one_sentence(workers):
    with workers(FAIL + SLEEP) as two:
        with pytest.raises(launch.WorkerError, match="^worker 1 .* status 1: .* no$"):
            two.wait()
        assert None not in [process.poll() for process in two.running]
    with workers(TELL + SLEEP) as two:
        two.wait(text="ready")
        two.kill(1)
        with pytest.raises(launch.WorkerError, match="^worker 1 .* signal SIGKILL"):
            two.wait()


def test_a_start_after_a_failure_and_no_more_than_asked(tmp_path, capfd):
    program, mark = tmp_path / "program.py", tmp_path / "mark"
    text = f"import pathlib, sys; p = pathlib.Path({str(mark)!r})\n"
    program.write_text(text + "p.exists() or p.touch() or sys.exit(3)", "utf-8")
    call = ["--processes", "1", "--output", str(tmp_path)]
    assert launch.main([*call, "--restarts", "1", str(program)]) == 0
    mark.unlink()
    assert launch.main([*call, str(program)]) == 2
    assert "launch: worker 0 ended by exit status 3" in capfd.readouterr().err


def test_the_code_around_the_engine_is_python_and_short():
    path = lessons.path_of("many_devices")
    texts = ["".join(c["source"]) for c in json.loads(path.read_text("utf-8"))["cells"]]
    programs = [t.partition("\n")[2] for t in texts if t.startswith("%%writefile")]
    assert len(programs) == 7 and all(map(ast.parse, programs))
    lines = sum(program.count("\n") + 1 for program in programs)
    assert lines + Path(launch.__file__).read_text("utf-8").count("\n") <= 300
