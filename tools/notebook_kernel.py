"""Running a notebook in a fresh kernel of this interpreter, and watching it."""

import contextlib
import os
import re
import sys
from pathlib import Path

import psutil
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from course_utils.kit.environment import usable_cores

ROOT = Path(__file__).resolve().parents[1]
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


class _OwnSpec(KernelSpecManager):
    """Answers every kernel name with the interpreter that runs this program."""

    def get_kernel_spec(self, kernel_name):
        command = [sys.executable, "-m", "ipykernel_launcher", "--log-level=ERROR"]
        command += ["-f", "{connection_file}"]
        names = {key: KERNELSPEC[key] for key in ("display_name", "language")}
        return KernelSpec(argv=command, **names)


class LessonClient(NotebookClient):
    """A notebook client that knows its kernel's memory and the cell it is at."""

    peak_bytes = 0
    current_cell = None

    def watch(self, progress):
        """Follow the run, and tell `progress(position, cells)` before each cell."""

        def start(cell, cell_index):
            if cell.cell_type == "code":
                self.current_cell = cell_index
                progress(cell_index + 1, len(self.nb.cells))

        def executed(cell, cell_index, execute_reply):
            self.peak_bytes = max(self.peak_bytes, _peak_bytes(self.km))

        self.on_cell_start = start
        self.on_cell_executed = executed


def execute(notebook, folder, mode, timeout, progress=lambda position, cells: None):
    """Run a notebook from top to bottom in a fresh kernel; it is changed in place.

    Args:
        notebook: an nbformat notebook.
        folder: the kernel's working directory.
        mode: the data mode, "sample" or "full".
        timeout: seconds that one cell may take.
        progress: called with the position of each cell before it runs.

    Returns:
        (status, cell, error, peak_memory_gb), where cell and error say what failed.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    manager = AsyncKernelManager(kernel_spec_manager=_OwnSpec())
    client = LessonClient(
        notebook,
        km=manager,
        timeout=timeout,
        startup_timeout=180,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(folder)}},
    )
    client.watch(progress)
    status, error = "passed", ""
    try:
        client.execute(env=_kernel_environment(mode), cleanup_kc=True)
    except CellExecutionError as problem:
        status, error = "failed", f"{problem.ename}: {problem.evalue}"
    except CellTimeoutError:
        status, error = "failed", f"the cell took more than {timeout:g} seconds"
    except DeadKernelError:
        status, error = "failed", "the kernel died (often for lack of memory)"
    except RuntimeError as problem:
        status, error = "failed", f"the kernel did not start or answer: {problem}"
    cell = None if status == "passed" else client.current_cell
    memory = round(client.peak_bytes / 2**30, 2) or None
    return status, cell, " ".join(error.split()), memory


def share_cores(jobs):
    """Give each kernel its part of the cores; threads of two must not fight for one."""
    threads = str(max(1, usable_cores() // jobs))
    for name in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
        os.environ.setdefault(name, threads)


def end_kernels():
    """Kill the kernels that this process has started, and what they have started."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _kernel_environment(mode):
    """Return the kernel's variables: ours, the data mode, and absolute folders."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]  # the same course_utils
    python_path = os.pathsep.join(path for path in paths if path)
    variables = {**os.environ, "COURSE_DATA": mode, "PYTHONPATH": python_path}
    variables["COURSE_STRICT"] = "0"  # a missed bound fails the lesson at its end
    if variables.get("COURSE_DATA_DIR", "").strip():
        folder = Path(variables["COURSE_DATA_DIR"]).expanduser()
        variables["COURSE_DATA_DIR"] = str(folder.resolve())
    return variables


def _peak_bytes(manager):
    """Return the largest memory that the kernel's process has held, 0 if unknown."""
    pid = getattr(manager.provisioner, "pid", None)
    if pid is None:
        return 0
    with contextlib.suppress(OSError, AttributeError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).memory_info().rss
    return 0
