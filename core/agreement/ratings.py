"""Import of human ratings: the Google-Form export of the shared task (CSV or XLSX) or our own, pseudonymised.

Nothing is dropped silently: the report counts rows read, kept and skipped, with reasons, and names every unusable
answer. Missing ratings stay missing; nothing is imputed here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.agreement.own_questions import BETWEEN_SYSTEMS, Measure, OwnQuestion, own_columns
from core.agreement.pasted_evidence import PastedForm, read_pasted, unescaped
from core.agreement.rating_formats import SCALES, custom_scales, is_rating_lines, meanings, read_rating_lines
from core.confined import confined
from core.errors import BadInput
from core.tabular.sheets import check_sheet_size, read_sheet
from core.types import Evidence, Label
from core.wording import counted


class MajorError(StrEnum):
    """The answer to question 1 of the form. Anything but NONE ends the form there."""

    NONE = "no major errors"
    EMPTY = "entirely empty"
    NOT_UNDERSTANDABLE = "not understandable at all"
    IRRELEVANT = "completely irrelevant"


COUNTED_TWICE = "correlations count all of these ratings, the raters' agreement the last"


@dataclass(frozen=True)
class Response:
    """One submitted form: a rater's answers on one item. `row` is its row in the file, the titles being row 1.

    `rater` is a pseudonym. `verdict` is None where it was not given. `claim_id` is "" where the item's id names
    the claim. `ratings` holds the scales that were answered and no others. A `control` measures the rater alone.
    `own` has the other answers to an own form, by question. It is None with the shared task's form. `shown` has
    the systems that were compared, in the order in which the rater saw them.
    """

    row: int
    item: str
    rater: str
    team: str
    error: MajorError
    verdict: Label | None
    ratings: dict[str, int]
    system: str = ""
    claim: str = ""
    support: str = ""
    timestamp: str = ""
    evidence: tuple[Evidence, ...] = ()
    comment: str = ""
    claim_id: str = ""
    control: bool = False
    own: dict[str, str] | None = None
    shown: tuple[str, ...] = ()

    def number(self, question: OwnQuestion) -> float | None:
        """Return the answer to a question of one's own as a number for α, None where there is none."""
        if question.is_scale:
            return self.ratings.get(question.name)
        value = (self.own or {}).get(question.name)
        if not value or question.level is None:
            return None
        order = self.system.split(BETWEEN_SYSTEMS) if question.measure is Measure.CHOICE else question.labels
        return float(order.index(value) if value in order else len(order))

    def by_title(self, questions: Sequence[OwnQuestion]) -> dict[str, str | int]:
        """Return the answers under the titles of their columns; "" for a question without one."""
        given: dict[str, str | int] = {**self.ratings, **(self.own or {})}
        return {question.title: given.get(question.name, "") for question in questions}


@dataclass(frozen=True)
class Unused:
    """A row that was skipped, or an answer of a kept row that could not be used, and why."""

    row: int
    reason: str


@dataclass(frozen=True)
class ImportReport:
    """The report of an import; `kept` + len(`skipped`) == `read`.

    `missing` counts unanswered scales among the rows with evidence free of major errors. `pasted` counts the
    forms the evidence came in. `renamed` counts the addresses replaced by pseudonyms.
    """

    file: str
    read: int
    kept: int
    skipped: tuple[Unused, ...]
    unused_answers: tuple[Unused, ...]
    missing: dict[str, int]
    pasted: dict[PastedForm, int]
    renamed: int
    ignored_columns: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RatingImport:
    """The responses of a file in its order, the scales it has, and the report.

    `own` has the questions of a form of one's own, its scales among them. The shared task's form has none.
    """

    responses: tuple[Response, ...]
    scales: tuple[str, ...]
    report: ImportReport
    own: tuple[OwnQuestion, ...] = ()


# Written out, not searched for: "not supported" contains "supported".
VERDICTS = {
    "supported": Label.SUPPORTED,
    "refuted": Label.REFUTED,
    "not enough information": Label.NOT_ENOUGH_EVIDENCE,
    "not enough evidence": Label.NOT_ENOUGH_EVIDENCE,
    "conflicting/cherry-picking": Label.CONFLICTING,
    "conflicting evidence/cherry-picking": Label.CONFLICTING,
    "conflicting evidence/cherrypicking": Label.CONFLICTING,
    "contradicting information": Label.CONFLICTING,
}
_ERRORS = {
    "at least some part of the evidence": MajorError.NONE,
    "entirely empty": MajorError.EMPTY,
    "not understandable": MajorError.NOT_UNDERSTANDABLE,
    "irrelevant to the claim": MajorError.IRRELEVANT,
}
CONTROL_WORDS = ("true", "yes", "1", "control")
_PSEUDONYM = re.compile(r"[A-Z]{1,3}\d{1,4}")


