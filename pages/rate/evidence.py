"""A rater's reading: the claim, the predicted evidence, and the reference evidence where a question needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.campaigns.planning.options import words_of
from core.campaigns.planning.plans import EvidencePair
from core.campaigns.rater_context import LETTERS
from core.campaigns.types import RatingItem
from core.types import Document, Label
from pages.ui.markup import Html, join, link, safe_url, tag
from pages.ui.verdicts import badge, look_named

Words = Mapping[str, str]

LONG_CLAIM = 160
"""Characters beyond which a claim is set smaller, so that evidence and question stay in view."""
ABOUT = {"speaker": "", "date": "", "source": ""}
"""Facts shown of a claim beside its text, in this order."""


def claim_header(item: RatingItem) -> Html:
    facts = [item.about[name] for name in ABOUT if item.about.get(name)]
    size = "vd-rate-claim vd-long" if len(item.claim) > LONG_CLAIM else "vd-rate-claim"
    return tag(
        "header",
        tag("p", words_of(item.form.language)["claim"], css="vd-eyebrow"),
        tag("h1", item.claim, css=size),
        tag("p", join(tag("span", fact) for fact in facts), css="vd-facts") if facts else "",
        css="vd",
    )


def evidence_view(item: RatingItem) -> Html:
    """Return both kinds of evidence, or that of each system that is compared.

    Style shows the reference only beside a question that needs it.
    """
    words = words_of(item.form.language)
    titles = [words["side"].format(letter=letter) for letter in LETTERS]
    boxes = [evidence_box(words, "predicted", title, side) for title, side in zip(titles, item.sides, strict=False)]
    label = predicted_label(words, item.predicted)
    return tag(
        "div",
        *boxes or [evidence_box(words, "predicted", words["predicted"], item.evidence, label)],
        evidence_box(words, "reference", words["reference"], item.reference) if item.reference else "",
        css="vd vd-evidence vd-compared" if boxes else "vd vd-evidence",
        data_sides=len(boxes),
        # A new item begins at the top of its evidence, not where the last one was scrolled to.
        id=f"evidence-{item.id}",
    )


def predicted_label(words: Words, label: str) -> Html:
    if not label:
        return Html()
    shown = badge(look_named(label)) if label in set(Label) else tag("span", label)
    return tag("span", words["predicted_label"], shown, css="vd-rate-label")


def evidence_box(words: Words, kind: str, title: str, pairs: Sequence[EvidencePair], beside: Html | str = "") -> Html:
    cards = [pair_card(words, number, pair) for number, pair in enumerate(pairs, start=1)]
    empty = tag("p", words["no_evidence"], css="vd-quiet")
    return tag(
        "section",
        tag("div", tag("h2", title, css="vd-rate-title"), beside, css="vd-rate-head"),
        # Focusable, so that it can be scrolled by keyboard.
        tag("div", *(cards or [empty]), css="vd-box", tabindex=0, role="group", aria_label=title),
        css=f"vd-rate-side vd-{kind}",
        aria_label=title,
    )


def pair_card(words: Words, number: int, pair: EvidencePair) -> Html:
    return tag(
        "article",
        tag("span", str(number), css="vd-cite"),
        tag(
            "div",
            tag("p", pair.question, css="vd-question vd-text") if pair.question.strip() else "",
            tag("p", pair.answer, css="vd-answer vd-text") if pair.answer.strip() else nothing(words["no_answer"]),
            source(pair.url) if pair.url.strip() else "",
            scraped(words, pair.scraped_text) if pair.scraped_text.strip() else "",
        ),
        css="vd-rate-pair",
        data_pair=number,
        aria_label=words["evidence_label"].format(n=number),
    )


def nothing(words: str) -> Html:
    return tag("p", words, css="vd-answer vd-quiet")


def source(url: str) -> Html:
    """Return a pair's source: a link named by its site, or the address as text if it is no link."""
    words = Document(url, "").site if safe_url(url) else url
    return tag("p", link(url, words), css="vd-source")


def scraped(words: Words, text: str) -> Html:
    return tag("details", tag("summary", words["scraped"]), tag("div", text, css="vd-passage vd-text"))
