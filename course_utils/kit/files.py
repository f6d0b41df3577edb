"""Files that are either complete or absent: atomic writing, checksums, downloads.

Example:
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "hello.txt"
    >>> with atomic_write(target) as handle:
    ...     _ = handle.write("hello")
    >>> target.read_text(encoding="utf-8")
    'hello'
"""

import contextlib
import hashlib
import importlib.metadata
import os
import shutil
import socket
import tempfile
from pathlib import Path

# Seconds without a single byte after which a connection counts as dead.
NETWORK_TIMEOUT = 60.0


class DataError(RuntimeError):
    """The course's data could not be fetched, read or stored; the text says why."""


def display_path(path):
    """Return `path` as a reader should see it: from $COURSE_DATA_DIR or from ~.

    Args:
        path: a file or directory.

    Returns:
        A string such as `$COURSE_DATA_DIR/spa-eng.zip` or `~/.cache/x/spa-eng.zip`.
    """
    path = Path(path).expanduser().absolute()
    configured = os.environ.get("COURSE_DATA_DIR", "").strip()
    places = [("~", Path.home())]
    if configured:
        places.insert(0, ("$COURSE_DATA_DIR", Path(configured).expanduser()))
    for name, place in places:
        with contextlib.suppress(ValueError):
            return (Path(name) / path.relative_to(place.absolute())).as_posix()
    return path.as_posix()


def data_error(cause, path, hint=None):
    """Build the one sentence a reader gets when real data is not there.

    Args:
        cause: what went wrong, without a full stop.
        path: where the reader can put the file by hand.
        hint: what the reader can do, without a full stop; None names the bundled
            data, or the path.

    Returns:
        A `DataError` that names the cause and the way on.
    """
    hint = hint or (
        "either set COURSE_DATA=sample to use the bundled data, or put the file at "
        f"{display_path(path)} yourself"
    )
    return DataError(f"{cause}; {hint}.")


def short_message(error):
    """Say in a few words what an exception means, on one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."


def make_directory(path):
    """Create a directory with its parents, or say in one sentence why not.

    Raises:
        DataError: a file is in the way, or the place can't be written.
    """
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise DataError(
            f"Cannot write to the data directory {display_path(path)} "
            f"({short_message(error)}); "
            "either set COURSE_DATA=sample to use the bundled data, or set "
            "COURSE_DATA_DIR to a directory that you can write to."
        ) from error
    return path


@contextlib.contextmanager
def atomic_write(path, mode="w"):
    """Open a file that appears under its name only when it is complete.

    The text goes to a temporary file beside the target, which replaces the target
    at the end. After an error or an interrupt the old target is untouched and the
    temporary file is gone.

    Args:
        path: the file to write.
        mode: "w" for UTF-8 text with Unix line ends, "wb" for bytes.

    Yields:
        The open file.
    """
    if mode not in ("w", "wb"):
        raise ValueError(f'atomic_write: mode must be "w" or "wb", got {mode!r}.')
    path = Path(path)
    options = {} if mode == "wb" else {"encoding": "utf-8", "newline": "\n"}
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, mode, **options) as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # mkstemp makes files private
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def sha256(path):
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def check_sha256(path, expected, place, hint=None):
    """Raise a DataError for a file with another checksum.

    Args:
        path: the file.
        expected: its checksum.
        place: where it is, or where it was to go.
        hint: as in `data_error`.
    """
    found = sha256(path)
    if found == expected:
        return
    cause = f"{place.name} has the sha256 {found[:12]}… where {expected[:12]}… was"
    cause += " expected"
    if path == place:  # not a download, which is thrown away
        cause += ", so delete it and try again"
    raise data_error(cause, place, hint)


def download(url, path, sha256=None, hint=None):
    """Fetch `url` into `path`; the file is complete under that name, or not there.

    `keras.utils.get_file` fetches into a temporary directory beside the target, and
    a verified file is moved to its place.

    Args:
        url: the address.
        path: the file to make. A file that is there is checked and kept.
        sha256: expected checksum, or None to skip the check.
        hint: what the reader can do when it can't be fetched, as in `data_error`.

    Returns:
        `path`, as a `Path`.

    Raises:
        DataError: no network, a cut connection, a wrong checksum, also of a file that
            is there already, or a directory that can't be written.
    """
    path = Path(path)
    if path.exists():
        if sha256 is not None:
            check_sha256(path, sha256, path, hint)
        return path
    make_directory(path.parent)
    staging = tempfile.mkdtemp(prefix=".download-", dir=path.parent)
    try:
        fetched = Path(_fetch(url, path.name, staging))
        if sha256 is not None:
            check_sha256(fetched, sha256, path, hint)
        os.replace(fetched, path)
    except DataError:
        raise
    except Exception as error:
        raise data_error(
            f"Could not download {path.name} from {url} ({short_message(error)})",
            path,
            hint,
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return path


def _fetch(url, name, directory):
    """Download with Keras into `directory`, giving up on a connection that hangs."""
    import keras

    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(NETWORK_TIMEOUT)
    try:
        return keras.utils.get_file(
            name, origin=url, cache_dir=directory, cache_subdir="."
        )
    finally:
        socket.setdefaulttimeout(before)


def public_address():
    """Return the course's address, and where the files of this version lie.

    Both are "" while the course isn't public, and where the package isn't installed.
    """
    try:
        package = importlib.metadata.metadata("course_utils")
    except importlib.metadata.PackageNotFoundError:
        return "", ""
    addresses = {}
    for entry in package.get_all("Project-URL", []):
        name, _, address = entry.partition(", ")
        addresses[name] = address
    return addresses.get("Repository", ""), addresses.get("Files", "")