def read_verdict(text: str) -> Label | None:
    """Return the verdict an answer names ("a. supported", "Refuted"), or None where it names none."""
    plain = re.sub(r"^\(?[a-d][.)]+\s*", "", text.strip().lower())
    plain = re.sub(r"\s*\(.*\)$", "", plain, flags=re.DOTALL)
    return VERDICTS.get(plain)


def read_error(text: str) -> MajorError | None:
    """Return the answer to question 1, or None where it is none of the four."""
    plain = text.strip().lower()
    if plain in list(MajorError):
        return MajorError(plain)
    return next((error for words, error in _ERRORS.items() if words in plain), None)


def pseudonyms(raters: Sequence[str]) -> dict[str, str]:
    """Return rater → pseudonym: R01, R02, … in order of appearance; an existing pseudonym stays.

    Addresses that differ in case or outer blanks are one person. The table is returned, never stored.
    """
    people = list(dict.fromkeys(_person(rater) for rater in raters))
    taken = {person for person in people if _PSEUDONYM.fullmatch(person)}
    free = (name for number in range(1, len(people) + len(taken) + 1) if (name := f"R{number:02}") not in taken)
    return {person: person if person in taken else next(free) for person in people}


def whole_id(text: str) -> str:
    """Return an id as it was meant: spreadsheets write 12 as 12.0."""
    return re.sub(r"^(\d+)\.0$", r"\1", text)


def same_claim(first: str, second: str) -> bool:
    """Tell whether two texts are the same claim apart from typing errors: they share half of all their words.

    An unknown claim ("") contradicts nothing.
    """
    a, b = (set(re.findall(r"\w+", text.casefold())) for text in (first, second))
    return not a or not b or 2 * len(a & b) >= len(a | b)


def read_ratings(name: str, content: bytes) -> RatingImport:
    """Return the responses in a form's export, CSV or XLSX, or in our own JSON lines; `name` is for messages.

    Raises BadInput if the file is no table, or has no column for the item, the rater or any scale.
    """
    check_sheet_size(name, content)
    return confined(_read_ratings, name, content)


def _read_ratings(name: str, content: bytes) -> RatingImport:
    sheet = read_rating_lines(name, content) if is_rating_lines(content) else read_sheet(name, content)
    own = own_columns(sheet.header)
    columns = meanings(["" if place in own.values() else title for place, title in enumerate(sheet.header)])
    cells = [row for _, row in sheet.rows]
    extra = {} if own else custom_scales(sheet.header, cells, tuple(columns.values()))
    scales = (*(scale for scale in SCALES if scale in columns), *extra)
    if own:
        scales = tuple(question.name for question in own if question.is_scale)
    columns = {**extra, **columns}
    _require(name, columns, (*scales, *(question.name for question in own)))
    names = pseudonyms([row[columns["rater"]] for row in cells if row[columns["rater"]]])
    reading = _Reading(columns, scales, names, own)
    for number, row in sheet.rows:
        reading.add(number, row)
    if reading.unused and not any(one.ratings or one.verdict or one.own for one in reading.responses):
        raise BadInput(f"{name}: not one rating can be used. {unused_answers(reading.unused)}.")
    used = {*columns.values(), *own.values()}
    ignored = tuple(title for place, title in enumerate(sheet.header) if title and place not in used)
    report = reading.report(name, len(sheet.rows), ignored, sheet.notes)
    return RatingImport(tuple(reading.responses), scales, report, tuple(own))


def unused_answers(unused: Sequence[Unused]) -> str:
    """Say how many answers could not be used, and which is the first."""
    first = unused[0]
    return f"{counted(len(unused), 'answer')} not used, the first in row {first.row}: {first.reason}"


