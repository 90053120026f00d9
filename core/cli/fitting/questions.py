"""`python -m core fit questions`: train an adapter that asks on annotated claims, and measure it on others."""

from __future__ import annotations

import argparse
import random
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.cli.common.terminal import ProgressLine, watched
from core.documents.knowledge_store import read_store
from core.errors import BadInput
from core.files import write_whole
from core.interfaces import Models, RunContext, Step
from core.models.choice import ModelChoice, bundled_path, parse_choice
from core.models.question_adapter import QuestionAdapter, adapter_path, save_figures
from core.retrieval.caching import CachingEncoder
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.training.lora import Schedule, TrainingExample, load_trainable, train, write_adapter
from core.training.lora_examples import GgufTokens, pairs_to_learn
from core.training.question_figures import HEADS, QuestionFigures, question_figures
from core.types import Case
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.recipes.files import recipe_toml
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.control import WithAdapter
from core.verification.steps.judging import PredictVeracity

FIRST_LAYER = 10
"""The blocks below stay unchanged: a third of the work is saved, and the model learns how to ask."""

EPOCH = 0.25
LICENCE = "cc-by-nc-4.0"
SAID = (
    "The adapter was learned from the claims that you gave. AVeriTeC's are CC-BY-NC-4.0: then so is the adapter, for "
    "non-commercial use only, and it is no part of Veridesk."
)


def run(args: argparse.Namespace) -> int:
    """Train the adapter, unless one is given, and print the quality of its questions beside the model's own."""
    path = args.adapter or trained(args)
    models = open_models(args.model)
    gold, cases = searched(args.test, args.test_store, models, first=args.first)
    own = measured("without it", AskOfPassages(), gold, cases, models)
    adapted = measured("with it", asking_with(path), gold, cases, models)
    for cells in (HEADS, own.cells("without it"), adapted.cells("with it")):
        print("  ".join(cell.rjust(13) for cell in cells))
    keep(path, own, adapted, claims=len(gold))
    return 0


def trained(args: argparse.Namespace) -> Path:
    """Train on the first part of an epoch, in a drawn order, and write the adapter."""
    weights = weights_of(parse_choice(args.model))
    pairs = pairs_to_learn(read_gold(args.train))
    random.Random(0).shuffle(pairs)
    tokens = GgufTokens(weights)
    examples: list[TrainingExample] = [
        tokens.example(*pair) for pair in pairs[: args.examples or round(EPOCH * len(pairs))]
    ]
    model = load_trainable(weights, first_layer=FIRST_LAYER)
    line = ProgressLine("examples learned")
    train(model, examples, Schedule(), lambda done: line.show(done[0], len(examples)))
    path = adapter_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {
        "general.name": "Veridesk questions",
        "general.license": LICENCE,
        "general.description": f"Asks for the answer in a passage; {len(examples)} of {len(pairs)} examples. {SAID}",
    }
    write_adapter(path, model, facts=facts)
    print(f"{path}: learned from {len(examples)} of {len(pairs)} examples. {SAID}")
    return path


def weights_of(choice: ModelChoice) -> Path:
    """Return the GGUF file of a model. Raises BadInput for one on a server."""
    if choice.kind == "server":
        raise BadInput("An adapter is trained for a model on this machine: give 'bundled' or a .gguf file.")
    return choice.path or bundled_path()


def searched(
    claims: Path, stores: Sequence[str], models: Models, *, first: int
) -> tuple[Sequence[GoldClaim], list[tuple[Case, RunContext]]]:
    """Return the claims, each with its case as the default recipe's search leaves it and the context for it."""
    gold = read_gold(claims)[:first]
    documents = [document for path in stores for document in read_store(Path(path))]
    encoder = CachingEncoder(models.encoder)
    index = Index([passage for document in documents for passage in passages(document)], encoder)
    context = RunContext(Models(encoder, models.llm, models.judge), index)
    steps = [one for one in RECIPES[DEFAULT].steps if not isinstance(one, AskOfPassages | PredictVeracity)]
    cases = []
    for one in watched(gold, f"{claims.name}, evidence"):
        case = Case(one.claim)
        for step in steps:
            case = step(case, context)
        cases.append((case, context))
    return gold, cases


def measured(
    name: str, step: Step, gold: Sequence[GoldClaim], cases: Sequence[tuple[Case, RunContext]], models: Models
) -> QuestionFigures:
    asked = [step(case, context) for case, context in watched(cases, f"questions {name}")]
    return question_figures(asked, gold, models.encoder)


def is_better(own: QuestionFigures, adapted: QuestionFigures) -> bool:
    """Say whether an adapter's questions resemble the annotators' more, and are no less distinct nor to the point."""
    closer = adapted.scores["Q"] > own.scores["Q"] and adapted.scores["Q+A"] >= own.scores["Q+A"]
    return closer and adapted.questions >= own.questions and adapted.nearest >= own.nearest


def keep(path: Path, own: QuestionFigures, adapted: QuestionFigures, *, claims: int) -> None:
    """Write the figures, and a recipe that asks with the adapter, beside it; say whether it is worth using."""
    better = is_better(own, adapted)
    today, command = datetime.now(UTC).date().isoformat(), f"python -m core {shlex.join(sys.argv[1:])}"
    save_figures(path, QuestionAdapter(better, claims, asdict(own), asdict(adapted), LICENCE, today, command))
    recipe = path.with_suffix(".toml")
    write_whole(recipe, recipe_toml(recipe_with(path)))
    print("It asks better than the model alone." if better else "It does not ask better than the model alone.")
    print(f"To ask with it: python -m core verify --recipe {recipe} …")


def recipe_with(adapter: Path) -> Recipe:
    """Return the default recipe, asking with an adapter."""
    default = RECIPES[DEFAULT]
    asking = asking_with(adapter)
    steps = tuple(asking if isinstance(step, AskOfPassages) else step for step in default.steps)
    return replace(default, name=f"{DEFAULT}_adapted", title=f"{default.title}, asked with an adapter", steps=steps)


def asking_with(adapter: Path) -> Step:
    return WithAdapter(AskOfPassages(one_turn=True), str(adapter.absolute()))
