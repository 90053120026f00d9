"""`python -m core fit`: fit the models that decide, and measure them, on annotated claims."""

from __future__ import annotations

import argparse
import importlib

from core.cli.common.numbers import first, whole
from core.cli.common.paths import input_name, input_path, output_file, output_folder
from core.errors import BadInput

WHAT = {
    "reader": "the weights that read a passage and a claim together (hours; goes on after a kill)",
    "stance": "the classifier of a passage's stance on the claim",
    "verdict": "the classifier of the evidence check",
    "sentences": "nothing: measure whether a model may make sentences readable alone",
    "questions": "an adapter with which the model asks what passages answer (needs peft and gguf)",
    "question-judge": "the judge of questions: well formed, answered by the passage, about the claim",
    "similarity": "the cosine under which the encoder finds not enough evidence",
    "worthiness": "the ranking of a speech's sentences by whether they are worth checking",
}

PLACES = {
    "reader": "reader",
    "stance": "stance",
    "verdict": "judges",
    "sentences": "sentences",
    "questions": "questions",
    "question-judge": "question_judge",
    "similarity": "judges",
    "worthiness": "worthiness",
}
"""The module of core/cli/fitting that does each."""

SETS = {
    "reader": "entailment",
    "stance": "entailment",
    "questions": "questions",
    "question-judge": "questions",
    "worthiness": "worthiness",
}
"""The targets that learn from a folder of sets in shared/data; questions may also learn from annotated claims."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=WHAT, help="; ".join(f"{name}: {words}" for name, words in WHAT.items()))
    parser.add_argument("--train", type=input_path, metavar="FILE", help="annotated claims to fit on")
    parser.add_argument(
        "--train-store",
        type=input_name,
        action="append",
        default=[],
        metavar="PATH",
        help="documents to search for them; may repeat",
    )
    parser.add_argument("--test", type=input_path, metavar="FILE", help="annotated claims to measure on")
    parser.add_argument(
        "--test-store",
        type=input_name,
        action="append",
        default=[],
        metavar="PATH",
        help="documents to search for these; may repeat",
    )
    parser.add_argument(
        "--first", type=first, default=1000, metavar="N", help="only the first N claims of each file (default: 1000)"
    )
    parser.add_argument(
        "--model", type=input_name, default="bundled", help="'bundled', a .gguf file, or http://server/v1#model"
    )
    parser.add_argument(
        "--bundled-card", action="store_true", help="keep the card in assets/ and not for this user alone"
    )
    parser.add_argument(
        "--searched",
        type=first,
        metavar="N",
        help="fit verdict: search evidence for the first N training claims only; the wording is fitted on all",
    )
    parser.add_argument(
        "--examples",
        type=whole(8, 100_000),
        metavar="N",
        help="fit questions: learn from N examples (default: a quarter of them)",
    )
    parser.add_argument(
        "--adapter", type=input_path, metavar="FILE", help="fit questions: train nothing, measure this adapter"
    )
    parser.add_argument(
        "--from-history",
        action="store_true",
        help="fit verdict or similarity: also on the cases of the history that somebody gave their own verdict",
    )
    parser.add_argument(
        "--pairs", type=whole(1, 1000), metavar="N", help="fit stance: measure on N pairs of each kind (default: 60)"
    )
    reader = parser.add_argument_group("fit reader, stance, questions, question-judge and worthiness")
    reader.add_argument("--data", type=input_path, metavar="DIR", help="the folder of the sets to learn from")
    reader.add_argument(
        "--base",
        type=input_path,
        metavar="DIR",
        help="fit reader: the reader that goes on learning (default: Veridesk's)",
    )
    reader.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same weights")
    reader.add_argument(
        "--learn-pairs", type=whole(320, 10_000_000), default=250_000, metavar="N", help="pairs to learn from"
    )
    reader.add_argument(
        "--run-folder", type=output_folder, metavar="DIR", help="where checkpoints are kept (default: TARGET-run)"
    )
    reader.add_argument("--out", type=output_file, metavar="FILE", help="where the weights go (default: assets/TARGET)")


def run(args: argparse.Namespace) -> int:
    _check(args)
    fitting = importlib.import_module(f"core.cli.fitting.{PLACES[args.what]}")
    return int(fitting.run(args))


def _check(args: argparse.Namespace) -> None:
    if args.what in SETS and args.what != "questions" and not args.data:
        raise BadInput(f"fit {args.what} needs --data: the folder of the {SETS[args.what]} sets.")
    if args.what == "sentences" or (args.what in SETS and args.what != "stance" and args.data):
        return
    missing = [f"--{name.replace('_', '-')}" for name in ("train", "test", "test_store") if not getattr(args, name)]
    if missing:
        raise BadInput(
            f"fit {args.what} needs {', '.join(missing)}: annotated claims, and documents to search for them."
        )
    if args.from_history and args.what in ("stance", "questions"):
        raise BadInput(f"fit {args.what} learns nothing from own verdicts: leave out --from-history.")
    if not args.train_store and args.what != "questions":
        raise BadInput(f"fit {args.what} needs --train-store: documents to search for the claims that it fits on.")
