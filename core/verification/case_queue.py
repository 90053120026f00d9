"""Verifications as jobs of the queue: a claim waits, is worked on, and its receipt is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from core.interfaces import ModelIdentity, Stop
from core.job_queue import JobQueue, Lane, Report, one_at_a_time
from core.jobs import Job, Json, Order, Result
from core.search.search_request import digests_in, own_snapshots
from core.settings import settings
from core.storage.jobs import JobTable, Listing
from core.types import Case, Passage, PassageStance, Verdict
from core.verification.progress import OnProgress, Update
from core.verification.receipt import CONVERTER, case_to_json, receipt_from_json, request_from_json, request_to_json
from core.verification.report.worth import measured_worth
from core.verification.request import Request
from core.verification.stance.saying import repeats
from core.verification.verdict.shown import listed_as, shown_label, shown_share

LANE = "verify"

Work = Callable[[Request, OnProgress, Stop], Json]
"""Does one verification and returns its receipt."""


def one_slot(model: str) -> str:
    """The slot of every claim where all go through one model in one process."""
    return ""


class Cases:
    """The claims that were sent. A claim whose server dies is begun anew once by another."""

    def __init__(
        self,
        jobs: JobTable,
        queue: JobQueue,
        work: Work,
        *,
        slot: Callable[[str], str] = one_slot,
        workers: Callable[[str], int] = one_at_a_time,
    ) -> None:
        """`slot` says of a model which claims share workers with it, `workers` how many work in a slot at once."""
        self.jobs, self.queue, self.work, self.slot = jobs, queue, work, slot
        queue.open_lane(Lane(LANE, self._run, "a claim", "claims", workers, tries=2))

    def submit(self, owner: str, request: Request) -> str:
        """Store a claim, put it in the queue and return its id. Raises as `JobQueue.submit`."""
        return self.queue.submit(LANE, self._order(owner, request))

    def keep(self, owner: str, receipt: Json) -> str:
        """Store a case that was worked on elsewhere as one of the owner's, and return its id."""
        request, case, *_ = receipt_from_json(receipt)
        seconds = sum(step.seconds for step in case.times)
        return self.jobs.add_done(LANE, self._order(owner, request), result_of(receipt), seconds=seconds)

    def _order(self, owner: str, request: Request) -> Order:
        claim = request.claim
        return Order(
            owner,
            claim.text,
            request_to_json(request),
            facts={"recipe": request.recipe},
            about=f"{claim.speaker}\n{claim.source}\n{claim.place}",
            uses=request.model,
            slot=self.slot(request.model),
        )

    def search(self, owner: str, text: str = "", *, label: str = "", limit: int = 50, offset: int = 0) -> Listing:
        """Return the owner's claims whose words, speaker, source or place contain `text`; `label` as `listed_as`."""
        return self.jobs.search(owner, LANE, text, label=label, limit=limit, offset=offset)

    def _run(self, job: Job, report: Report, stop: Stop) -> Result:
        request = request_from_json(job.request)
        receipt = self.work(request, Journal(report), stop)
        if request.search:
            self._make_room(receipt)
        return result_of(receipt)

    def _make_room(self, receipt: Json) -> None:
        """Delete the oldest snapshots beyond what they may take; those that cases in the history stand on stay."""
        kept = digests_in([json.dumps(receipt), *self.jobs.results_holding('"snapshot"')])
        own_snapshots().prune(settings().snapshot_limit, kept)


def result_of(receipt: Json) -> Result:
    """Return what is kept of a case, and what is shown of its verdict in a list."""
    record = receipt["case"]["verdict"]
    verdict = CONVERTER.structure({**record, "stances": []}, Verdict)  # whose passages stand elsewhere
    measured = measured_worth(verdict, ModelIdentity(**receipt["models"]["language_model"]))
    return Result(receipt, listed_as(shown_label(verdict)), shown_share(verdict, measured))


@dataclass
class Journal:
    """Reports the stages of one case, in the words that the page shows."""

    report: Report
    done: list[Json] = field(default_factory=list)

    def __call__(self, progress: Update) -> None:
        if progress.found:
            self.done.append({"stage": progress.stage, "found": progress.found, "seconds": progress.seconds})
        stages = {"done": self.done, "stage": progress.stage, "detail": progress.detail}
        position = {"position": progress.position, "stages": progress.stages}
        early = {"early": early_case(progress.case)} if progress.case.verdict else {}
        self.report({**stages, **position, **early}, minor=bool(progress.detail and not progress.found))


def early_case(case: Case) -> Json:
    """Return what a page can show of a case while its questions are written: the verdict, on its passages alone.

    Passages that say a sentence again are left out: of excerpts nobody could tell, and they are not counted.
    """
    assert case.verdict is not None  # asked by Journal
    stances, again = case.verdict.stances, repeats(case.verdict.stances)
    kept = [place for place in range(len(stances)) if place not in again]
    verdict = replace(
        case.verdict,
        stances=tuple(excerpt(stances[place]) for place in kept),
        decisive=tuple(kept.index(place) for place in case.verdict.decisive),
    )
    return case_to_json(Case(case.claim, verdict=verdict, notes=case.notes))


def excerpt(one: PassageStance) -> PassageStance:
    """Return a passage's stance with the passage as its whole document, which may be a book."""
    start, text = one.passage.start, one.passage.text
    document = replace(one.passage.document, text=text, digest="")
    spans = tuple((first - start, last - start) for first, last in one.spans)
    return replace(one, passage=Passage(document, 0, len(text)), spans=spans)
