"""The questions of the panel: the form of an item as data for the browser, in the order of asking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.campaigns.planning.form_questions import Answer, AnswerKind, FormQuestion
from core.campaigns.planning.languages import words_of
from core.campaigns.planning.plans import EvidencePair
from core.campaigns.planning.rating_form import COMMENT, SUPPORT, VERDICT, Form
from core.campaigns.planning.spans import sentence_options
from core.types import Label
from pages.ui.markup import readable
from pages.ui.verdicts import LOOKS

Json = dict[str, Any]

KINDS = {AnswerKind.TEXT: "text", AnswerKind.SPANS: "spans"}
"""How the panel asks; it offers the answers to every other question as buttons."""


def steps(form: Form, evidence: Sequence[EvidencePair] = ()) -> list[Json]:
    """Return the questions of an item, and the free comment last. Spans are sentences of `evidence`.

    `when` lists the answers after which a question is asked, so that the browser need not wait for the server.
    `core.campaigns.planning.rating_form.still_asked` alone decides on submission.
    """
    words = words_of(form.language)
    comment = step(COMMENT, "end", words["comment"], words["comment_question"])
    return [*(asked(one, evidence) for one in form.questions), comment]


def asked(one: FormQuestion, evidence: Sequence[EvidencePair]) -> Json:
    options = sentence_options(evidence) if one.answer is AnswerKind.SPANS else one.options
    # The key of a number is the number itself, of other answers the place.
    first = int(one.options[0].value) if one.answer is AnswerKind.SCALE else 1
    made = step(one.name, KINDS.get(one.answer, "choice"), one.title, one.question)
    return made | {
        "options": [
            option(place, known.value, known.words)
            | ({"key": ""} if place == 10 and first < 1 else {})
            | ({"icon": LOOKS[Label(str(known.value))].css} if one.name == VERDICT else {})
            for place, known in enumerate(options, start=first)
        ],
        "when": {name: list(values) for name, values in one.when.items()},
        "hint": readable(one.hint),
        "reference": one.reference,
        "scale": one.answer is AnswerKind.SCALE,
        # Not every number of a scale of one's own has words.
        "numbered": one.answer is AnswerKind.SCALE and not all(known.words for known in one.options),
        # The supporting text is taken from the evidence; other texts are the rater's own.
        "quotes": one.name == SUPPORT,
        "optional": not one.required,
        "unlike": one.unlike,
    }


def step(name: str, kind: str, title: str, question: str) -> Json:
    return {
        "name": name,
        "kind": kind,
        "title": readable(title),
        "question": readable(question),
        "options": [],
        "when": {},
    }


def option(place: int, value: Answer, words: str) -> Json:
    """Return an answer with its key: its place, 0 for the tenth, and none for later ones or below 0."""
    return {"key": str(place % 10) if 0 <= place <= 10 else "", "value": value, "words": readable(words)}
