"""Read LiveRAG's question/answer/passages files: given answers, and correct ones (the key)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.annotations import Problem, compare_ids, refuse_duplicates
from core.averitec.averitec_rows import MAX_ID
from core.errors import BadRecord, without_middle
from core.records import RecordFile, parse_records

ID_FIELDS = ("id", "question_id", "qid")


@dataclass(frozen=True)
class AnswerRecord:
    """One question with an answer; `passages` in decreasing order of importance, empty in a key."""

    id: str
    question: str
    answer: str
    passages: tuple[str, ...] = ()


def holds_answers(name: str, content: bytes) -> bool:
    """Return whether a file holds questions with answers and neither labels nor AVeriTeC annotations."""
    file = parse_records(name, content, csv_columns=())
    row = file.records[0][1]
    return {"question", "answer"} <= row.keys() and not row.keys() & {"label", "questions", "claim"}


def parse_answers(name: str, content: bytes) -> list[AnswerRecord]:
    """Return a system's answers in the order of their JSON or JSON-lines file.

    Raises BadRecord naming file, record and field, also for a repeated or missing id. Positions cannot replace ids,
    because questions may be left out.
    """
    file = parse_records(name, content, csv_columns=())
    for place, row in file.records:
        if not row.keys() & set(ID_FIELDS):
            raise BadRecord(f"{name}: {place} has no 'id': answers are matched to questions by id.")
    return _records(name, file)


def parse_key(name: str, content: bytes) -> list[AnswerRecord]:
    """Return questions with correct answers as `parse_answers`; a question without id gets its position."""
    return _records(name, parse_records(name, content, csv_columns=()))


def answer_problems(given: Sequence[AnswerRecord], key: Sequence[AnswerRecord]) -> list[Problem]:
    """Return problems: questions without an answer, which score 0, and answers without a question."""
    return compare_ids([record.id for record in given], [record.id for record in key])


def _records(name: str, file: RecordFile) -> list[AnswerRecord]:
    found = [_record(f"{name}: {place}", row, position) for position, (place, row) in enumerate(file.records)]
    refuse_duplicates([record.id for record in found], name)
    return found


def _record(where: str, row: dict[str, Any], position: int) -> AnswerRecord:
    record_id = next((row[field] for field in ID_FIELDS if field in row), position)
    if isinstance(record_id, bool) or not isinstance(record_id, int | str):
        raise BadRecord(f"{where}: 'id' must be a number or a word, got {without_middle(repr(record_id), 60)}.")
    if len(str(record_id)) > MAX_ID:
        raise BadRecord(f"{where}: 'id' is longer than {MAX_ID} characters.")
    for name in ("question", "answer"):
        if not isinstance(row.get(name, ""), str | None):
            raise BadRecord(f"{where} (id {record_id}): {name!r} must be text, got {type(row[name]).__name__}.")
    passages = row.get("passages") or []
    if not isinstance(passages, list):
        raise BadRecord(f"{where} (id {record_id}): 'passages' must be a list, got {type(passages).__name__}.")
    texts = tuple(_passage(f"{where} (id {record_id})", passage) for passage in passages)
    return AnswerRecord(str(record_id), row.get("question") or "", row.get("answer") or "", texts)


def _passage(where: str, passage: object) -> str:
    text = passage.get("passage", passage.get("text")) if isinstance(passage, dict) else passage
    if not isinstance(text, str):
        raise BadRecord(f"{where}: each passage must be text, or an object with 'passage' as text.")
    return text
