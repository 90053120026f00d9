"""`python -m core fit questions`: train an adapter that asks, and measure it on annotated claims."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from core.averitec.averitec import read_gold
from core.cli.common.terminal import ProgressLine, with_progress
from core.cli.fitting import documents, this_command
from core.files import write_whole
from core.models.choice import parse_choice
from core.models.digests import weights_digest
from core.models.question_adapter import BUNDLED, AdapterCard, adapter_path, save_figures
from core.retrieval.dense import load_encoder
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


def run(args: argparse.Namespace) -> int:
    """Train the adapter, unless one is given, and print the quality of its questions beside the model's own.

    With --data the adapter is the one that comes with the program; it is measured only where --test is given.
    """
    path = args.adapter or (trained_for_all(args) if args.data else trained(args))
    if not args.test:
        return 0
    models = open_models(args.model)
    gold = read_gold(args.test)[: args.first]
    cases = searched(gold, documents(args.test_store), models, with_progress, name=args.test.name)
    own, adapted = (
        figures_of_asking(step, gold, cases, models, with_progress, name=name)
        for name, step in (("without it", asking_alone()), ("with it", asking_with(path)))
    )
    for cells in (HEADS, own.cells("without it"), adapted.cells("with it")):
        print("  ".join(cell.rjust(13) for cell in cells))
    print("It asks better than the model alone." if is_better(own, adapted) else "It asks no better than the model.")
    if not args.data:
        record = adapter_record(own, adapted, claims=len(gold), command=this_command())
        save_figures(path, record)
        recipe = path.with_suffix(".toml")
        write_whole(recipe, recipe_toml(recipe_with(path)))
        print(f"To ask with it: python -m core verify --recipe {recipe} …")
    return 0


def trained(args: argparse.Namespace) -> Path:
    """Train an adapter on annotated claims for the model that is named, and return its path."""
    weights, path = weights_of(parse_choice(args.model)), adapter_path()
    chosen, said = chosen_pairs(read_gold(args.train), args.examples)
    facts = {"general.license": LICENCE, "general.description": f"Asks for the answer in a passage; {said}"}
    train_adapter(path, weights, chosen, facts, report=ProgressLine("examples learned").show)
    print(f"{path}: learned from {said}")
    return path


def trained_for_all(args: argparse.Namespace) -> Path:
    """Train the adapter that comes with the program on the licensed sets, write its card, and return its path."""
    weights, path = weights_of(parse_choice(args.model)), args.out or BUNDLED
    examples = licensed_examples(args.data, load_encoder(), seed=args.seed, most=args.examples or LICENSED_EXAMPLES)
    facts = {"general.license": OPEN_LICENCE, "general.description": f"Learned from: {'; '.join(WRITTEN)}"}
    checkpoint = (args.run_folder or RUN_FOLDER) / CHECKPOINT
    report = ProgressLine("examples learned").show
    train_adapter(path, weights, examples, facts, seed=args.seed, checkpoint=checkpoint, report=report)
    card = AdapterCard(weights_digest(weights), OPEN_LICENCE, WRITTEN, len(examples), args.seed, this_command())
    write_whole(path.with_suffix(".json"), json.dumps(asdict(card), indent=1) + "\n")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, learned from {len(examples):,} examples.")
    return path
