"""The rating form: the shared task's questions and scales in its own words, and which answers they take.

Source of the texts: the FEVER-8 shared task's overview, Figures 2 to 6. Where a text is ours, a comment says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from core.agreement.own_questions import Measure
from core.agreement.ratings import MajorError
from core.campaigns.planning.form_questions import (
    NAME,
    Answer,
    AnswerKind,
    FormQuestion,
    Option,
    checked_questions,
    checked_text,
    filled,
)
from core.campaigns.planning.options import words_of
from core.campaigns.planning.scales import COVERAGE, RELEVANCE, Scale
from core.dataclass_json import from_json, to_json
from core.errors import BadInput, reason_of
from core.files import json_of
from core.types import Label

ERROR, VERDICT, SUPPORT, COMMENT = "error", "verdict", "support", "comment"
CANNOT_JUDGE, FLAG = "cannot_judge", "flag"
"""Why an item cannot be judged, and what is odd about it; to be said at any time, and taken back by an empty text."""
FIXED = (ERROR, VERDICT, SUPPORT, COMMENT, CANNOT_JUDGE, FLAG)
LOWEST, HIGHEST = 1, 5
COLUMNS = "item id rater team system claim control predicted gold practice stratum position opened submitted seconds "
RESERVED = (*FIXED, *(COLUMNS + "counted excluded evidence reference timestamp shown_order").split())
"""Names of exports' columns, which no question of a form of one's own may have."""


class FormKind(StrEnum):
    """What raters see of a claim: one system's evidence, two to compare, or four of which one is best and one worst."""

    RATING = "rating"
    PAIRWISE = "pairwise"
    BEST_WORST = "best-worst"

    @property
    def systems(self) -> int:
        """How many systems' evidence an item has."""
        return {FormKind.RATING: 1, FormKind.PAIRWISE: 2, FormKind.BEST_WORST: 4}[self]

    @property
    def answers(self) -> tuple[AnswerKind, ...]:
        """The kinds of answers that its questions take: one system leaves no choice."""
        return tuple(one for one in AnswerKind if self is not FormKind.RATING or one is not AnswerKind.CHOICE)


@dataclass(frozen=True)
class Form:
    """The questions of a campaign, in the order in which they are asked.

    They are `own`, if there are any. Else they are the shared task's, and `scales` those that come last. `language` is
    that of the rater's page.
    """

    scales: tuple[Scale, ...] = ()
    own: tuple[FormQuestion, ...] = ()
    kind: FormKind = FormKind.RATING
    language: str = "en"

    @property
    def questions(self) -> tuple[FormQuestion, ...]:
        return self.own or (*ALWAYS_ASKED, *(_of_scale(scale) for scale in self.scales))

    @property
    def titles(self) -> dict[str, str]:
        """The titles by name, the comment's among them."""
        return {one.name: one.title for one in self.questions} | {COMMENT: "Comment"}

    def question(self, name: str) -> FormQuestion:
        """Return the question of this name. Raises BadInput if there is none."""
        for one in self.questions:
            if one.name == name:
                return one
        raise BadInput(f"This form has no question {name!r}.")

    def to_json(self) -> str:
        """Return the form as JSON text, as the database keeps it."""
        row: Any = [asdict(scale) for scale in self.scales]
        if self.own:
            row = {"kind": self.kind, "language": self.language, "questions": to_json(self.own)}
        elif self.language != "en":
            row = {"language": self.language, "scales": row}
        return json.dumps(row, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Form:
        """Return the form that `to_json` wrote. Raises BadInput as `checked_form`."""
        try:
            row = json_of(text)
            if isinstance(row, list):
                return checked_form(Form(_scales(row)))
            language = str(row.get("language", "en"))
            if "questions" not in row:
                return checked_form(Form(_scales(row["scales"]), language=language))
            own = from_json(row["questions"], tuple[FormQuestion, ...])
            return checked_form(Form(own=own, kind=FormKind(row["kind"]), language=language))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"The form cannot be read ({reason_of(error)}).") from error

    def for_item(self, *, has_reference: bool) -> Form:
        """Return the form as it is asked of one item: without reference evidence nothing is compared with it."""
        if has_reference:
            return self
        scales = tuple(scale for scale in self.scales if not scale.needs_reference)
        return replace(self, scales=scales, own=tuple(one for one in self.own if not one.reference))

    def bound(self, systems: Iterable[str]) -> Form:
        """Return the form with these systems, or letters, as the answers to its choices."""
        if self.kind is FormKind.RATING:
            return self
        names, words = tuple(systems), words_of(self.language)
        return replace(self, own=tuple(one.bound(names, words) for one in self.own))


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
RATING_TITLE = "Rating of Predicted Evidence"
RATING_INTRODUCTION = "Rate the predicted evidence by answering the questions below."
REFERENCE_HINT = "For the first question, you will need to compare the predicted evidence to the reference evidence."
CLAIM_HINT = "For the question below, you will only need to look at the predicted evidence & claim!"

