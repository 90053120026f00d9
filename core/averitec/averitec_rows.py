"""Read and write one record of an AVeriTeC file. Errors name file, record and field."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.annotations import (
    GoldAnswer,
    GoldClaim,
    GoldQuestion,
    PredictedEvidence,
    Prediction,
    parse_label,
)
from core.averitec.checking import whole_id
from core.averitec.leaderboard_csv import split_evidence
from core.errors import BadRecord, without_middle
from core.types import Claim, Label

Row = dict[str, Any]

MAX_ID = 200
"""The most characters of a claim's id, because messages include it."""


def submission_row(prediction: Prediction) -> Row:
    """Return one record of a submission file, with unknown labels unchanged."""
    evidence = [
        {"question": e.question, "answer": e.answer, "url": e.url, "scraped_text": e.scraped_text}
        for e in prediction.evidence
    ]
    row: Row = {
        "claim_id": _id_for_json(prediction.claim_id),
        "claim": prediction.claim,
        "pred_label": prediction.label.value if prediction.label else prediction.label_text,
        "evidence": evidence,
    }
    if prediction.justification:
        row["justification"] = prediction.justification
    if prediction.cannot_tell is not None:
        row["cannot_tell"] = prediction.cannot_tell
        row["probabilities"] = {str(label): share for label, share in prediction.probabilities.items()}
    return row | ({} if prediction.seconds is None else {"seconds": prediction.seconds})


def gold_row(gold: GoldClaim) -> Row:
    """Return one record of a gold file."""
    claim = gold.claim
    return {
        "claim_id": _id_for_json(claim.id),
        "claim": claim.text,
        "label": gold.label.value,
        "justification": gold.justification,
        "claim_date": f"{claim.date:%d-%m-%Y}" if claim.date else None,
        "speaker": claim.speaker or None,
        "reporting_source": claim.source or None,
        "location_ISO_code": claim.place or None,
        "claim_types": list(gold.claim_types),
        "fact_checking_strategies": list(gold.strategies),
        "fact_checking_article": gold.fact_check or None,
        "questions": [
            {"question": q.question, "answers": [_answer_row(answer) for answer in q.answers]} for q in gold.questions
        ],
    }


def _answer_row(answer: GoldAnswer) -> Row:
    row = {
        "answer": answer.text,
        "answer_type": answer.kind,
        "source_url": answer.url,
        "source_medium": answer.medium,
    }
    return row | ({"boolean_explanation": answer.explanation} if answer.explanation else {})


def _id_for_json(claim_id: str) -> int | str:
    number = claim_id.isdecimal() and len(claim_id) < 19 and str(int(claim_id)) == claim_id
    return int(claim_id) if number else claim_id


def prediction_from_row(name: str, place: str, row: Row) -> Prediction:
    """Return one prediction. Raises BadRecord if the record has no id; positions cannot replace ids."""
    if not row.keys() & {"claim_id", "id"}:
        raise BadRecord(f"{name}: {place} has neither 'claim_id' nor 'id': predictions are matched to claims by id.")
    claim = claim_from_row(name, place, row, 0)
    where = f"{name}: {place} (id {claim.id})"
    label_text = _label_text(row)
    seconds = row.get("seconds")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
        raise BadRecord(f"{where}: 'seconds' must be a number, got {type(seconds).__name__}.")
    return Prediction(
        claim_id=claim.id,
        claim=claim.text,
        label=parse_label(label_text),
        evidence=_evidence(where, row),
        label_text=label_text,
        justification=_text(where, row, "justification"),
        seconds=seconds,
        **_doubt(where, row),
    )


def _doubt(where: str, row: Row) -> dict[str, Any]:
    """Return the fields on a system's confidence, if given. Raises BadRecord if they are invalid."""
    if row.get("cannot_tell") is None:
        return {}
    shares = row.get("probabilities") or {}
    numbers = isinstance(shares, dict) and all(isinstance(share, int | float) for share in shares.values())
    if not isinstance(row["cannot_tell"], bool) or not numbers or any(parse_label(name) is None for name in shares):
        raise BadRecord(f"{where}: 'cannot_tell' must be true or false, and 'probabilities' a number for each label.")
    return {"cannot_tell": row["cannot_tell"], "probabilities": {Label(name): share for name, share in shares.items()}}


def _label_text(row: Row) -> str:
    value = row.get("pred_label", row.get("label"))
    return "" if value is None else str(value)


