"""Spans of the evidence: the sentences that a rater can mark, and their places in text.

A span is "pair:start-end". Pairs count from 1, characters of a pair's answer from 0; the end is not included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.campaigns.planning.form_questions import Option
from core.campaigns.planning.plans import EvidencePair
from core.errors import BadInput
from core.retrieval.chunking import sentence_spans


def sentence_options(evidence: Iterable[EvidencePair]) -> tuple[Option, ...]:
    """Return the sentences of the answers, each with its place."""
    return tuple(
        Option(f"{number}:{start}-{end}", pair.answer[start:end])
        for number, pair in enumerate(evidence, start=1)
        for start, end in sentence_spans(pair.answer)
    )


def check_spans(spans: str, evidence: Sequence[EvidencePair]) -> None:
    """Raise BadInput for a span outside the evidence."""
    for span in spans.split():
        number, _, place = span.partition(":")
        start, end = (int(one) for one in place.split("-"))
        if not 1 <= int(number) <= len(evidence) or not start < end <= len(evidence[int(number) - 1].answer):
            raise BadInput(f"The evidence has no place {span}: load the page again.")
