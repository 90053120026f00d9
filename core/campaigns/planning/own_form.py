"""A form of one's own, written in TOML: its kind, its language, and a table [[questions]] for each question.

docs/forms.md describes the keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.agreement.own_questions import Measure
from core.campaigns.planning.form_questions import FARTHEST, MEASURES, AnswerKind, FormQuestion, Option
from core.campaigns.planning.options import words_of
from core.campaigns.planning.rating_form import Form, FormKind, checked_form
from core.errors import BadInput
from core.records import parse_toml

FORM_KEYS = ("kind", "language", "questions")
TEXTS = ("name", "title", "question", "answer", "measure", "hint")
TRUTHS = {"required": True, "reference": False, "ties": True}
NUMBERS = ("low", "high")
LISTS = ("labels", "ends")
OF_KIND = {"labels": AnswerKind.LABELS, "ends": AnswerKind.SCALE, "low": AnswerKind.SCALE, "high": AnswerKind.SCALE}
"""Keys that only one kind of answer has."""


def read_form(name: str, text: str) -> Form:
    """Return the form that a TOML text describes; `name` is for messages. Raises BadInput naming the question."""
    table = parse_toml(name, text)
    _known_keys("The form", table, FORM_KEYS)
    kind = _one_of("The form's kind", table.get("kind", FormKind.RATING), list(FormKind))
    rows = table.get("questions", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput("The form's questions are tables: begin each with a line [[questions]].")
    found = [one for place, row in enumerate(rows, 1) for one in _questions(FormKind(kind), place, row, table)]
    return checked_form(Form(own=tuple(found), kind=FormKind(kind), language=str(table.get("language", "en"))))


def question_toml(row: Mapping[str, Any]) -> str:
    """Return a table [[questions]] with these keys and values, as `read_form` reads it."""
    # A text, list or truth value of JSON is one of TOML too.
    return "[[questions]]\n" + "".join(f"{key} = {json.dumps(row[key], ensure_ascii=False)}\n" for key in row)


def with_kind(text: str, kind: FormKind) -> str:
    """Return a form's text with its kind changed, or named in the first line."""
    line = f'kind = "{kind}"'
    changed, found = re.subn(r"^kind *=.*$", line, text, count=1, flags=re.MULTILINE)
    return changed if found else f"{line}\n{text}"


def _questions(kind: FormKind, place: int, row: Mapping[str, Any], form: Mapping[str, Any]) -> list[FormQuestion]:
    """Return the questions of one table: two for a choice of the best and the worst."""
    where = f"Question {row['name'][:40]!r}" if isinstance(row.get("name"), str) else f"Question {place}"
    _known_keys(where, row, (*TEXTS, *TRUTHS, *NUMBERS, *LISTS))
    for keys, type_, words in ((TEXTS, str, "a text"), (TRUTHS, bool, "true or false"), (NUMBERS, int, "a number")):
        for key in keys:
            if key in row and type(row[key]) is not type_:
                raise BadInput(f"{where}: {key} must be {words}.")
    for key in LISTS:
        if not isinstance(row.get(key, []), list) or not all(isinstance(one, str) for one in row.get(key, [])):
            raise BadInput(f"{where}: {key} must be a list of texts.")
    default = AnswerKind.LABELS if kind is FormKind.RATING else AnswerKind.CHOICE
    answer = AnswerKind(_one_of(f"{where}: answer", row.get("answer", default), kind.answers))
    if strange := [key for key in row if OF_KIND.get(key, answer) is not answer]:
        raise BadInput(f"{where}: {strange[0]} belongs to no question with the answer {answer!r}. Leave it out.")
    asked = FormQuestion(
        name=row.get("name", ""),
        title=row.get("title", ""),
        question=row.get("question", ""),
        answer=answer,
        options=_options(where, answer, row),
        measure=Measure(_one_of(f"{where}: measure", row.get("measure", MEASURES[answer][0]), MEASURES[answer])),
        required=row.get("required", answer is not AnswerKind.TEXT),
        reference=row.get("reference", False),
        ties=kind is FormKind.PAIRWISE and row.get("ties", True),
        hint=row.get("hint", ""),
    )
    return _best_and_worst(asked, form) if kind is FormKind.BEST_WORST and answer is AnswerKind.CHOICE else [asked]


def _best_and_worst(asked: FormQuestion, form: Mapping[str, Any]) -> list[FormQuestion]:
    words = words_of(str(form.get("language", "en")))
    best, worst = (
        replace(
            asked,
            name=f"{asked.name}_{end}",
            title=f"{asked.title}: {words[end]}",
            question=f"{asked.question} {words[f'choose_{end}']}",
        )
        for end in ("best", "worst")
    )
    return [best, replace(worst, unlike=best.name)]


def _options(where: str, answer: AnswerKind, row: Mapping[str, Any]) -> tuple[Option, ...]:
    if answer is AnswerKind.LABELS:
        return tuple(Option(label, label) for label in row.get("labels", []))
    if answer is not AnswerKind.SCALE:
        return ()
    low, high, ends = row.get("low", 1), row.get("high", 5), row.get("ends", ["", ""])
    if len(ends) != 2:
        raise BadInput(f"{where}: ends has {len(ends)} texts. Give two: for the lowest and for the highest number.")
    if not -FARTHEST <= low < high <= FARTHEST:
        raise BadInput(f"{where}: a scale cannot go from {low} to {high}. Give low and high from -100 to 100.")
    words = {low: ends[0], high: ends[1]}
    return tuple(Option(number, words.get(number, "")) for number in range(low, high + 1))


def _known_keys(where: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    if strange := [key for key in table if key not in known]:
        raise BadInput(f"{where} has the unknown key {strange[0][:40]!r}. Known keys are: {', '.join(known)}.")


def _one_of(where: str, value: object, known: Sequence[str]) -> str:
    allowed = [str(one) for one in known]
    if value not in allowed:
        raise BadInput(f"{where} is one of {', '.join(allowed)}; got {str(value)[:40]!r}.")
    return str(value)
