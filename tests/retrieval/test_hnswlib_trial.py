"""hnswlib that does not run on this processor: tried in a process of its own, and never loaded in ours."""

import sys
from pathlib import Path

import pytest

from core.compiled_packages import rebuild_command
from core.errors import ModelError
from core.retrieval import hnswlib_trial
from core.retrieval.hnswlib_trial import hnswlib_trouble
from tests.retrieval.test_kept import opened

BROKEN = "import os, signal\nos.kill(os.getpid(), signal.{signal})\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    hnswlib_trial._kept_trouble.cache_clear()
    return tmp_path / "home"


def break_hnswlib(folder: Path, monkeypatch: pytest.MonkeyPatch, *, by: str = "SIGILL") -> None:
    """Put a module in the place of hnswlib that ends each process in which it is imported, this one too."""
    folder.mkdir(exist_ok=True)
    (folder / "hnswlib.py").write_text(BROKEN.format(signal=by))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "hnswlib", raising=False)
    hnswlib_trial._kept_trouble.cache_clear()


def test_it_runs_here(home: Path) -> None:
    assert hnswlib_trouble() == ""
    assert (home / "hnswlib-trial.json").is_file()


@pytest.mark.parametrize("signal", ["SIGILL", "SIGSEGV"])
def test_a_signal_ends_the_trial_and_not_this_process(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signal: str
) -> None:
    break_hnswlib(tmp_path / "broken", monkeypatch, by=signal)
    trouble = hnswlib_trouble()
    assert signal in trouble
    assert trouble.endswith(rebuild_command("hnswlib"))


def test_the_trial_is_made_once_for_a_build_and_again_for_another(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_hnswlib(tmp_path / "broken", monkeypatch)
    assert "SIGILL" in hnswlib_trouble()
    hnswlib_trial._kept_trouble.cache_clear()
    monkeypatch.setattr(hnswlib_trial, "_TRIAL", "raise SystemExit('tried again')")
    assert "SIGILL" in hnswlib_trouble()  # as a program that starts anew: kept in the home
    (tmp_path / "broken" / "hnswlib.py").write_text("another build")
    assert "exit status 1" in hnswlib_trouble()


def test_linked_passages_are_found_exactly_where_hnswlib_does_not_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "store").link()
    unlinked = opened(tmp_path / "other").search_dense("a bridge over the river", k=5)
    break_hnswlib(tmp_path / "broken", monkeypatch)
    kept = opened(tmp_path / "store")
    for expected, found in zip(unlinked, kept.search_dense("a bridge over the river", k=5), strict=True):
        assert found.tolist() == expected.tolist()
    with pytest.raises(ModelError, match="SIGILL"):
        kept.link()
