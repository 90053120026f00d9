"""The verdict card: the evidence, then the verdict in words, its reliability, and how that was measured."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from core.types import Label, Verdict
from core.verification.verdict.explaining import SILENT
from core.verification.verdict.numbers import MEANINGS
from core.verification.verdict.verdict_words import is_rule_based, shown_probabilities
from pages.ui.markup import Html, join, tag
from pages.ui.stance_cards import headline
from pages.ui.verdicts import LOOKS, badge, bar, icon, look_of

COMPARED = {
    "accuracy": "This judge",
    "always_refuted": "Always saying “Refuted”",
    "claim_only": "Judging by the claim’s words alone",
}
"""The figures of a measurement, in the order of display. The first is always present."""

CITATION = re.compile(r"\[(\d{1,3})\]")


def verdict_card(verdict: Verdict, measured: Mapping[str, Any] | None, *, pairs: int) -> Html:
    """Return the card. `measured` has the keys of `core.models.cards.Measured`; None if nobody measured.

    `pairs` is the number of questions and answers under it, for the justification to point at.
    """
    look = look_of(verdict)
    leads = not verdict.stances or beats_baselines(measured)
    silent = verdict.justification == SILENT
    shares = shown_probabilities(verdict, measured)
    answer = tag(
        "div",
        tag("p", "Verdict" if leads else "A rough judgement of all passages", css="vd-eyebrow"),
        tag("p", icon(look.css), " ", look.word, css=word_css(leads=leads), role="heading", aria_level=2),
        tag("p", SILENT if silent else look.meaning),
        doubt(verdict, shares),
        css="" if shares else "vd-whole",
    )
    return tag(
        "section",
        tag("div", tag("p", "Evidence in the documents", css="vd-eyebrow"), headline(verdict.stances), css="vd-first")
        if verdict.stances or silent
        else "",
        answer,
        probability_bars(shares),
        tag("div", *reasons(verdict, measured, pairs), css="vd-wide"),
        css=f"vd vd-card vd-verdict vd-{look.css}",
        aria_label="Verdict",
    )


def early_card(verdict: Verdict) -> Html:
    """Return the facts known before the questions are written: the evidence, and the verdict in a word."""
    look = look_of(verdict)
    return tag(
        "section",
        tag("p", "Evidence in the documents", css="vd-eyebrow") if verdict.stances else "",
        headline(verdict.stances) if verdict.stances else "",
        tag("p", "All passages together: ", badge(look), " ", look.meaning, style="margin-top: 0.6rem"),
        tag("p", "Questions that they answer are being written; the reliability appears at the end.", css="vd-quiet"),
        css="vd vd-card",
        aria_label="Known so far",
    )


def beats_baselines(measured: Mapping[str, Any] | None) -> bool:
    """Whether a judge beat the baselines without evidence, and read more from it than from the wording.

    Two standard errors more often: less could be chance.
    """
    if not measured or not {"accuracy", "claims"} <= set(measured):
        return False
    right = float(measured["accuracy"])
    chance = 2 * math.sqrt(right * (1 - right) / float(measured["claims"]))
    others = [float(measured[key]) for key in ("always_refuted", "claim_only") if key in measured]
    reads = float(measured.get("auc", 0.0)) > float(measured.get("claim_only_auc", 1.0))
    return reads and all(right - chance > other for other in others)


def word_css(*, leads: bool) -> str:
    """Return the classes of the verdict's word: where the judge is no better than its baselines, the evidence leads."""
    return "vd-verdict-word" if leads else "vd-verdict-word vd-minor"


def reasons(verdict: Verdict, measured: Mapping[str, Any] | None, pairs: int) -> tuple[Html, ...]:
    """Return the text below a verdict: a change that would turn it, its reason, wording, worth and making."""
    return (
        cited_words(verdict.counterfactual, pairs),
        justification(verdict, pairs),
        wording_part(verdict, measured),
        worth(verdict, measured),
        how_measured(verdict, measured),
    )


def wording_part(verdict: Verdict, measured: Mapping[str, Any] | None) -> Html:
    """Return the part of the claim's own words in the verdict, apart from the documents' part."""
    if not verdict.wording or not verdict.from_documents or not shown_probabilities(verdict, measured):
        return Html()
    by_words, by_documents = (max(part, key=part.__getitem__) for part in (verdict.wording, verdict.from_documents))
    return tag(
        "p",
        f"From the claim's wording alone the likeliest verdict is “{LOOKS[by_words].word}” "
        f"({verdict.wording[by_words]:.0%}). From the documents alone it is “{LOOKS[by_documents].word}” "
        f"({verdict.from_documents[by_documents]:.0%}).",
        css="vd-quiet",
    )


