import sqlite3
from pathlib import Path

import pytest

from core.errors import StoreError
from core.storage.store import Store

ANNA, BERT = "a" * 64, "b" * 64


@pytest.fixture
def store(database_url: str) -> Store:
    return Store(database_url)


def test_drafts_are_kept_by_owner_and_form(store: Store) -> None:
    store.save_draft(ANNA, "verify", {"claim": "half a sen"})
    store.save_draft(ANNA, "verify", {"claim": "half a sentence"})
    assert store.draft(ANNA, "verify") == {"claim": "half a sentence"}
    assert store.draft(BERT, "verify") == {}
    assert store.draft(ANNA, "rate") == {}


def test_opening_twice_keeps_what_is_there(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'veridesk.db'}"
    Store(url).save_draft(ANNA, "verify", {"claim": "x"})
    assert Store(url).draft(ANNA, "verify") == {"claim": "x"}
    with sqlite3.connect(tmp_path / "veridesk.db") as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'veridesk.db'}")
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")  # what the pool hands out again below
    with pytest.raises(StoreError, match="The disk is full"):
        store.save_draft(ANNA, "verify", {"text": "x" * 200_000})


def test_a_file_that_is_no_database_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "veridesk.db").write_bytes(b"not a database, but long enough to be read as a header" * 40)
    with pytest.raises(StoreError, match="database file is damaged"):
        Store(f"sqlite:///{tmp_path / 'veridesk.db'}")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "cannot be used"),
        ("mysql://desk@localhost/desk", "SQLite or PostgreSQL"),
        ("postgresql://desk:hidden@/desk?host=/nowhere", "server does not answer"),
        ("sqlite:////proc/nowhere/veridesk.db", "folder cannot be made"),
    ],
)
def test_a_bad_address_is_said_in_a_sentence(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as refused:
        Store(url)
    assert "hidden" not in str(refused.value)
