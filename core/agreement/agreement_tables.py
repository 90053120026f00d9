"""The tables of the shared task's human evaluation (Tables 5 to 8, 10 and 11), from a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.agreement.study import RatedResponse, Study, clusters_of, given_answer, pairs, verdict_agrees
from core.statistics.correlation import (
    Coefficient,
    Correlation,
    coefficient_value,
    correlate,
    exact_mean,
    system_means,
    undefined_reason,
)
from core.statistics.significance import benjamini_hochberg, holm
from core.statistics.within_raters import correlate_within
from core.types import Label


@dataclass(frozen=True)
class VerdictTable:
    """Table 5: human verdicts (rows) against labels (columns), counts in the order of `Label`.

    `against` is "predicted label" or "gold label". `accuracy` is the share of responses where both agree.
    """

    against: str
    counts: tuple[tuple[int, ...], ...]
    accuracy: float
    n: int


@dataclass(frozen=True)
class Distribution:
    """Table 6: how often each value of a scale was given; mean and sample standard deviation of those given."""

    scale: str
    counts: dict[int, int]
    n: int
    missing: int
    mean: float | None
    sd: float | None


@dataclass(frozen=True)
class CorrelationRow:
    """Table 7: one metric with one scale at one level: "pooled", "within rater" or "by system".

    `adjusted` is p after Holm's correction over the `family` tests of the same scale, level and coefficient.
    `adjusted_bh` is p after Benjamini & Hochberg's.
    """

    metric: str
    scale: str
    level: str
    correlation: Correlation
    adjusted: float | None = None
    family: int = 0
    adjusted_bh: float | None = None


@dataclass(frozen=True)
class SystemRow:
    """Table 8: one system's mean rating over n ratings and its rank on the leaderboard."""

    system: str
    mean: float
    n: int
    rank: int | None


@dataclass(frozen=True)
class MetricDisagreement:
    """Tables 10 and 11: an item on which a metric and people disagree.

    `score_place` and `rating_place` are percentile ranks in (0, 1); `rating` is the mean over raters.
    """

    judged: RatedResponse
    score: float
    rating: float
    score_place: float
    rating_place: float

    @property
    def gap(self) -> float:
        return self.score_place - self.rating_place


LEVELS = ("pooled", "within rater", "by system")


def verdict_table(study: Study, against: str) -> VerdictTable | None:
    """Return Table 5 against the "predicted label" or the "gold label"; None where no item has one.

    The 2025 paper compares with the systems' predictions, the 2024 data only has gold labels.
    """
    found = [
        (judged.response.verdict, label)
        for judged in study.judged
        for label in [judged.item.predicted if against == "predicted label" else judged.item.gold]
        if judged.response.verdict is not None and label is not None
    ]
    if not found:
        return None
    cells = Counter(found)
    counts = tuple(tuple(cells[human, label] for label in Label) for human in Label)
    agreed = sum(verdict_agrees(human, label, study.recipe) for human, label in found)
    return VerdictTable(against, counts, agreed / len(found), len(found))


def distribution(study: Study, scale: str) -> Distribution:
    """Return how often each value of a scale was given among the analysed responses; nothing is imputed here."""
    given = [judged.response.ratings[scale] for judged in study.judged if scale in judged.response.ratings]
    counts = Counter(given)
    values = range(min(1, *given), max(5, *given) + 1) if given else range(1, 6)
    return Distribution(
        scale,
        {value: counts[value] for value in values},
        len(given),
        len(study.judged) - len(given),
        float(np.mean(given)) if given else None,
        float(np.std(given, ddof=1)) if len(given) > 1 else None,
    )


def correlation_row(
    study: Study, metric: str, scale: str, *, coefficient: Coefficient, level: str = "pooled"
) -> CorrelationRow:
    """Return one line of Table 7, with the recipe's seed and number of resamples.

    The level "pooled" has one item per response. The level "within rater" averages each rater's own correlation. The
    level "by system" correlates the systems' mean score with their mean rating.
    """
    data = pairs(study, metric, scale)
    seed, resamples = study.recipe.seed, study.recipe.resamples
    scores, ratings = data.scores, data.ratings
    clusters = clusters_of(data.judged, study.recipe.cluster)
    if level == "within rater":
        correlation = correlate_within(
            scores, ratings, data.raters, coefficient=coefficient, seed=seed, resamples=resamples, clusters=clusters
        )
        return CorrelationRow(metric, scale, level, correlation)
    if level == "by system":
        clusters, scores, ratings = system_means(data.systems, scores, ratings)
    correlation = correlate(scores, ratings, coefficient=coefficient, seed=seed, resamples=resamples, clusters=clusters)
    return CorrelationRow(metric, scale, level, correlation)