def doubt(verdict: Verdict, shares: Mapping[Label, float]) -> Html:
    """Return why there is no verdict; nothing if there is one, or if the caveat says why."""
    if not verdict.cannot_tell or (verdict.caveat and not verdict.grounded):
        return Html()
    return tag("p", why_in_doubt(verdict, shares), css="vd-quiet")


def why_in_doubt(verdict: Verdict, shares: Mapping[Label, float]) -> str:
    likeliest = LOOKS[verdict.label].word
    if not verdict.grounded:
        return "No passage settles the claim clearly enough for a verdict."
    if not shares:
        return f"“{likeliest}” is the likeliest, but not by enough to be quoted."
    return (
        f"The likeliest is “{likeliest}” with {shares[verdict.label]:.0%}. "
        f"Below {verdict.threshold:.0%} this judge was wrong too often."
    )


def probability_bars(shares: Mapping[Label, float]) -> Html:
    """Return the probabilities as bars; nothing where none are to be shown."""
    if not shares:
        return Html()
    rows = (
        join(
            (
                tag("span", icon(look.css), " ", look.word, css=f"vd-label vd-{look.css}"),
                tag("div", bar(shares[label]), css=f"vd-{look.css}"),
                tag("span", f"{shares[label]:.0%}", css="vd-number"),
            )
        )
        for label, look in LOOKS.items()
    )
    return tag("div", join(rows), css="vd-bars", role="group", aria_label="Probability of each verdict")


def justification(verdict: Verdict, pairs: int) -> Html:
    silent = verdict.justification == SILENT  # as above
    return cited_words("" if silent else verdict.justification, pairs)


def cited_words(words: str, pairs: int) -> Html:
    """Return words as a paragraph in which each [1] leads to its evidence; nothing where there are none."""
    if not words:
        return Html()
    linked = (cited(int(part), pairs) if place % 2 else part for place, part in enumerate(CITATION.split(words)))
    return tag("p", *linked, css="vd-text")


def cited(number: int, pairs: int) -> str:
    """Return a link to a question and its answer; a model may also cite one that is not there."""
    return tag("a", f"[{number}]", href=f"#evidence-{number}") if 1 <= number <= pairs else f"[{number}]"


def worth(verdict: Verdict, measured: Mapping[str, Any] | None) -> Html:
    """Return in one plain sentence the reliability of the judge's verdicts, if it could be counted."""
    if verdict.caveat:
        return tag("p", verdict.caveat)
    if not measured or "accuracy" not in measured:
        return tag("p", "Reliability: nobody has measured it yet, so take it as a hint at most.", css="vd-quiet")
    claims = f"{measured['claims']:,} published claims" if "claims" in measured else "published claims"
    others = "; ".join(
        f"{words[0].lower()}{words[1:]}, {float(measured[key]):.0%}"
        for key, words in COMPARED.items()
        if key in measured and key != "accuracy"
    )
    right = f"Reliability: on {claims} this judge was right {float(measured['accuracy']):.0%} of the time."
    beside = f" Without reading any document: {others}." if others else ""
    advice = "" if beats_baselines(measured) else " So read the passages, and do not rely on this word alone."
    return tag("p", right + beside + advice)


def how_measured(verdict: Verdict, measured: Mapping[str, Any] | None) -> Html:
    """Return, one click away, the judge and its numbers, and the figures and the command behind its worth."""
    rows = [(words, float((measured or {})[key])) for key, words in COMPARED.items() if key in (measured or {})]
    cells = (
        join((tag("span", words), bar(share), tag("span", f"{share:.0%}", css="vd-number"))) for words, share in rows
    )
    return tag(
        "details",
        tag("summary", "How this was measured, on other cases" if verdict.caveat else "How this was measured"),
        tag("div", join(cells), css="vd-bars", style="margin-top: 0.5rem; max-width: 30rem") if rows else "",
        tag("p", measured_note(measured), css="vd-quiet", style="margin-top: 0.5rem") if measured else "",
        decided_by(verdict),
    )


def measured_note(measured: Mapping[str, Any]) -> str:
    said = "Share of published, annotated claims with the right verdict of four. "
    if "calibration_error" in measured:
        said += f"Probabilities are off by {float(measured['calibration_error']):.2f} on average. "
    if measured.get("command"):
        said += f"Measured with: {measured['command']}. "
    return said + "It supports your judgement; it does not replace it."


def decided_by(verdict: Verdict) -> Html:
    """Return who decided and, for a classifier, the numbers it decided on."""
    if is_rule_based(verdict):
        return tag("p", "Decided by the passages alone: nothing had to be weighed.", css="vd-quiet")
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
        "div",
        tag("p", f"Decided by a {verdict.judge}, on {len(verdict.features)} numbers:", css="vd-quiet"),
        tag("div", join(rows), css="vd-bars vd-features", style="margin-top: 0.5rem"),
    )
