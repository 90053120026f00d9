"""Kept indexes: the same answers as cold ones, and what they survive."""

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput, Cancelled
from core.retrieval.corpus import Chunking, corpus_of
from core.retrieval.index import Index, hybrid
from core.retrieval.index_cache import kept_stores
from core.retrieval.kept_index import KeptIndex, content_key, open_index
from core.types import Document
from tests.retrieval.test_index import LetterEncoder, tiny_static

TEXTS = [
    "The mayor opened a bridge. Rain fell. It fell all week. A river flooded the town.",
    "The bridge cost nine million, the mayor said; the old bridge had been closed.",
    "Physicians named influenza.",
    "He sells a car.",
]


def documents(texts: Sequence[str] = TEXTS) -> list[Document]:
    return [Document(f"https://example.org/{number}", text) for number, text in enumerate(texts)]


def opened(place: Path, texts: Sequence[str] = TEXTS, encoder: LetterEncoder | None = None) -> KeptIndex:
    return open_index(place, documents(texts), encoder or LetterEncoder(), name="A store", static=tiny_static)


def test_a_kept_index_answers_like_a_cold_one(tmp_path: Path) -> None:
    cold = Index(corpus_of(documents()), LetterEncoder(), static=tiny_static)
    linked = opened(tmp_path)
    linked.link()
    for kept in (opened(tmp_path / "elsewhere"), opened(tmp_path / "elsewhere"), linked, opened(tmp_path)):
        for query in ("bridge mayor", "town", "elephants", "the"):
            for ours, theirs in zip(kept.search(query, k=3), cold.search(query, k=3), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        for ours, theirs in zip(kept.search_dense("flu", k=1), cold.search_dense("flu", k=1), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-6)
        np.testing.assert_allclose(kept.vectors([3, 0, 3]), cold.vectors([3, 0, 3]), atol=1e-6)
        assert kept.vectors([]).shape == (0, 26)
        assert list(kept.passages) == list(cold.passages)
        asked = hybrid(kept, LetterEncoder(), "bridge", dense_first_stage=True)
        assert [hit.passage for hit in asked.hits] == [
            hit.passage for hit in hybrid(cold, LetterEncoder(), "bridge", dense_first_stage=True).hits
        ]


def test_a_passage_is_encoded_once_in_the_life_of_the_file(tmp_path: Path) -> None:
    first, second, third = LetterEncoder(), LetterEncoder(), LetterEncoder()
    before = opened(tmp_path, encoder=first).vectors([1, 2])
    after = opened(tmp_path, encoder=second).vectors([3, 2])
    opened(tmp_path, encoder=third).vectors([1, 2, 3])
    assert (sorted(first.asked), second.asked, third.asked) == (sorted(texts_at(1, 2)), texts_at(3), [])
    np.testing.assert_array_equal(before[1], after[1])


def texts_at(*positions: int) -> list[str]:
    return [corpus_of(documents())[position].text for position in positions]


def test_filling_encodes_what_is_missing_and_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.retrieval.kept_index.FILLED_AT_ONCE", 2)
    asked = count()
    index = opened(tmp_path)
    with pytest.raises(Cancelled):
        index.fill(stop=lambda: next(asked) == 1)
    encoder, heard = LetterEncoder(), list[str]()
    opened(tmp_path, encoder=encoder).fill(report=heard.append)
    assert [one[:6] for one in heard] == ["2 of 5", "4 of 5"]
    assert len(encoder.asked) == 3
    opened(tmp_path, encoder=encoder).fill()
    assert len(encoder.asked) == 3


@pytest.mark.parametrize("change", ["text", "more", "order", "encoder", "sentences", "overlap"])
def test_any_change_asks_for_another_index(change: str) -> None:
    corpus, chunking, encoder = documents(), Chunking(), LetterEncoder()
    before = content_key(corpus, chunking, encoder)
    if change == "text":
        corpus = documents([*TEXTS[:-1], TEXTS[-1] + "!"])
    elif change == "more":
        corpus.append(Document("u", "x"))
    elif change == "order":
        corpus.reverse()
    elif change == "encoder":
        encoder = LetterEncoder("other letters")
    else:
        chunking = Chunking(2, 1) if change == "sentences" else Chunking(3, 0)
    assert content_key(corpus, chunking, encoder) != before
    assert content_key(documents(), Chunking(), LetterEncoder()) == before


def test_addresses_and_dates_are_those_of_the_documents_given(tmp_path: Path) -> None:
    opened(tmp_path)
    again = open_index(tmp_path, [Document("elsewhere", text) for text in TEXTS], LetterEncoder())
    assert {passage.document.url for passage in again.passages} == {"elsewhere"}
    assert len(kept_stores(tmp_path)) == 1


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete", "manifest", "list"])
def test_a_damaged_index_is_built_again(tmp_path: Path, damage: str) -> None:
    opened(tmp_path)
    file = next(tmp_path.rglob("data.*.npy"))
    content = file.read_bytes()
    if damage == "truncate":
        file.write_bytes(content[:-5])
    elif damage == "flip":
        file.write_bytes(content[:-5] + bytes([content[-5] ^ 1]) + content[-4:])
    elif damage == "delete":
        file.unlink()
    else:
        next(tmp_path.rglob("manifest.json")).write_text("{" if damage == "manifest" else "[1]")
    heard: list[str] = []
    kept = open_index(tmp_path, documents(), LetterEncoder(), report=heard.append)
    assert ["damaged" in one for one in heard] == [True]
    assert kept.search("bridge", k=5)[0].tolist() == [2, 0]
    assert len(list(tmp_path.iterdir())) == 1


def test_damaged_links_are_made_again(tmp_path: Path) -> None:
    opened(tmp_path).link()
    links = next(tmp_path.rglob("*.hnsw"))
    links.write_bytes(links.read_bytes()[:-1])
    assert opened(tmp_path).search_dense("flu", k=1)[0].tolist() == [3]
    heard: list[str] = []
    opened(tmp_path).link(report=heard.append)
    opened(tmp_path).link(report=heard.append)
    assert [one[:9] for one in heard] == ["Linking 5"]


def test_static_vectors_are_made_once_and_stay_on_the_disk(tmp_path: Path) -> None:
    opened(tmp_path).search_dense("flu", k=1)
    (file,) = tmp_path.rglob("vectors.npy")
    written = file.stat().st_mtime_ns
    again = opened(tmp_path)
    assert again.search_dense("flu", k=1)[0].tolist() == [3]
    assert file.stat().st_mtime_ns == written
    file.write_bytes(file.read_bytes()[:-1])
    assert opened(tmp_path).search_dense("flu", k=1)[0].tolist() == [3]


@pytest.mark.parametrize("torn", [1, 50, 107, 108])
def test_vectors_of_a_killed_writer_are_written_again(tmp_path: Path, torn: int) -> None:
    opened(tmp_path).vectors([0, 1, 2])
    file = next(tmp_path.rglob("vectors.log"))
    file.write_bytes(file.read_bytes()[:-torn])  # a record has 4 + 26 · 4 = 108 bytes
    encoder = LetterEncoder()
    kept = opened(tmp_path, encoder=encoder)
    np.testing.assert_allclose(kept.vectors([0, 1, 2]), Index(corpus_of(documents()), encoder).vectors([0, 1, 2]))
    last = LetterEncoder()
    opened(tmp_path, encoder=last).vectors([0, 1, 2])
    assert last.asked == []


def test_nothing_is_left_of_a_build_that_was_stopped(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        open_index(tmp_path, documents(), LetterEncoder(), stop=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_goes_after_a_day(tmp_path: Path) -> None:
    old, fresh = tmp_path / ".building-old", tmp_path / ".building-fresh"
    for folder in (old, fresh):
        folder.mkdir()
        (folder / "part").write_text("half an index")
    os.utime(old, (0, 0))
    opened(tmp_path)
    assert not old.exists()
    assert fresh.exists()


def test_two_builders_of_one_index_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        indexes = list(threads.map(lambda _: opened(tmp_path), range(8)))
    assert {tuple(index.search("bridge", k=5)[0].tolist()) for index in indexes} == {(2, 0)}
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_pickled_and_the_matrix_is_not_read_into_memory(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    kept.link()
    kept.vectors([0])
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".npy", ".json", ".hnsw", ".log"}
    for file in files:
        if file.suffix == ".npy":
            np.load(file, allow_pickle=False)
    assert isinstance(kept.passages.spans.base, np.memmap) or isinstance(kept.passages.spans, np.memmap)


def test_a_corpus_of_function_words_can_be_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert opened(tmp_path, ["the of and"]).search("the bridge", k=3)[0].tolist() == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "indexes").write_text("a file, not a folder")
    with pytest.raises(BadInput, match="indexes"):
        opened(tmp_path / "indexes")


def test_a_full_disk_while_encoding_is_named(tmp_path: Path) -> None:
    index = opened(tmp_path)
    index._file._file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
    with pytest.raises(BadInput, match="No space left"):
        index.vectors([0])


def test_text_is_needed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no passages"):
        opened(tmp_path, ["", " "])


def test_only_the_indexes_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        opened(tmp_path, TEXTS[: number + 1])
        folder = tmp_path / kept_stores(tmp_path)[0].key
        os.utime(folder, (1000 + number, 1000 + number))
    smaller, *_ = (store.size for store in kept_stores(tmp_path))
    monkeypatch.setenv("VERIDESK_INDEX_LIMIT", str(2.5 * smaller / 1e9))
    opened(tmp_path, TEXTS[:1])  # the oldest of them, used again
    assert sorted(store.documents for store in kept_stores(tmp_path)) == [1, 3]
    monkeypatch.setenv("VERIDESK_INDEX_LIMIT", "0")
    opened(tmp_path, TEXTS)
    assert [store.documents for store in kept_stores(tmp_path)] == [4]  # the one that is asked for stays


def test_an_index_deleted_while_open_stays_usable(tmp_path: Path) -> None:
    index = opened(tmp_path)
    index.vectors([0])
    from core.retrieval.index_cache import remove_store

    remove_store(tmp_path, kept_stores(tmp_path)[0].key)
    assert list(tmp_path.iterdir()) == []
    assert index.vectors([0, 1]).shape == (2, 26)
    assert index.search("bridge", k=1)[0].tolist() == [2]


def test_a_manifest_of_another_version_is_listed_and_can_go(tmp_path: Path) -> None:
    folder = tmp_path / "0123"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"dimensions": 384, "files": {}}))
    (store,) = kept_stores(tmp_path)
    assert (store.name, store.passages) == ("", 0)
