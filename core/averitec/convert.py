"""Convert gold files and submissions between JSON, JSON lines and the leaderboard's CSV."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import Help, Place, Reads, Writes
from core.averitec.averitec import holds_gold, parse_gold, parse_submission, write_gold, write_submission
from core.averitec.checking import problem_lines
from core.averitec.leaderboard_csv import gold_csv, submission_csv
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes
from core.wording import counted

SUFFIXES = (".json", ".jsonl", ".csv")


@dataclass(frozen=True)
class Convert:
    """Convert a gold file or submission to the format of another file's ending."""

    source: Annotated[Path, Place("IN"), Reads(), Help("a gold file or submission; its content decides which")]
    target: Annotated[Path, Place("OUT"), Writes(SUFFIXES), Help("the file to write: .json, .jsonl or .csv")]


@dataclass(frozen=True)
class Converted:
    """A new file and its content in words ("3 gold claims")."""

    content: str
    file: str


def convert(request: Convert, context: ActionContext) -> Converted:
    """Write the file. Raises BadInput for a file of another kind, and for a submission with errors."""
    source, target = request.source, request.target
    content = read_bytes(source)
    gold = holds_gold(source.name, content)
    held = (_gold if gold else _submission)(source.name, content, target, context)
    if target.suffix == ".csv":
        lost = "claim types, dates, addresses or answer types" if gold else LOST_OF_SUBMISSIONS
        context.tell(f"CSV holds no {lost}: these are left out.")
    return Converted(held, str(target))


LOST_OF_SUBMISSIONS = "addresses, scraped text, seconds or justifications"


def _gold(name: str, content: bytes, target: Path, context: ActionContext) -> str:
    claims = parse_gold(name, content)
    if target.suffix == ".csv":
        write_whole(target, gold_csv(claims))
    else:
        write_gold(target, claims)
    return f"{len(claims)} gold claims"


def _submission(name: str, content: bytes, target: Path, context: ActionContext) -> str:
    submission = parse_submission(name, content)
    for line in problem_lines(submission.problems):
        context.tell(line)
    if not submission.accepted:
        raise BadInput(f"{name} cannot be converted before the errors above are solved.")
    if target.suffix == ".csv":
        write_whole(target, submission_csv(submission.predictions))
    else:
        write_submission(target, submission.predictions)
    return counted(len(submission.predictions), "prediction")


CONVERT = Action("convert", Convert, convert, lambda made: f"{made.content} written to {made.file}")
