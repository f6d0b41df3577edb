"""Texts that a program writes into files: whole, and only where they changed."""

import json

from course_utils.kit.files import atomic_write

GENERATED = {"build", "node_modules"}  # folders


def source_files(folder, *kinds):
    """Return the files of some kinds, such as "*.md", without what programs put there.

    Folders that begin with a dot are left out, too.
    """
    found = {path for kind in kinds for path in folder.rglob(kind)}
    parts = {path: path.relative_to(folder).parts for path in found}
    return sorted(
        path
        for path in found
        if not GENERATED & set(parts[path])
        and not any(part.startswith(".") for part in parts[path])
    )


def write(path, text):
    """Write a text file, with a last line end; an interruption leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.removesuffix("\n") + "\n")


def write_json(path, content):
    """Write a JSON file; an interruption leaves the old one."""
    write(path, json.dumps(content, indent=1, ensure_ascii=False))


def template(path, **functions):
    """Return a Jinja template; what is filled into an HTML page is escaped.

    Args:
        path: the template's file.
        functions: what it may use beside its values.
    """
    import jinja2  # here, for tools that run where nothing is installed

    options = {"trim_blocks": True, "undefined": jinja2.StrictUndefined}
    pages = jinja2.Environment(autoescape=path.suffix == ".html", **options)
    return pages.from_string(path.read_text("utf-8"), globals=functions)


def replace_between(text, name, content):
    """Return `text` with `content` between the markers called `name`.

    Raises:
        ValueError: the markers are missing.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"The text needs the markers {begin} and {end} once each.")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{content}\n{end}{after}"


def fill_markers(path, name, content):
    """Write what stands between two markers of a file."""
    write(path, replace_between(path.read_text("utf-8"), name, content))


def sync_files(texts, root, check, command):
    """Write the files whose text isn't as it should be; return the exit status.

    Args:
        texts: dict from path to the text that it should hold, None for no file.
        root: directory from which paths are shown.
        check: name the files and write nothing.
        command: what writes them, for the sentence.
    """
    old = [path for path, text in texts.items() if _read(path) != text]
    for path in old:
        name = path.relative_to(root).as_posix()
        if check:
            print(f"{name} is out of step, run `{command}`")
        elif texts[path] is None:
            path.unlink()
            print(f"{name}: removed")
        else:
            write(path, texts[path])
            print(f"{name}: written")
    return int(check and bool(old))


def print_all(sentences):
    """Print each sentence on a line of its own; return the exit status, 1 for any."""
    found = False
    for sentence in sentences:
        found = True
        print(sentence)
    return int(found)


def _read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else None
