from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from core.errors import StoreError
from core.storage.store import CANNOT_TELL, STALE_SECONDS, State, Store
from tests.fakes import Clock

ANNA, BERT = "a" * 64, "b" * 64


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(database_url: str, clock: Clock) -> Store:
    return Store(database_url, clock=clock)


def add(store: Store, owner: str, claim: str, *, about: str = "") -> str:
    return store.create(owner, {"claim": claim}, claim=claim, recipe="quoted", model="bundled", about=about)


def test_a_case_is_loaded_by_its_owner_and_by_nobody_else(store: Store) -> None:
    case_id = add(store, ANNA, "The moon is cheese.")
    mine = store.load(case_id, ANNA)
    assert mine is not None
    assert (mine.claim, mine.state) == ("The moon is cheese.", State.WAITING)
    assert mine.request == {"claim": "The moon is cheese."}
    assert store.load(case_id, BERT) is None
    assert store.search(BERT).entries == ()
    assert store.delete(case_id, BERT) is False
    assert store.load(case_id, ANNA) is not None


def test_ids_are_long_and_differ(store: Store) -> None:
    ids = {add(store, ANNA, "x") for _ in range(20)}
    assert len(ids) == 20
    assert min(len(case_id) for case_id in ids) == 32  # 24 random bytes in base64


def test_a_case_passes_through_its_states(store: Store, clock: Clock) -> None:
    case_id = add(store, ANNA, "x")
    clock.now += 2
    store.start(case_id)
    store.advance(case_id, {"stage": "Search"})
    running = store.load(case_id, ANNA)
    assert running is not None
    assert (running.state, running.started, running.progress) == (State.RUNNING, 1_002.0, {"stage": "Search"})
    store.finish(case_id, {"evidence": []}, label="Refuted", cannot_tell=False, seconds=6.5)
    done = store.load(case_id, ANNA)
    assert done is not None
    assert (done.state, done.result) == (State.DONE, {"evidence": []})
    assert (done.label, done.seconds) == ("Refuted", 6.5)


def test_a_failed_case_keeps_its_sentence_and_what_was_asked(store: Store) -> None:
    case_id = add(store, ANNA, "x")
    store.end(case_id, State.FAILED, "The store is empty.", seconds=None)
    failed = store.load(case_id, ANNA)
    assert failed is not None
    assert (failed.state, failed.error, failed.label) == (State.FAILED, "The store is empty.", "")
    assert failed.request == {"claim": "x"}


def test_a_live_case_whose_server_fell_silent_is_interrupted(store: Store, clock: Clock) -> None:
    case_id = add(store, ANNA, "x")
    store.start(case_id)
    clock.now += STALE_SECONDS
    assert store.search(ANNA).entries[0].state is State.RUNNING
    clock.now += 0.1
    assert store.search(ANNA).entries[0].state is State.INTERRUPTED
    store.still_alive([case_id])
    assert store.search(ANNA).entries[0].state is State.RUNNING


def test_a_finished_case_is_never_interrupted(store: Store, clock: Clock) -> None:
    case_id = add(store, ANNA, "x")
    store.finish(case_id, {}, label="Supported", cannot_tell=False, seconds=1.0)
    clock.now += 1e6
    assert store.search(ANNA).entries[0].state is State.DONE


def test_search_ignores_case_and_takes_wildcards_literally(store: Store) -> None:
    add(store, ANNA, "Über 100% der Stimmen")
    add(store, ANNA, "A hundred people voted", about="Jane Doe")
    words = ("über", "0%", "jane", "%")
    found = {text: [entry.claim for entry in store.search(ANNA, text).entries] for text in words}
    assert found == {
        "über": ["Über 100% der Stimmen"],
        "0%": ["Über 100% der Stimmen"],
        "jane": ["A hundred people voted"],
        "%": ["Über 100% der Stimmen"],
    }


def test_listing_is_newest_first_and_counts_all(store: Store, clock: Clock) -> None:
    for claim in ("first", "second", "third"):
        clock.now += 1
        add(store, ANNA, claim)
    page = store.search(ANNA, limit=2)
    assert [entry.claim for entry in page.entries] == ["third", "second"]
    assert page.total == 3
    assert [entry.claim for entry in store.search(ANNA, limit=2, offset=2).entries] == ["first"]


def test_the_verdict_filter_tells_doubt_from_labels(store: Store) -> None:
    sure, doubtful = add(store, ANNA, "sure"), add(store, ANNA, "doubtful")
    add(store, ANNA, "still waiting")
    store.finish(sure, {}, label="Refuted", cannot_tell=False, seconds=1.0)
    store.finish(doubtful, {}, label="Refuted", cannot_tell=True, seconds=1.0)
    assert [entry.claim for entry in store.search(ANNA, label="Refuted").entries] == ["sure"]
    assert [entry.claim for entry in store.search(ANNA, label=CANNOT_TELL).entries] == ["doubtful"]


def test_drafts_are_kept_by_owner_and_form(store: Store) -> None:
    store.save_draft(ANNA, "verify", {"claim": "half a sen"})
    store.save_draft(ANNA, "verify", {"claim": "half a sentence"})
    assert store.draft(ANNA, "verify") == {"claim": "half a sentence"}
    assert store.draft(BERT, "verify") == {}
    assert store.draft(ANNA, "rate") == {}


def test_opening_twice_keeps_what_is_there(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'veridesk.db'}"
    case_id = add(Store(url), ANNA, "x")
    again = Store(url)
    assert again.load(case_id, ANNA) is not None
    with sqlite3.connect(tmp_path / "veridesk.db") as connection:
        assert connection.execute("select number from migrations").fetchall() == [(1,), (2,)]
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'veridesk.db'}")
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")  # what the pool hands out again below
    with pytest.raises(StoreError, match="The disk is full"):
        store.create(ANNA, {"text": "x" * 200_000}, claim="x", recipe="r", model="m")


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