def correlation_table(
    study: Study,
    *,
    coefficients: Sequence[Coefficient] = tuple(Coefficient),
    levels: Sequence[str] = LEVELS,
    scales: Sequence[str] | None = None,
) -> tuple[CorrelationRow, ...]:
    """Return Table 7 for every metric, scale, level and coefficient, p corrected over the metrics of each."""
    rows = [
        correlation_row(study, metric, scale, coefficient=coefficient, level=level)
        for metric in study.metrics
        for scale in scales or study.scales
        for level in levels
        for coefficient in coefficients
    ]
    families: dict[Hashable, list[int]] = {}
    for i, row in enumerate(rows):
        if row.correlation.p is not None:
            families.setdefault((row.scale, row.level, row.correlation.coefficient), []).append(i)
    for family in families.values():
        p_values = [rows[i].correlation.p or 0.0 for i in family]
        for i, p, p_bh in zip(family, holm(p_values), benjamini_hochberg(p_values), strict=True):
            rows[i] = replace(rows[i], adjusted=float(p), family=len(family), adjusted_bh=float(p_bh))
    return tuple(rows)


def pooled_values(study: Study) -> tuple[CorrelationRow, ...]:
    """Return the pooled coefficients of Table 7 alone, without intervals and p: these take their time."""
    rows = []
    for metric in study.metrics:
        for scale in study.scales:
            data = pairs(study, metric, scale)
            reason = undefined_reason(data.scores, data.ratings)
            for one in Coefficient:
                value = None if reason else coefficient_value(one, data.scores, data.ratings)
                found = Correlation(one, value, None, len(data.scores), None, reason)
                rows.append(CorrelationRow(metric, scale, LEVELS[0], found))
    return tuple(rows)


def system_table(study: Study, scale: str) -> tuple[tuple[SystemRow, ...], dict[Coefficient, Correlation]]:
    """Return Table 8, best mean rating first, and how the means go with the leaderboard.

    The correlations are between mean rating and minus the rank, so 1 means people order systems as it does.
    Means are over the answers as they were given, under every recipe.
    """
    rated: dict[str, list[float]] = {}
    for judged in study.judged:
        answer = given_answer(judged.response, judged.item, scale, study.recipe)
        if judged.system and answer is not None:
            rated.setdefault(judged.system, []).append(answer)
    places = {judged.item.system: judged.item.rank for judged in study.judged}
    rows = [SystemRow(name, exact_mean(own), len(own), places.get(name)) for name, own in sorted(rated.items())]
    ranked = [(float(-row.rank), row.mean) for row in rows if row.rank is not None]
    ranks, means = [rank for rank, _ in ranked], [mean for _, mean in ranked]
    correlations = {
        coefficient: correlate(
            ranks, means, coefficient=coefficient, seed=study.recipe.seed, resamples=study.recipe.resamples
        )
        for coefficient in (Coefficient.KENDALL, Coefficient.SPEARMAN)
    }
    return tuple(sorted(rows, key=lambda row: (-row.mean, row.system))), correlations


def disagreements(study: Study, metric: str, scale: str) -> tuple[MetricDisagreement, ...]:
    """Return the items by how far score and people disagree: highest score for the lowest rating first.

    Read from the front this is Table 10, from the back Table 11. An item with several ratings appears once,
    with their mean. Places are mid-ranks over items divided by their number.
    """
    from scipy.stats import rankdata

    data = pairs(study, metric, scale)
    by_item: dict[tuple[str, str], list[int]] = {}
    for i, judged in enumerate(data.judged):
        by_item.setdefault((judged.item.item, judged.item.system), []).append(i)
    if not by_item:
        return ()
    scores = np.array([data.scores[rows[0]] for rows in by_item.values()])
    ratings = np.array([exact_mean(data.ratings[rows]) for rows in by_item.values()])
    score_places = (rankdata(scores) - 0.5) / len(scores)
    rating_places = (rankdata(ratings) - 0.5) / len(ratings)
    found = [
        MetricDisagreement(data.judged[rows[0]], *map(float, figures))
        for rows, *figures in zip(by_item.values(), scores, ratings, score_places, rating_places, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-one.gap, one.judged.item.item)))
