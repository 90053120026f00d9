"""`python -m core models measure`: measure how well a model reads passages."""

from __future__ import annotations

import argparse

from core.cli.common.numbers import whole
from core.cli.common.paths import input_name, input_path
from core.cli.common.terminal import ProgressLine, asked_to_end
from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from core.tabular.exports import to_text
from core.verification.measure_job import ToMeasure, lender
from core.verification.model_pool import ModelPool
from core.verification.stance.chosen_reader import BuiltInReader
from core.verification.stance.measured_words import decision_words, figures_table
from core.verification.stance.measurement import use_anyway
from core.verification.stance.measuring import measure
from core.verification.written_claims import CALIBRATING, FEW_CLAIMS, FOREIGN_CLAIMS, MOST_CLAIMS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("measure",), help="measure: how well a model reads passages")
    parser.add_argument(
        "--model", type=input_name, default="bundled", help="'bundled', a .gguf file, or http://server/v1#model"
    )
    parser.add_argument("--cross-encoder", type=input_path, metavar="FOLDER", help="measure this cross-encoder instead")
    parser.add_argument(
        "--language",
        choices=tuple(CALIBRATING),
        default="en",
        help=f"the claims' language; {FOREIGN_CLAIMS} claims in another than English",
    )
    parser.add_argument(
        "--claims",
        type=whole(FEW_CLAIMS, MOST_CLAIMS),
        default=FEW_CLAIMS,
        metavar="N",
        help=f"how many claims in English to read, {FEW_CLAIMS} to {MOST_CLAIMS} (default: {FEW_CLAIMS})",
    )
    parser.add_argument(
        "--use-anyway", action="store_true", help="let the model read although it is not measured as better"
    )


def run(args: argparse.Namespace) -> int:
    """Measure a model beside the built-in reader, and print the figures. It goes on where another run was stopped."""
    asked = ToMeasure(args.model, str(args.cross_encoder or ""), args.claims, args.language)
    line, pool = ProgressLine("Measuring", "claims"), ModelPool()
    encoder: Encoder = load_encoder()

    def report(read: int, of: int, _: float) -> None:
        line.show(read, of)

    try:
        lend = lender(asked, pool, asked_to_end)
        built_in = BuiltInReader(encoder)
        found = measure(lend, built_in, report, asked_to_end, claims=asked.claims, language=asked.language)
    finally:
        pool.close()
    if args.use_anyway and not found.better:
        found = use_anyway(found.reader, True, found.language)
    print(to_text(figures_table(found)))
    print(decision_words(found))
    return 0
