"""The judge of a task: its settings in words, the estimate before a scoring, and the cost so far."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.annotations import GoldClaim
from core.scoring.judge_cost import estimated_cost
from core.scoring.judging import Judging
from core.scoring.registry import JUDGED
from core.scoring.usage import Usage
from core.storage.store import Store
from core.tasks.gold_store import gold_of
from core.tasks.shared_task import CheckedSubmission, SharedTask, TaskPhase, TaskPlan, TeamSubmission
from core.wording import counted
from pages.ui.notices import quiet


def judge_words(plan: TaskPlan) -> str:
    """Return the judge of a task in a sentence."""
    how = plan.judging
    prompts = f"prompts of others: {', '.join(sorted(how.prompts))}" if how.prompts else "our prompts"
    price = "" if plan.price is None else f", {plan.price:g} for a million tokens"
    runs = f"{counted(how.repeat, 'repetition')} from seed {how.seed}"
    return f"Judge: {how.model}, {how.way}, {prompts}, {runs}{price}."


def estimate_words(estimate: Usage, price: float | None) -> str:
    tokens = f"{estimate.prompt_tokens + estimate.completion_tokens:,} tokens"
    cost = "" if price is None else f", {estimate.cost_words(price)} by the price"
    return f"about {counted(estimate.asked, 'question')} to the judge, {tokens}{cost}"


def show_estimate(gold: Sequence[GoldClaim], metrics: Sequence[str], judging: Judging, price: float | None) -> None:
    """Show the estimated cost of a submission with ten pairs for each claim; counted once for the same settings."""
    key = ("task-estimate", tuple(claim.id for claim in gold), tuple(metrics), repr(judging))
    kept: tuple[object, Usage] | None = st.session_state.get("task-estimate")
    if kept is None or kept[0] != key:
        kept = (key, estimated_cost(gold, metrics, judging))
        st.session_state["task-estimate"] = kept
    words = estimate_words(kept[1], price)
    quiet(f"A submission with ten pairs for each claim: {words}. Answers that fail cost more.")


def show_estimate_of_phase(store: Store, task: SharedTask, phase: TaskPhase) -> None:
    """Show the estimated cost of scoring a submission of a phase, where a judge is asked."""
    if JUDGED & set(task.plan.metrics):
        show_estimate(gold_of(store, task.id, phase.id), task.plan.metrics, task.plan.judging, task.plan.price)


def show_estimate_of_file(store: Store, task: SharedTask, checked: CheckedSubmission) -> None:
    """Show an organiser the estimated cost of a file."""
    if task.organises and JUDGED & set(task.plan.metrics):
        gold = gold_of(store, task.id, checked.phase)
        estimate = estimated_cost(gold, task.plan.metrics, task.plan.judging, checked.submission.by_id)
        quiet(f"Estimate: {estimate_words(estimate, task.plan.price)}.")


def show_spent(task: SharedTask, found: Sequence[TeamSubmission]) -> None:
    """Show an organiser the judge's cost of all submissions so far, unusable answers included."""
    if task.organises and JUDGED & set(task.plan.metrics):
        spent = sum((one.spent for one in found if one.spent), Usage())
        price = task.plan.price
        cost = "" if price is None else f" Cost: {spent.cost_words(price)}."
        quiet(f"{judge_words(task.plan)} All scorings so far: {spent.words}{cost}")
