"""A rater's introduction before the first item: the task in the shared task's words, and how the page works."""

from __future__ import annotations

from core.campaigns.planning import rating_form as asked
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.rating_form import FIELDS, INTRODUCTION, Form
from core.campaigns.planning.scales import Scale
from pages.ui.markup import Html, join, tag

KEYS = (
    (("1", "–", "5"), "give the answer of that number; the next question follows at once"),
    (("⏎", "→"), "go on without changing the answer; on the last page: submit, and open the next item"),
    (("←", "⌫"), "go back a question, and from the first one to the item before"),
    (("↑", "↓"), "scroll the predicted evidence, with ⇧ the reference evidence"),
    (("1", "–", "0"), "where text is asked for: take the whole answer of that number; 0 is the tenth"),
    (("S",), "use the text that you selected in the evidence as supporting text"),
)
"""Keys and their actions, as the panel in assets/rating takes them."""

NOTES = (
    "Every answer is saved as you give it. Close the page whenever you like: your link opens it where you left, on "
    "this device or another.",
    "You can go back to any item and change an answer until the campaign closes. Earlier answers are kept with it.",
    "The record has your answers, their times, and the time you were active on each item in view. "
    "Your name and address are kept apart from them.",
    "If you cannot judge an item, or something about it is odd, write so below the question at any time.",
)
SHOWN = {
    False: "The label that a system predicted, and the reference evidence, appear after your own verdict.",
    True: "The label that a system predicted, and the reference evidence, are shown from the start.",
}


def introduction(form: Form | None, options: CampaignOptions) -> Html:
    """Return the whole introduction, in the organiser's words or the shared task's, with guidelines and examples.

    Without a form it leaves out the scales.
    """
    fields = tag("ol", *(tag("li", words) for words in FIELDS))
    own = paragraphs(options.introduction)
    return tag(
        "div",
        own or join((*(tag("p", words) for words in INTRODUCTION), fields)),
        tag("h2", asked.VERDICT_TITLE, css="vd-heading"),
        tag("p", asked.VERDICT_INTRODUCTION),
        tag("ol", *(tag("li", words) for words in asked.VERDICT_STEPS)),
        tag("p", asked.VERDICT_SKIP),
        scales_told(form.scales) if form else "",
        titled("Guidelines", options.guidelines),
        titled("Examples", options.examples),
        tag("h2", "How this page works", css="vd-heading"),
        keys_table(),
        tag("ul", *(tag("li", words) for words in (*NOTES, SHOWN[options.label_first]))),
        css="vd vd-intro",
    )


def paragraphs(text: str) -> Html:
    """Return a text's paragraphs, which empty lines divide."""
    return join(tag("p", part.strip(), css="vd-paragraph") for part in text.split("\n\n") if part.strip())


def titled(title: str, text: str) -> Html:
    return join((tag("h2", title, css="vd-heading"), paragraphs(text))) if text.strip() else Html()


def scales_told(scales: tuple[Scale, ...]) -> Html:
    parts = (
        tag(
            "details",
            tag("summary", scale.title),
            tag("p", scale.question),
            tag("ol", *(tag("li", words) for words in scale.descriptions)),
        )
        for scale in scales
    )
    return join((tag("h2", asked.RATING_TITLE, css="vd-heading"), tag("p", asked.RATING_INTRODUCTION), *parts))


def keys_table() -> Html:
    rows = (
        tag("li", tag("span", *(key_part(key) for key in keys), css="vd-key"), tag("span", words))
        for keys, words in KEYS
    )
    return tag("ul", *rows, css="vd-keylist")


def key_part(key: str) -> Html:
    return tag("span", key) if key == "–" else tag("kbd", key)
