"""Where the database is kept: in the home folder, whatever its name."""

from pathlib import Path

import pytest
from sqlalchemy.exc import TimeoutError

from core.settings import settings
from core.storage.database import sentence
from core.storage.store import Store


def test_no_sentence_links_to_another_project() -> None:
    waited = TimeoutError("QueuePool limit of size 20 reached, connection timed out", code="3o7r")
    assert "sqlalche.me" in str(waited)
    said = sentence(waited)
    assert "sqlalche.me" not in said
    assert all(words in said for words in ("size 20", "timed out", "VERIDESK_DATABASE"))


@pytest.mark.parametrize(
    "name", ["why?", "why?a=b", "C#", "50%", "50%25", "%41", "a b", "a+b", "café", ":memory:", "file:x", "@:"]
)
def test_the_database_is_in_a_home_of_any_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / name))
    Store(settings().database_url).save_draft("a", "verify", {"text": "kept"})
    assert Store(settings().database_url).draft("a", "verify") == {"text": "kept"}
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "veridesk.db").stat().st_size


def test_a_home_that_is_relative_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)
    monkeypatch.setenv("VERIDESK_HOME", "here")
    monkeypatch.chdir(tmp_path)
    here = settings()
    monkeypatch.chdir("/")
    Store(here.database_url).save_draft("a", "verify", {"text": "kept"})
    assert (tmp_path / "here" / "veridesk.db").is_file()
