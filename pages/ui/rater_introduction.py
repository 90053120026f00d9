"""A rater's introduction before the first item: the task in the shared task's words, and how the page works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.campaigns.planning import rating_form as asked
from core.campaigns.planning.form_questions import FormQuestion
from core.campaigns.planning.options import CampaignOptions, words_of
from core.campaigns.planning.rating_form import ALWAYS_ASKED, FIELDS, INTRODUCTION, Form
from core.campaigns.rater_context import LETTERS
from pages.ui.markup import Html, join, tag

KEYS: dict[str, Sequence[str]] = {
    "key_number": ("1", "–", "5"),
    "key_on": ("⏎", "→"),
    "key_back": ("←", "⌫"),
    "key_scroll": ("↑", "↓"),
    "key_take": ("1", "–", "0"),
    "key_use": ("S",),
}
"""Keys of the panel in assets/rating, by the text on their actions. Only the shared task's form has the last."""
NOTES = ("note_saved", "note_change", "note_record", "note_odd")


def introduction(form: Form, options: CampaignOptions, *, scales: bool = True) -> Html:
    """Return the whole introduction, in the organiser's words or the shared task's, with guidelines and examples.

    Without `scales`, leave out the shared task's scales, or every question of an own form.
    """
    words = words_of(form.language)
    notes = NOTES if form.own else (*NOTES, "shown_first" if options.label_first else "shown_later")
    return tag(
        "div",
        own_task(form, options, scales=scales) if form.own else shared_task(form, options, scales=scales),
        titled(words["guidelines"], options.guidelines),
        titled(words["examples"], options.examples),
        tag("h2", words["how"], css="vd-heading"),
        keys_table(words, own_keys(form) if form.own else KEYS),
        tag("ul", *(tag("li", words[note]) for note in notes)),
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
    words = words_of(form.language)
    told = tag("h2", words["questions"], css="vd-heading")
    return join(
        (
            paragraphs(options.introduction) or tag("p", words[f"{form.kind}_task"]),
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


def own_keys(form: Form) -> dict[str, Sequence[str]]:
    """Return the keys of an own form: a number for each answer, and the ways on and back."""
    asked = form.bound(LETTERS[: form.kind.systems]).questions
    most = max(0 if one.slides else len(one.options) for one in asked)
    numbers: dict[str, Sequence[str]] = {"key_number": ("1", "–", str(min(most, 9)))} if most else {}
    return {**numbers, **{name: KEYS[name] for name in ("key_on", "key_back")}}


def keys_table(words: Mapping[str, str], keys: Mapping[str, Sequence[str]]) -> Html:
    rows = (
        tag("li", tag("span", *map(key_part, one), css="vd-key"), tag("span", words[name]))
        for name, one in keys.items()
    )
    return tag("ul", *rows, css="vd-keylist")


def key_part(key: str) -> Html:
    return tag("span", key) if key == "–" else tag("kbd", key)
