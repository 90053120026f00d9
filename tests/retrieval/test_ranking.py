"""Fusion, variety and marks, by hand first and by law second."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.retrieval.ranking import maximal_marginal_relevance, ordered, reciprocal_rank_fusion, unlike
from core.terms import terms, words
from core.types import Document, Hit, Passage

RANKINGS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=15), max_size=6)


def test_fusion_by_hand() -> None:
    # c = 60: item 2 has 1/62 + 1/61, item 1 has 1/61, item 3 has 1/62.
    assert reciprocal_rank_fusion([[1, 2], [2, 3]]) == [2, 1, 3]


def test_fusion_breaks_ties_by_best_rank_then_by_item() -> None:
    # With c = 0: item 5 has 1/2, items 1 and 2 have 1/3 + 1/6 = 1/2; 5 was placed second, the others third.
    first = [10, 5, 1, 11, 12, 2]
    second = [13, 14, 2, 15, 16, 1]
    fused = reciprocal_rank_fusion([first, second], c=0)
    assert [item for item in fused if item in (1, 2, 5)] == [5, 1, 2]


@settings(deadline=None)
@given(RANKINGS, st.randoms(use_true_random=False))
def test_fusion_ignores_the_order_of_the_rankings(rankings: list[list[int]], chance: random.Random) -> None:
    shuffled = rankings[:]
    chance.shuffle(shuffled)
    assert reciprocal_rank_fusion(shuffled) == reciprocal_rank_fusion(rankings)


@settings(deadline=None)
@given(RANKINGS)
def test_fusion_returns_every_item_once(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert sorted(fused) == sorted({item for ranking in rankings for item in ranking})


@pytest.mark.parametrize(("rankings", "c"), [([[1, 1]], 60), ([[1]], -1)])
def test_fusion_refuses_what_is_no_ranking(rankings: Sequence[Sequence[int]], c: int) -> None:
    with pytest.raises(ValueError, match=r"twice|negative"):
        reciprocal_rank_fusion(rankings, c=c)


# Items 0 and 1 say the same, item 2 says something else and is less relevant.
RELEVANCE = np.array([0.9, 0.8, 0.5])
SIMILARITY = np.array([[1.0, 0.95, 0.1], [0.95, 1.0, 0.1], [0.1, 0.1, 1.0]])


def test_variety_by_hand() -> None:
    # After item 0: item 1 gains .5·.8 − .5·.95 = −.075, item 2 gains .5·.5 − .5·.1 = .2.
    assert maximal_marginal_relevance(RELEVANCE, SIMILARITY, k=2, trade_off=0.5) == [0, 2]
    assert maximal_marginal_relevance(RELEVANCE, SIMILARITY, k=9, trade_off=0.5) == [0, 2, 1]


def test_variety_looks_at_the_nearest_chosen_item_not_the_last() -> None:
    similarity = np.array([[1.0, 0.0, 0.9], [0.0, 1.0, 0.0], [0.9, 0.0, 1.0]])
    # Items 0 and 1 come first; item 2 resembles 0, so it is penalised by .9 although 1 is unlike it.
    relevance = np.array([1.0, 0.9, 0.8])
    fourth = np.pad(similarity, (0, 1))
    fourth[3, 3] = 1.0
    assert maximal_marginal_relevance(np.append(relevance, 0.1), fourth, k=4, trade_off=0.5) == [0, 1, 3, 2]


def test_variety_of_nothing_is_nothing() -> None:
    assert maximal_marginal_relevance(np.empty(0), np.empty((0, 0)), k=5) == []
    assert maximal_marginal_relevance(RELEVANCE, SIMILARITY, k=0) == []


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 15), st.floats(0, 1), st.integers(0, 1000))
def test_variety_chooses_each_item_once_and_the_most_relevant_first(
    n: int, k: int, trade_off: float, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(n, 4))
    relevance = chance.random(n)
    chosen = maximal_marginal_relevance(relevance, vectors @ vectors.T, k=k, trade_off=trade_off)
    assert len(chosen) == len(set(chosen)) == min(n, k)
    assert chosen[:1] == [int(np.argmax(relevance))][:k]


@pytest.mark.parametrize(("similarity", "trade_off"), [(np.eye(2), 0.5), (np.eye(3), 1.5), (np.eye(3), -0.1)])
def test_variety_refuses_what_does_not_fit(similarity: np.ndarray, trade_off: float) -> None:
    with pytest.raises(ValueError, match=r"fit|must lie"):
        maximal_marginal_relevance(RELEVANCE, similarity, k=1, trade_off=trade_off)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_the_quicker_pattern_finds_the_same_words(text: str) -> None:
    assert words(text) == words(text + " \u00e9")[:-1]


def test_terms_by_hand() -> None:
    assert terms(["Elections", "the", "RUNNING", "Müller", "2020"]) == ["elect", "", "run", "muller", "2020"]


AXES = np.eye(3, dtype=np.float32)


def test_what_is_like_something_before_it_is_left_out() -> None:
    near = np.array([0.8, 0.6, 0.0], dtype=np.float32)  # cosine 0.8 with the first axis, 0.6 with the second
    vectors = np.stack([AXES[0], near, AXES[1], AXES[0]])
    assert unlike(vectors, similarity=0.7) == [0, 2]
    assert unlike(vectors, similarity=0.9) == [0, 1, 2]
    assert unlike(vectors, similarity=0.7, known=1) == [2]
    assert unlike(vectors, similarity=0.7, known=4) == []
    with pytest.raises(ValueError, match="got 5"):
        unlike(vectors, similarity=0.7, known=5)


@given(st.integers(0, 12), st.floats(0.05, 0.95), st.integers(0, 10_000))
def test_kept_rows_are_unlike_each_other_and_dropped_ones_like_a_kept_one(n: int, similarity: float, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = unlike(vectors.astype(np.float32), similarity=similarity)
    cosines = vectors.astype(np.float32) @ vectors.astype(np.float32).T
    assert all(cosines[i, j] <= similarity for i in kept for j in kept if i < j)
    assert all(any(cosines[i, j] > similarity for j in kept if j < i) for i in range(n) if i not in kept)


def hits(*ranks: tuple[int | None, int]) -> list[Hit]:
    """Return hits with these BM25 and dense ranks, named a, b, c … in the order given."""
    document = Document("u", "abcdef")
    return [
        Hit(Passage(document, place, place + 1), place + 1, bm25_rank=words_rank, dense_rank=meaning_rank)
        for place, (words_rank, meaning_rank) in enumerate(ranks)
    ]


@pytest.mark.parametrize(
    ("by", "order"),
    [
        ("hybrid", "abcd"),
        ("bm25", "cdab"),  # b was not seen by BM25
        ("dense", "badc"),
        ("rrf", "cadb"),  # c: 1/61 + 1/64 = .032018, a and d: 1/62 + 1/63 = .032002, b: 1/61 = .016
    ],
)
def test_hits_in_four_orders(by: str, order: str) -> None:
    found = ordered(hits((3, 2), (None, 1), (1, 4), (2, 3)), by)
    assert "".join(hit.passage.text for hit in found) == order
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
