"""The rating form: the shared task's questions and scales in its own words, and which answers they take.

Source of the texts: the FEVER-8 shared task's overview, Figures 2 to 6. Where a text is ours, a comment says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.agreement.ratings import MajorError
from core.campaigns.planning.scales import COVERAGE, RELEVANCE, Scale
from core.errors import BadInput, reason_of
from core.files import json_of
from core.types import Label

Answer = str | int
"""A rating from 1 to 5, or the text of any other answer."""

ERROR, VERDICT, SUPPORT, COMMENT = "error", "verdict", "support", "comment"
CANNOT_JUDGE, FLAG = "cannot_judge", "flag"
"""Why an item cannot be judged, and what is odd about it; to be said at any time, and taken back by an empty text."""
FIXED = (ERROR, VERDICT, SUPPORT, COMMENT, CANNOT_JUDGE, FLAG)
LOWEST, HIGHEST = 1, 5
MAX_TEXT = 20_000
"""Characters that a supporting text or a comment may have."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Form:
    """The scales of a campaign, in the order in which they are asked; every other question is fixed."""

    scales: tuple[Scale, ...]

    def to_json(self) -> str:
        """Return the form as JSON text, as the database keeps it."""
        return json.dumps([asdict(scale) for scale in self.scales], ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Form:
        """Return the form that `to_json` wrote. Raises BadInput as `checked_form`."""
        try:
            scales = tuple(Scale(**{**row, "descriptions": tuple(row["descriptions"])}) for row in json_of(text))
            if not all(isinstance(text, str) for scale in scales for text in (scale.name, scale.title, scale.question)):
                raise TypeError("a scale's name, title or question is no text")
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput(f"The form's scales cannot be read ({reason_of(error)}).") from error
        return checked_form(Form(scales))

    def for_item(self, *, has_reference: bool) -> Form:
        """Return the form as it is asked of one item: without reference evidence nothing is compared with it."""
        return self if has_reference else Form(tuple(scale for scale in self.scales if not scale.needs_reference))


INTRODUCTION = (
    "Thank you for helping to evaluate the AVeriTeC shared task submissions!",
    "For the shared task (https://fever.ai/task.html), many teams have submitted predictions, including claim "
    "labels and evidence. Your task is to rate these submissions to support a detailed study of the results.",
    "Each example provided for evaluation consists of the following fields:",
)
# The claim's id and the predicted label are fields of the original too. Here nobody copies an id, and the label
# is shown only after question 2: it would tell what to answer.
FIELDS = (
    "The claim",
    "The predicted label",
    "The predicted evidence extracted from a shared task submission (incl., the scraped text if available)",
    "The reference evidence for the same claim (i.e., the “gold” evidence)",
)

VERDICT_TITLE = "Claim Verdict based on Predicted Evidence"
VERDICT_INTRODUCTION = "On this page, please do the following:"
VERDICT_STEPS = (
    "Check if the predicted evidence contains major errors that warrant skipping the example.",
    "Label the claim based on the predicted evidence as one of the following: Supported, Refuted, Not Enough "
    "Evidence, Conflicting Evidence/Cherry-picking",
)

ERROR_QUESTION = (
    "Does the predicted evidence contain any of the following three major errors? If yes, which of the following "
    "holds for the predicted evidence?"
)
ERRORS = {
    MajorError.EMPTY: "Yes, the evidence is ENTIRELY EMPTY",
    MajorError.NOT_UNDERSTANDABLE: "Yes, the evidence is NOT UNDERSTANDABLE AT ALL",
    MajorError.IRRELEVANT: "Yes, the evidence is COMPLETELY IRRELEVANT to the claim",
    MajorError.NONE: "No major errors. AT LEAST SOME PART of the evidence is non-empty, understandable, and related "
    "to the claim.",
}

VERDICT_SKIP = (
    "If you selected “Yes, ...” for the last question (first three options), please skip the question below and "
    "submit your response. If you selected the last option, “No major errors. [...]”, proceed to the next question."
)
VERDICT_HINT = "For the next question, review 1.) the claim and 2.) the predicted evidence."
VERDICT_QUESTION = (
    "Now, decide if the claim is (a.) supported by the predicted evidence, (b.) refuted, (c.) not enough evidence is "
    "given (if there isn't sufficient evidence to either support or refute it), (d.) conflicting "
    "evidence/cherry-picking (if the claim has both supporting and refuting evidence)."
)
VERDICTS = {
    Label.SUPPORTED: "a. supported",
    Label.REFUTED: "b. refuted",
    Label.NOT_ENOUGH_EVIDENCE: "c. not enough information",
    Label.CONFLICTING: "d. conflicting/cherry-picking",
}

SUPPORT_QUESTION = (
    "If you selected options a.) supported, b.) refuted, or d.) conflicting/cherry-picking, please copy from the "
    "field “predicted evidence” (if it is available) the text which supports your decision."
)
# Ours: the original form has no room for remarks.
COMMENT_QUESTION = "Anything the organisers should know about this item? (optional)"

RATING_TITLE = "Rating of Predicted Evidence"
RATING_INTRODUCTION = "Rate the predicted evidence by answering the questions below."
REFERENCE_HINT = "For the first question, you will need to compare the predicted evidence to the reference evidence."
CLAIM_HINT = "For the question below, you will only need to look at the predicted evidence & claim!"

STANDARD = Form((COVERAGE, RELEVANCE))


def questions(form: Form) -> tuple[str, ...]:
    """Return the names of all questions in the order in which they are asked."""
    return (ERROR, VERDICT, SUPPORT, *(scale.name for scale in form.scales), COMMENT)


def checked_answer(form: Form, question: str, value: object) -> Answer:
    """Return an answer as it is stored: an error's, a verdict's or a text's words, or a whole number from 1 to 5.

    Raises BadInput where the form has no such question or the value is none that it takes.
    """
    if question == ERROR:
        return _one_of(question, value, [error.value for error in MajorError])
    if question == VERDICT:
        return _one_of(question, value, [label.value for label in Label])
    if question in (SUPPORT, COMMENT, CANNOT_JUDGE, FLAG):
        return _text(question, value)
    if question not in questions(form):
        raise BadInput(f"This form has no question {question!r}.")
    # True is an int to Python, and would be stored as a rating of 1.
    if type(value) is not int or not LOWEST <= value <= HIGHEST:
        raise BadInput(f"{question} takes a whole number from {LOWEST} to {HIGHEST}, got {value!r}.")
    return value


def still_asked(form: Form, answers: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return the questions that must be answered before the item can be submitted.

    After a major error none, nor of an item that the rater cannot judge.

    The supporting text may stay empty, because it is asked for only "if it is available"; so may the comment.
    Give `form.for_item(…)`: an item without reference evidence is not asked to be compared with it.
    """
    if answers.get(CANNOT_JUDGE):
        return ()
    if ERROR not in answers:
        return (ERROR, VERDICT, *(scale.name for scale in form.scales))
    if answers[ERROR] != MajorError.NONE:
        return ()
    return tuple(name for name in (VERDICT, *(scale.name for scale in form.scales)) if name not in answers)


def checked_form(form: Form) -> Form:
    """Return the form if it can be asked. Raises BadInput naming the scale that cannot, and why."""
    names = [scale.name for scale in form.scales]
    if not names:
        raise BadInput("A form needs at least one scale.")
    for scale in form.scales:
        if not NAME.fullmatch(scale.name) or scale.name in FIXED:
            raise BadInput(
                f"A scale cannot be named {scale.name[:60]!r}: use a to z, digits and _, 40 characters at most."
            )
        if names.count(scale.name) > 1:
            raise BadInput(f"Two scales are named {scale.name!r}.")
        if len(scale.descriptions) != HIGHEST or not all(_filled(text) for text in _texts(scale)):
            raise BadInput(f"Scale {scale.name!r} needs a title, a question and a description for each of 1 to 5.")
    return form


def _texts(scale: Scale) -> tuple[Any, ...]:
    return (scale.title, scale.question, *scale.descriptions)


def _filled(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text.strip()) <= 1000


def _one_of(question: str, value: object, allowed: list[str]) -> str:
    for known in allowed:
        if value == known:
            return known
    raise BadInput(f"The answer to {question!r} is one of {', '.join(allowed)}; got {str(value)[:60]!r}.")


def _text(question: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadInput(f"The answer to {question!r} is a text, got {type(value).__name__}.")
    if len(value) > MAX_TEXT:
        raise BadInput(f"The {question} text has {len(value):,} characters; {MAX_TEXT:,} at most are kept.")
    # PostgreSQL cannot store it, and nobody types it.
    return value.replace("\0", "")
