"""Sentences that stand side by side and say similar things, put together into one passage."""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.chunking import MAX_CHARACTERS, Span, sentence_spans
from core.types import Document, Passage


def stretches(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with those of one document that overlap or touch put together, in the order found."""
    by_document: dict[str, list[Passage]] = {}
    for passage in passages:
        by_document.setdefault(passage.document.digest, []).append(passage)
    return [joined for found in by_document.values() for joined in _joined(found)]


def _joined(passages: Sequence[Passage]) -> list[Passage]:
    ordered = sorted(passages, key=lambda passage: passage.start)
    document, spans = ordered[0].document, [(ordered[0].start, ordered[0].end)]
    for passage in ordered[1:]:
        start, end = spans[-1]
        if document.text[end : passage.start].strip():
            spans.append((passage.start, passage.end))
        else:
            spans[-1] = (start, max(end, passage.end))
    return [Passage(document, start, end) for start, end in spans]


def sentences_of(passage: Passage) -> list[Passage]:
    """Return each sentence of a passage as a passage."""
    return [spanned(passage.document, passage.start, span) for span in sentence_spans(passage.text)]


def spanned(document: Document, offset: int, span: Span) -> Passage:
    return Passage(document, offset + span[0], offset + span[1])


def group_neighbours(
    sentences: Sequence[Passage], similarity: Sequence[float], *, threshold: float, most: int
) -> list[Passage]:
    """Return the sentences of one stretch of text, with neighbours that are similar put together.

    similarity[i] compares sentence i with sentence i + 1, so there is one fewer than there are sentences. A sentence
    joins the one before it if they are at least `threshold` similar, the group has fewer than `most` sentences and
    stays within MAX_CHARACTERS. Raises ValueError if the lengths do not fit.
    Source: Dharamvaram and Hakak, FEVER 2025 (team Yellow Flash group similar neighbouring sentences).
    """
    if len(similarity) != max(len(sentences) - 1, 0):
        raise ValueError(f"{len(sentences)} sentences have {len(sentences) - 1} neighbours, not {len(similarity)}")
    groups: list[Passage] = []
    size = 0
    for position, sentence in enumerate(sentences):
        first = groups[-1].start if groups else sentence.start
        close = position > 0 and similarity[position - 1] >= threshold
        if close and size < most and sentence.end - first <= MAX_CHARACTERS:
            groups[-1] = Passage(sentence.document, first, sentence.end)
            size += 1
        else:
            groups.append(sentence)
            size = 1
    return groups