@dataclass
class _Reading:
    """The state of one import: the result for each row."""

    columns: Mapping[str, int]
    scales: tuple[str, ...]
    names: Mapping[str, str]
    own: Mapping[OwnQuestion, int]
    responses: list[Response] = field(default_factory=list)
    skipped: list[Unused] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    pasted: Counter[PastedForm] = field(default_factory=Counter)

    def add(self, number: int, row: Sequence[str]) -> None:
        values = {meaning: row[column].strip() for meaning, column in self.columns.items()}
        error = read_error(values["error"]) if values.get("error") else MajorError.NONE
        reason = _skip_reason(values, error)
        if reason or error is None:
            self.skipped.append(Unused(number, reason))
            return
        form, evidence = read_pasted(values.get("evidence", ""))
        self.pasted[form] += 1
        self.responses.append(
            Response(
                row=number,
                item=whole_id(values["item"]),
                rater=self.names[_person(values["rater"])],
                team=values.get("team", ""),
                error=error,
                verdict=self._verdict(number, values.get("verdict", "")),
                ratings=self._own_scales(number, row) if self.own else self._ratings(number, values),
                system=values.get("system", ""),
                claim=unescaped(values.get("claim", "")),
                support=values.get("support", ""),
                timestamp=values.get("timestamp", ""),
                evidence=evidence,
                comment=values.get("comment", ""),
                claim_id=whole_id(values.get("claim_id", "")),
                control=values.get("control", "").lower() in CONTROL_WORDS,
                own=self._own_answers(number, row) if self.own else None,
            )
        )

    def _verdict(self, number: int, text: str) -> Label | None:
        verdict = read_verdict(text)
        if text and verdict is None:
            self.unused.append(Unused(number, f"verdict {text[:40]!r} is none of the four"))
        return verdict

    def _ratings(self, number: int, values: Mapping[str, str]) -> dict[str, int]:
        ratings = {}
        for scale in self.scales:
            text = values[scale]
            if re.fullmatch(r"[1-5](\.0+)?", text) or (scale not in SCALES and text):
                ratings[scale] = int(float(text))
            elif text:
                self.unused.append(Unused(number, f"{scale} {text[:20]!r} is not a whole number from 1 to 5"))
        return ratings

    def _own_scales(self, number: int, row: Sequence[str]) -> dict[str, int]:
        given = {one.name: row[column].strip() for one, column in self.own.items() if one.is_scale}
        for name, text in given.items():
            if text and not re.fullmatch(r"-?\d{1,3}(\.0+)?", text):
                self.unused.append(Unused(number, f"{name} {text[:20]!r} is not a whole number"))
        return {name: int(float(text)) for name, text in given.items() if re.fullmatch(r"-?\d{1,3}(\.0+)?", text)}

    def _own_answers(self, number: int, row: Sequence[str]) -> dict[str, str]:
        answers = {}
        for question, column in self.own.items():
            text = row[column].strip()
            if question.labels and text not in ("", *question.labels):
                self.unused.append(Unused(number, f"{question.name} {text[:20]!r} is none of its labels"))
            elif text and not question.is_scale:
                answers[question.name] = text
        return answers

    def report(self, name: str, read: int, ignored: tuple[str, ...], notes: tuple[str, ...]) -> ImportReport:
        rated = [response for response in self.responses if response.error is MajorError.NONE]
        missing = {scale: sum(scale not in response.ratings for response in rated) for scale in self.scales}
        twice = [pair for pair, n in Counter((r.item, r.system, r.rater) for r in self.responses).items() if n > 1]
        notes = (
            *notes,
            *(f"{rater} rated item {item} more than once; {COUNTED_TWICE}" for item, _, rater in twice),
        )
        notes = (*notes, *_mistyped(self.responses))
        if controls := sum(response.control for response in self.responses):
            notes = (*notes, f"{counted(controls, 'response is', 'responses are')} to control items, and left out")
        renamed = sum(person != pseudonym for person, pseudonym in self.names.items())
        return ImportReport(
            name,
            read,
            len(self.responses),
            tuple(self.skipped),
            tuple(self.unused),
            missing,
            dict(self.pasted),
            renamed,
            ignored,
            notes,
        )


def _mistyped(responses: Sequence[Response]) -> tuple[str, ...]:
    """List the ids that occur with two different claims: one of the responses is about another item."""
    seen: dict[tuple[str, str], Response] = {}
    notes = []
    for response in responses:
        first = seen.setdefault((response.item, response.system), response)
        if not same_claim(first.claim, response.claim):
            notes.append(
                f"Rows {first.row} and {response.row} have the same id {response.item} but different claims: one id is "
                "mistyped. Where the items' claims are given, the default recipe leaves the wrong row out."
            )
    return tuple(notes)


def _person(rater: str) -> str:
    stripped = rater.strip()
    return stripped if _PSEUDONYM.fullmatch(stripped) else stripped.lower()


def _skip_reason(values: Mapping[str, str], error: MajorError | None) -> str:
    if not values["item"]:
        return "no item id"
    if not values["rater"]:
        return "no rater"
    if error is None:
        return f"the answer to question 1 is none of the four: {values['error'][:40]!r}"
    return ""


def _require(name: str, columns: Mapping[str, int], scales: Sequence[str]) -> None:
    for meaning, title in (("item", "id"), ("rater", "Email Address")):
        if meaning not in columns:
            raise BadInput(f"{name} has no column {title!r}, so its rows have no names. Add one and try again.")
    if not scales:
        wanted = ", ".join(SCALES)
        raise BadInput(f"{name} has no rating scale. Expected at least one of the columns {wanted}.")
