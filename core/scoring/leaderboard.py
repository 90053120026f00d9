"""Compute one system's scores, and the leaderboard of several: ranks, intervals, letters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from core.annotations import GoldClaim, Problem, Submission
from core.averitec.answer_files import AnswerRecord, answer_problems
from core.averitec.checking import all_problems, matched_by_text
from core.errors import BadInput
from core.scoring.items import ALL, ItemScore, ItemStatus, Score, claim_groups, group_scores
from core.scoring.metrics.answers import AnswerCase, AnswerScores
from core.scoring.metrics.ev2r import FactJudgement
from core.scoring.metrics.metric import UNIT_RANGE, Measured, Metric
from core.scoring.metrics.own import NO_SCORE, SCORE
from core.scoring.metrics.verdict import confusion
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.scoring.registry import JUDGED
from core.scoring.usage import Usage
from core.statistics.bootstrap import MIN_FOR_INTERVAL, Interval, mean_interval
from core.statistics.correlation import exact_mean
from core.statistics.significance import PairwiseComparison, compare_systems
from core.wording import counted, numbered_names

SEED = 2024
"""Seed of all resampling behind a leaderboard, which makes it reproducible."""

SAME_LETTER = "Systems that share a letter do not differ significantly (paired permutation test, p ≥ .05 after Holm)."


@dataclass(frozen=True)
class SystemReport:
    """Everything about one system. `seconds` is the mean per claim where the submission has any.

    `documents` is the average number of evidence pairs submitted per claim (all of them, not only the ten that count).
    `mains` names, for each metric, the items for the ranking. `facts` are the judge's decisions by claim id. `usage` is
    the cost of judging, None if nothing was judged.
    """

    name: str
    problems: tuple[Problem, ...]
    items: tuple[ItemScore, ...]
    scores: tuple[Score, ...]
    mains: dict[str, str]
    confusion: NDArray[np.int64]
    seconds: float | None
    documents: float
    facts: dict[str, tuple[FactJudgement, ...]] = field(default_factory=dict)
    usage: Usage | None = None

    def score(self, metric: str, group: str = ALL) -> Score | None:
        """Return one score, or None if this metric or group was not computed."""
        return next((s for s in self.scores if s.metric == metric and s.group == group), None)

    def items_of(self, metric: str) -> tuple[ItemScore, ...]:
        """Return one metric's items in the order of the gold file."""
        return tuple(item for item in self.items if item.metric == metric)


@dataclass(frozen=True)
class Standing:
    """One line of a leaderboard. `rank` counts from 1; systems that share one of their `letters` do not differ.

    There are no letters if a system has no scored item, or two systems share none. `interval` is None under
    MIN_FOR_INTERVAL scored items.
    """

    report: SystemReport
    rank: int
    letters: str
    interval: Interval | None


@dataclass(frozen=True)
class Leaderboard:
    """Systems, best first, under one metric; `comparison` has the same order, None if nothing was tested."""

    metric: str
    standings: tuple[Standing, ...]
    comparison: PairwiseComparison | None

    @property
    def untested(self) -> str:
        """The reason for missing tests of differences, or ""."""
        if self.comparison:
            return ""
        if len(self.standings) < 2:
            return "One system has nothing to be compared with."
        return "No difference was tested: a system has no scored item, or two have none in common."


def report_system(
    submission: Submission,
    gold: Sequence[GoldClaim],
    metrics: Iterable[Metric],
    monitor: ProgressMonitor = UNMONITORED,
) -> SystemReport:
    """Return a system's scores under each metric. Raises BadInput if the submission is not accepted."""
    submission = matched_by_text(submission, gold)
    problems = all_problems(submission, gold)
    _refuse_fatal(submission.name, problems)
    predictions = submission.by_id
    groups = claim_groups(gold)
    items: list[ItemScore] = []
    scores: list[Score] = []
    mains: dict[str, str] = {}
    facts: dict[str, tuple[FactJudgement, ...]] = {}
    usage: Usage | None = None
    for metric in metrics:
        measured = metric.measure(gold, predictions, monitor)
        items += measured.items
        scores += _scores(measured, groups)
        mains[metric.name] = measured.main
        facts |= measured.facts
        usage = _sum(usage, measured.usage)
    given = [predictions[claim.id] for claim in gold if claim.id in predictions]
    seconds = [p.seconds for p in given if p.seconds is not None]
    return SystemReport(
        name=submission.name,
        problems=tuple(problems),
        items=tuple(items),
        scores=tuple(scores),
        mains=mains,
        confusion=confusion(gold, predictions),
        seconds=float(np.mean(seconds)) if seconds else None,
        documents=float(np.mean([len(p.evidence) for p in given])) if given else 0.0,
        facts=facts,
        usage=usage,
    )


