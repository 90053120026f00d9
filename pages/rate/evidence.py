"""A rater's reading: the claim, the predicted evidence, and the reference evidence where a question needs it."""

from __future__ import annotations

from collections.abc import Sequence

from core.campaigns.planning.plans import EvidencePair
from core.campaigns.rater_context import LETTERS
from core.campaigns.types import RatingItem
from core.types import Document, Label
from pages.ui.markup import Html, join, link, safe_url, tag
from pages.ui.verdicts import badge, look_named

LONG_CLAIM = 160
"""Characters beyond which a claim is set smaller, so that evidence and question stay in view."""
ABOUT = {"speaker": "", "date": "", "source": ""}
"""Facts shown of a claim beside its text, in this order."""


def claim_header(item: RatingItem) -> Html:
    facts = [item.about[name] for name in ABOUT if item.about.get(name)]
    size = "vd-rate-claim vd-long" if len(item.claim) > LONG_CLAIM else "vd-rate-claim"
    return tag(
        "header",
        tag("p", "Claim", css="vd-eyebrow"),
        tag("h1", item.claim, css=size),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts") if facts else "",
        css="vd",
    )


def evidence_view(item: RatingItem) -> Html:
    """Return both kinds of evidence, or that of each system that is compared.

    Style shows the reference only beside a question that needs it.
    """
    boxes = [evidence_box("predicted", f"Evidence {LETTERS[place]}", side) for place, side in enumerate(item.sides)]
    return tag(
        "div",
        *boxes or [evidence_box("predicted", "Predicted evidence", item.evidence, predicted_label(item.predicted))],
        evidence_box("reference", "Reference evidence", item.reference) if item.reference else "",
        css="vd vd-evidence vd-compared" if boxes else "vd vd-evidence",
        data_sides=len(boxes),
        # A new item begins at the top of its evidence, not where the last one was scrolled to.
        id=f"evidence-{item.id}",
    )


def predicted_label(label: str) -> Html:
    if not label:
        return Html()
    shown = badge(look_named(label)) if label in set(Label) else tag("span", label)
    return tag("span", "Predicted label: ", shown, css="vd-rate-label")


def evidence_box(kind: str, title: str, pairs: Sequence[EvidencePair], beside: Html | str = "") -> Html:
    cards = [pair_card(number, pair) for number, pair in enumerate(pairs, start=1)]
    empty = tag("p", "There is no evidence: the system gave none.", css="vd-quiet")
    return tag(
        "section",
        tag("div", tag("h2", title, css="vd-rate-title"), beside, css="vd-rate-head"),
        # Focusable, so that it can be scrolled by keyboard.
        tag("div", *(cards or [empty]), css="vd-box", tabindex=0, role="group", aria_label=title),
        css=f"vd-rate-side vd-{kind}",
        aria_label=title,
    )


def pair_card(number: int, pair: EvidencePair) -> Html:
    return tag(
        "article",
        tag("span", str(number), css="vd-cite"),
        tag(
            "div",
            tag("p", pair.question, css="vd-question vd-text") if pair.question.strip() else "",
            tag("p", pair.answer, css="vd-answer vd-text") if pair.answer.strip() else nothing("No answer was given."),
            source(pair.url) if pair.url.strip() else "",
            scraped(pair.scraped_text) if pair.scraped_text.strip() else "",
        ),
        css="vd-rate-pair",
        data_pair=number,
        aria_label=f"Evidence {number}",
    )


def nothing(words: str) -> Html:
    return tag("p", words, css="vd-answer vd-quiet")


def source(url: str) -> Html:
    """Return a pair's source: a link named by its site, or the address as text if it is no link."""
    words = Document(url, "").site if safe_url(url) else url
    return tag("p", link(url, words), css="vd-source")


def scraped(words: str) -> Html:
    return tag("details", tag("summary", "Show the scraped text"), tag("div", words, css="vd-passage vd-text"))
