"""Everything the agreement page and command show, computed once from ratings, scores and a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from core.agreement.agreement_tables import (
    LEVELS,
    CorrelationRow,
    Distribution,
    MetricDisagreement,
    SystemRow,
    VerdictTable,
    correlation_table,
    disagreements,
    distribution,
    system_table,
    verdict_table,
)
from core.agreement.metric_ranking import MetricComparison, MetricMeasures, compare_metrics, measure_metrics
from core.agreement.own_questions import OwnQuestion
from core.agreement.raters import (
    ControlAccuracy,
    RaterProfile,
    Straightness,
    answers_in_order,
    control_accuracy,
    rater_profiles,
    straightness,
)
from core.agreement.ratings import ImportReport, MajorError, RatingImport, Response
from core.agreement.recipes import AgreementRecipe
from core.agreement.scored_items import ScoredItems
from core.agreement.study import Study, build_study, rating_matrix, value_matrix
from core.errors import BadInput
from core.statistics.agreement import Alpha, Kappa, Level, krippendorff_alpha, pairwise_kappa
from core.statistics.correlation import Coefficient, Correlation
from core.types import Label

PREFERRED_SCALE = "semantic_coverage"


@dataclass(frozen=True)
class RaterAgreement:
    """How the raters agree. α by question ("verdict" is nominal), κ and severity on the scale of the analysis.

    `interval_alphas` take a scale's steps as equal. `verdict_kappas` are on verdicts, where only the unweighted κ means
    something.

    Computed over every response without a major error, without control items: their known answers would raise α. A
    major error ends the form before its verdict; on a control it is an answer, and a wrong one.
    """

    scale: str
    alphas: dict[str, Alpha]
    kappas: tuple[Kappa, ...]
    profiles: tuple[RaterProfile, ...]
    straightness: tuple[Straightness, ...]
    controls: tuple[ControlAccuracy, ...]
    controls_known: bool
    interval_alphas: dict[str, Alpha] = field(default_factory=dict)
    verdict_kappas: tuple[Kappa, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """The tables of the paper, their uncertainty, and the raters, for one recipe.

    `metric`, `scale` and `coefficient` are those of the comparisons, systems and disagreements. `controls_answered` is
    how raters did on controls, where more is known of it than `control_key` says.
    """

    study: Study
    imported: ImportReport
    notes: tuple[str, ...]
    metric: str
    scale: str
    coefficient: Coefficient
    verdicts: tuple[VerdictTable, ...]
    distributions: tuple[Distribution, ...]
    correlations: tuple[CorrelationRow, ...]
    comparisons: tuple[MetricComparison, ...]
    systems: tuple[SystemRow, ...]
    system_correlations: dict[Coefficient, Correlation]
    disagreements: tuple[MetricDisagreement, ...]
    ratings: RatingImport
    control_key: Mapping[str, Label | None]
    controls_answered: tuple[ControlAccuracy, ...] | None = None

    @cached_property
    def measures(self) -> tuple[MetricMeasures, ...]:
        """WMT's measures of every metric; worked out when they are asked for."""
        return measure_metrics(self.study, self.scale, self.comparisons)

    @cached_property
    def raters(self) -> RaterAgreement:
        """How the raters agree; worked out when it is asked for."""
        recipe, mistyped = self.study.recipe, self.study.mistyped
        found = rater_agreement(self.ratings, self.scale, recipe, self.control_key, mistyped=mistyped)
        if self.controls_answered is None:
            return found
        return replace(found, controls=self.controls_answered, controls_known=bool(self.control_key))


