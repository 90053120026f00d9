"""Verify a file of claims for the command line, with a line for each claim."""

from __future__ import annotations

from contextlib import closing
from itertools import count

from core.actions.action import ActionContext
from core.averitec.averitec import read_claims
from core.batch.command import BatchOrder
from core.batch.report import BatchReport
from core.batch.run import executor_for, failures_path, run_batch
from core.batch.types import Done
from core.verification.verdict.verdict_words import shown_label, words_of


def verify_all(order: BatchOrder, context: ActionContext) -> BatchReport:
    """Verify the claims, and tell the result of each. Raises BadInput, and as `run_batch`."""
    claims, plan, numbers = read_claims(order.claims)[: order.first], order.plan, count(1)

    def on_done(done: Done, before: bool) -> None:
        number = next(numbers)
        if not before:
            context.tell(line(number, len(claims), done))

    with closing(executor_for(plan, workers=order.workers, scheduler=order.scheduler)) as executor:
        report = run_batch(
            claims, plan, executor, order.out, on_done, retry_failures=order.retry_failures, stop=context.stop
        )
    if report.failures:
        context.tell(f"{failures_path(order.out[0])} lists the failed claims; --retry-failures tries them again.")
    return report


def line(number: int, count: int, done: Done) -> str:
    """Return the terminal's line on one claim."""
    verdict = words_of(shown_label(done.prediction)).word if done.prediction else f"FAILED: {done.error}"
    less = f"  (less: {'; '.join(done.left_out)})" if done.left_out else ""
    return f"{number}/{count}  claim {done.claim_id}  {done.seconds:.1f} s  {verdict}{less}"
