"""The kind of job that verifies a claim: its handler, its progress and its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.archive.catalogue import check_readable
from core.interfaces import Stop
from core.jobs.jobs import Jobs
from core.jobs.kinds import JobContext, JobKind, ReportProgress
from core.jobs.limits import JobLimits, one_at_a_time
from core.jobs.store import JobStore
from core.jobs.types import Job, JobResult, Json, Listed
from core.search.search_request import digests_in, own_snapshots
from core.settings import settings
from core.types import Case, Passage, PassageStance, Verdict
from core.verification.progress import OnProgress, Update
from core.verification.receipt import CONVERTER, case_to_json, receipt_from_json, request_from_json, request_to_json
from core.verification.report.judge_measurements import judge_measurements
from core.verification.request import Request
from core.verification.stance.stance_words import repeats
from core.verification.verdict.verdict_words import listed_as, shown_label, shown_share

VERIFY = "verify"

Verifying = Callable[[Request, OnProgress, Stop], Json]
"""Verifies one claim and returns its receipt."""

Cases = Jobs[Request, Job]


def one_slot(model: str) -> str:
    """The slot of every claim where all go through one model in one process."""
    return ""


def verify_kind(
    verify: Verifying,
    store: JobStore,
    *,
    slot: Callable[[str], str] = one_slot,
    running: Callable[[str], int] = one_at_a_time,
) -> JobKind[Request, Job]:
    """Return the kind of a verification. If a claim's server dies, another server begins it again, once.

    `slot` returns the slot of a model, `running` the number of claims that a slot works on at once.
    """

    def handle(request: Request, context: JobContext) -> JobResult:
        check_readable(request.stores, context.job.owner)
        receipt = verify(request, CaseProgress(context.report), context.stop)
        if request.search or request.urls:
            make_room(store, receipt)
        return result_of(receipt)

    def listed(request: Request, folder: Path | None) -> Listed:
        claim = request.claim
        about = f"{claim.speaker}\n{claim.source}\n{claim.place}"
        return Listed(
            claim.text,
            {"recipe": request.recipe, "searches": request.search is not None},
            about,
            request.model,
            slot(request.model),
        )

    return JobKind(
        VERIFY, "a claim", "claims", handle, listed, request_to_json, request_from_json, stored_job,
        limits=JobLimits(running=running, tries=2),
    )  # fmt: skip


def stored_job(job: Job, request: Request, folder: Path | None) -> Job:
    """Return the job itself: pages read its receipt when they show it."""
    return job


def keep_case(cases: Cases, owner: str, receipt: Json) -> str:
    """Store a case that was worked on elsewhere as one of the owner's, and return its id."""
    request, case, *_ = receipt_from_json(receipt)
    return cases.keep(owner, request, result_of(receipt), seconds=sum(step.seconds for step in case.times))


def make_room(store: JobStore, receipt: Json) -> None:
    """Delete the oldest snapshots beyond their limit, but none that a case in the history refers to."""
    kept = digests_in([json.dumps(receipt), *store.results_holding('"snapshot"')])
    own_snapshots().prune(settings().snapshot_limit, kept)


def result_of(receipt: Json) -> JobResult:
    """Return the kept receipt of a case, and its verdict as a list shows it."""
    record = receipt["case"]["verdict"]
    verdict = CONVERTER.structure({**record, "stances": []}, Verdict)  # without the passages, which are elsewhere
    measured = judge_measurements(verdict)
    return JobResult(receipt, listed_as(shown_label(verdict)), shown_share(verdict, measured))


@dataclass
class CaseProgress:
    """Reports the stages of one case, in the words that the page shows."""

    report: ReportProgress
    done: list[Json] = field(default_factory=list)

    def __call__(self, progress: Update) -> None:
        if progress.found:
            self.done.append({"stage": progress.stage, "found": progress.found, "seconds": progress.seconds})
        stages = {"done": self.done, "stage": progress.stage, "detail": progress.detail}
        position = {"position": progress.position, "stages": progress.stages}
        early = {"early": early_case(progress.case)} if progress.case.verdict else {}
        self.report({**stages, **position, **early}, minor=bool(progress.detail and not progress.found))


def early_case(case: Case) -> Json:
    """Return the part of a case for pages while its questions are written: the verdict, from its passages alone.

    Passages that repeat a sentence are left out: excerpts do not show the repetition, and they are not counted.
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
