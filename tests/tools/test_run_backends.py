"""The program that runs the layers' proofs on JAX and PyTorch knows its tests."""

import importlib.util

import pytest

from tools import run_backends as script


def test_every_proof_is_a_file():
    assert [name for name in script.PROOFS if not (script.ROOT / name).exists()] == []


def test_what_cannot_run_is_a_sentence(capsys, monkeypatch):
    with pytest.raises(SystemExit):
        script.main(["theano"])
    assert "there is no theano; choose from jax, torch" in capsys.readouterr().err
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        script.main(["jax"])
    assert "jax isn't installed; call make test-backends" in capsys.readouterr().err


def test_one_failing_backend_fails_all(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(script, "run", {"jax": 0, "torch": 1}.get)
    assert script.main(["jax"]) == 0
    assert script.main([]) == 1
