"""Do `fit questions`: train an adapter that asks, and measure it on annotated claims."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from core.actions.action import ActionContext
from core.averitec.averitec import read_gold
from core.documents.knowledge_store import read_stores
from core.files import write_whole
from core.models.choice import parse_choice
from core.models.digests import weights_digest
from core.models.question_adapter import BUNDLED, AdapterCard, adapter_path, save_figures
from core.retrieval.dense import load_encoder
from core.training.commands import FitQuestions
from core.training.fit_questions import (
    LICENCE,
    LICENSED_EXAMPLES,
    adapter_record,
    asking_alone,
    asking_with,
    chosen_pairs,
    figures_of_asking,
    is_better,
    licensed_examples,
    recipe_with,
    searched,
    train_adapter,
    weights_of,
)
from core.training.question_figures import HEADS
from core.training.question_sets import LICENCE as OPEN_LICENCE
from core.training.question_sets import WRITTEN
from core.verification.opening import open_models
from core.verification.recipes.recipe_files import recipe_toml

RUN_FOLDER = Path("questions-run")
CHECKPOINT = "checkpoint.safetensors"


def fit(request: FitQuestions, context: ActionContext) -> str:
    """Train the adapter, unless one is given, and compare the quality of its questions with the model's own."""
    path = request.adapter or (trained_for_all if request.data else trained)(request, context)
    if not request.test:
        return ""
    models = open_models(request.model)
    gold = read_gold(request.test)[: request.first]
    cases = searched(gold, read_stores(request.test_store), models, context.each, name=request.test.name)
    own, adapted = (
        figures_of_asking(step, gold, cases, models, context.each, name=name)
        for name, step in (("without it", asking_alone()), ("with it", asking_with(path)))
    )
    rows = (HEADS, own.cells("without it"), adapted.cells("with it"))
    lines = ["  ".join(cell.rjust(13) for cell in cells) for cells in rows]
    better = is_better(own, adapted)
    lines.append("It asks better than the model alone." if better else "It asks no better than the model.")
    if not request.data:
        save_figures(path, adapter_record(own, adapted, claims=len(gold), command=context.command))
        recipe = path.with_suffix(".toml")
        write_whole(recipe, recipe_toml(recipe_with(path)))
        lines.append(f"To ask with it: python -m core verify --recipe {recipe} …")
    return "\n".join(lines)


def trained(request: FitQuestions, context: ActionContext) -> Path:
    """Train an adapter on annotated claims for the model that is named, and return its path."""
    assert request.train  # asked for by the request
    weights, path = weights_of(parse_choice(request.model)), adapter_path()
    chosen, said = chosen_pairs(read_gold(request.train), request.examples)
    facts = {"general.license": LICENCE, "general.description": f"Asks for the answer in a passage; {said}"}
    context.begin("examples learned")
    train_adapter(path, weights, chosen, facts, report=context.advance)
    context.tell(f"{path}: learned from {said}")
    return path


def trained_for_all(request: FitQuestions, context: ActionContext) -> Path:
    """Train the adapter that comes with the program on the licensed sets, write its card, and return its path."""
    assert request.data
    weights, path, seed = weights_of(parse_choice(request.model)), request.out or BUNDLED, request.seed
    examples = licensed_examples(request.data, load_encoder(), seed=seed, most=request.examples or LICENSED_EXAMPLES)
    facts = {"general.license": OPEN_LICENCE, "general.description": f"Learned from: {'; '.join(WRITTEN)}"}
    checkpoint = (request.run_folder or RUN_FOLDER) / CHECKPOINT
    context.begin("examples learned")
    train_adapter(path, weights, examples, facts, seed=seed, checkpoint=checkpoint, report=context.advance)
    card = AdapterCard(weights_digest(weights), OPEN_LICENCE, WRITTEN, len(examples), seed, context.command)
    write_whole(path.with_suffix(".json"), json.dumps(asdict(card), indent=1) + "\n")
    context.tell(f"{path}: {path.stat().st_size / 1e6:.1f} MB, learned from {len(examples):,} examples.")
    return path
