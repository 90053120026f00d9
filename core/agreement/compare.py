"""Compare ratings with scores, or raters with each other, from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from core.actions.action import Action, ActionContext, ResultFile
from core.actions.fields import Between, Choices, FromFile, Help, InputFile
from core.agreement.ratings import RatingImport, read_ratings, unused_answers
from core.agreement.recipes import BY_DESIGN, CLUSTERS, RECIPES, AgreementRecipe
from core.agreement.scored_items import ScoredItems, read_control_key, read_scored_items
from core.errors import BadInput
from core.tabular.table import Table
from core.types import Label

if TYPE_CHECKING:
    from core.agreement.analysis import Analysis, RaterAgreement

TABLES = ("csv", "tsv", "xlsx")
COEFFICIENTS = {"spearman": "Spearman’s ρ", "pearson": "Pearson’s r", "kendall_tau_b": "Kendall’s τ_b"}


@dataclass(frozen=True, kw_only=True)
class AgreementChoices:
    """The choices of a comparison: its recipe, scale, metric, coefficient, independent units and resampling."""

    recipe: Annotated[
        str,
        Choices({name: name.capitalize() for name in RECIPES}),
        Help(". ".join(f"{name}: {recipe.description.rstrip('.')}" for name, recipe in RECIPES.items())),
    ] = "default"
    metric: Annotated[str, Help("metric of Tables 10 and 11 and of the scatter plot (the best if left out)")] = ""
    scale: Annotated[str, Help("scale of Tables 8, 10 and 11 (semantic_coverage if left out)")] = ""
    coefficient: Annotated[str, Choices(COEFFICIENTS), Help("how a score is compared with ratings")] = "spearman"
    cluster: Annotated[
        str,
        Choices({name: words.capitalize() for name, words in CLUSTERS.items()}),
        Help(
            "the independent unit, because ratings of one item or claim are alike. By the design it is claims and "
            "systems if a tenth of the items share their claim, else the item. The claim is the column claim_id, else "
            "the item's id or an equal text. The choice says which new units the result holds for",
            "Independent are",
        ),
    ] = BY_DESIGN
    seed: Annotated[int | None, Between(0, 2**32 - 1), Help("seed of every resampling (7)")] = None
    resamples: Annotated[int | None, Between(10, 100_000), Help("bootstrap resamples (2000)")] = None

    @property
    def rules(self) -> AgreementRecipe:
        """The recipe with the units and the resampling that were chosen."""
        given = {"cluster": self.cluster or None, "seed": self.seed, "resamples": self.resamples}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return replace(RECIPES[self.recipe], **changes)


@dataclass(frozen=True, kw_only=True)
class AgreementRequest(AgreementChoices):
    """Compare human ratings with scores, and raters with each other."""

    ratings: Annotated[
        RatingImport,
        FromFile(read_ratings, (*TABLES, "jsonl")),
        Help(
            "the rating form's export, CSV or XLSX, or a campaign's JSON lines. An export has a row per response, and "
            "the columns id, Email Address and one for each scale. Pseudonyms replace addresses on reading"
        ),
    ]
    scores: Annotated[
        tuple[InputFile, ...],
        FromFile(InputFile, TABLES),
        Help(
            "scores by item: CSV with a column per metric, or the items file of `core score --items`; more files are "
            "joined by id. Without any, only the agreement of the raters is shown",
            "Scores (optional)",
        ),
    ] = ()
    evidence: Annotated[
        InputFile | None, FromFile(InputFile), Help("CSV with the items' claims, labels and evidence, joined by id")
    ] = None
    controls: Annotated[
        Mapping[str, Label | None],
        FromFile(read_control_key, TABLES),
        Help(
            "CSV with the columns id and label: items with a known verdict, which test the raters. The correlations "
            "leave them out",
            "Control items (optional)",
        ),
    ] = field(default_factory=dict)
    with_controls: Annotated[bool, Help("count marked control items as all others")] = False

    @property
    def scored(self) -> ScoredItems:
        """The scored items of all files. Raises BadInput for a file that cannot be read or joined."""
        files = [*self.scores, *([self.evidence] if self.evidence else [])]
        return read_scored_items(files) if self.scores else ScoredItems({}, (), ())


@dataclass(frozen=True)
class Compared:
    """Ratings beside scores, or the raters alone where no scores are given; and the line that repeats it."""

    found: Analysis | RaterAgreement
    command: str

    @property
    def analysis(self) -> Analysis | None:
        from core.agreement.analysis import Analysis

        return self.found if isinstance(self.found, Analysis) else None


def compare(request: AgreementRequest, context: ActionContext) -> Compared:
    """Compare, and tell the unusable parts of the files and every guess. Raises BadInput as `analyse`."""
    from core.agreement.analysis import analyse, rater_agreement  # scipy: `--help` should not wait for it
    from core.statistics.correlation import Coefficient

    ratings = request.ratings
    if request.with_controls:
        ratings = replace(ratings, responses=tuple(replace(one, control=False) for one in ratings.responses))
    found: Analysis | RaterAgreement
    if request.scores:
        found = analyse(
            ratings, request.scored, request.rules, control_key=request.controls, metric=request.metric,
            scale=request.scale, coefficient=Coefficient(request.coefficient),
        )  # fmt: skip
    else:
        found = rater_agreement(ratings, request.scale, request.rules, request.controls)
    compared, report = Compared(found, context.command), ratings.report
    unused = sorted((*report.skipped, *report.unused_answers), key=lambda one: one.row)
    notes = compared.analysis.notes if compared.analysis else ()
    for note in (*([f"{report.file}: {unused_answers(unused)}."] if unused else []), *report.notes, *notes):
        context.tell(note)
    return compared


def words(compared: Compared) -> str:
    """Return the answer in two sentences, and the reason for the independent units."""
    from core.agreement.findings import against_the_others, best_metric

    if not (analysis := compared.analysis):
        return ""
    said = (best_metric(analysis), against_the_others(analysis), analysis.study.cluster_reason)
    return " ".join(filter(None, said))


def tables(compared: Compared) -> tuple[Table, ...]:
    from core.agreement.agreement_report import report_tables
    from core.agreement.analysis import Analysis
    from core.agreement.rater_tables import rater_tables

    found = compared.found
    return report_tables(found) if isinstance(found, Analysis) else rater_tables(found)


def as_json(compared: Compared) -> Any:
    from core.agreement.agreement_report import to_json

    return to_json(compared.analysis) if compared.analysis else asdict(compared.found)


def report(compared: Compared) -> str:
    """Return the HTML report. Raises BadInput without scores."""
    from core.agreement.agreement_report import to_report

    return to_report(with_scores(compared), command=compared.command)


def archive(compared: Compared) -> bytes:
    """Return a ZIP of all tables. Raises BadInput without scores."""
    from core.agreement.agreement_report import to_archive

    return to_archive(with_scores(compared))


def with_scores(compared: Compared) -> Analysis:
    if analysis := compared.analysis:
        return analysis
    raise BadInput("Only ratings beside scores have a report and its tables: name the scores with --scores.")


AGREEMENT = Action(
    "agreement", AgreementRequest, compare, words, tables, as_json,
    (
        ResultFile("report", "write an HTML report without other files", lambda compared, _: report(compared)),
        ResultFile("tables", "write a zip of all tables as CSV and LaTeX", lambda compared, _: archive(compared)),
    ),
    json_help="every figure",
)  # fmt: skip
