"""Searching a corpus: BM25, both kinds of index, and what a kept one survives."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from core.errors import Cancelled
from core.interfaces import ModelIdentity, Stop, ignore, never
from core.retrieval.corpus import Chunking, corpus_of
from core.retrieval.index import Index, hybrid, lexical, passage_vectors
from core.retrieval.lexical import LexicalIndex
from core.retrieval.static import StaticEncoder
from core.terms import terms, words
from core.types import Document, Passage

TEXTS = [
    "The mayor opened a bridge over the river.",
    "Rain fell on the town all week.",
    "The bridge cost nine million, the mayor said; the old bridge had been closed.",
    "A river flooded the town.",
]


PIECES = ["[UNK]", "doctors", "physicians", "flu", "influenza", "car"]
TABLE = np.array([[9, 9, 9], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)


def tiny_static(*, stop: Stop = never, report: Callable[[str], None] = ignore) -> StaticEncoder:
    """Three dimensions that mean doctors, flu and cars."""
    tokenizer = Tokenizer(WordLevel({piece: number for number, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    return StaticEncoder(TABLE, tokenizer, ModelIdentity("tiny", "2" * 64))


class LetterEncoder:
    """Counts the letters a to z: vectors that one can work out by hand. Remembers what it was asked."""

    def __init__(self, name: str = "letters") -> None:
        self.identity = ModelIdentity(name, "0" * 64)
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        if texts and stop():
            raise Cancelled("Stopped.")
        self.asked.extend(texts)
        counts = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        vectors = np.array(counts, dtype=np.float32).reshape(-1, 26)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    return [Passage(Document(f"https://example.org/{number}", text), 0, len(text)) for number, text in enumerate(texts)]


def found(texts: Sequence[str], query: str, k: int = 10) -> list[int]:
    return LexicalIndex(texts).search(query, k=k)[0].tolist()


def test_bm25_score_by_hand() -> None:
    # Terms: [cat sat], [cat cat dog], [bird]. n = 3, mean length 2, k1 = 1.5, b = .75. "cat" is in two texts.
    _, scores = LexicalIndex(["cat sat", "cat cat dog", "bird"]).search("cats", k=3)
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    short = idf * 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * 2 / 2))
    long = idf * 2 / (2 + 1.5 * (1 - 0.75 + 0.75 * 3 / 2))
    np.testing.assert_allclose(scores, [long, short], rtol=1e-6)


def test_the_best_passages_are_kept_not_the_first() -> None:
    # A published system cut its store to the first k chunks before it looked at the scores.
    texts = ["nothing of note"] * 500 + ["vaccine trial results"] + ["a trial"] * 20
    assert found(texts, "vaccine trial", k=2) == [500, 501]


def test_passages_without_any_word_of_the_query_are_never_returned() -> None:
    assert found(TEXTS, "bridge") == [2, 0]
    assert found(TEXTS, "elephants") == []
    assert found(TEXTS, "the of and") == []
    assert found(TEXTS, "") == []


def test_ties_keep_the_order_of_the_corpus() -> None:
    assert found(["same words here", "other", "same words here", "same words here"], "same words") == [0, 2, 3]


def test_k_bounds_what_is_returned() -> None:
    index = LexicalIndex(TEXTS)
    assert [len(index.search("town river bridge", k=k)[0]) for k in (0, 1, 3, 99)] == [0, 1, 3, 4]


def test_an_index_of_nothing_finds_nothing() -> None:
    assert found([], "bridge") == []
    assert found(["", " "], "bridge") == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="abcde ", max_size=20), min_size=1, max_size=8), st.text("abcde ", max_size=6))
def test_the_matrix_is_the_one_bm25s_builds(texts: list[str], query: str) -> None:
    tokens = [[term for term in terms(words(text)) if term] for text in texts]
    wanted = [term for term in terms(words(query)) if term]
    expected = np.zeros(len(texts))
    if any(tokens) and wanted:
        theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        theirs.index(tokens, show_progress=False)
        if known := theirs.get_tokens_ids(wanted):
            expected = theirs.get_scores_from_ids(known)
    ours = np.zeros(len(texts))
    positions, scores = LexicalIndex(texts).search(query, k=len(texts))
    ours[positions] = scores
    np.testing.assert_allclose(ours, expected, rtol=1e-5)


def test_an_index_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        Index(passages_of(TEXTS), LetterEncoder(), stop=lambda: True)


def test_each_passage_is_encoded_once() -> None:
    encoder = LetterEncoder()
    index = Index(passages_of(TEXTS), encoder)
    first = index.vectors([2, 0, 2])
    again = index.vectors([0, 2, 3])
    assert sorted(encoder.asked) == sorted([TEXTS[0], TEXTS[2], TEXTS[3]])
    np.testing.assert_array_equal(first[[0, 1]], again[[1, 0]])
    assert first.shape == (3, 26)
    assert index.vectors([]).shape == (0, 26)


def test_hybrid_orders_by_cosine_alone_without_a_lexical_weight() -> None:
    # Both hold "abba"; the vector of the second is that of the query, the first is drowned in z.
    texts = ["abba zzzzzzzzzzzz", "abba baab", "qqq"]
    ranking = hybrid(Index(passages_of(texts), LetterEncoder()), LetterEncoder(), "abba", lexical_weight=0)
    assert [hit.passage.text for hit in ranking.hits] == ["abba baab", "abba zzzzzzzzzzzz"]
    assert [(hit.rank, hit.dense_rank) for hit in ranking.hits] == [(1, 1), (2, 2)]
    # "abba" and "abba baab" point the same way; a = b = 2, z = 12 gives 8 / (√8 · √152).
    np.testing.assert_allclose([hit.cosine for hit in ranking.hits], [1, 8 / np.sqrt(8 * 152)], rtol=1e-5)


def test_hybrid_says_what_each_ranking_thought() -> None:
    texts = ["noon town town town", "town noon", "town"]
    index = Index(passages_of(texts), LetterEncoder())
    ranking = hybrid(index, LetterEncoder(), "town noon", lexical_weight=0.4)
    positions, scores = index.search("town noon", k=3)
    assert ranking.query == "town noon"
    for hit in ranking.hits:
        assert hit.bm25_rank is not None
        assert texts[positions[hit.bm25_rank - 1]] == hit.passage.text
        assert hit.bm25_score == pytest.approx(scores[hit.bm25_rank - 1])
    mixed = [hit.cosine + 0.4 * hit.bm25_score / scores[0] for hit in ranking.hits]
    assert mixed == sorted(mixed, reverse=True)


def test_a_text_that_occurs_twice_is_one_hit() -> None:
    texts = ["The bridge is open.", "the  bridge is\nopen.", "The bridge is closed."]
    encoder = LetterEncoder()
    ranking = hybrid(Index(passages_of(texts), encoder), encoder, "bridge")
    assert sorted(hit.passage.document.url[-1] for hit in ranking.hits) == ["0", "2"]


def test_hybrid_finds_nothing_where_no_word_matches() -> None:
    assert hybrid(Index(passages_of(TEXTS), LetterEncoder()), LetterEncoder(), "elephants").hits == ()
    assert hybrid(Index([], LetterEncoder()), LetterEncoder(), "bridge").hits == ()


def test_vectors_of_hits_come_from_the_index() -> None:
    encoder = LetterEncoder()
    corpus = passages_of(TEXTS)
    index = Index(corpus, encoder)
    vectors = passage_vectors(index, encoder, [corpus[3], corpus[1]])
    np.testing.assert_array_equal(vectors, index.vectors([3, 1]))


def test_vectors_of_passages_that_the_index_lacks_are_encoded() -> None:
    encoder = LetterEncoder()
    corpus = passages_of(TEXTS)
    part = replace(corpus[0], end=corpus[0].start + 5)
    vectors = passage_vectors(Index(corpus, encoder), encoder, [part, corpus[1]])
    np.testing.assert_array_equal(vectors, encoder.encode([part.text, corpus[1].text]))


def test_by_words_alone_nothing_is_encoded_and_a_repeated_text_is_one_hit() -> None:
    encoder = LetterEncoder()
    corpus = passages_of(("The bridge was closed.", "The  bridge was closed.", "A bridge."))
    index = Index(corpus, encoder)
    ranking = lexical(index, "bridge closed", k=3)
    assert [(hit.passage, hit.rank, hit.cosine) for hit in ranking.hits] == [(corpus[0], 1, None), (corpus[2], 2, None)]
    assert ranking.hits[0].bm25_score == pytest.approx(float(index.search("bridge closed", k=1)[1][0]))


def test_static_vectors_find_what_shares_no_word() -> None:
    texts = ["He sells a car.", "Physicians named influenza.", "Nothing known here.", "Doctors sell a car to doctors."]
    index = Index(passages_of(texts), LetterEncoder(), static=tiny_static)
    positions, cosines = index.search_dense("doctors on flu", k=3)
    assert positions.tolist() == [1, 3, 0]
    # (1, 1, 0) / √2 against (1, 1, 0) / √2, (2, 0, 1) / √5 and (0, 0, 1).
    np.testing.assert_allclose(cosines, [1, 2 / np.sqrt(10), 0], atol=1e-6)
    assert [len(index.search_dense("flu", k=k)[0]) for k in (0, 2, 9)] == [0, 2, 4]


def test_everywhere_fuses_both_first_stages_within_the_pool() -> None:
    texts = ["Doctors meet.", "Physicians named influenza.", "flu car car car", "A car.", "Cars."]
    encoder = LetterEncoder()
    index = Index(passages_of(texts), encoder, static=tiny_static)
    by_words = {hit.passage.text for hit in hybrid(index, encoder, "doctors on flu", pool=3).hits}
    ranking = hybrid(index, encoder, "doctors on flu", pool=3, dense_first_stage=True)
    assert by_words == {"Doctors meet.", "flu car car car"}
    assert {hit.passage.text for hit in ranking.hits} == {*by_words, "Physicians named influenza."}
    assert [hit.bm25_rank for hit in ranking.hits if hit.passage.text == texts[1]] == [None]


def test_meaning_is_opened_once_and_only_when_it_is_asked_for() -> None:
    opened: list[int] = []

    def static(*, stop: Stop = never, report: Callable[[str], None] = ignore) -> StaticEncoder:
        opened.append(1)
        return tiny_static()

    index = Index(passages_of(TEXTS), LetterEncoder(), static=static)
    index.search("bridge", k=1)
    assert opened == []
    index.search_dense("car", k=1)
    index.search_dense("flu", k=1)
    assert opened == [1]


def test_overlapping_passages_are_indexed_as_if_each_stood_alone() -> None:
    text = "The mayor’s bridge. A river, the river — wide. Über alles: the flood. ABBA sang. A bridge again."
    corpus = corpus_of([Document("u", text), Document("v", "No bridge."), Document("w", text)], Chunking(3, 2))
    index = Index(corpus, LetterEncoder())
    alone = LexicalIndex([passage.text for passage in corpus])
    for query in ("bridge", "river flood", "uber", "mayor s", "ABBA again"):
        for ours, theirs in zip(index.search(query, k=99), alone.search(query, k=99), strict=True):
            np.testing.assert_array_equal(ours, theirs)
