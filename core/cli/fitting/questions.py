"""`python -m core fit questions`: train an adapter that asks on annotated claims, and measure it on others."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.averitec.averitec import read_gold
from core.cli.common.terminal import ProgressLine, with_progress
from core.cli.fitting import documents, this_command
from core.files import write_whole
from core.models.choice import parse_choice
from core.models.question_adapter import adapter_path, save_figures
from core.training.fit_questions import (
    adapter_record,
    asking_with,
    figures_of_asking,
    recipe_with,
    searched,
    train_adapter,
    weights_of,
)
from core.training.question_figures import HEADS
from core.verification.opening import open_models
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.steps.asking import AskOfPassages


def run(args: argparse.Namespace) -> int:
    """Train the adapter, unless one is given, and print the quality of its questions beside the model's own."""
    path = args.adapter or trained(args)
    models = open_models(args.model)
    gold = read_gold(args.test)[: args.first]
    cases = searched(gold, documents(args.test_store), models, with_progress, name=args.test.name)
    own, adapted = (
        figures_of_asking(step, gold, cases, models, with_progress, name=name)
        for name, step in (("without it", AskOfPassages()), ("with it", asking_with(path)))
    )
    for cells in (HEADS, own.cells("without it"), adapted.cells("with it")):
        print("  ".join(cell.rjust(13) for cell in cells))
    record = adapter_record(own, adapted, claims=len(gold), command=this_command())
    save_figures(path, record)
    recipe = path.with_suffix(".toml")
    write_whole(recipe, recipe_toml(recipe_with(path)))
    print("It asks better than the model alone." if record.better else "It does not ask better than the model alone.")
    print(f"To ask with it: python -m core verify --recipe {recipe} …")
    return 0


def trained(args: argparse.Namespace) -> Path:
    """Train an adapter for the model that is named, and return its path."""
    weights, path = weights_of(parse_choice(args.model)), adapter_path()
    line = ProgressLine("examples learned")
    print(f"{path}: {train_adapter(path, weights, read_gold(args.train), examples=args.examples, report=line.show)}")
    return path
