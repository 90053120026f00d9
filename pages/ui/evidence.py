"""Question–answer cards, and passages in their context with the words that matter marked."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import date

from core.documents.headings import headings_above
from core.errors import VerideskError
from core.search.source_kinds import UNKNOWN, kind_of
from core.terms import terms, word_pattern
from core.types import Document, Evidence, Passage, Span
from core.verification.questions import Card, cards
from core.verification.review import Review
from pages.ui.markup import Html, join, link, tag, text
from pages.ui.passage_tools import passage_tools
from pages.ui.verdicts import icon

CONTEXT = 500
"""Characters shown before and after a passage."""


def evidence_cards(
    evidence: Sequence[Evidence], *, besides: Container[Passage] = (), review: Review | None = None
) -> Html:
    """Return questions and answers as cards, without those of passages shown elsewhere; "" if none is left.

    With a `review` passages can be marked.
    """
    shown = [
        evidence_card(card, review)
        for card in cards(evidence)
        if any(pair.passage is None or pair.passage not in besides for _, pair in card.answers)
    ]
    heading = tag("h2", "Questions and answers", css="vd-heading")
    return tag("section", heading, tag("div", join(shown), css="vd-cards"), css="vd") if shown else Html()


def evidence_card(card: Card, review: Review | None) -> Html:
    """Return a question with every answer to it."""
    parts = [answer_part(number, pair, review) for number, pair in card.answers]
    return question_card(card.question, parts, title=card.title)


def question_card(question: str, parts: Sequence[Html], *, title: str = "") -> Html:
    """Return the answers to one question under it; without a question under the `title` of their document."""
    head = tag("p", question or title, css="vd-question vd-text" if question else "vd-title vd-text")
    return tag("article", head if question or title else "", *parts, css="vd-card vd-asked")


def answer_part(number: int, pair: Evidence, review: Review | None) -> Html:
    return tag(
        "div",
        tag("span", f"[{number}]", css="vd-cite"),
        tag(
            "div",
            tag("p", pair.answer, css="vd-answer vd-text vd-clamp"),
            source(pair.passage.document, titled=not pair.heading)
            if pair.passage
            else tag("p", "No passage was named.", css="vd-quiet"),
            passage_details(pair) if pair.passage else "",
            passage_tools(pair.passage, pair.span, review) if pair.passage else "",
        ),
        css="vd-pair",
        id=f"evidence-{number}",
        role="group",
        aria_label=f"Evidence {number}",
    )


def section_line(document: Document, place: int, *, before: int | None = None) -> Html:
    """Return the headings above a character of a document, outermost first; nothing where there are none.

    With `before` only those before that character: a passage shows its own headings.
    """
    found = headings_above(document.text, place)
    above = [one.text for one in found if one.text != document.title and (before is None or one.span[0] < before)]
    return tag("p", f"Section: {' › '.join(above)}", css="vd-quiet vd-text") if above else Html()


def source(document: Document, *, titled: bool = False) -> Html:
    """Return site, date and title of a document; the site is its link where it has a web address.

    With `titled` the title is left out: it is the heading.
    """
    return tag(
        "p",
        link(document.url, document.site, css="vd-strong"),
        kind_mark(document),
        tag("span", day(document.published)),
        tag("span", document.title) if document.title and not titled else "",
        css="vd-source",
    )


def kind_mark(document: Document) -> Html:
    """Return the kind of a web page's source as an icon and a word; nothing for a person's file."""
    if not document.on_web:
        return Html()
    try:
        known = kind_of(document)
    except VerideskError:  # the page of the case says it once
        known = UNKNOWN
    css = known.kind.replace(" ", "-")
    return tag("span", icon(css), " ", known.kind, css="vd-kind", title=f"Kind of source: {known.how}")


def day(published: date | None) -> str:
    return f"{published.day} {published:%B %Y}" if published else "no date"


def passage_details(pair: Evidence) -> Html:
    assert pair.passage is not None  # asked by evidence_card
    return tag(
        "details", tag("summary", "Show the passage"), in_context(pair.passage, spans=[pair.span] if pair.span else ())
    )


def in_context(passage: Passage, *, spans: Sequence[Span] = (), query: str = "") -> Html:
    """Return a passage between the text around it; spans and the query's words in it are marked."""
    whole = passage.document.text
    begin, end = max(0, passage.start - CONTEXT), min(len(whole), passage.end + CONTEXT)
    return tag(
        "div",
        tag("span", ("… " if begin else "") + whole[begin : passage.start], css="vd-context"),
        marked(whole, passage.start, passage.end, spans, query=query),
        tag("span", whole[passage.end : end] + (" …" if end < len(whole) else ""), css="vd-context"),
        css="vd-passage vd-text",
    )


def marked(text: str, start: int, end: int, spans: Sequence[Span], *, query: str = "") -> Html:
    """Return characters `start` to `end` of a text with the spans marked, which are clipped and may overlap.

    The query's words are underlined within them and around them.
    """
    parts: list[Html] = []
    at = start
    for first, last in sorted(spans):
        first, last = max(first, at), min(last, end)
        if first < last:
            parts += [matched(text[at:first], query), tag("mark", matched(text[first:last], query))]
            at = last
    return join([*parts, matched(text[at:end], query)])


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
