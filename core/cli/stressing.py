"""Test metrics, or the judge of verdicts, on evidence that is changed in known ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.actions.action import ActionContext, Said
from core.cli.stress import VERDICT, StressTest
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.interfaces import Models, RunContext
from core.retrieval.caching import CachingEncoder
from core.retrieval.index import Index
from core.scoring.leaderboard_tables import movement_table
from core.scoring.work import Stressed, movement_rows, picture_of, stress_metrics
from core.tabular.table import Table
from core.training.annotated_cases import with_both_sides
from core.training.stress_verdict import Stress
from core.verification.opening import open_models
from core.verification.recipes.catalogue import recipe_named


def stress(request: StressTest, context: ActionContext) -> Stressed | Said:
    """Return the movements of metrics, or the figures of the judge. Raises BadInput for a claim without a store."""
    if request.what != VERDICT:
        return stress_metrics(request, context)
    assert request.stores
    gold = with_both_sides(request.gold.claims[: request.first])
    stores = {one.id: list(read_store(store_of(request.stores, one.id))) for one in gold}
    extra = [document for path in request.stores_extra for document in read_store(Path(path))]
    models = open_models(request.model)
    encoder = CachingEncoder(models.encoder)
    running = RunContext(Models(encoder, models.llm, models.judge), Index([], encoder))
    test = Stress(gold, stores, extra, recipe_named(request.recipe), running, context.each)
    figures = test.figures(per_kind=request.pairs)
    return Said(text_of(figures), figures)


def tables(result: Stressed | Said) -> list[Table]:
    return [movement_table(result.movements)] if isinstance(result, Stressed) else []


def values(result: Stressed | Said) -> Any:
    return movement_rows(result) if isinstance(result, Stressed) else result.values


def picture(result: Stressed | Said, ending: str) -> str | bytes:
    """Return the picture of the movements. Raises BadInput if nothing moved, and for the judge of verdicts."""
    if isinstance(result, Stressed):
        return picture_of(result, ending)
    raise BadInput("Only the test of metrics has a picture: leave out --chart.")


def store_of(folder: Path, claim_id: str) -> Path:
    """Return the file of a claim's store. Raises BadInput if there is none."""
    found = [folder / f"{claim_id}{end}" for end in (".json", ".jsonl") if (folder / f"{claim_id}{end}").is_file()]
    if not found:
        raise BadInput(f"{folder} holds no store for claim {claim_id}: {claim_id}.json or {claim_id}.jsonl.")
    return found[0]


def text_of(figures: dict[str, Any]) -> str:
    """Return the figures as a person reads them."""
    lines = [f"{figures['claims']} claims"]
    for name in ("accuracy", "log_loss", "auc"):
        one = figures[name]
        lines.append(
            f"  {name}: {one['judge']:.3f}; by the claim's words alone {one['claim_only']:.3f} "
            f"(difference {one['judge'] - one['claim_only']:+.3f}, 95 % [{one['low']:+.3f}, {one['high']:+.3f}])"
        )
    lines += [
        f"  {name.replace('_', ' ')}: {'–' if value is None else f'{value:.3f}'}"
        for name, value in figures.items()
        if name not in ("claims", "accuracy", "log_loss", "auc", "minimal_pairs")
    ]
    lines.append("Minimal pairs    pairs  supported  refuted  no verdict  named")
    for kind, one in figures["minimal_pairs"].items():
        named = "     –" if one["named"] is None else f"{one['named']:6.1%}"
        lines.append(
            f"  {kind:15} {one['pairs']:5}  {one['supported']:9.1%}  {one['refuted']:7.1%}  "
            f"{one['none']:10.1%}  {named}"
        )
    return "\n".join(lines)
