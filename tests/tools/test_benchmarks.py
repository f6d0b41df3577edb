"""The benchmarks compare equals, keep time rightly and print what was measured."""

import os
import time
from types import SimpleNamespace

import keras
import layer_battery as lb
import numpy as np
import pytest

from benchmarks import blocks, decoding, peers, run, tables
from course_utils.generation import search as generation
from course_utils.seq2seq import TranslationTransformer
from course_utils.text.vectorizers import END


class Peer:
    """A peer that counts, ends, and uses memory and gives it back."""

    def __init__(self, start=0):
        self.count = start

    def add(self, number):
        self.count += number
        return self.count

    def end(self):
        os._exit(1)

    def eat(self, megabytes):
        before = peers.process_memory("VmHWM")
        np.ones(megabytes * 1_000_000, "uint8").sum()
        return peers.process_memory("VmHWM") - before


def test_peers_answer_in_both_orders_and_know_their_highest_memory(monkeypatch):
    asked = []
    with peers.Peers({"a": Peer, "b": Peer}, 5) as both:
        assert both.ask_all("add", 1) == {"a": 6, "b": 6}
        assert both.turns("add", 1, repeats=3) == {"a": [7, 8, 9], "b": [7, 8, 9]}
        assert both.ask("a", "add", 0) == 9
        first, second = both.ask("a", "eat", 100), both.ask("a", "eat", 100)
        monkeypatch.setattr(both, "ask", lambda name, *_: asked.append(name))
        both.turns("add", 1, repeats=3)
    assert "".join(asked) == "baabba"
    assert 95e6 < first < 120e6 and second < 10e6
    assert 0 < peers.process_memory("VmRSS") <= peers.process_memory("VmHWM")


def test_a_peer_that_fails_or_ends_is_named():
    faults = [("a", "add", "one", "a: TypeError: unsupported operand")]
    faults += [("b", "end", "b: its process ended"), ("b", "add", 1, "b.* ended")]
    with peers.Peers({"a": Peer, "b": Peer}) as both:
        for *asked, told in faults:
            pytest.raises(peers.PeerError, both.ask, *asked).match(told)
    pytest.raises(peers.PeerError, peers.Peers, {"a": Peer}, 1, 2).match("a: TypeError")
    pytest.raises(ValueError, peers.process_memory, "VmMoon").match("no field VmMoon")


@pytest.fixture
def small_blocks(monkeypatch):
    for name, value in dict(WIDTH=16, DENSE=32, HEADS=2, TOKENS=64).items():
        monkeypatch.setattr(blocks, name, value)


def prepare(*case):
    """Return our block and KerasHub's, and what they give."""
    made = {"ours": blocks.OursPeer(*case), "KerasHub": blocks.KerasHubPeer(*case)}
    return made, {name: peer.prepare(8) for name, peer in made.items()}


@pytest.mark.parametrize("kind", blocks.KINDS)
def test_blocks_compute_the_same(small_blocks, kind):
    _, found = prepare(kind, "float32", "forward")
    assert found["ours"].shape[1] == 16 and found["ours"].std() > 0.1
    blocks.check_equal(found, "float32")
    found["KerasHub"] = found["KerasHub"] + 0.01
    with pytest.raises(ValueError, match="KerasHub's numbers differ from ours"):
        blocks.check_equal(found, "float32")


@pytest.mark.parametrize("dtype", blocks.DTYPES)
def test_blocks_learn_the_same_with_weights_in_float32(small_blocks, dtype):
    made, found = prepare("decoder", dtype, "training")
    first, _, third = found["ours"]
    assert third < 0.99 * first
    blocks.check_equal(found, dtype)
    for peer in made.values():
        assert {weight.dtype for weight in peer.layer.weights} == {"float32"}
        assert peer.seconds() > 0


