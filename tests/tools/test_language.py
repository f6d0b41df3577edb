"""Evidence of lessons 08 and 13 runs their code and gives what the lessons read."""

import pytest

from benchmarks import gru, imdb, language
from course_utils.datasets import character_windows, phrasebook, reviews, spa_eng


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    texts = [reviews.load(part)[0] for part in ("validation", "test", "train")]
    few = [part[:size] for part, size in zip(texts, (20, 20, 200), strict=True)]
    monkeypatch.setattr(character_windows, "imdb_parts", lambda: few)
    monkeypatch.setattr(imdb, "ROOT", tmp_path)
    monkeypatch.setattr(language, "BASE", dict(length=32, given=8, order=4))
    arms = dict(ngrams_all=dict(characters=10**9), ngrams_cut=dict(cut=True))
    arms |= {"gpt_2m": dict(like="2m"), "lstm_adam": dict(exclude_layers=[""])}
    arms["lstm_again"] = dict(text=33)  # one window
    arms = {arm: dict(characters=1500) | change for arm, change in arms.items()}
    monkeypatch.setattr(language, "ARMS", arms)
    name, bits = "language.gpt_2m_{}.validation_bits", {5: 2.2, 10: 2.3, 20: 2.1}
    rows = [{"name": name.format(n), "value": v, "seed": 0} for n, v in bits.items()]
    monkeypatch.setattr(language.evidence, "read", lambda path: {"rows": rows})


TRAINED = {"gpt_2m": [0.02, 5], "lstm_adam": [0.04, 2], "lstm_again": [0.04, 2]}


def test_an_arm_of_lesson_08_in_a_small_size(monkeypatch):
    few = spa_eng.Splits(*[part[:60] for part in phrasebook.load()])
    monkeypatch.setattr(spa_eng, "load", lambda: few)
    small = {"pieces": 60, "embed_dim": 4, "units": 6, "updates": 10}
    monkeypatch.setattr(gru, "BASE", gru.BASE | small)
    found = gru.measure("mean", 0)
    assert found.keys() > {"gru.mean.long_bleu", "gru.mean.words_12"}
    assert 3 < found["gru.mean.new_nats"] < 4.6  # ln 60 is 4.1


@pytest.mark.parametrize("arm", [*TRAINED, "ngrams_all", "ngrams_cut"])
def test_an_arm_in_a_small_size(arm):
    found, start = language.measure(arm, 0), f"language.{arm}."
    found = {name.removeprefix(start): value for name, value in found.items()}
    assert 1 < found["bits"] < 6.3 and "place_8" in found
    if arm == "ngrams_all":  # all that there is, and so it is ahead
        assert found["characters"] > 1e4 and found["best_n"] in (3, 4)
        assert max(found["bits"], found["witten_bell_bits"]) < 2
        assert found["discount"] in (0.8, 0.9, 0.95, 0.98)
        letters = sum(map(len, character_windows.imdb_parts()[1]))
        of_reviews = sum(found[f"review_{i}"] for i in range(20))
        assert of_reviews / found["bits"] == pytest.approx(letters)
    else:  # 46 windows of 32
        assert found["characters"] == (1472 if arm == "ngrams_cut" else 1500)
    trained = [found[name] for name in ("peak", "updates") if name in found]
    assert trained == TRAINED.get(arm, [])


def test_text_that_is_read_again_is_the_beginning(monkeypatch):
    def read(ids, *sizes):
        raise ValueError(f"{len(ids)} ids")

    monkeypatch.setattr(character_windows, "training_batches", read)
    with pytest.raises(ValueError, match="^33 ids"):
        language.measure("lstm_again", 0)


def test_only_the_making_of_tables_is_timed(monkeypatch):
    clock, seconds = iter(range(99)), []
    monkeypatch.setattr(language.time, "process_time", clock.__next__)
    for _ in language.timed("ab", seconds):
        next(clock)  # the scoring takes a while
    assert seconds == [1, 1]
