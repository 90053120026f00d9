"""A home of a test's own, and commands run in this process."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.__main__ import main

Command = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_database: Path) -> None:
    """A home with nothing but an empty database in it."""
    (tmp_path / "home").mkdir()
    shutil.copy(empty_database, tmp_path / "home")
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command with this exit status and return what it printed there: on stderr if it failed."""

    def run(*words: str, status: int = 0) -> str:
        assert main(list(words)) == status, capsys.readouterr().err
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return run