@pytest.mark.parametrize("kind", [decoding.HubCachedPeer, decoding.HubUncachedPeer])
def test_keras_hubs_greedy_search_finds_our_tokens(kind):
    keras.utils.set_random_seed(1)
    model = TranslationTransformer(64, 24, 16, 32, 2, 2, dropout=0.0)
    model.build()
    lb.vary(model, 0.3, seed=4)
    peer = object.__new__(kind)
    peer.transformer, peer.loops = model, {}
    peer.texts = [[9, 8, 7], [30, 31], [5, 50, 20, 11, 4]]
    peer.vectorizer = SimpleNamespace(encode=list)
    peer.model = decoding.HubTranslator(model)
    ((rows, batch, limit),) = peer.batches()
    found = peer.loop("greedy")(batch, np.int32(limit)).numpy()[:, 1:]
    expected = generation.greedy_search(model, batch, limit)
    expected, got = (
        [row[: decoding.length_before_end(row)].tolist() for row in search]
        for search in (expected, found)
    )
    # KerasHub's loop never writes padding, ours writes nothing else after an end.
    assert got == [[i for i in row if i] for row in expected]
    assert rows == [1, 0, 2] and len(set(map(tuple, got))) > 1


def test_a_row_is_read_up_to_its_first_end():
    for row in ([7, 8, END, 9, END], [7, 8, 0], [7, 8]):
        assert decoding.length_before_end(np.array(row)) == 2


def test_seconds_per_call_repeats_short_calls(monkeypatch):
    now = [0.35, 0.2, 0.1, 0.0]  # a call, and nothing else, moves the clock
    monkeypatch.setattr(time, "perf_counter", lambda: now[-1])
    assert peers.seconds_per_call(now.pop, 0.3) == 0.35 / 3


CASE = dict(kind="encoder", mode="forward", dtype="float32", length=32, peak_mb=7)
OURS = dict(CASE, peer="ours", milliseconds=[1000.0, 2000.0, 1000.0])
TORCH = dict(CASE, peer="PyTorch", milliseconds=[4000.0, 4000.0, 2000.0])
LINE = "| encoder | forward | float32 | 32 | 1,000.0 (1,000.0–2,000.0) "
LINE += "| 4,000.0 (2,000.0–4,000.0) | 0.50 | 7 | 7 |"
RUN = dict(date="2030-01-02", hardware="1 core", versions={"Keras": "9"}, data="full")
RESULTS = {"blocks": {**RUN, "rows": [OURS, TORCH]}}


def test_readme_has_the_results_and_a_place_for_every_section():
    text = run.README.read_text("utf-8")
    filled = tables.fill(text, RESULTS)
    assert LINE in filled and "*2030-01-02, 1 core; Keras 9; data: full.*" in filled
    assert filled.count("*Not measured yet.*") == len(tables.TABLES) - 1
    assert tables.fill(filled, RESULTS) == filled
    assert all(run.README.with_name(f"{name}.py").is_file() for name in tables.TABLES)
    stored = run.json.loads(run.RESULTS.read_text("utf-8"))
    assert tables.fill(text, stored) == text
    with pytest.raises(ValueError, match="the markers <!-- blocks:begin"):
        tables.fill("nothing", RESULTS)


def test_ratios_in_the_tables():
    assert tables.table("blocks", [OURS, TORCH]).splitlines()[-1] == LINE
    rows = ("greedy", "ours", 600.0), ("greedy", "slow", 60.0), ("beam", "ours", 200.0)
    case = dict(sentences=50, same_as_ours=1.0)
    rows = [dict(case, search=s, peer=p, speed=[n]) for s, p, n in rows]
    table = tables.table("decoding", rows)
    line = "| greedy | slow | 50 | 60.0 (60.0–60.0) | 0.100 |  | 100.0% |"
    assert line in table and "3.00 times as long" in table


def test_a_section_is_stored_beside_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results.json")
    for section, rows in (("decoding", [1]), ("blocks", [2]), ("decoding", [3])):
        run.store(section, {"rows": rows})
    found = run.json.loads(run.RESULTS.read_text("utf-8"))
    assert found == {"decoding": {"rows": [3]}, "blocks": {"rows": [2]}}


def test_unknown_sections_are_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["blokcs"])
    assert "there is no blokcs" in capsys.readouterr().err
