"""Verify one claim from the command line: print a readable report, or one JSON object."""

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
from core.cli.common.search_arguments import addresses_for
from core.cli.common.terminal import asked_to_end, tell
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
from core.verification.progress import telling
from core.verification.reading import consent_for
from core.verification.receipt import receipt_to_json
from core.verification.recipes.recipe_files import chosen_recipe
from core.verification.report.judge_measurements import judge_measurements
from core.verification.request import Request, checked
from core.verification.runner import investigate


def run(args: argparse.Namespace) -> int:
    if args.key and not args.package:
        raise BadInput("--key signs an evidence package: name one with --package.")
    key = signing_key_in(args.key) if args.key else None
    request, models = prepared(args, request_from(args))
    approve: Approve = always
    if request.search:
        from core.cli.common.searching import approval  # see `prepared`

        approve = approval(args)
    outcome = investigate(request, models, on_progress=telling(tell), stop=asked_to_end, approve=approve)
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
