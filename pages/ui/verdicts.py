"""The look and meaning of the four verdicts and "Cannot tell", the same on every page."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Label, Verdict
from core.verification.verdict.verdict_words import CANNOT_TELL, DOUBT, WORDS, listed_as, shown_label
from pages.ui.markup import Html, tag


@dataclass(frozen=True)
class Look:
    """`css` names the colour and the icon in assets/style.css."""

    word: str
    css: str
    meaning: str


CSS = {
    Label.SUPPORTED: "supported",
    Label.REFUTED: "refuted",
    Label.NOT_ENOUGH_EVIDENCE: "missing",
    Label.CONFLICTING: "conflicting",
}
LOOKS = {label: Look(WORDS[label].word, css, WORDS[label].meaning) for label, css in CSS.items()}
DOUBT_LOOK = Look(DOUBT.word, "doubt", DOUBT.meaning)


def look_of(verdict: Verdict) -> Look:
    return look_named(listed_as(shown_label(verdict)))


def look_named(label: str) -> Look:
    """Return the look of a label as cases are listed by it."""
    return DOUBT_LOOK if label == CANNOT_TELL else LOOKS[Label(label)]


def icon(css: str) -> Html:
    return tag("span", css=f"vd-icon vd-icon-{css}", aria_hidden="true")


def badge(look: Look) -> Html:
    """Return the verdict on one line: icon, word and colour."""
    return tag("span", icon(look.css), " ", look.word, css=f"vd-label vd-{look.css}")


def bar(share: float) -> Html:
    """Return a thin bar filled to `share`, in [0, 1]; a screen reader reads the number beside it."""
    percent = min(100.0, max(0.0, 100.0 * share))
    return tag("div", tag("div", css="vd-fill", style=f"width: {percent:.1f}%"), css="vd-bar", aria_hidden="true")
