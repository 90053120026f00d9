"""Test metrics, or the judge of verdicts, on evidence that is changed in known ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.actions.action import ActionContext
from core.batch.types import BatchPlan
from core.cli.stress import VERDICT, StressTest
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.interfaces import Models, RunContext
from core.retrieval.caching import CachingEncoder
from core.retrieval.index import Index
from core.scoring.leaderboard_tables import movement_table
from core.scoring.work import Stressed, movement_rows, picture_of, stress_metrics
from core.tabular.table import Cell, Column, Table
from core.training.annotated_cases import with_both_sides
from core.training.stress_verdict import Stress
from core.types import Claim
from core.verification.opening import open_models
from core.verification.recipes.catalogue import recipe_named
from core.verification.request import Request
from core.wording import counted

Figures = dict[str, Any]


def stress(request: StressTest, context: ActionContext) -> Stressed | Figures:
    """Return the movements of metrics, or the figures of the judge. Raises BadInput for a claim without a store."""
    if request.what != VERDICT:
        return stress_metrics(request, context)
    gold = with_both_sides(request.gold.claims[: request.first])
    plan = BatchPlan(Request(Claim("")), request.stores)
    stores = {one.id: list(read_store(Path(plan.request_for(one.claim).stores[0]))) for one in gold}
    extra = [document for path in request.stores_extra for document in read_store(Path(path))]
    models = open_models(request.model)
    encoder = CachingEncoder(models.encoder)
    running = RunContext(Models(encoder, models.llm, models.judge), Index([], encoder))
    test = Stress(gold, stores, extra, recipe_named(request.recipe), running, context.each)
    return test.figures(per_kind=request.pairs)


def tables(result: Stressed | Figures) -> list[Table]:
    return [movement_table(result.movements)] if isinstance(result, Stressed) else figure_tables(result)


def values(result: Stressed | Figures) -> Any:
    return movement_rows(result) if isinstance(result, Stressed) else result


def picture(result: Stressed | Figures, ending: str) -> str | bytes:
    """Return the picture of the movements. Raises BadInput if nothing moved, and for the judge of verdicts."""
    if isinstance(result, Stressed):
        return picture_of(result, ending)
    raise BadInput("Only the test of metrics has a picture: leave out --chart.")


def figure_tables(figures: Figures) -> list[Table]:
    """Return the judge beside the claim's words alone, its other figures, and its verdicts on minimal pairs."""
    pairs = figures["minimal_pairs"]
    beside = {name: one for name, one in figures.items() if isinstance(one, dict) and one is not pairs}
    others = {name: {"": one} for name, one in figures.items() if name != "claims" and not isinstance(one, dict)}
    return [
        _table(
            "measures", "The judge", ("Judge", "Claim's words alone", "Low 95% of the difference", "High 95%"), beside
        ),
        _table("figures", f"Its other figures, of {counted(figures['claims'], 'claim')}", ("Value",), others),
        _table("minimal-pairs", "Minimal pairs", ("Pairs", "Supported", "Refuted", "No verdict", "Named"), pairs),
    ]


def _table(name: str, title: str, columns: tuple[str, ...], figures: dict[str, dict[str, Cell]]) -> Table:
    rows = tuple((each.replace("_", " "), *one.values()) for each, one in figures.items())
    numbers = (Column(column, 0 if column == "Pairs" else 3) for column in columns)
    return Table(name, title, (Column("Figure"), *numbers), rows)
