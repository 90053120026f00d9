"""Compute the figures of a batch: seconds per claim, tokens, memory, failures and cuts."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.batch.types import Cost, Done
from core.verification.verdict.verdict_words import listed_as, shown_label
from core.wording import counted


@dataclass(frozen=True)
class BatchReport:
    """The figures of a batch, over all its runs.

    Seconds are those of claims with a prediction. `workers` is the maximum of workers at one time. `peak_bytes` is the
    sum of their peaks, an upper bound of their memory; None if not reported. `left_out` and `failures` go by claim id.
    """

    claims: int
    median_seconds: float | None
    tail_seconds: float | None
    slowest_seconds: float | None
    cost: Cost
    workers: int
    peak_bytes: int | None
    labels: dict[str, int]
    left_out: dict[str, tuple[str, ...]]
    failures: dict[str, str]


def report_on(outcome: Sequence[Done]) -> BatchReport:
    """Return the figures of the processed claims."""
    seconds = sorted(done.seconds for done in outcome if done.prediction)
    costs = [done.cost for done in outcome]
    together = at_one_time(workers_of(outcome))
    peaks = [sum(each.peak for each in group if each.peak is not None) for group in together]
    labels = Counter(listed_as(shown_label(done.prediction)) for done in outcome if done.prediction)
    return BatchReport(
        claims=len(outcome),
        median_seconds=statistics.median(seconds) if seconds else None,
        tail_seconds=percentile(seconds, 0.95),
        slowest_seconds=max(seconds, default=None),
        cost=Cost(*(sum(getattr(cost, name) for cost in costs) for name in vars(Cost()))),
        workers=max(map(len, together), default=0),
        peak_bytes=max(peaks, default=0) or None,
        labels=dict(sorted(labels.items())),
        left_out={done.claim_id: done.left_out for done in outcome if done.left_out},
        failures={done.claim_id: done.error for done in outcome if not done.prediction},
    )


@dataclass(frozen=True)
class WorkerFigures:
    """First and last sign of a worker, in seconds since 1970, and its peak memory."""

    began: float
    ended: float
    peak: int | None


def workers_of(outcome: Sequence[Done]) -> list[WorkerFigures]:
    """Return the workers named by these claims."""
    by_name: dict[str, list[Done]] = {}
    for done in outcome:
        if done.worker:
            by_name.setdefault(done.worker, []).append(done)
    return [
        WorkerFigures(
            min(done.ended - done.seconds for done in mine),
            max(done.ended for done in mine),
            max((done.peak_bytes for done in mine if done.peak_bytes is not None), default=None),
        )
        for mine in by_name.values()
    ]


def at_one_time(workers: Sequence[WorkerFigures]) -> list[list[WorkerFigures]]:
    """Return the workers running at each worker's start; workers of earlier runs had ended."""
    return [[one for one in workers if one.began <= each.began <= one.ended] for each in workers]


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the smallest value not exceeded by at least this share of the values; None without values."""
    if not ordered:
        return None
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * round(share * 1000) // 1000) - 1))]


def report_lines(report: BatchReport) -> list[str]:
    """Return the report as text for people."""
    failed = counted(len(report.failures), "failure") if report.failures else "none failed"
    lines = [f"{counted(report.claims, 'claim')}, {failed}."]
    if report.median_seconds is not None:
        lines.append(
            f"Seconds per claim: median {report.median_seconds:.1f}, 95th percentile {report.tail_seconds:.1f}, "
            f"slowest {report.slowest_seconds:.1f}."
        )
    cost = report.cost
    lines.append(
        f"{cost.generations:,} generations: {cost.prompt_tokens:,} prompt tokens ({cost.reused_tokens:,} kept from "
        f"earlier prompts), {cost.completion_tokens:,} written."
    )
    if report.peak_bytes is not None:
        lines.append(f"Memory: {report.peak_bytes / 1e9:.2f} GB at most in {counted(report.workers, 'worker')}.")
    if report.left_out:
        lines.append(f"Less was done for {counted(len(report.left_out), 'claim')} to keep inside the time:")
        lines += [f"  claim {claim_id}: {'; '.join(words)}" for claim_id, words in report.left_out.items()]
    lines += [f"  claim {claim_id} FAILED: {error}" for claim_id, error in report.failures.items()]
    return lines
