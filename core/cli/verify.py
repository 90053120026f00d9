"""The options of `python -m core verify`."""

from __future__ import annotations

import argparse

from core.actions.action import Later
from core.cli.common.numbers import iso_date, seed, whole
from core.cli.common.paths import OutputFile, input_name, input_path, output_file
from core.cli.common.search_arguments import add_search_arguments
from core.documents.examples import examples
from core.verification.recipes import DEFAULT

run = Later("core.cli.verifying").run
RECIPE_HELP = f"one that `recipes` lists (default: {DEFAULT}), or a recipe file of your own (*.toml)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("claim", help="the claim to check, in quotes; empty with --example")
    parser.add_argument(
        "--store",
        type=input_name,
        action="append",
        default=[],
        metavar="PATH",
        help="a knowledge store, file or folder (JSONL of url, url2text); may repeat",
    )
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="PATH",
        type=input_path,
        help="a document: PDF, DOCX, HTML, Markdown, text or a ZIP of them; may repeat",
    )
    parser.add_argument("--url", action="append", default=[], metavar="URL", help="a web address; may repeat")
    add_search_arguments(parser)
    parser.add_argument("--example", default="", help=f"a bundled example: {', '.join(e.id for e in examples())}")
    parser.add_argument(
        "--date", type=iso_date, help="when the claim was made (YYYY-MM-DD); later evidence is left out"
    )
    parser.add_argument("--speaker", default="", help="who made the claim")
    parser.add_argument("--recipe", type=input_name, default=DEFAULT, metavar="NAME|FILE", help=RECIPE_HELP)
    parser.add_argument(
        "--sentences", type=whole(1, 1000), default=3, metavar="N", help="sentences per passage (default: 3)"
    )
    parser.add_argument("--include-late", action="store_true", help="search documents dated after the claim as well")
    parser.add_argument("--keep-index", action="store_true", help="keep the passages' vectors for the next time")
    parser.add_argument("--receipt", type=output_file, metavar="FILE", help="write a receipt that `replay` runs again")
    parser.add_argument(
        "--package",
        type=OutputFile((".wacz",)),
        metavar="FILE",
        help="write an evidence package (.wacz): receipt, report and pages, which `check` and `replay` open anywhere",
    )
    parser.add_argument(
        "--key", type=input_path, metavar="FILE", help="sign the package with this private key (Ed25519 in PEM)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the report")
    add_no_questions(parser)
    add_model_arguments(parser)


def add_no_questions(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves the questions out."""
    parser.add_argument(
        "--no-questions", action="store_true", help="quote the passages without a question to each: much quicker"
    )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that uses a language model."""
    parser.add_argument(
        "--model", type=input_name, default="bundled", help="'bundled', a .gguf file, or http://server/v1#model"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="a number from 0 (default: 0)")
    parser.add_argument(
        "--training",
        type=input_path,
        metavar="FILE",
        help="annotated claims to take few-shot examples from (AVeriTeC JSON or leaderboard CSV)",
    )