def _evidence(where: str, row: Row) -> tuple[PredictedEvidence, ...]:
    if row.get("evi") is not None:
        pairs = split_evidence(_text(where, row, "evi"))
        return tuple(PredictedEvidence(question, answer) for question, answer in pairs)
    items = (row.get("evidence") or []) if not isinstance(row.get("evidence"), str) else [row["evidence"]]
    strings = row.get("string_evidence") or []
    if not isinstance(items, list) or not isinstance(strings, list):
        raise BadRecord(f"{where}: 'evidence' must be a list of question-answer pairs or strings.")
    return tuple(_pair(f"{where}: evidence {number}", item) for number, item in enumerate([*items, *strings], start=1))


def _pair(where: str, item: object) -> PredictedEvidence:
    if isinstance(item, str):
        return PredictedEvidence("", item)
    if not isinstance(item, dict):
        raise BadRecord(f"{where} must be a question-answer pair or a string, got {type(item).__name__}.")
    return PredictedEvidence(
        question=_text(where, item, "question"),
        answer=_text(where, item, "answer"),
        url=_text(where, item, "url"),
        scraped_text=_text(where, item, "scraped_text"),
    )


def gold_claim_from_row(name: str, place: str, row: Row, position: int) -> GoldClaim:
    claim = claim_from_row(name, place, row, position)
    where = f"{name}: {place} (id {claim.id})"
    label = parse_label(_text(where, row, "label"))
    if label is None:
        raise BadRecord(
            f"{where}: 'label' must be one of the four verdicts, got {without_middle(repr(row.get('label')), 60)}."
        )
    questions = tuple(
        _question(f"{where}: question {n}", item) for n, item in enumerate(_list(where, row, "questions"))
    )
    return GoldClaim(
        claim=claim,
        label=label,
        questions=questions,
        justification=_text(where, row, "justification"),
        claim_types=tuple(str(kind) for kind in _list(where, row, "claim_types")),
        strategies=tuple(str(kind) for kind in _list(where, row, "fact_checking_strategies")),
        fact_check=_text(where, row, "fact_checking_article"),
    )


def _question(where: str, item: object) -> GoldQuestion:
    if not isinstance(item, dict):
        raise BadRecord(f"{where} must be an object, got {type(item).__name__}.")
    answers = item.get("answers") or []
    answers = answers if isinstance(answers, list) else [answers]
    if not all(isinstance(answer, dict) for answer in answers):
        raise BadRecord(f"{where}: 'answers' must be a list of objects.")
    return GoldQuestion(_text(where, item, "question"), tuple(_answer(where, answer) for answer in answers))


def _answer(where: str, item: Row) -> GoldAnswer:
    return GoldAnswer(
        text=_text(where, item, "answer"),
        kind=_text(where, item, "answer_type"),
        explanation=_text(where, item, "boolean_explanation"),
        url=_text(where, item, "source_url"),
        medium=_text(where, item, "source_medium"),
    )


def claim_from_row(name: str, place: str, row: Row, position: int) -> Claim:
    claim_id = row.get("claim_id", row.get("id", position))
    if isinstance(claim_id, float) and claim_id.is_integer():
        claim_id = int(claim_id)
    if isinstance(claim_id, bool) or not isinstance(claim_id, int | str) or not str(claim_id).strip():
        raise BadRecord(
            f"{name}: {place}: 'claim_id' must be a number or a word, got {without_middle(repr(claim_id), 60)}."
        )
    if isinstance(claim_id, int) and claim_id < 0:
        raise BadRecord(f"{name}: {place}: 'claim_id' is {claim_id}: ids count from 0.")
    claim_id = whole_id(str(claim_id).strip())
    if len(claim_id) > MAX_ID:
        raise BadRecord(f"{name}: {place}: 'claim_id' has {len(claim_id):,} characters; the limit is {MAX_ID}.")
    where = f"{name}: {place} (id {claim_id})"
    return Claim(
        text=_text(where, row, "claim"),
        speaker=_text(where, row, "speaker"),
        date=_date(where, _text(where, row, "claim_date")),
        source=_text(where, row, "reporting_source"),
        place=_text(where, row, "location_ISO_code"),
        id=claim_id,
    )


def _date(where: str, text: str) -> date | None:
    if not text.strip():
        return None
    try:
        day, month, year = (int(part) for part in text.strip().split("-"))
        return date(day, month, year) if day > 31 else date(year, month, day)  # ISO order is unambiguous
    except (ValueError, OverflowError) as error:
        raise BadRecord(f"{where}: 'claim_date' must be dd-mm-yyyy, got {without_middle(text, 40)!r}.") from error


def _text(where: str, row: Row, field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise BadRecord(f"{where}: {field!r} must be text, got {type(value).__name__}.")


def _list(where: str, row: Row, field: str) -> list[Any]:
    value = row.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRecord(f"{where}: {field!r} must be a list, got {type(value).__name__}.")
    return value