def report_answers(
    name: str,
    given: Sequence[AnswerRecord],
    key: Sequence[AnswerRecord],
    scores: AnswerScores,
    monitor: ProgressMonitor = UNMONITORED,
) -> SystemReport:
    """Return the answer scores of one system against the key; unanswered questions score 0.

    Raises BadInput if no question was answered, because the answers then belong to another key.
    """
    problems = answer_problems(given, key)
    _refuse_fatal(name, problems)
    answers = {record.id: record for record in given}
    cases = [
        AnswerCase(k.id, k.question, k.answer, a.answer if a else None, a.passages if a else ())
        for k in key
        for a in [answers.get(k.id)]
    ]
    measured = scores.measure_cases(cases, monitor)
    return SystemReport(
        name=name,
        problems=tuple(problems),
        items=measured.items,
        scores=tuple(_scores(measured, {})),
        mains={scores.name: measured.main},
        confusion=confusion([], {}),
        seconds=None,
        documents=float(np.mean([len(record.passages) for record in given])) if given else 0.0,
        facts=dict(measured.facts),
        usage=measured.usage,
    )


def leaderboard(reports: Sequence[SystemReport], metric: str) -> Leaderboard:
    """Rank systems by the mean of their scored items under `metric`, with intervals and letters.

    All reports must come from the same gold claims. Equal means share a rank. A system without a scored item is last.
    There are then no letters, and none if two systems share no scored item.
    """
    means = [_mean(report, metric) for report in reports]
    order = sorted(range(len(reports)), key=lambda i: (-means[i], reports[i].name))
    ranked = [reports[i] for i in order]
    comparison = _comparison(ranked, metric)
    letters = comparison.letters if comparison else ("",) * len(ranked)
    better = [sum(mean > means[i] for mean in means) for i in order]
    standings = tuple(
        Standing(report, 1 + count, own, _interval(report, metric))
        for report, count, own in zip(ranked, better, letters, strict=True)
    )
    return Leaderboard(metric, standings, comparison)


def ranked_by(report: SystemReport) -> list[str]:
    """Return the scores for ranking; a judge's score is first."""
    return [main for name, main in sorted(report.mains.items(), key=lambda one: one[0] not in JUDGED)]


def nothing_judged(reports: Iterable[SystemReport]) -> str:
    """Return why a run with a judge has no score; "" if it has one, or has no judge."""
    judged = [report for report in reports if report.usage]
    mains = [(report, report.mains[name]) for report in judged for name in JUDGED & report.mains.keys()]
    items = [item for report, main in mains for item in report.items_of(main)]
    if not items or any(item.status is ItemStatus.SCORED for item in items):
        return ""
    reasons = [item.reason for item in items if item.value is None] or [""]
    return f"Nothing was judged, so there is no score. Of {counted(len(items), 'item')} the first says: {reasons[0]}"


def metric_faults(reports: Iterable[SystemReport]) -> list[str]:
    """Return a sentence for each system and own metric that failed: its first claim, and the number of the others."""
    found = []
    for report in reports:
        own = [item for item in report.items if item.metric.endswith(f":{SCORE}") and item.value is None]
        failed = [item for item in own if item.reason != NO_SCORE]
        for metric in dict.fromkeys(item.metric for item in failed):
            reasons = [item.reason for item in failed if item.metric == metric]
            others = f" So do {counted(len(reasons) - 1, 'other claim')}." if reasons[1:] else ""
            found.append(f"{report.name}: {reasons[0]} It has no score here; other scores stay.{others}")
    return found


def _refuse_fatal(name: str, problems: Iterable[Problem]) -> None:
    fatal = [problem for problem in problems if problem.fatal]
    if fatal:
        first, more = fatal[0], f" `check` lists {len(fatal) - 1} more." if len(fatal) > 1 else ""
        raise BadInput(f"{name} cannot be scored: {first.where}: {first.field}: {first.message}{more}")


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    return first + second if first and second else first or second


def _scores(measured: Measured, groups: dict[str, frozenset[str]]) -> list[Score]:
    ordered = sorted(measured.items, key=lambda item: item.metric)
    by_metric = {name: list(found) for name, found in groupby(ordered, key=lambda item: item.metric)}
    names = dict.fromkeys(item.metric for item in measured.items)
    scores = [
        score
        for name in names
        for score in group_scores(
            by_metric[name], measured.signature_of(name), groups, measured.ranges.get(name, UNIT_RANGE)
        )
    ]
    return [*scores, *measured.other_scores]


def _mean(report: SystemReport, metric: str) -> float:
    values = [item.value for item in report.items_of(metric) if item.value is not None]
    return exact_mean(values) if values else -math.inf


def _interval(report: SystemReport, metric: str) -> Interval | None:
    values = [item.value for item in report.items_of(metric) if item.value is not None]
    return mean_interval(values, seed=SEED) if len(values) >= MIN_FOR_INTERVAL else None


def _comparison(reports: Sequence[SystemReport], metric: str) -> PairwiseComparison | None:
    values = np.array([[_number(item.value) for item in report.items_of(metric)] for report in reports])
    scored = np.isfinite(values)
    in_common = scored @ scored.T  # matrix: whether each two systems share a scored item
    return compare_systems(values, seed=SEED) if len(reports) > 1 and in_common.all() else None


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def distinct_names(submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions, with a number added to each repeated name."""
    names = numbered_names(submission.name for submission in submissions)
    return [replace(submission, name=name) for submission, name in zip(submissions, names, strict=True)]
