"""The evidence on a claim: the passages for and against it, each with its reason and its words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from core.types import Claim, Evidence, PassageStance, Span, Stance, Verdict
from core.verification.review import Review
from core.verification.stance.saying import reason_of, repeats, word_of
from pages.ui.evidence import in_context, marked, question_card, source, title_of
from pages.ui.markup import Html, tag
from pages.ui.passage_tools import passage_tools
from pages.ui.verdicts import icon

ORDER = (Stance.AGAINST, Stance.FOR, Stance.ABOUT, Stance.UNRELATED)
LOOKS = {Stance.FOR: "supported", Stance.AGAINST: "refuted", Stance.ABOUT: "missing", Stance.UNRELATED: "missing"}
"""The class of colour and icon in assets/style.css."""

DECISIVE = "Without this passage the verdict would be another."
REPEATED = "Another passage here overlaps this one and uses the same sentence, which counts once."
SHOWN = 3
"""How many passages about something else are shown before the rest is folded away."""


def passages_by_stance(
    claim: Claim, verdict: Verdict, evidence: Sequence[Evidence], review: Review | None = None
) -> Html:
    """Return the passages, those that disagree and agree first, on the card of the question that they answer.

    Those that decide lead their group. A passage without a question has the title of its document in its place.
    With a `review` passages can be marked.
    """
    numbers = {pair.passage: number for number, pair in reversed(list(enumerate(evidence, start=1)))}
    again = repeats(verdict.stances)
    order = [(ORDER.index(one.stance), at not in verdict.decisive, at) for at, one in enumerate(verdict.stances)]
    places = [place for _, _, place in sorted(order)]
    sections = []
    for stance, group in groupby(places, key=lambda place: verdict.stances[place].stance):
        parts: dict[tuple[str, int], list[Html]] = {}
        for place in group:
            one = verdict.stances[place]
            number = numbers.get(one.passage)
            pair = evidence[number - 1] if number else None
            part = passage_part(
                claim, one, pair, number, review, decisive=place in verdict.decisive, repeated=place in again
            )
            question = pair.question if pair else ""
            parts.setdefault((question, 0 if question else place), []).append(part)
        sections.append(
            section(
                stance,
                [
                    question_card(question, part, title=title_of(verdict.stances[place].passage.document))
                    for (question, place), part in parts.items()
                ],
            )
        )
    heading = tag("h2", "Evidence in the passages", css="vd-heading")
    return tag("section", heading, *sections, css="vd", aria_label="Passages")


def section(stance: Stance, cards: Sequence[Html]) -> Html:
    """Return the passages of one stance; of those about something else all but the first few are folded away."""
    shown = SHOWN if stance is Stance.UNRELATED else len(cards)
    rest = cards[shown:]
    return tag(
        "div",
        *cards[:shown],
        tag("details", tag("summary", f"Show {len(rest)} more"), tag("div", *rest, css="vd-cards")) if rest else "",
        css="vd-cards vd-stance-group",
        id=f"stance-{stance}",
    )


def passage_part(
    claim: Claim,
    one: PassageStance,
    pair: Evidence | None,
    number: int | None,
    review: Review | None = None,
    *,
    decisive: bool = False,
    repeated: bool = False,
) -> Html:
    """Return one passage: its stance and the reason, its words with the decisive ones marked, its source."""
    css, word = LOOKS[one.stance], word_of(one)
    return tag(
        "div",
        tag("span", f"[{number}]", css="vd-cite") if number else tag("span", css="vd-cite"),
        tag(
            "div",
            tag(
                "p",
                tag("span", icon(css), " ", word, css=f"vd-label vd-{css}"),
                tag("span", "Decisive", css="vd-tag", title=DECISIVE) if decisive else "",
                tag("span", "Counted already", css="vd-tag", title=REPEATED) if repeated else "",
                tag("span", reason_of(one), css="vd-reason"),
                css="vd-stance",
            ),
            tag("p", pair.answer, css="vd-answer vd-text vd-clamp") if pair and pair.span is None else "",
            tag("p", quotation(one), css="vd-answer vd-text vd-clamp"),
            claim_words(claim, one.claim_spans) if one.stance is Stance.AGAINST else "",
            source(one.passage.document, titled=not (pair and pair.question)),
            tag("details", tag("summary", "Show it in the document"), in_context(one.passage, spans=one.spans)),
            passage_tools(one.passage, None, review),
        ),
        css="vd-pair",
        id=f"evidence-{number}" if number else None,
        role="group",
        aria_label=f"Evidence {number}" if number else "Passage",
    )


def quotation(one: PassageStance) -> Html:
    """Return the passage's text with the decisive words marked."""
    return marked(one.passage.document.text, one.passage.start, one.passage.end, one.spans)


def claim_words(claim: Claim, spans: Sequence[Span]) -> Html:
    """Return the claim with the words marked that the passage differs from; nothing where none are named."""
    if not spans:
        return Html()
    return tag("p", "The claim: ", marked(claim.text, 0, len(claim.text), spans), css="vd-quiet vd-text")
