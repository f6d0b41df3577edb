"""The tables of benchmarks/README.md, written from results.json."""

import statistics

from tools.texts import replace_between


def markdown(header, rows):
    """Return a table in Markdown; every row a list of strings as long as the header."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def middle(turns, digits=0):
    """Return the median of all turns with the smallest and the largest one."""
    low, high = (f"{value:,.{digits}f}" for value in (min(turns), max(turns)))
    return f"{statistics.median(turns):,.{digits}f} ({low}–{high})"


def ratio(turns, others):
    """Return the median of the ratios of turns that followed each other."""
    return statistics.median(a / b for a, b in zip(turns, others, strict=True))


def blocks(rows):
    """Return one line per case: milliseconds, ratios and peaks."""
    cases = {}
    for row in rows:
        case = row["kind"], row["mode"], row["dtype"], str(row["length"])
        cases.setdefault(case, {})[row["peer"]] = row
    peers = list(next(iter(cases.values())))
    header = ["block", "pass", "numbers", "T", *(f"{peer}, ms" for peer in peers)]
    header += [f"time: ours / {peer}" for peer in peers[1:]]
    header += [f"{peer}, peak MB" for peer in peers]
    lines = []
    for case, found in cases.items():
        times = {peer: found[peer]["milliseconds"] for peer in peers}
        line = [*case, *(middle(times[peer], 1) for peer in peers)]
        line += [f"{ratio(times['ours'], times[peer]):.2f}" for peer in peers[1:]]
        lines.append(line + [f"{found[peer]['peak_mb']:.0f}" for peer in peers])
    return markdown(header, lines)


def decoding(rows):
    """Return one line per search and peer."""
    ours = {row["search"]: row["speed"] for row in rows if row["peer"] == "ours"}
    header = ["search", "program", "timed on", "sentences/s", "time: ours / program"]
    header += ["BLEU", "same as ours"]
    lines = []
    for row in rows:
        line = [row["search"], row["peer"], f"{row['sentences']:,}"]
        line += [middle(row["speed"], 1)]
        line += [f"{ratio(row['speed'], ours[row['search']]):.3f}"]
        line += [f"{row['bleu']:.1f}" if "bleu" in row else ""]
        lines.append([*line, f"{row['same_as_ours']:.1%}"])
    share = statistics.median(ours["greedy"]) / statistics.median(ours["beam"])
    return markdown(header, lines) + (
        f"\n\nOur beam of four takes {share:.2f} times as long as our greedy search."
    )


def pipeline(rows):
    """Return one line per task and peer."""
    header = ["task", "pipeline", "rows/s, from texts", "rows/s, again"]
    header += ["padding", "real tokens/s, again"]
    lines = []
    for row in rows:
        real = row["tokens"] * (1 - row["padding"]) / row["rows"]
        line = [row["task"], row["peer"], middle(row["from_texts"])]
        line += [middle(row["again"]), f"{row['padding']:.0%}"]
        lines.append([*line, f"{real * statistics.median(row['again']):,.0f}"])
    return markdown(header, lines)


def peak(rows):
    """Return the peak, and what the training reaches."""
    (row,) = rows
    header = ["", "GFLOP/s", "share of the peak"]
    both = middle(row["with_optimizer"]), f"{row['share']:.0%}"
    lines = [
        ["matrix product, fastest size", middle(row["peak"]), ""],
        ["training, model alone", middle(row["model"]), f"{row['model_share']:.0%}"],
        ["training, model and optimizer", *both],
    ]
    return markdown(header, lines)


def shapes(rows):
    """Return one line per way to make batches."""
    header = ["batches", "in an epoch", "shapes", "padding", "real tokens/s", "ratio"]
    lines = [
        [row["peer"], f"{row['batches']:,}", str(row["shapes"])]
        + [f"{row['padding']:.1%}", middle(row["speed"])]
        + [f"{ratio(row['speed'], rows[0]['speed']):.2f}"]
        for row in rows
    ]
    return markdown(header, lines)


def passes(rows):
    """Return one line per recipe and pass."""
    header = ["optimizer", "pass", "shows", "minutes", "accuracy, held out"]
    lines = [
        [row["peer"], str(row["number"]), row["shown"], f"{row['minutes']:.1f}"]
        + [f"{row['score']:.4f}"]
        for row in rows
    ]
    error = max((row["score"] * (1 - row["score"])) ** 0.5 for row in rows)
    error /= rows[0]["held_out"] ** 0.5
    return markdown(header, lines) + (
        f"\n\n{rows[0]['held_out']:,} reviews are held out; the standard error of an "
        f"accuracy is {error:.4f} at most."
    )


_TABLES = blocks, decoding, pipeline, peak, shapes, passes
TABLES = {table.__name__: table for table in _TABLES}


def section(name, results):
    """Return the table of one section and the circumstances of its run."""
    found = results.get(name)
    if found is None:
        return "*Not measured yet.*"
    versions = ", ".join(f"{key} {value}" for key, value in found["versions"].items())
    return (
        f"{TABLES[name](found['rows'])}\n\n"
        f"*{found['date']}, {found['hardware']}; {versions}; data: {found['data']}.*"
    )


def fill(text, results):
    """Return the README's text with every section's table between its marks."""
    for name in TABLES:
        text = replace_between(text, name, section(name, results))
    return text
