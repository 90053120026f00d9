"""A rater's introduction before the first item: the task in the shared task's words, and how the page works."""

from __future__ import annotations

from core.campaigns.planning import rating_form as asked
from core.campaigns.planning.form_questions import FormQuestion
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.rating_form import ALWAYS_ASKED, FIELDS, INTRODUCTION, Form, FormKind
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
TASKS = {
    FormKind.RATING: "You were invited to rate evidence for claims. Read the claim and its evidence, then answer.",
    FormKind.PAIRWISE: "You were invited to compare evidence. Two systems gave evidence for one claim: read both, then "
    "answer.",
    FormKind.BEST_WORST: "You were invited to compare evidence. Four systems gave evidence for one claim: read all of "
    "it, then answer.",
}
SHOWN = {
    False: "The label that a system predicted, and the reference evidence, appear after your own verdict.",
    True: "The label that a system predicted, and the reference evidence, are shown from the start.",
}


def introduction(form: Form, options: CampaignOptions, *, scales: bool = True) -> Html:
    """Return the whole introduction, in the organiser's words or the shared task's, with guidelines and examples.

    Without `scales` it leaves out the questions that come last, or all of a form of one's own.
    """
    return tag(
        "div",
        own_task(form, options, scales=scales) if form.own else shared_task(form, options, scales=scales),
        titled("Guidelines", options.guidelines),
        titled("Examples", options.examples),
        tag("h2", "How this page works", css="vd-heading"),
        keys_table(),
        tag("ul", *(tag("li", words) for words in (*NOTES, *([] if form.own else [SHOWN[options.label_first]])))),
        css="vd vd-intro",
    )


def shared_task(form: Form, options: CampaignOptions, *, scales: bool) -> Html:
    fields = tag("ol", *(tag("li", words) for words in FIELDS))
    told = (tag("h2", asked.RATING_TITLE, css="vd-heading"), tag("p", asked.RATING_INTRODUCTION))
    return join(
        (
            paragraphs(options.introduction) or join((*(tag("p", words) for words in INTRODUCTION), fields)),
            tag("h2", asked.VERDICT_TITLE, css="vd-heading"),
            tag("p", asked.VERDICT_INTRODUCTION),
            tag("ol", *(tag("li", words) for words in asked.VERDICT_STEPS)),
            tag("p", asked.VERDICT_SKIP),
            join((*told, *map(question_told, form.questions[len(ALWAYS_ASKED) :]))) if scales else "",
        )
    )


def own_task(form: Form, options: CampaignOptions, *, scales: bool) -> Html:
    told = tag("h2", "Questions", css="vd-heading")
    return join(
        (
            paragraphs(options.introduction) or tag("p", TASKS[form.kind]),
            join((told, *map(question_told, form.questions))) if scales else "",
        )
    )


def paragraphs(text: str) -> Html:
    """Return a text's paragraphs, which empty lines divide."""
    return join(tag("p", part.strip(), css="vd-paragraph") for part in text.split("\n\n") if part.strip())


def titled(title: str, text: str) -> Html:
    return join((tag("h2", title, css="vd-heading"), paragraphs(text))) if text.strip() else Html()


def question_told(one: FormQuestion) -> Html:
    """Return a question, folded under its title, with the words of its answers."""
    words = [option.words for option in one.options if option.words]
    return tag(
        "details",
        tag("summary", one.title),
        tag("p", one.question),
        tag("ol", *(tag("li", line) for line in words)) if words else "",
    )


def keys_table() -> Html:
    rows = (
        tag("li", tag("span", *(key_part(key) for key in keys), css="vd-key"), tag("span", words))
        for keys, words in KEYS
    )
    return tag("ul", *rows, css="vd-keylist")


def key_part(key: str) -> Html:
    return tag("span", key) if key == "–" else tag("kbd", key)
