"""One question of a rating form, and the answers that it takes. The shared task's questions are some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.agreement.own_questions import BETWEEN, Measure, OwnQuestion
from core.errors import BadInput

Answer = str | int
"""A number on a scale, or the text of any other answer."""

MAX_TEXT = 20_000
"""Characters that a text may have."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MAX_QUESTIONS, MAX_LABELS, MAX_POINTS, FARTHEST = 30, 50, 101, 100
"""Limits of a form: questions, labels of one, points of a scale, and how far from 0 its ends may lie."""
MOST_BUTTONS = 21
"""The most points of a scale that raters see as buttons; a longer one is a slider."""
TIE = "tie"
_SPANS = re.compile(r"(\d{1,4}:\d{1,6}-\d{1,6}( \d{1,4}:\d{1,6}-\d{1,6})*)?")


class AnswerKind(StrEnum):
    """How a question is answered."""

    SCALE = "scale"
    LABELS = "labels"
    TEXT = "text"
    SPANS = "spans"
    CHOICE = "choice"


MEASURES = {
    AnswerKind.SCALE: (Measure.ORDINAL, Measure.INTERVAL),
    AnswerKind.LABELS: (Measure.NOMINAL, Measure.ORDINAL),
    AnswerKind.TEXT: (Measure.TEXT,),
    AnswerKind.SPANS: (Measure.SPANS,),
    AnswerKind.CHOICE: (Measure.CHOICE,),
}
"""The measures of each kind of answer, the default first."""


@dataclass(frozen=True)
class Option:
    """An answer that can be chosen, and its words."""

    value: Answer
    words: str


@dataclass(frozen=True)
class FormQuestion:
    """One question of a form. `name` is its column in exports: a to z, digits and "_".

    A scale's options are its numbers, the lowest first; their words may be empty. A choice has its options only once
    the systems of an item are known (`bound`). A question with `reference` compares with the reference evidence, and
    is not asked of items without one. `when` lists the answers to other questions after which it is asked. The answer
    must differ from that to `unlike`.
    """

    name: str
    title: str
    question: str
    answer: AnswerKind
    options: tuple[Option, ...] = ()
    measure: Measure = Measure.NOMINAL
    required: bool = True
    reference: bool = False
    ties: bool = False
    hint: str = ""
    when: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unlike: str = ""

    @property
    def slides(self) -> bool:
        """Whether raters answer with a slider."""
        return self.answer is AnswerKind.SCALE and len(self.options) > MOST_BUTTONS

    def bound(self, systems: Iterable[str], words: Mapping[str, str]) -> FormQuestion:
        """Return a choice with these systems, or letters, as its answers; every other question as it is."""
        if self.answer is not AnswerKind.CHOICE:
            return self
        tie = [Option(TIE, words[TIE])] if self.ties else []
        return replace(self, options=(*(Option(one, words["side"].format(letter=one)) for one in systems), *tie))

    def exported(self) -> OwnQuestion:
        """Return the question as files of ratings have it."""
        labels = tuple(str(one.value) for one in self.options) if self.answer is AnswerKind.LABELS else ()
        return OwnQuestion(self.name, self.measure, labels)

    def checked(self, value: object) -> Answer:
        """Return an answer as it is stored. Raises BadInput where the question does not take it.

        A question that need not be answered takes "", which is no answer.
        """
        if value == "" and not self.required:
            return ""
        if self.answer is AnswerKind.SCALE:
            low, high = self.options[0].value, self.options[-1].value
            # True is an int to Python, and would be stored as a rating of 1.
            if type(value) is not int or value not in [one.value for one in self.options]:
                raise BadInput(f"{self.name} takes a whole number from {low} to {high}, got {value!r}.")
            return value
        if self.answer in (AnswerKind.LABELS, AnswerKind.CHOICE):
            return _one_of(self.name, value, [str(one.value) for one in self.options])
        text = checked_text(self.name, value)
        if self.answer is AnswerKind.SPANS and not _SPANS.fullmatch(text):
            raise BadInput(f"The answer to {self.name!r} is places in the evidence, such as 1:0-57; got {text[:60]!r}.")
        return text

    def unanswered(self, answers: Mapping[str, Answer]) -> bool:
        """Tell whether the question must still be answered, if it is asked at all."""
        given = answers.get(self.name, "")
        return self.required and (given == "" or (bool(self.unlike) and given == answers.get(self.unlike)))

    def asked_after(self, answers: Mapping[str, Answer]) -> bool:
        """Tell whether the answers so far leave the question to be asked; a missing one does."""
        return all(name not in answers or answers[name] in values for name, values in self.when.items())


