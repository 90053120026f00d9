"""The passages of a case: deciding ones open, others on the topic in one line, those off it counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.types import Case, Claim, Document, Evidence, PassageStance, Span, Stance
from core.verification.review import Review, passage_key
from core.verification.stance.stance_words import echoes, reason_of, repeats, word_of
from core.verification.verdict.documents_say import open_places, place_of, sentence_of, source_name
from core.verification.verdict.source_voices import voices_of
from core.wording import counted
from pages.ui.evidence import day, in_context, kind_mark, marked, section_line
from pages.ui.markup import Html, link, tag
from pages.ui.passage_tools import IN_USE, passage_tools
from pages.ui.verdicts import icon

ORDER = (Stance.AGAINST, Stance.FOR, Stance.ABOUT, Stance.UNRELATED)
LOOKS = {Stance.FOR: "supported", Stance.AGAINST: "refuted", Stance.ABOUT: "missing", Stance.UNRELATED: "missing"}
"""The class of colour and icon in assets/style.css."""

DECISIVE = "Without this passage the verdict would be another."
REPEATED = "Another passage here overlaps this one and uses the same sentence, which counts once."
_BLANK_LINES = re.compile(r"\n\s*\n")
COPIED = "This text is nearly the same, word by word, so both count as one source."


def passages_by_stance(case: Case, review: Review | None = None) -> Html:
    """Return the passages of a finished case, those against and for the claim first. A `review` lets them be marked."""
    verdict = case.verdict
    assert verdict is not None
    stances, open_ones = verdict.stances, open_places(verdict)
    numbers = {pair.passage: number for number, pair in reversed(list(enumerate(case.evidence, start=1)))}
    again, originals = {*repeats(stances), *echoes(stances)}, originals_of(stances)

    def part(place: int, *, headed: bool = False) -> Html:
        one = stances[place]
        number = numbers.get(one.passage)
        original = originals.get(one.passage.document)
        tags = [
            tag("span", "Decisive", css="vd-tag", title=DECISIVE) if place in verdict.decisive else "",
            tag("span", "Counted already", css="vd-tag", title=REPEATED) if place in again else "",
            tag("span", f"Copy of {source_name(original)}", css="vd-tag", title=COPIED) if original else "",
        ]
        pair = case.evidence[number - 1] if number else None
        if headed and pair:
            pair = replace(pair, question="", claim_question="")
        return passage_part(case.claim, one, pair, number, review, tags, opened=place in open_ones)

    def heading(place: int) -> str:
        number = numbers.get(stances[place].passage)
        return case.evidence[number - 1].heading if number else ""

    def question_card(question: str, card: Sequence[int]) -> Html:
        """Return passages under the question that they all answer; a single one has its question on its own card."""
        if len(card) == 1:
            return part(card[0])
        head = tag("p", question, css="vd-question vd-text")
        return tag(
            "div", head, *(part(at, headed=True) for at in card), css="vd-shared", role="group", aria_label=question
        )

    places = sorted(range(len(stances)), key=lambda at: (at not in open_ones, ORDER.index(stances[at].stance), at))
    shut = [place for place in places if place not in open_ones]
    off = [place for place in shut if stances[place].stance is Stance.UNRELATED or place in again]
    cards: dict[object, list[int]] = {}
    for place in (place for place in places if place not in off):
        cards.setdefault(heading(place) or place, []).append(place)
    repeated = [place for place in off if place in again]
    said = [f"{counted(len(off) - len(repeated), 'passage')} off topic"] if len(off) > len(repeated) else []
    said += [counted(len(repeated), "passage that repeats another", "passages that repeat others")] if repeated else []
    return tag(
        "section",
        tag("h2", "Passages", css="vd-heading"),
        tag("div", *(question_card(heading(card[0]), card) for card in cards.values()), css="vd-cards"),
        tag("details", tag("summary", ", ".join(said)), tag("div", *map(part, off), css="vd-cards")) if off else "",
        css="vd",
        aria_label="Passages",
    )


def originals_of(stances: Sequence[PassageStance]) -> dict[Document, Document]:
    """Return the documents that carry another's text, each with the earliest one of that text."""
    return {copy: voice.first for voice in voices_of(stances) for copy in voice.documents[1:]}


def passage_part(
    claim: Claim,
    one: PassageStance,
    pair: Evidence | None,
    number: int | None,
    review: Review | None,
    tags: Sequence[Html | str],
    *,
    opened: bool,
) -> Html:
    """Return a passage folded to one line: the reason, its words with the decisive ones marked, and its source."""
    document = one.passage.document
    named = document.title or document.url
    used = st.session_state.get(IN_USE) == passage_key(one.passage)
    line = tag(
        "summary",
        tag("span", f"[{number}] ", css="vd-cite") if number else "",
        tag("span", icon(LOOKS[one.stance]), " ", word_of(one), css=f"vd-label vd-{LOOKS[one.stance]}"),
        *tags,
        tag("span", document.site, css="vd-strong"),
        kind_mark(document),
        tag("span", day(document.published), css="vd-day"),
        tag("span", sentence_of(one), css="vd-start"),
    )
    return tag(
        "details",
        line,
        tag("p", pair.heading, css="vd-question vd-text") if pair and pair.heading else "",
        tag("p", reason_of(one), css="vd-reason"),
        tag("p", pair.answer, css="vd-answer vd-text vd-clamp") if pair and pair.span is None else "",
        section_line(document, place_of(one), before=one.passage.start),
        tag("p", quotation(one), css="vd-answer vd-text vd-clamp"),
        claim_words(claim, one.claim_spans) if one.stance is Stance.AGAINST else "",
        tag("p", link(document.url, named), css="vd-source") if named != document.site else "",
        tag(
            "div",
            tag("details", tag("summary", "Show it in the document"), in_context(one.passage, spans=one.spans)),
            passage_tools(one.passage, None, review),
            css="vd-foot",
        ),
        css="vd-card vd-folded",
        open=opened or used,
        id=f"evidence-{number}" if number else None,
        role="group",
        aria_label=f"Evidence {number}" if number else "Passage",
    )


def quotation(one: PassageStance) -> Html:
    """Return the passage's text with the decisive words marked, and without blank lines."""
    whole = marked(one.passage.document.text, one.passage.start, one.passage.end, one.spans)
    return Html(_BLANK_LINES.sub("\n", whole.strip()))


def claim_words(claim: Claim, spans: Sequence[Span]) -> Html:
    """Return the claim with the words marked that the passage differs from; nothing where none are named."""
    if not spans:
        return Html()
    return tag("p", "The claim: ", marked(claim.text, 0, len(claim.text), spans), css="vd-quiet vd-text")
