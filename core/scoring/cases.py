"""Turn past cases into systems to score, one per recipe and language model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.annotations import GoldClaim, Prediction, Submission, prediction_of, without_scraped_text
from core.averitec.answer_files import AnswerRecord
from core.jobs.types import Job
from core.scoring.metrics.answers import justification_question
from core.types import Case
from core.verification.receipt import receipt_from_json


def case_submissions(cases: Iterable[Job], gold: Sequence[GoldClaim]) -> list[Submission]:
    """Return the cases of claims in the gold annotations, word for word, as submissions.

    The first case of a claim and system counts, so pass the newest first. Raises BadRecord for cases of another
    version.
    """
    ids = {one_line(claim.claim.text): claim.id for claim in gold}
    systems: dict[str, dict[str, Prediction]] = {}
    for stored, system, case in _finished(cases):
        claim_id = ids.get(one_line(case.claim.text))
        if claim_id is not None:
            prediction = replace(prediction_of(case), claim_id=claim_id, seconds=stored.seconds)
            systems.setdefault(system, {}).setdefault(claim_id, prediction)
    found = (Submission(system, tuple(predictions.values())) for system, predictions in systems.items())
    return [without_scraped_text(submission) for submission in found]


def case_answers(cases: Iterable[Job]) -> dict[str, tuple[AnswerRecord, ...]]:
    """Return the cases' justifications as answers by system, with the evidence as passages and the claims as ids."""
    systems: dict[str, dict[str, AnswerRecord]] = {}
    for _, system, case in _finished(cases):
        said = prediction_of(case)
        passages = tuple(f"{pair.question} {pair.answer}" for pair in said.evidence)
        record = AnswerRecord(
            one_line(case.claim.text), justification_question(case.claim.text), said.justification, passages
        )
        systems.setdefault(system, {}).setdefault(record.id, record)
    return {system: tuple(records.values()) for system, records in systems.items()}


def without_answers(given: Iterable[Sequence[AnswerRecord]]) -> tuple[AnswerRecord, ...]:
    """Return the questions of all systems as a key without correct answers."""
    asked = {record.id: replace(record, answer="", passages=()) for records in given for record in records}
    return tuple(asked.values())


def one_line(text: str) -> str:
    """Return a claim's words with single spaces, as its key."""
    return " ".join(text.split())


def _finished(cases: Iterable[Job]) -> Iterator[tuple[Job, str, Case]]:
    for stored in cases:
        if stored.result is not None:
            request, case, llm, _ = receipt_from_json(stored.result)
            yield stored, f"{request.recipe}, {llm.name}", case
