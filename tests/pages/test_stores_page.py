"""The page of kept indexes, driven as a user drives it."""

import os
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.retrieval.corpus import Chunking
from core.retrieval.index_cache import kept_stores
from core.retrieval.kept_index import open_index
from core.search.search_request import own_snapshots
from core.search.types import Page
from core.settings import settings
from core.types import Document
from core.verification.reading import store_name
from pages.ui.collections import collections
from tests.pages.desks import HOSTILE, by_role, keys, press, told
from tests.retrieval.test_index import LetterEncoder

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "stores" / "page.py")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    return tmp_path


def keep(name: str, texts: int, *, used: int) -> None:
    documents = [Document("u", f"The bridge number {number}.") for number in range(texts)]
    open_index(settings().indexes, documents, LetterEncoder(), name=name)
    newest = kept_stores(settings().indexes)[0]
    os.utime(settings().indexes / newest.key, (used, used))


def opened() -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    assert not page.exception
    return page


def words(page: AppTest) -> str:
    return unescape(" ".join(str(element.proto.body) for element in page.get("html")))


def key_of(name: str) -> str:
    """Return the key of the button that deletes this store."""
    return next(f"delete {store.key}" for store in kept_stores(settings().indexes) if store.name == name)


def test_an_empty_page_says_how_to_keep_an_index() -> None:
    page = opened()
    assert len(by_role(page, "note")) == 1
    assert [button.key for button in page.button] == ["stores-example"]


def test_the_index_of_a_collection_has_the_name_that_its_owner_gave_it() -> None:
    mine = collections().keep("", "Bridges *of* ours", [Document("u", "A bridge.")])
    theirs = collections().keep("another", "Secret", [Document("u", "A secret.")])
    for number, one in enumerate((mine, theirs)):
        keep(store_name(collections().path(one)), 1 + number, used=number)
    said = words(opened())
    assert "“Bridges *of* ours”" in said
    assert "Secret" not in said


def test_collections_and_indexes_of_one_name_are_told_apart() -> None:
    documents = [Document("u", "A bridge. It is long. It is wide.")]
    first, second = (collections().keep("", "Bridges", documents) for _ in range(2))
    for one, sentences in ((first, 1), (first, 3), (second, 2)):
        name, chunking = store_name(collections().path(one)), Chunking(sentences, 0)
        open_index(settings().indexes, documents, LetterEncoder(), name=name, chunking=chunking)
    said = words(opened())
    assert said.count("“Bridges”") == 2
    assert said.count("“Bridges (2)”") == 1
    assert all(f"{told} a passage" in said for told in ("1 sentence", "2 sentences", "3 sentences"))


def test_the_room_that_pages_of_searches_take_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_SNAPSHOT_LIMIT", "2")
    own_snapshots().keep(Page("https://a.example", b"a page"))
    shown = words(opened())
    assert "1 web page" in shown
    assert "2.00 GB" in shown


def test_stores_are_listed_the_last_used_first_and_deleted_one_by_one() -> None:
    keep("climate.jsonl", 3, used=1_600_000_000)
    keep("votes.jsonl", 2, used=1_700_000_000)
    page = opened()
    shown = words(page)
    assert "2 indexes, " in shown
    assert shown.index("votes.jsonl") < shown.index("climate.jsonl")
    assert "3 documents" in shown
    assert "14 November 2023" in shown
    page = press(page, key_of("climate.jsonl"))
    assert "climate.jsonl" not in words(page)
    assert [store.name for store in kept_stores(settings().indexes)] == ["votes.jsonl"]


def test_all_go_after_a_question() -> None:
    keep("a", 1, used=1_600_000_000)
    keep("b", 2, used=1_700_000_000)
    page = press(opened(), "stores-ask-delete-all")
    assert len(kept_stores(settings().indexes)) == 2
    page = press(page, "stores-delete-all")
    assert "stores-example" in keys(page)
    assert kept_stores(settings().indexes) == []


def test_an_index_that_went_meanwhile_is_one_sentence() -> None:
    keep("a", 1, used=1_600_000_000)
    page, key = opened(), key_of("a")
    for store in kept_stores(settings().indexes):
        (settings().indexes / store.key).rename(settings().indexes / ".gone")
    assert "deleted meanwhile" in told(press(page, key))


def test_names_are_text() -> None:
    keep(HOSTILE, 1, used=1_600_000_000)
    page = opened()
    raw = " ".join(str(element.proto.body) for element in page.get("html"))
    assert "<script>" not in raw
    assert "<img" not in raw
    assert "alert(1)" in words(page)


def test_a_wrong_limit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_INDEX_LIMIT", "much")
    assert "VERIDESK_INDEX_LIMIT" in told(opened())
