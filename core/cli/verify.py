"""`python -m core verify`: one claim, a readable report or one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.cli.common.case_output import (
    case_text,
    cited_lines,
    cited_sources,
    known_reviews,
    review_lines,
    summary_of,
)
from core.cli.common.numbers import iso_date, seed, whole
from core.cli.common.paths import OutputFile, input_name, input_path, output_file
from core.cli.common.search_arguments import add_search_arguments, addresses_for
from core.cli.common.terminal import asked_to_end
from core.documents.documents import read_files
from core.documents.examples import examples
from core.errors import BadInput
from core.files import replacing, write_whole
from core.interfaces import Models
from core.records import read_bytes
from core.search.search_plan import Approve, always
from core.types import Claim, Document, Failure
from core.verification.opening import open_models
from core.verification.package.signing import signing_key_in
from core.verification.progress import Update
from core.verification.reading import consent_for
from core.verification.receipt import receipt_to_json
from core.verification.recipes.catalogue import DEFAULT, RECIPES
from core.verification.recipes.recipe_files import chosen_recipe
from core.verification.report.judge_measurements import judge_measurements
from core.verification.request import Request, checked
from core.verification.runner import investigate

RECIPE_HELP = f"one of {', '.join(RECIPES)} (default: {DEFAULT}), or a recipe file of your own (*.toml)"


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


def run(args: argparse.Namespace) -> int:
    if args.key and not args.package:
        raise BadInput("--key signs an evidence package: name one with --package.")
    key = signing_key_in(args.key) if args.key else None
    request, models = prepared(args, request_from(args))
    approve: Approve = always
    if request.search:
        from core.cli.common.searching import approval  # see `prepared`

        approve = approval(args)
    outcome = investigate(request, models, on_progress=print_progress, stop=asked_to_end, approve=approve)
    if isinstance(outcome, Failure):
        raise BadInput(f"{outcome.error} (while: {outcome.step})")
    summary = summary_of(outcome, recipe=request.recipe, model=models.llm.identity.name)
    measured = judge_measurements(outcome.verdict) if outcome.verdict else None
    known, cited = known_reviews(args, outcome, models.encoder), cited_sources(outcome)
    text = "\n".join([case_text(outcome, summary, measured), *cited_lines(cited), *review_lines(known)])
    print(json.dumps({**summary, "cited": cited, **known}, ensure_ascii=False) if args.json else text, flush=True)
    receipt = receipt_to_json(request, outcome, models.llm.identity, models.encoder.identity)
    if args.receipt:
        write_whole(args.receipt, json.dumps(receipt, indent=1, ensure_ascii=False) + "\n")
    if args.package:
        from core.verification.package.writing import write_evidence  # WARC, and the report as HTML

        with replacing(args.package) as file:
            write_evidence(file, receipt, made=datetime.now(UTC).replace(microsecond=0), key=key)
    return 0


def prepared(args: argparse.Namespace, request: Request) -> tuple[Request, Models]:
    """Return the request with the search that its person agreed to, if any, and the models; nothing was sent yet.

    Addresses that a person writes after --url are agreed to by that.
    """
    if not args.search:
        if args.reviews:
            raise BadInput("--reviews goes with --search: name a source, such as --search wikipedia.")
        agreed = replace(request, consent=consent_for(request).digest)
        return agreed, open_models(request.model, training=request.training)
    from core.cli.common.searching import agree, opened_sources, order_for  # sources, crawl, WARC

    sources = opened_sources(args)  # before the models, which take seconds
    models = open_models(request.model, training=request.training)
    asked = replace(request, search=order_for(args, request.claim, sources, models.llm))
    return replace(asked, consent=agree(args, asked, sources)), models


def request_from(args: argparse.Namespace) -> Request:
    """Return the request that the arguments amount to. Raises BadInput for no claim or files that cannot be read."""
    claim = Claim(args.claim, speaker=args.speaker, date=args.date)
    if args.example:
        example = next((item for item in examples() if item.id == args.example), None)
        if example is None:
            raise BadInput(f"There is no example {args.example!r}; there are: {', '.join(e.id for e in examples())}.")
        claim = claim if claim.text else example.claim
    recipe, own_recipe = chosen_recipe(args.recipe)
    return Request(
        checked(claim),
        stores=tuple(args.store),
        urls=() if addresses_for(args) else tuple(args.url),
        example=args.example,
        documents=tuple(document for path in args.file for document in read_path(path)),
        recipe=recipe,
        own_recipe=own_recipe,
        training=str(args.training.absolute()) if args.training else "",
        model=args.model,
        seed=args.seed,
        sentences=args.sentences,
        include_late=args.include_late,
        keep_index=args.keep_index,
        questions=not args.no_questions,
    )


def read_path(path: Path) -> tuple[Document, ...]:
    """Return the documents of a file, and list its unreadable parts on the terminal.

    Raises BadInput if nothing could.
    """
    reading = read_files([(path.name, read_bytes(path))])
    if not reading.documents:
        raise BadInput(" ".join(reading.problems) or f"{path} holds no text.")
    for problem in reading.problems:
        print(problem, file=sys.stderr)
    return reading.documents


def print_progress(progress: Update) -> None:
    """Report the running stage and its findings on the terminal."""
    if progress.found:
        print(f"{progress.seconds:6.1f} s  {progress.stage}: {progress.found}", file=sys.stderr)
