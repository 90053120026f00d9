"""The questions of the panel: the form of an item as data for the browser, in the order of asking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.campaigns.planning.form_questions import Answer, AnswerKind, FormQuestion
from core.campaigns.planning.options import words_of
from core.campaigns.planning.plans import EvidencePair
from core.campaigns.planning.rating_form import COMMENT, SUPPORT, VERDICT, Form
from core.campaigns.planning.spans import sentence_options
from core.campaigns.rater_context import LETTERS
from core.types import Label
from pages.ui.markup import readable
from pages.ui.verdicts import LOOKS

Json = dict[str, Any]

KINDS = {AnswerKind.TEXT: "text", AnswerKind.SPANS: "spans"}
"""How the panel asks; it offers the answers to every other question as buttons."""


def steps(form: Form, sides: Sequence[Sequence[EvidencePair]] = ()) -> list[Json]:
    """Return the questions of an item, and the free comment last. Spans are sentences of the evidence of `sides`.

    `when` lists the answers after which a question is asked, so that the browser need not wait for the server.
    `core.campaigns.planning.rating_form.still_asked` alone decides on submission.
    """
    words = words_of(form.language)
    comment = step(COMMENT, "end", words["comment"], words["comment_question"])
    return [*(asked(one, sides) for one in form.questions), comment]


def asked(one: FormQuestion, sides: Sequence[Sequence[EvidencePair]]) -> Json:
    options = () if one.slides else one.options
    # The key of a number is the number itself, of other answers the place.
    first = int(one.options[0].value) if one.answer is AnswerKind.SCALE else 1
    made = step(one.name, "slider" if one.slides else KINDS.get(one.answer, "choice"), one.title, one.question)
    if one.slides:
        made["ends"] = [option(-1, end.value, end.words) for end in (one.options[0], one.options[-1])]
    return made | {
        "options": marked_sentences(sides)
        if one.answer is AnswerKind.SPANS
        else [
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


def marked_sentences(sides: Sequence[Sequence[EvidencePair]]) -> list[Json]:
    """Return the sentences of the evidence as answers, each with the mark of its pair: "2", or "B2" of two sides."""
    letters = LETTERS if len(sides) > 1 else ("",)
    marks = [
        f"{letter}{place}" for letter, side in zip(letters, sides, strict=False) for place in range(1, len(side) + 1)
    ]
    found = sentence_options(pair for side in sides for pair in side)
    return [
        option(place, one.value, one.words) | {"mark": marks[int(str(one.value).partition(":")[0]) - 1]}
        for place, one in enumerate(found, start=1)
    ]


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
