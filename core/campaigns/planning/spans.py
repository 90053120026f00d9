"""Spans of the evidence: the sentences that a rater can mark, and their places in text.

A span is "pair:start-end". Pairs count from 1, characters of a pair's answer from 0; the end is not included. In a
comparison the numbers go on through all sides: a rater's as shown, stored ones as in the item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def shown_places(evidence: Sequence[EvidencePair], order: Sequence[str]) -> tuple[int, ...]:
    """Return the item's number of each pair, in the order in which a rater sees the systems."""
    systems = order or ("",)
    return tuple(at for system in systems for at, pair in enumerate(evidence, start=1) if pair.system == system)


def renumbered(spans: str, numbers: Mapping[int, int]) -> str:
    """Return spans with other numbers of their pairs, in order. Raises BadInput for a pair without a number."""
    found = []
    for span in spans.split():
        number, _, place = span.partition(":")
        if int(number) not in numbers:
            raise BadInput(_no_place(span))
        found.append((numbers[int(number)], int(place.partition("-")[0]), place))
    return " ".join(f"{number}:{place}" for number, _, place in sorted(found))


def check_spans(spans: str, evidence: Sequence[EvidencePair]) -> None:
    """Raise BadInput for a span outside the evidence."""
    for span in spans.split():
        number, _, place = span.partition(":")
        start, end = (int(one) for one in place.split("-"))
        if not 1 <= int(number) <= len(evidence) or not start < end <= len(evidence[int(number) - 1].answer):
            raise BadInput(_no_place(span))


def _no_place(span: str) -> str:
    return f"The evidence has no place {span}: load the page again."
