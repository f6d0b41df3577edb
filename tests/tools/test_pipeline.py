"""The pipelines of benchmarks/pipeline.py hold what they say."""

import pytest

from benchmarks import pipeline


@pytest.mark.parametrize(("task", "rows"), [("reviews", 60), ("pairs", 100)])
@pytest.mark.parametrize("make", pipeline.PEERS.values(), ids=pipeline.PEERS)
def test_pipelines_hold_all_rows(monkeypatch, make, task, rows):
    monkeypatch.setenv("COURSE_DATA", "sample")
    monkeypatch.setattr(pipeline, "REVIEWS", 60)
    monkeypatch.setattr(pipeline, "PAIRS", 100)
    peer = make(task)
    held = peer.prepare()
    assert held["rows"] == rows
    assert min(peer.seconds_again(), peer.seconds_from_texts()) > 0
    tokens = [array.numpy() for arrays in peer.batches() for array in arrays]
    assert held["tokens"] == sum(array.size for array in tokens)
    empty = sum((array == 0).sum() for array in tokens)
    assert held["padding"] == empty / held["tokens"]
