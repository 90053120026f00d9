"""Passages as numbers, and their words as numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, Cancelled
from core.retrieval.chunking import passages
from core.retrieval.corpus import Chunking, Corpus, corpus_of
from core.retrieval.tokens import tokens_of, tokens_of_corpus
from core.terms import _LOWER, _SIGNS, lower_words, without_signs, words
from core.types import Document, Passage

TEXTS = st.text(st.sampled_from("aB1 .!?\n\u00a0“”’—é中ßİ_\u0301'"), max_size=120) | st.text(max_size=60)


def document(text: str) -> Document:
    return Document("u", text.encode("utf-8", "replace").decode())


@given(st.lists(TEXTS, max_size=4), st.integers(1, 4), st.integers(0, 3))
def test_a_corpus_holds_the_passages_of_its_documents(texts: list[str], sentences: int, overlap: int) -> None:
    overlap = min(overlap, sentences - 1)
    documents = [document(text) for text in texts]
    corpus = corpus_of(documents, Chunking(sentences, overlap))
    expected = [each for one in documents for each in passages(one, sentences=sentences, overlap=overlap)]
    assert list(corpus) == expected
    assert list(Corpus.of(expected)) == expected
    assert list(corpus[1:3]) == expected[1:3]


def test_places_of_passages() -> None:
    first, second = document("One. Two."), document("One. Two!")
    corpus = Corpus.of([Passage(first, 0, 4), Passage(first, 5, 9), Passage(second, 5, 9)])
    assert corpus.position(Passage(document("One. Two!"), 5, 9)) == 2
    assert corpus.position(Passage(first, 5, 9)) == 1
    assert corpus.position(Passage(first, 5, 8)) is None
    assert corpus.position(Passage(document("Six. Ten."), 0, 4)) is None
    assert Corpus.of(corpus) is corpus
    with pytest.raises(IndexError):
        corpus[3]
    assert len(Corpus.of([])) == 0


def test_impossible_windows_are_refused() -> None:
    with pytest.raises(BadInput, match="cannot share 1"):
        corpus_of([document("One.")], Chunking(1, 1))


@given(TEXTS)
def test_lower_words_are_the_words_in_lower_case(text: str) -> None:
    assert lower_words(text) == [word.lower() for word in words(text)]
    plain = without_signs(text)
    assert len(plain) == len(text)
    assert words(plain) == words(text)


def test_signs_are_in_no_word() -> None:
    assert all(words(f"a{sign}b") == ["a", "b"] for sign in _SIGNS)
    assert len(_LOWER) == 128


@given(st.lists(TEXTS, max_size=4), st.integers(1, 4), st.integers(0, 3))
def test_words_of_overlapping_passages_are_those_of_each_alone(texts: list[str], sentences: int, overlap: int) -> None:
    corpus = corpus_of([document(text) for text in texts], Chunking(sentences, min(overlap, sentences - 1)))
    tokens = tokens_of_corpus(corpus)
    assert len(tokens) == len(corpus)
    numbers, lengths = tokens.gathered()
    found = [tokens.words[number] for number in numbers.tolist()]
    assert found == [word for passage in corpus for word in lower_words(passage.text)]
    assert lengths.tolist() == [len(lower_words(passage.text)) for passage in corpus]


def test_passages_in_any_order_and_twice() -> None:
    one, two = document("red blue"), document("green")
    tokens = tokens_of_corpus(
        Corpus.of([Passage(two, 0, 5), Passage(one, 4, 8), Passage(one, 0, 8), Passage(two, 0, 5)])
    )
    texts = [
        [tokens.words[n] for n in tokens.numbers[start:end]]
        for start, end in zip(tokens.starts, tokens.ends, strict=True)
    ]
    assert texts == [["green"], ["blue"], ["red", "blue"], ["green"]]


def test_each_word_is_spelled_once() -> None:
    tokens = tokens_of(["The cat", "", "the Cat, THE dog"])
    assert tokens.words == ["the", "cat", "dog"]
    assert tokens.numbers.tolist() == [0, 1, 0, 1, 0, 2]
    assert (tokens.starts.tolist(), tokens.ends.tolist()) == ([0, 2, 2], [2, 2, 6])


def test_reading_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        tokens_of(["a"], stop=lambda: True)
    with pytest.raises(Cancelled):
        tokens_of_corpus(corpus_of([document("One.")]), stop=lambda: True)
