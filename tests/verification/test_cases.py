"""Verifications as jobs: what is kept of a claim, and how its stages are told."""

import threading
from pathlib import Path

from core.interfaces import ModelIdentity, Stop
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Json, State
from core.storage.store import Store
from core.types import Case, Claim, Label, Verdict
from core.verification.progress import OnProgress, Update
from core.verification.receipt import receipt_to_json
from core.verification.request import Request
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.verdict_words import CANNOT_TELL
from core.verification.verify_job import verify_kind
from tests.waiting import until

ANNA = "a" * 64
WRITER = ModelIdentity("a model", "", 2048)
REQUEST = Request(Claim("The moon is made of cheese.", speaker="Wallace"), recipe="question_first")


def test_a_claim_is_worked_on_and_found_by_its_words_and_its_verdict(tmp_path: Path) -> None:
    reached, release = threading.Event(), threading.Event()

    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        on_progress(Update("Search", 1, 2, 0.1, Case(request.claim)))
        on_progress(Update("Search", 1, 2, 0.4, Case(request.claim), found="10 passages"))
        on_progress(Update("Judge", 2, 2, 0.5, Case(request.claim), detail="pair 1 of 3"))
        reached.set()
        release.wait(300)
        shares = {Label.REFUTED: 0.75, Label.SUPPORTED: 0.25}
        verdict = Verdict(shares, CLASSIFIER, 0.9 if request.seed == 1 else 0.5, features={"closest": 0.5})
        return receipt_to_json(request, Case(request.claim, verdict=verdict), WRITER, WRITER)

    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'veridesk.db'}"))
    queue = JobQueue(jobs)
    cases = Jobs(queue, verify_kind(work, jobs))
    sure = cases.start(ANNA, REQUEST)
    assert reached.wait(300)
    running = jobs.status(sure, ANNA)
    release.set()
    unsure = cases.start(ANNA, Request(REQUEST.claim, seed=1))
    until(lambda: cases.search(ANNA, label=CANNOT_TELL).total)
    queue.close()
    assert running
    assert running.state is State.RUNNING
    assert running.facts == {"recipe": "question_first", "searches": False}
    # The detail came within DETAIL_SECONDS of the stage before it and is left out.
    found = {"stage": "Search", "found": "10 passages", "seconds": 0.4}
    assert running.progress == {"done": [found], "stage": "Search", "detail": "", "position": 1, "stages": 2}
    assert [(one.id, one.share) for one in cases.search(ANNA, "wallace", label="Refuted").entries] == [(sure, 0.75)]
    assert [(one.id, one.share) for one in cases.search(ANNA, label=CANNOT_TELL).entries] == [(unsure, None)]
