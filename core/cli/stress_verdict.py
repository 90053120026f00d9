"""`python -m core stress verdict`: whether a judge reads its evidence, on annotated claims and on minimal pairs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from core.averitec.averitec import read_gold
from core.cli.common.terminal import with_progress
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.interfaces import Models, RunContext
from core.retrieval.caching import CachingEncoder
from core.retrieval.index import Index
from core.training.annotated_cases import with_both_sides
from core.training.stress_verdict import Stress
from core.verification.opening import open_models
from core.verification.recipes.catalogue import recipe_named


def run(args: argparse.Namespace) -> int:
    if args.stores is None or not args.stores.is_dir():
        raise BadInput("`stress verdict` needs --stores: the folder that holds a knowledge store for each claim.")
    gold = with_both_sides(read_gold(args.gold)[: args.first])
    stores = {one.id: list(read_store(store_of(args.stores, one.id))) for one in gold}
    extra = [document for path in args.stores_extra for document in read_store(Path(path))]
    models = open_models(args.model)
    encoder = CachingEncoder(models.encoder)
    context = RunContext(Models(encoder, models.llm, models.judge), Index([], encoder))
    stress = Stress(gold, stores, extra, recipe_named(args.recipe), context, with_progress)
    figures = stress.figures(per_kind=args.pairs)
    print(json.dumps(figures, indent=1) if args.json else text_of(figures))
    return 0


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