def analyse(
    ratings: RatingImport,
    scored: ScoredItems,
    recipe: AgreementRecipe,
    *,
    control_key: Mapping[str, Label | None] | None = None,
    metric: str = "",
    scale: str = "",
    coefficient: Coefficient = Coefficient.SPEARMAN,
    correlations: Sequence[CorrelationRow] | None = None,
    controls_answered: tuple[ControlAccuracy, ...] | None = None,
) -> Analysis:
    """Analyse ratings beside scores under a recipe.

    `control_key` gives the control items and their gold verdicts (None where only known to be a control).
    `correlations` are Table 7's rows, if already known for the same files and recipe; None computes them at every
    level. They must have the pooled ones, from which the default metric is chosen. `scale` defaults to semantic
    coverage or the first one, `metric` to the one that correlates best with it. Raises BadInput for a metric or scale
    that is not there, and as `build_study` does.
    """
    key = control_key or {}
    study = build_study(ratings, scored, recipe, controls=key)
    if not study.metrics:
        raise BadInput("The score files have no scores: expected a column of numbers for each metric beside 'id'.")
    scale = _chosen("scale", scale, study.scales, PREFERRED_SCALE)
    if correlations is None:
        correlations = correlation_table(study)
    metric = _chosen("metric", metric, study.metrics, _best_metric(correlations, scale, coefficient))
    systems, system_correlations = system_table(study, scale)
    tables = (verdict_table(study, "predicted label"), verdict_table(study, "gold label"))
    return Analysis(
        study=study,
        imported=ratings.report,
        notes=scored.notes,
        metric=metric,
        scale=scale,
        coefficient=coefficient,
        verdicts=tuple(table for table in tables if table is not None),
        distributions=tuple(distribution(study, one) for one in ratings.scales),
        correlations=tuple(correlations),
        comparisons=compare_metrics(study, scale, coefficient=coefficient),
        systems=systems,
        system_correlations=system_correlations,
        disagreements=disagreements(study, metric, scale),
        ratings=ratings,
        control_key=key,
        controls_answered=controls_answered,
    )


def rater_agreement(
    ratings: RatingImport,
    scale: str,
    recipe: AgreementRecipe,
    key: Mapping[str, Label | None],
    *,
    mistyped: Sequence[int] = (),
) -> RaterAgreement:
    """Return how the raters agree, which needs no scores; κ and severity are on `scale`, or the first scale.

    `mistyped` are rows that are left out: their claim is another item's.
    """
    scale = scale if scale in ratings.scales else next(iter(ratings.scales), "")
    responses = [response for response in ratings.responses if response.row not in mistyped]
    rated = [response for response in responses if not response.control and response.item not in key]
    raters, _, matrix = rating_matrix(rated, scale)
    verdict_raters, _, verdict_matrix = rating_matrix(rated, "verdict")
    gold = {item: label.value for item, label in key.items() if label is not None}
    verdicts = [(one.rater, one.item, word) for one in responses if (word := _verdict(one)) is not None]
    return RaterAgreement(
        scale=scale,
        alphas=_own_alphas(rated, ratings.own) or {one: _alpha(rated, one) for one in (*ratings.scales, "verdict")},
        interval_alphas={} if ratings.own else {s: _alpha(rated, s, level="interval") for s in ratings.scales},
        kappas=pairwise_kappa(matrix, raters),
        profiles=rater_profiles(matrix, raters),
        straightness=straightness(answers_in_order(responses, ratings.scales)),
        controls=control_accuracy(verdicts, gold),
        controls_known=bool(gold),
        verdict_kappas=tuple(replace(one, value=None) for one in pairwise_kappa(verdict_matrix, verdict_raters)),
    )


def _number(question: OwnQuestion, response: Response) -> float | None:
    return response.number(question)


def _own_alphas(responses: Sequence[Response], questions: Sequence[OwnQuestion]) -> dict[str, Alpha]:
    """Return α of each question of a form of one's own, at its own level; texts and spans have none."""
    matrices = ((one, value_matrix(responses, partial(_number, one))[2]) for one in questions)
    return {one.name: krippendorff_alpha(matrix, level=one.level) for one, matrix in matrices if one.level}


def _verdict(response: Response) -> str | None:
    """Return the verdict of a response, or None if missing. It is "" where a major error ended the form early."""
    if response.error is not MajorError.NONE:
        return ""
    return response.verdict.value if response.verdict else None


def _alpha(responses: Sequence[Response], scale: str, *, level: Level = "ordinal") -> Alpha:
    return krippendorff_alpha(rating_matrix(responses, scale)[2], level="nominal" if scale == "verdict" else level)


def _best_metric(rows: Iterable[CorrelationRow], scale: str, coefficient: Coefficient) -> str:
    pooled = [row for row in rows if row.scale == scale and row.correlation.coefficient is coefficient]
    values = {row.metric: row.correlation.value for row in reversed(pooled) if row.level == LEVELS[0]}
    return max(values, key=lambda metric: -2.0 if (value := values[metric]) is None else value, default="")


def _chosen(kind: str, name: str, known: Sequence[str], default: str) -> str:
    if not name:
        return default if default in known else known[0]
    if name not in known:
        raise BadInput(f"There is no {kind} {name!r} in these files. There are: {', '.join(known)}.")
    return name
