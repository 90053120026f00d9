"""The verdict card: the answer first, then how sure it is, who decided, and what that is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.types import Verdict
from core.verification.verdict.head import MEANINGS
from pages.ui.markup import Html, join, tag
from pages.ui.verdicts import LOOKS, bar, icon, look_of

COMPARED = {
    "accuracy": "This judge",
    "always_refuted": "Always saying “Refuted”",
    "claim_only": "Judging by the claim’s words alone",
}
"""What a measurement compares, in the order shown; the first is always there."""

CITATION = re.compile(r"\[(\d{1,3})\]")


def verdict_card(verdict: Verdict, measured: Mapping[str, Any] | None, *, pairs: int) -> Html:
    """Return the card. `measured` has the keys of `core.models.cards.Measured`; None if nobody measured.

    `pairs` is how many questions and answers stand under it, for the justification to point at.
    """
    look = look_of(verdict)
    answer = tag(
        "div",
        tag("p", "Verdict", css="vd-eyebrow"),
        tag("p", icon(look.css), " ", look.word, css="vd-verdict-word", role="heading", aria_level=2),
        tag("p", look.meaning),
        tag("p", doubt(verdict), css="vd-quiet") if verdict.cannot_tell else "",
    )
    return tag(
        "section",
        answer,
        probability_bars(verdict),
        tag("div", justification(verdict, pairs), worth(verdict, measured), decided_by(verdict), css="vd-wide"),
        css=f"vd vd-card vd-verdict vd-{look.css}",
        aria_label="Verdict",
    )


def doubt(verdict: Verdict) -> str:
    likeliest = LOOKS[verdict.label].word
    return (
        f"The likeliest is “{likeliest}” with {verdict.probabilities[verdict.label]:.0%}. "
        f"Below {verdict.threshold:.0%} this judge was wrong too often."
    )


def probability_bars(verdict: Verdict) -> Html:
    rows = (
        join(
            (
                tag("span", icon(look.css), " ", look.word, css=f"vd-label vd-{look.css}"),
                tag("div", bar(verdict.probabilities[label]), css=f"vd-{look.css}"),
                tag("span", f"{verdict.probabilities[label]:.0%}", css="vd-number"),
            )
        )
        for label, look in LOOKS.items()
    )
    return tag("div", join(rows), css="vd-bars", role="group", aria_label="Probability of each verdict")


def justification(verdict: Verdict, pairs: int) -> Html:
    if not verdict.justification:
        return Html()
    parts = CITATION.split(verdict.justification)
    linked = (cited(int(part), pairs) if place % 2 else part for place, part in enumerate(parts))
    return tag("p", *linked, css="vd-text")


def cited(number: int, pairs: int) -> str:
    """Return a link to a question and its answer; a model may also cite one that is not there."""
    return tag("a", f"[{number}]", href=f"#evidence-{number}") if 1 <= number <= pairs else f"[{number}]"


def worth(verdict: Verdict, measured: Mapping[str, Any] | None, *, there: bool = False) -> Html:
    """Return what the judge's verdicts were worth where that could be counted, beside what no judge needs.

    A caveat stands before it; `there` says that the figures are about other evidence than this.
    """
    if verdict.caveat:
        return tag("div", tag("p", verdict.caveat), worth(replace(verdict, caveat=""), measured, there=True))
    if not measured or "accuracy" not in measured:
        words = "What this is worth: nobody has measured it yet, so take it as a hint at most."
        return tag("p", words, css="vd-quiet")
    rows = [(words, float(measured[key])) for key, words in COMPARED.items() if key in measured]
    number = f" on {measured['claims']:,} claims" if isinstance(measured.get("claims"), int) else ""
    others = "".join(f"; {words[0].lower()}{words[1:]}, {share:.0%}" for words, share in rows[1:])
    cells = (
        join((tag("span", words), bar(share), tag("span", f"{share:.0%}", css="vd-number"))) for words, share in rows
    )
    lead = "What it is worth there" if there else "What this is worth"
    return tag(
        "details",
        tag("summary", f"{lead}: right {rows[0][1]:.0%} of the time{number}{others}"),
        tag("div", join(cells), css="vd-bars", style="margin-top: 0.5rem; max-width: 30rem"),
        tag("p", worth_note(measured), css="vd-quiet", style="margin-top: 0.5rem"),
    )


def worth_note(measured: Mapping[str, Any]) -> str:
    said = "Share of published, annotated claims with the right verdict of four. "
    if "calibration_error" in measured:
        said += f"Probabilities are off by {float(measured['calibration_error']):.2f} on average. "
    if measured.get("command"):
        said += f"Measured with: {measured['command']}. "
    return said + "It supports your judgement; it does not replace it."


def decided_by(verdict: Verdict) -> Html:
    if not verdict.features:
        return tag("p", f"Decided by {verdict.judge}.", css="vd-quiet")
    rows = (
        join(
            (
                tag("span", MEANINGS.get(name, name)),
                tag("span"),
                tag("span", f"{round(value, 2) + 0.0:.2f}", css="vd-number"),  # + 0.0: never “-0.00”
            )
        )
        for name, value in verdict.features.items()
    )
    return tag(
        "details",
        tag("summary", f"Who decided: a {verdict.judge}, on {len(verdict.features)} numbers"),
        tag("div", join(rows), css="vd-bars vd-features", style="margin-top: 0.5rem"),
    )
