"""The questions of the panel: the form of an item as data for the browser, in the order of asking."""

from __future__ import annotations

from typing import Any

from core.agreement.ratings import MajorError
from core.campaigns.planning import rating_form as asked
from core.campaigns.planning.rating_form import COMMENT, ERROR, SUPPORT, VERDICT, Form
from core.campaigns.planning.scales import RELEVANCE, Scale
from core.types import Label
from pages.ui.markup import readable
from pages.ui.verdicts import LOOKS

Json = dict[str, Any]

DECIDED = [label.value for label in Label if label is not Label.NOT_ENOUGH_EVIDENCE]
GOES_ON = {ERROR: [MajorError.NONE.value]}
"""A question is asked while every answer named here is one of these."""


def steps(form: Form) -> list[Json]:
    """Return the questions of an item, the last one being the free comment.

    `when` lists the answers after which a question is asked, so that the browser need not wait for the server.
    `core.campaigns.planning.rating_form.still_asked` alone decides on submission.
    """
    return [error_step(), verdict_step(), support_step(), *(scale_step(scale) for scale in form.scales), comment_step()]


def error_step() -> Json:
    options = [option(place, error, words) for place, (error, words) in enumerate(asked.ERRORS.items(), start=1)]
    return step(ERROR, "choice", "Major errors", asked.ERROR_QUESTION, options=options)


def verdict_step() -> Json:
    options = [
        option(place, label, words) | {"icon": LOOKS[label].css}
        for place, (label, words) in enumerate(asked.VERDICTS.items(), start=1)
    ]
    made = step(VERDICT, "choice", "Verdict", asked.VERDICT_QUESTION, options=options, when=GOES_ON)
    # The hint says "for the next question", which here is the one in view.
    return made | {"hint": asked.VERDICT_HINT.replace("For the next question, review", "Review")}


def support_step() -> Json:
    return step(SUPPORT, "text", "Supporting text", asked.SUPPORT_QUESTION, when=GOES_ON | {VERDICT: DECIDED})


def scale_step(scale: Scale) -> Json:
    options = [option(value, value, words) for value, words in enumerate(scale.descriptions, start=asked.LOWEST)]
    hint = asked.REFERENCE_HINT if scale.needs_reference else asked.CLAIM_HINT if scale == RELEVANCE else ""
    made = step(scale.name, "choice", scale.title, scale.question, options=options, when=GOES_ON)
    # The hints say "for the first question" and "for the question below", which here is the one in view.
    hint = hint.replace("For the first question, you", "You").replace("For the question below, you", "You")
    return made | {"reference": scale.needs_reference, "hint": hint, "scale": True}


def comment_step() -> Json:
    return step(COMMENT, "end", "Comment", asked.COMMENT_QUESTION)


def step(
    name: str, kind: str, title: str, question: str, *, options: list[Json] | None = None, when: Json | None = None
) -> Json:
    return {
        "name": name,
        "kind": kind,
        "title": readable(title),
        "question": readable(question),
        "options": options or [],
        "when": when or {},
    }


def option(place: int, value: str | int, words: str) -> Json:
    """Return an answer with its key: its place, 0 for the tenth, and none for later ones."""
    return {"key": str(place % 10) if place <= 10 else "", "value": value, "words": readable(words)}
