"""A home with a case at work and one in each state that one can end in, and a browser to which they belong."""

import hashlib
import time
from dataclasses import replace
from pathlib import Path

from core.jobs.store import JobStore
from core.jobs.types import JobResult, Listed, State
from core.storage.store import Store
from core.types import Claim, Passage, PassageStance, Stance
from core.verification.receipt import receipt_to_json, request_to_json
from core.verification.request import Request
from tests.verification.report.conftest import CASE, FIRST, MODEL, PAINT, REQUEST, SECOND

KEY = "ab" * 32
OWNER = hashlib.sha256(f"browser\n{KEY}".encode()).hexdigest()
REMEMBER = f"localStorage.setItem('veridesk-browser', '{KEY}')"
"""What makes a browser the one that the cases belong to."""

SIDES = {FIRST: Stance.FOR, SECOND: Stance.ABOUT, Passage(PAINT, 0, 30): Stance.UNRELATED}
assert CASE.verdict is not None
VERDICT = replace(CASE.verdict, stances=tuple(PassageStance(*one, 0.9, "a reason") for one in SIDES.items()))
READ = replace(CASE, verdict=VERDICT)
"""The plain case with passages of three stances."""

PROGRESS = {
    "done": [{"stage": "Read the documents", "found": "3 documents", "seconds": 0.4}],
    "stage": "Index the passages",
    "detail": "",
    "position": 2,
    "stages": 7,
}
NO_PAGES = (
    "There are no documents to search.\nhttps://a.example: there is no such page.\nhttps://b.example: it is gone."
)


def fill(home: Path) -> dict[State, str]:
    """Put a finished, a failed, a cancelled and a running case into the database; return their ids."""
    table = JobStore(Store(f"sqlite:///{home / 'veridesk.db'}"))
    moon = Request(Claim("The moon is made of cheese."), urls=("https://a.example", "https://b.example"))
    ended = {
        State.DONE: (REQUEST, "", JobResult(receipt_to_json(REQUEST, READ, MODEL, MODEL), "Supported", 0.7)),
        State.FAILED: (moon, NO_PAGES, JobResult({})),
        State.CANCELLED: (moon, "You cancelled this search.", JobResult({})),
    }
    return {state: _end(table, state, *how) for state, how in ended.items()} | {State.RUNNING: _begun(home, moon)}


def _begun(home: Path, request: Request) -> str:
    """Begin a case on a server whose last word is of tomorrow, so that none takes it for silent."""
    tomorrow = Store(f"sqlite:///{home / 'veridesk.db'}", clock=lambda: time.time() + 24 * 3600)
    return _begin(JobStore(tomorrow), request)


def _end(table: JobStore, state: State, request: Request, error: str, result: JobResult) -> str:
    job = _begin(table, request)
    assert table.end(job, "one", state, 12.0, error=error, result=result)
    return job


def _begin(table: JobStore, request: Request) -> str:
    listed = Listed(request.claim.text, {"recipe": request.recipe})
    job = table.add("verify", OWNER, listed, request_to_json(request), tries=1)
    assert table.claim({"verify": ()}, server="one", place="")
    table.advance(job, "one", PROGRESS)
    return job
