"""record() and expect(): names, bounds, what is shown and what is stored."""

import numpy as np
import pytest
from conftest import recorded

from course_utils.kit import results


@pytest.fixture
def shown(monkeypatch):
    """The payloads that a notebook would store."""
    payloads = []
    monkeypatch.setattr(results, "_show", payloads.extend)
    return payloads


@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.float32(0.5), float), (np.int64(3), int), (np.array(0.5), float), (2, int)],
)
def test_numbers_become_python_numbers(shown, value, kind):
    results.record("a.b", value)
    assert shown == [{"name": "a.b", "value": value, "unit": ""}]
    assert type(shown[0]["value"]) is kind


@pytest.mark.parametrize("name", ["accuracy", "A.b", "a..b", "a.b ", "a-b.c", "", None])
def test_wrong_names_are_refused(name):
    with pytest.raises(ValueError, match="dotted lower-case"):
        results.record(name, 1.0)


@pytest.mark.parametrize("value", [float("nan"), np.inf, "many", None])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="number"):
        results.record("a.b", value)


def test_expect_stores_the_bounds_and_then_fails(shown, monkeypatch):
    results.expect("a.b", 0.9, at_least=0.88, at_most=1)
    assert shown.pop()["at_least"] == 0.88
    sentence = "a.b is 0.5, but it should be at least 0.88 .* 'sample'"
    with pytest.raises(AssertionError, match=sentence):
        results.expect("a.b", 0.5, at_least=0.88)
    with pytest.raises(AssertionError, match="a.t is 7 points.*at most 6"):
        results.expect("a.t", 7, at_most=6, unit="points")
    monkeypatch.delenv("COURSE_STRICT")  # a learner's run goes on
    results.expect("a.b", 0.5, at_least=0.88)
    assert [results.passed(payload) for payload in shown] == 3 * [False]


@pytest.mark.parametrize("name, unit", [("a.gain", ""), ("a.minutes", "minutes")])
def test_a_missed_time_is_no_error_even_in_the_tests(shown, name, unit):
    results.expect(name, 7, at_most=6, unit=unit, clock=True)
    (payload,) = shown
    assert payload["clock"] is True and results.depends_on_clock(payload)
    assert results.passed(payload) is False and not results.failed(payload)
    assert results._text(payload).endswith("not reached; machines differ in speed)")


@pytest.mark.parametrize(
    "unit", ["s", "ms", "processor minutes", "s/shape", "sentences/s", "per second"]
)
def test_expect_of_a_time_asks_for_clock(unit):
    with pytest.raises(ValueError, match="a.b is a time.*clock=True"):
        results.expect("a.b", 7, at_most=6, unit=unit)
    stored = {"name": "a.b", "value": 7, "unit": unit, "at_most": 6}
    assert results.depends_on_clock(stored) and not results.failed(stored)


@pytest.mark.parametrize("name", ["demo.second.accuracy", "timit.time_step.accuracy"])
def test_expect_judges_a_time_by_its_unit_alone(shown, name):
    results.expect(name, 0.9, at_least=0.8)
    assert results.passed(shown[0]) is True
    assert not results.depends_on_clock(shown[0])


def test_record_all_stores_every_figure_in_one_output(shown, monkeypatch):
    figures = {
        "a.plain": np.float32(0.5),
        "a.bounded": results.figure(3, "points", at_least=2, noise=0.25),
        "a.ratio": results.figure(1.5, at_least=2, timing=True),
    }
    results.record_all(figures)
    assert shown == [
        {"name": "a.plain", "value": 0.5, "unit": ""},
        {"name": "a.bounded", "value": 3, "unit": "points", "at_least": 2}
        | {"noise": 0.25},
        {"name": "a.ratio", "value": 1.5, "unit": "", "at_least": 2, "clock": True},
    ]


def test_record_all_names_every_missed_bound(shown):
    low = results.figure(0.5, at_least=0.88)
    with pytest.raises(AssertionError, match="a.b is 0.5.*; a.c is 0.5.*at least 0.88"):
        results.record_all({"a.b": low, "a.c": low, "a.d": 1})
    assert len(shown) == 3  # they are shown all the same


def test_collect_reads_lists_and_single_figures(make_notebook):
    many = recorded("a.b", 1)
    single = many["data"][results.MIME_TYPE]
    many["data"][results.MIME_TYPE] = [single, {**single, "name": "a.c"}]
    notebook = make_notebook(["1", "2"], {0: [many], 1: [recorded("a.d", 3)]})
    names = [payload["name"] for payload in results.collect(notebook)]
    assert names == ["a.b", "a.c", "a.d"]


def test_bounds_by_data_mode(shown, monkeypatch):
    bounds = {"sample": 0.6, "full": 0.88}
    results.expect("a.b", 0.7, at_least=bounds)
    assert results.passed(shown[0]) is True
    monkeypatch.setenv("COURSE_DATA", "full")
    with pytest.raises(AssertionError, match="at least 0.88"):
        results.expect("a.b", 0.7, at_least=bounds)
    results.expect("a.b", 0.1, at_least={"sample": 0.6})  # no bound in this mode
    assert shown[2] == {"name": "a.b", "value": 0.1, "unit": ""}
    assert results.passed(shown[2]) is None


def test_wrong_bounds():
    with pytest.raises(ValueError, match="Unknown data mode 'smaple'"):
        results.expect("a.b", 1.0, at_least={"smaple": 0.5})
    with pytest.raises(ValueError, match="at_least or at_most"):
        results.expect("a.b", 1.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(600, "600"), (600.0, "600"), (0.0, "0"), (0.88996, "0.89"), (12345.6, "12,346")]
    + [(0.00001234, "1.23e-05"), (-0.5, "-0.5")],
)
def test_format_value(value, text):
    assert results.format_value(value) == text


def test_collect_keeps_the_last_value_of_a_name(make_notebook):
    outputs = {place: [recorded("a.b", place + 1)] for place in range(2)}
    notebook = make_notebook(["1", "2"], outputs)
    assert results.collect(notebook) == [{"name": "a.b", "value": 2, "unit": ""}]
