"""Read AVeriTeC claims, gold annotations and submissions in all formats, and write them as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from core.annotations import (
    GoldClaim,
    Prediction,
    Problem,
    Submission,
    duplicate_ids,
    label_problems,
    refuse_duplicates,
)
from core.averitec.averitec_rows import (
    Row,
    claim_from_row,
    gold_claim_from_row,
    gold_row,
    prediction_from_row,
    submission_row,
)
from core.averitec.checking import FLOAT_ID, content_problems
from core.averitec.leaderboard_csv import gold_from_row
from core.confined import confined
from core.errors import BadInput, BadRecord
from core.files import replacing
from core.records import RecordFile, parse_records, read_bytes
from core.types import Claim
from core.wording import readable_name

A_GOLD_FILE = "this is a gold file, not a submission."


def read_claims(path: Path) -> list[Claim]:
    """Return the claims of a gold file, an unlabelled test file or a submission; errors as `parse_gold`."""
    return parse_claims(path.name, read_bytes(path))


def parse_claims(name: str, content: bytes) -> list[Claim]:
    """Return the claims of a file's content; see `read_claims`."""
    return confined(_parse_claims, name, content)


def _parse_claims(name: str, content: bytes) -> list[Claim]:
    file = parse_records(name, content)
    claims = [claim_from_row(file.name, place, row, i) for i, (place, row) in enumerate(file.records)]
    refuse_duplicates([claim.id for claim in claims], file.name)
    return claims


def read_gold(path: Path) -> list[GoldClaim]:
    """Return the annotated claims of a JSON, JSON-lines or leaderboard CSV file. See `parse_gold`."""
    return parse_gold(path.name, read_bytes(path))


def parse_gold(name: str, content: bytes) -> list[GoldClaim]:
    """Return annotated claims in the order of the file; a claim without id gets its position, from 0.

    Raises BadRecord naming file, record and field for any error.
    """
    return confined(_parse_gold, name, content)


def _parse_gold(name: str, content: bytes) -> list[GoldClaim]:
    file = parse_records(name, content)
    if file.encoding == "windows-1252":
        raise BadInput(f"{name} is not UTF-8 text; save the gold file as UTF-8.")
    if file.format == "csv":
        claims = [gold_from_row(name, place, row) for place, row in file.records]
    else:
        claims = [gold_claim_from_row(name, place, row, i) for i, (place, row) in enumerate(file.records)]
    refuse_duplicates([claim.id for claim in claims], name)
    return claims


def read_submission(path: Path) -> Submission:
    """Return the predictions of a JSON, JSON-lines or leaderboard CSV file, named after the file."""
    return parse_submission(path.name, read_bytes(path))


def parse_submission(name: str, content: bytes) -> Submission:
    """Return one system's predictions with remarks before scoring.

    Unreadable records are fatal problems of the submission. Raises BadRecord only if the file holds no records at all.
    """
    return confined(_parse_submission, name, content)


def _parse_submission(name: str, content: bytes) -> Submission:
    file = parse_records(name, content)
    system = readable_name(Path(name).stem)
    if all("questions" in row for _, row in file.records):
        return Submission(system, (), (Problem("file", "questions", A_GOLD_FILE, fatal=True),))
    predictions, problems = [], _encoding_problems(file)
    for place, row in file.records:
        try:
            prediction = prediction_from_row(name, place, row)
        except BadRecord as error:
            problems.append(Problem(place, "record", str(error), fatal=True))
            continue
        if FLOAT_ID.fullmatch(str(row.get("claim_id", row.get("id"))).strip()):
            message = "the id ends in '.0', which was left out; the official scorer finds no claim with such an id."
            problems.append(Problem(f"id {prediction.claim_id}", "id", message))
        predictions.append(prediction)
        problems += label_problems(f"id {prediction.claim_id}", prediction.label_text)
    problems += content_problems(predictions, from_csv=file.format == "csv")
    problems += duplicate_ids([prediction.claim_id for prediction in predictions])
    return Submission(system, tuple(predictions), tuple(problems))


def holds_gold(name: str, content: bytes) -> bool:
    """Return whether a file holds gold annotations (else predictions), by its first record's fields.

    Raises BadRecord if it has neither.
    """
    place, row = parse_records(name, content).records[0]
    if "questions" in row or row.get("split") == "gold":
        return True
    if row.keys() & {"pred_label", "evidence", "evi", "string_evidence", "label"}:
        return False
    raise BadRecord(f"{name}: {place} has neither 'questions' (gold) nor 'evidence' or 'pred_label' (a submission).")


def write_submission(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write predictions in the shared task's format; see `write_rows`."""
    write_rows(path, [submission_row(prediction) for prediction in predictions])


def write_gold(path: Path, claims: Sequence[GoldClaim]) -> None:
    """Write gold claims in AVeriTeC's format, plus `claim_id`; see `write_rows`."""
    write_rows(path, [gold_row(claim) for claim in claims])


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as JSON lines if the name ends in .jsonl, else as a JSON array of UTF-8 text.

    The text is written piece by piece, because a submission to the shared task has 170 MB.
    """
    with replacing(path) as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
        else:
            parts = json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(list(rows))
            file.writelines(part.encode() for part in parts)
            file.write(b"\n")


def _encoding_problems(file: RecordFile) -> list[Problem]:
    problems = []
    if file.encoding == "utf-16":
        message = "the file is in UTF-16; the official scorer reads UTF-8 alone."
        problems.append(Problem("file", "encoding", message))
    elif file.encoding != "utf-8":
        message = f"the file is not UTF-8 and was read as {file.encoding}; letters outside English may be wrong."
        problems.append(Problem("file", "encoding", message))
    if file.separator != ",":
        words = "tabs" if file.separator == "\t" else "semicolons"
        message = f"cells are separated by {words}; the official scorer reads commas alone."
        problems.append(Problem("file", "separator", message))
    return problems
