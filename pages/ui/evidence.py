"""Question–answer cards, and passages in their context with the words that matter marked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from core.terms import terms, word_pattern
from core.types import Document, Evidence, Passage
from pages.ui.markup import Html, join, link, tag, text

CONTEXT = 500
"""Characters shown before and after a passage."""


def evidence_cards(evidence: Sequence[Evidence]) -> Html:
    cards = (evidence_card(number, pair) for number, pair in enumerate(evidence, start=1))
    heading = tag("h2", "Questions and answers", css="vd-heading")
    return tag("section", heading, tag("div", join(cards), css="vd-cards"), css="vd")


def evidence_card(number: int, pair: Evidence) -> Html:
    return tag(
        "article",
        tag("span", f"[{number}]", css="vd-cite"),
        tag(
            "div",
            tag("p", pair.question, css="vd-question vd-text"),
            tag("p", pair.answer, css="vd-answer vd-text vd-clamp"),
            source(pair.passage.document) if pair.passage else tag("p", "No passage was named.", css="vd-quiet"),
            passage_details(pair) if pair.passage else "",
        ),
        css="vd-card vd-pair",
        id=f"evidence-{number}",
        aria_label=f"Evidence {number}",
    )


def source(document: Document) -> Html:
    """Return site, date and title of a document; the site is its link where it has a web address."""
    return tag(
        "p",
        link(document.url, document.site, css="vd-strong"),
        tag("span", day(document.published)),
        tag("span", document.title) if document.title else "",
        css="vd-source",
    )


def day(published: date | None) -> str:
    return f"{published.day} {published:%B %Y}" if published else "no date"


def passage_details(pair: Evidence) -> Html:
    assert pair.passage is not None  # asked by evidence_card
    return tag("details", tag("summary", "Show the passage"), in_context(pair.passage, span=pair.span))


def in_context(passage: Passage, *, span: tuple[int, int] | None = None, query: str = "") -> Html:
    """Return a passage between the text around it, the answer's span and the query's words marked."""
    whole = passage.document.text
    begin, end = max(0, passage.start - CONTEXT), min(len(whole), passage.end + CONTEXT)
    inside = clipped(span, passage.start, passage.end)
    return tag(
        "div",
        tag("span", ("… " if begin else "") + whole[begin : passage.start], css="vd-context"),
        with_span(whole, passage.start, passage.end, inside, query),
        tag("span", whole[passage.end : end] + (" …" if end < len(whole) else ""), css="vd-context"),
        css="vd-passage vd-text",
    )


def clipped(span: tuple[int, int] | None, start: int, end: int) -> tuple[int, int] | None:
    """Return the part of a span between two positions, None if there is none."""
    if span is None or span[0] >= end or span[1] <= start:
        return None
    return max(span[0], start), min(span[1], end)


def with_span(whole: str, start: int, end: int, span: tuple[int, int] | None, query: str) -> Html:
    if span is None:
        return matched(whole[start:end], query)
    first, last = span
    marked = tag("mark", matched(whole[first:last], query))
    return join((matched(whole[start:first], query), marked, matched(whole[last:end], query)))


def matched(words: str, query: str) -> Html:
    """Return text with the words marked that count as one of the query's: the same stems as the search compares."""
    wanted = stems(query) - {""}
    if not wanted:
        return text(words)
    found = list(word_pattern(words).finditer(words))
    counted = terms([match.group() for match in found])
    parts: list[object] = []
    at = 0
    for match, stem in zip(found, counted, strict=True):
        if stem in wanted:
            parts += [words[at : match.start()], tag("b", match.group(), css="vd-match")]
            at = match.end()
    return join([*parts, words[at:]])


def stems(query: str) -> set[str]:
    return set(terms(word_pattern(query).findall(query)))
