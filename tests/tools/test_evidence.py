"""Evidence grows run by run, is read with clear messages, and keeps its noise."""

import json
import re
import subprocess
import sys
import types

import pytest

from benchmarks import evidence as runner
from benchmarks import imdb
from course_utils.kit import evidence, results

FIELDS = {"name", "value", "arm", "seed", "minutes", "machine", "date", "commit"}


@pytest.fixture
def runs(monkeypatch):
    """A benchmark of two arms and two seeds; a list of the runs that were made."""
    made = []

    def measure(arm, seed):
        made.append((arm, seed))
        return {f"demo.{arm}.bleu": 40 + seed, f"demo.{arm}.minutes": 1.5}

    demo = types.ModuleType("benchmarks.demo")
    demo.ARMS, demo.SEEDS, demo.measure = {"a": {}, "b": {}}, (0, 1), measure
    monkeypatch.setitem(sys.modules, "benchmarks.demo", demo)
    monkeypatch.setattr(runner, "in_a_process", runner.rows_of)
    monkeypatch.setenv("COURSE_DATA", "full")
    return made


def test_runs_are_kept_one_by_one_and_only_missing_ones_made(runs, tmp_path, capsys):
    assert runner.main("demo", ["--arm", "a"], tmp_path) == 0
    assert runs == [("a", 0), ("a", 1)]
    runner.main("demo", ["--list"], tmp_path)
    assert "a, seed 1: measured\nb, seed 1: missing" in capsys.readouterr().out
    runner.main("demo", [], tmp_path)
    assert runs[2:] == [("b", 0), ("b", 1)]
    runner.main("demo", ["--arm", "a", "--seed", "1"], tmp_path)  # on request again
    assert len(runs) == 5
    stored = json.loads((tmp_path / "demo.json").read_text())
    assert stored["command"] == "python -m benchmarks.demo"
    assert len(stored["rows"]) == 8 and set(stored["rows"][0]) == FIELDS
    assert [path.name for path in tmp_path.iterdir()] == ["demo.json"]


def test_an_arm_may_have_fewer_seeds(runs, tmp_path):
    sys.modules["benchmarks.demo"].ARMS["a"]["seeds"] = [1]
    runner.main("demo", [], tmp_path)
    assert runs == [("b", 0), ("a", 1), ("b", 1)]


def test_an_interrupted_run_keeps_those_before_it(runs, tmp_path):
    def stopped(arm, seed):
        if arm == "b":
            raise KeyboardInterrupt
        return {"demo.a.bleu": 1}

    sys.modules["benchmarks.demo"].measure = stopped
    with pytest.raises(KeyboardInterrupt):
        runner.main("demo", [], tmp_path)
    assert [row["arm"] for row in runner.read(tmp_path / "demo.json")["rows"]] == ["a"]


@pytest.mark.parametrize("arguments", [["--arm", "c"], ["--seed", "7"], []])
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
    monkeypatch.setattr(results, "_show", shown.append)
    rows = evidence.load("demo")
    evidence.record(rows, "demo.a.bleu")
    assert shown[0]["value"] == 40.5 and 0.70 < shown[0]["noise"] < 0.71
    evidence.record(rows)
    assert len(shown) == 5
    with pytest.raises(ValueError, match="'demo.blue'; near names are: demo."):
        evidence.values(rows, "demo.blue")
    with pytest.raises(ValueError, match="no evidence 'other'; there is: demo"):
        evidence.load("other")


def test_what_is_prepared_is_made_once_also_in_a_fresh_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(imdb, "ROOT", tmp_path)  # without build/
    assert imdb.stored("rows", 3, range) == range(3)
    assert imdb.stored("rows", 3, None) == range(3)


def test_code_that_differs_marks_a_commit_but_evidence_not(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    (tmp_path / "course_utils/kit/evidence").mkdir(parents=True)
    code, rows = tmp_path / "code.py", tmp_path / "course_utils/kit/evidence/demo.json"
    for file in (code, rows):
        file.write_text("1")
    me = "-c", "user.name=A", "-c", "user.email=a@example.org"
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    rows.write_text("2")
    assert re.fullmatch("[0-9a-f]{10}", runner.commit())
    code.write_text("2")
    assert re.fullmatch("[0-9a-f]{10}[+]", runner.commit())