def checked_questions(questions: tuple[FormQuestion, ...], taken: Iterable[str]) -> None:
    """Raise BadInput, naming the question and the way out, if a form cannot ask these. `taken` names are not free."""
    if not questions:
        raise BadInput("The form has no question: add at least one table [[questions]].")
    if len(questions) > MAX_QUESTIONS:
        raise BadInput(f"The form has {len(questions)} questions; the limit is {MAX_QUESTIONS}. Leave some out.")
    names = [one.name for one in questions]
    for one in questions:
        if not NAME.fullmatch(one.name) or one.name in taken:
            raise BadInput(
                f"A question cannot be named {one.name[:60]!r}: use a to z, digits and _, 40 characters at most. "
                "The names of exports' columns are taken."
            )
        if names.count(one.name) > 1:
            raise BadInput(f"Two questions are named {one.name!r}: rename one of them.")
        if not filled(one.title) or not filled(one.question):
            raise BadInput(f"Question {one.name!r} needs a title and a question of at most 1,000 characters each.")
        if one.measure not in MEASURES[one.answer]:
            raise BadInput(f"Question {one.name!r}: {one.measure} measures no answer of the kind {one.answer}.")
        if one.answer is AnswerKind.LABELS:
            _check_labels(one)
        if one.answer is AnswerKind.SCALE:
            _check_scale(one)


def checked_text(question: str, value: object) -> str:
    """Return a text as it is stored. Raises BadInput if it is no text, or too long."""
    if not isinstance(value, str):
        raise BadInput(f"The answer to {question!r} is a text, got {type(value).__name__}.")
    if len(value) > MAX_TEXT:
        raise BadInput(f"The {question} text has {len(value):,} characters; {MAX_TEXT:,} at most are kept.")
    # PostgreSQL cannot store it, and nobody types it.
    return value.replace("\0", "")


def _check_labels(one: FormQuestion) -> None:
    labels = [str(option.value) for option in one.options]
    if len(labels) > MAX_LABELS:
        raise BadInput(f"Question {one.name!r} has {len(labels)} labels; the limit is {MAX_LABELS}. Join some of them.")
    if len(labels) < 2:
        raise BadInput(f"Question {one.name!r} needs two labels or more: a rater must have a choice.")
    for label in labels:
        if labels.count(label) > 1:
            raise BadInput(f"Question {one.name!r} has the label {label[:60]!r} twice: rename one of them.")
        if not filled(label) or label != label.strip() or any(sign in label for sign in (*BETWEEN.values(), "]", "\n")):
            raise BadInput(
                f"Question {one.name!r} cannot have the label {label[:60]!r}: give it words, without ] and lines, "
                "and without < or | between blanks."
            )


def _check_scale(one: FormQuestion) -> None:
    numbers = [option.value for option in one.options]
    if not 2 <= len(numbers) <= MAX_POINTS or not all(abs(int(number)) <= FARTHEST for number in numbers):
        raise BadInput(
            f"Question {one.name!r} needs a scale of 2 to {MAX_POINTS} points between -{FARTHEST} and {FARTHEST}."
        )
    if not all(len(option.words) <= 1000 for option in one.options):
        raise BadInput(f"Question {one.name!r}: a point of the scale has more than 1,000 characters. Shorten it.")


def filled(text: object) -> bool:
    """Tell whether a text has words, and at most 1,000 characters."""
    return isinstance(text, str) and 0 < len(text.strip()) <= 1000


def _one_of(question: str, value: object, allowed: list[str]) -> str:
    for known in allowed:
        if value == known:
            return known
    raise BadInput(f"The answer to {question!r} is one of {', '.join(allowed)}; got {str(value)[:60]!r}.")
