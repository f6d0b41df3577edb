"""Evidence grows run by run, is read with clear messages, and keeps its noise."""

import re
import subprocess
import sys
import types

import pandas as pd
import pytest

from benchmarks import evidence as runner
from benchmarks import imdb
from course_utils.kit import evidence, results

FACTS = ["minutes", "machine", "date", "commit"]


@pytest.fixture
def runs(monkeypatch):
    """A study of two variants and two seeds; a list of the runs that were made."""
    made = []

    def measure(variant, seed):
        made.append((variant, seed))
        return {"bleu": 40 + seed, "minutes_of_training": 1.5}

    demo = types.ModuleType("benchmarks.demo")
    demo.VARIANTS = {"a": {}, "b": {}}
    demo.SEEDS = (0, 1)
    demo.measure = measure
    monkeypatch.setitem(sys.modules, "benchmarks.demo", demo)
    monkeypatch.setattr(runner, "in_a_process", runner.rows_of)
    monkeypatch.setenv("COURSE_DATA", "full")
    return made


@pytest.fixture
def demo(runs):
    return sys.modules["benchmarks.demo"]


def test_runs_are_kept_one_by_one_and_only_missing_ones_made(runs, tmp_path, capsys):
    assert runner.main("demo", ["--variant", "a"], tmp_path) == 0
    assert runs == [("a", 0), ("a", 1)]
    runner.main("demo", ["--list"], tmp_path)
    assert "a, seed 1: measured\nb, seed 1: missing" in capsys.readouterr().out
    runner.main("demo", [], tmp_path)
    assert runs[2:] == [("b", 0), ("b", 1)]
    runner.main("demo", ["--variant", "a", "--seed", "1"], tmp_path)  # asked for again
    assert len(runs) == 5
    table = pd.read_csv(tmp_path / "demo.csv")
    measured = ["bleu", "minutes_of_training"]
    assert list(table.columns) == ["variant", "seed", *measured, *FACTS]
    assert len(table) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["demo.csv"]


def test_a_variant_may_have_fewer_seeds(runs, demo, tmp_path):
    demo.VARIANTS["a"]["seeds"] = [1]
    runner.main("demo", [], tmp_path)
    assert runs == [("b", 0), ("a", 1), ("b", 1)]


def test_an_interrupted_run_keeps_those_before_it(demo, tmp_path):
    def stopped(variant, seed):
        if variant == "b":
            raise KeyboardInterrupt
        return {"bleu": 1}

    demo.measure = stopped
    with pytest.raises(KeyboardInterrupt):
        runner.main("demo", [], tmp_path)
    table = pd.read_csv(tmp_path / "demo.csv")
    assert table["variant"].tolist() == ["a"]


@pytest.mark.parametrize("row_a_figure", [False, True])
def test_figures_are_read_as_they_were_measured(
    demo, tmp_path, monkeypatch, row_a_figure
):
    figures = {"a": {"bleu": 0.1 + 0.2, "loss": 1e-17}, "b": {"bleu": 1 / 3}}
    if row_a_figure:
        demo.ROW_A_FIGURE = True
        figures = {"a": {"x.bleu": 0.1 + 0.2, "y.bleu": 1e-17}, "b": {"x.bleu": 1 / 3}}
    else:
        figures["b"]["steps"] = 7  # an integer, which one of the variants hasn't
    demo.measure = lambda variant, seed: figures[variant]
    runner.main("demo", ["--seed", "0"], tmp_path)
    monkeypatch.setattr(evidence, "FOLDER", tmp_path)
    for variant, expected in figures.items():
        rows = [row for row in evidence.load("demo") if row["variant"] == variant]
        names = list(expected)
        if not row_a_figure:
            names = [f"demo.{variant}.{name}" for name in names]
        values = {row["name"]: row["value"] for row in rows}
        assert values == dict(zip(names, expected.values(), strict=True))
        if "steps" in expected:
            assert isinstance(values["demo.b.steps"], int)


def test_other_runs_stay_byte_for_byte(runs, demo, tmp_path):
    runner.main("demo", ["--variant", "a"], tmp_path)
    path = tmp_path / "demo.csv"
    before = path.read_text().splitlines()
    text = path.read_text().replace("40,1.5", "0.30000000000000004,1.50")
    path.write_text(text)
    runner.main("demo", ["--variant", "b", "--seed", "0"], tmp_path)
    after = path.read_text().splitlines()
    assert after[:3] == text.splitlines()
    assert len(after) == len(before) + 1


@pytest.mark.parametrize("arguments", [["--variant", "c"], ["--seed", "7"], []])
def test_other_runs_are_refused(runs, tmp_path, arguments, monkeypatch, capsys):
    if not arguments:
        monkeypatch.setenv("COURSE_DATA", "sample")
    with pytest.raises(SystemExit):
        runner.main("demo", arguments, tmp_path)
    shown = capsys.readouterr().err
    assert "invalid choice" in shown or "measured on the real data" in shown
    assert runs == []


def test_rows_are_recorded_as_means_with_their_noise(runs, tmp_path, monkeypatch):
    runner.main("demo", [], tmp_path)
    monkeypatch.setattr(evidence, "FOLDER", tmp_path)
    shown = []
    monkeypatch.setattr(results, "_show", shown.extend)
    rows = evidence.load("demo")
    evidence.record(rows, "demo.a.bleu")
    assert shown[0]["value"] == 40.5 and 0.70 < shown[0]["noise"] < 0.71
    evidence.record(rows)
    assert len(shown) == 5
    evidence.record(rows, "demo.a.bleu", prefix="copy.")
    assert shown[-1] == {**shown[0], "name": "copy.demo.a.bleu"}
    with pytest.raises(ValueError, match="'demo.blue'; near names are: demo."):
        evidence.values(rows, "demo.blue")
    with pytest.raises(ValueError, match="no evidence 'other'; there is: demo"):
        evidence.load("other")


@pytest.mark.parametrize(
    "path", sorted(evidence.FOLDER.glob("*.csv")), ids=lambda p: p.stem
)
def test_every_run_stands_in_its_table_once_with_its_facts(path):
    table = evidence.table(path.stem)
    assert (
        not table[["variant", "seed", "minutes", "machine", "date"]]
        .isna()
        .any(axis=None)
    )
    key = ["variant", "seed"]
    if "name" in table:
        key.append("name")
    assert not table.duplicated(key).any()


def test_what_is_prepared_is_made_once_also_in_a_fresh_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(imdb, "ROOT", tmp_path)  # without build/
    assert imdb.stored("rows", 3, range) == range(3)
    assert imdb.stored("rows", 3, None) == range(3)


def test_code_that_differs_marks_a_commit_but_evidence_not(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    (tmp_path / "course_utils/kit/evidence").mkdir(parents=True)
    code, rows = tmp_path / "code.py", tmp_path / "course_utils/kit/evidence/demo.csv"
    for file in (code, rows):
        file.write_text("1")
    me = "-c", "user.name=A", "-c", "user.email=a@example.org"
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    rows.write_text("2")
    assert re.fullmatch("[0-9a-f]{10}", runner.commit())
    code.write_text("2")
    assert re.fullmatch("[0-9a-f]{10}[+]", runner.commit())
