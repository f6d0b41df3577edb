"""A learner's way through a lesson in JupyterLab: run all cells, solve an exercise."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from browsing import ROOT
from playwright.sync_api import expect

LESSON = "04_what_attention_costs.ipynb"
STUB = "def attended_words"
SOLUTION = (
    "def attended_words(w):\n    return np.exp(-(w * np.log(w + 1e-30)).sum(-1))\n"
)
MINUTES = 4
BADGE = "**/colab-badge.svg"  # the one picture that a notebook asks elsewhere
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    """JupyterLab with one lesson in a folder of its own; returns address and folder."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copy(ROOT / "notebooks/further" / LESSON, folder)
    variables = {
        **os.environ,
        "COURSE_DATA": "sample",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "JUPYTER_CONFIG_DIR": str(folder / ".jupyter"),
        "JUPYTER_DATA_DIR": str(folder / ".local"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".runtime"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", "--ServerApp.port=0", "--IdentityProvider.token="]
    command += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    log = folder / ".log"
    with log.open("w") as stream:
        server = subprocess.Popen(
            command, cwd=folder, env=variables, stdout=stream, stderr=stream
        )
    try:
        yield wait_for_address(server, log), folder
    finally:
        server.terminate()
        server.wait(30)


def wait_for_address(server, log, seconds=120):
    """Return the server's address as soon as it answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            urllib.request.urlopen(f"{found.group()}/api", timeout=10).close()
            return found.group()
        time.sleep(0.5)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def run_command(page, name):
    """Run one of JupyterLab's commands and wait for it."""
    page.evaluate("async (name) => { await jupyterapp.commands.execute(name); }", name)


def wait_until_idle(page, minutes=MINUTES):
    """Wait until the kernel has nothing left to do."""
    page.wait_for_function(
        """() => {
          const kernel = jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
          const prompts = [...document.querySelectorAll(".jp-InputPrompt")];
          const waiting = prompts.some((prompt) => /\\*/.test(prompt.innerText));
          return kernel?.status === "idle" && !waiting;
        }""",
        timeout=minutes * 60_000,
    )


def saved(page, path):
    """Save the notebook and return it."""
    run_command(page, "docmanager:save")
    return nbformat.read(path, as_version=4)


def show_cell(page, notebook, words):
    """Scroll to the cell that holds some words, and make it active."""
    place = next(i for i, cell in enumerate(notebook.cells) if words in cell.source)
    page.evaluate(
        """async (place) => {
          const notebook = jupyterapp.shell.currentWidget.content;
          notebook.activeCellIndex = place;
          await notebook.scrollToItem(place);
        }""",
        place,
    )
    return place


def test_all_cells_run_and_an_exercise_is_solved(laboratory, page):
    address, folder = laboratory
    page.set_default_timeout(60_000)
    page.context.route(
        BADGE, lambda route: route.fulfill(body=EMPTY, content_type="image/svg+xml")
    )
    page.goto(f"{address}/doc/tree/{LESSON}")
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady"
    )
    run_command(page, "notebook:run-all-cells")
    wait_until_idle(page)
    notebook = saved(page, folder / LESSON)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    assert not [o for c in cells for o in c.outputs if o.output_type == "error"]
    assert "Data: sample" in cells[0].outputs[0].text

    show_cell(page, notebook, "plots.demo(")  # the page runs inside the notebook
    live = page.frame_locator("iframe[title='One attention, by hand']")
    expect(live.locator("#status")).not_to_be_empty()

    place = show_cell(page, notebook, STUB)
    assert notebook.cells[place].outputs[0].text == "not attempted\n"
    call = "answer = checks.attended_words(attended_words)"
    page.evaluate("jupyterapp.shell.currentWidget.content.mode = 'edit'")
    editor = page.locator(".jp-Notebook-cell.jp-mod-active .cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"{SOLUTION}\n\n{call}")
    page.keyboard.press("Control+Enter")
    output = page.locator(".jp-Notebook-cell.jp-mod-active .jp-OutputArea-output")
    output.filter(has_text="correct").wait_for()
    assert saved(page, folder / LESSON).cells[place].outputs[0].text == "correct\n"