GOES_ON: dict[str, tuple[str, ...]] = {ERROR: (MajorError.NONE.value,)}
DECIDED = tuple(label.value for label in Label if label is not Label.NOT_ENOUGH_EVIDENCE)
ALWAYS_ASKED = (
    FormQuestion(
        ERROR,
        "Major errors",
        ERROR_QUESTION,
        AnswerKind.LABELS,
        tuple(Option(error.value, words) for error, words in ERRORS.items()),
    ),
    FormQuestion(
        VERDICT,
        "Verdict",
        VERDICT_QUESTION,
        AnswerKind.LABELS,
        tuple(Option(label.value, words) for label, words in VERDICTS.items()),
        # The hints say "for the next question" and the like, which here is the one in view.
        hint=VERDICT_HINT.replace("For the next question, review", "Review"),
        when=GOES_ON,
    ),
    # It may stay empty, because it is asked for only "if it is available".
    FormQuestion(
        SUPPORT,
        "Supporting text",
        SUPPORT_QUESTION,
        AnswerKind.TEXT,
        measure=Measure.TEXT,
        required=False,
        when=GOES_ON | {VERDICT: DECIDED},
    ),
)
"""The shared task's questions before its scales."""
STANDARD = Form((COVERAGE, RELEVANCE))


def questions(form: Form) -> tuple[str, ...]:
    """Return the names of all questions in the order in which they are asked."""
    return (*(one.name for one in form.questions), COMMENT)


def checked_answer(form: Form, question: str, value: object) -> Answer:
    """Return an answer as it is stored. Raises BadInput where the form has no such question or does not take it."""
    if question in (COMMENT, CANNOT_JUDGE, FLAG):
        return checked_text(question, value)
    return form.question(question).checked(value)


def still_asked(form: Form, answers: Mapping[str, Answer]) -> tuple[str, ...]:
    """Return the questions that must be answered before the item can be submitted.

    Of an item that the rater cannot judge none. The shared task's form asks none after a major error.
    Give `form.for_item(…)`: an item without reference evidence is not asked to be compared with it.
    """
    if answers.get(CANNOT_JUDGE):
        return ()
    return tuple(one.name for one in form.questions if one.asked_after(answers) and one.unanswered(answers))


def checked_form(form: Form) -> Form:
    """Return the form if it can be asked. Raises BadInput naming the question that cannot, and why."""
    words_of(form.language)
    if form.own or form.kind is not FormKind.RATING or not form.scales:
        if not form.own and form.kind is FormKind.RATING:
            raise BadInput("The form has no question: a form needs at least one scale, or questions of its own.")
        checked_questions(form.own, RESERVED)
        for one in form.own:
            if one.answer not in form.kind.answers:
                raise BadInput(f"Question {one.name!r}: a {form.kind} form takes no answer of the kind {one.answer}.")
        if form.kind is not FormKind.RATING and not any(one.answer is AnswerKind.CHOICE for one in form.own):
            raise BadInput(f'A {form.kind} form needs a question with answer = "choice": add one.')
        return form
    names = [scale.name for scale in form.scales]
    for scale in form.scales:
        if not NAME.fullmatch(scale.name) or scale.name in FIXED:
            raise BadInput(
                f"A scale cannot be named {scale.name[:60]!r}: use a to z, digits and _, 40 characters at most."
            )
        if names.count(scale.name) > 1:
            raise BadInput(f"Two scales are named {scale.name!r}.")
        if len(scale.descriptions) != HIGHEST or not all(
            filled(text) for text in (scale.title, scale.question, *scale.descriptions)
        ):
            raise BadInput(f"Scale {scale.name!r} needs a title, a question and a description for each of 1 to 5.")
    return form


def _scales(rows: Any) -> tuple[Scale, ...]:
    scales = tuple(Scale(**{**row, "descriptions": tuple(row["descriptions"])}) for row in rows)
    if not all(isinstance(text, str) for scale in scales for text in (scale.name, scale.title, scale.question)):
        raise TypeError("a scale's name, title or question is no text")
    return scales


def _of_scale(scale: Scale) -> FormQuestion:
    hint = REFERENCE_HINT if scale.needs_reference else CLAIM_HINT if scale == RELEVANCE else ""
    for words in ("For the first question, ", "For the question below, "):
        hint = hint.replace(f"{words}y", "Y")
    return FormQuestion(
        scale.name,
        scale.title,
        scale.question,
        AnswerKind.SCALE,
        tuple(Option(value, words) for value, words in enumerate(scale.descriptions, start=LOWEST)),
        Measure.ORDINAL,
        reference=scale.needs_reference,
        hint=hint,
        when=GOES_ON,
    )
