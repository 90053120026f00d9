"""`python -m core replay receipt.json|FILE.wacz`: run a case again and say whether it came out the same."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.batch.time_limit import at_shares
from core.cli.common.paths import input_name, input_path
from core.cli.common.terminal import ask, asked_to_end
from core.cli.verify import print_progress
from core.documents.knowledge_store import load_store
from core.errors import BadInput
from core.models.choice import parse_choice
from core.search_report import ReadAddress
from core.types import Case, Failure
from core.verification.opening import open_models
from core.verification.package.container import SUFFIX
from core.verification.package.unpacking import OpenedEvidence, opened_evidence
from core.verification.reading import LoadStore, consent_for
from core.verification.receipt import Json, receipt_from_json, receipt_in, same_findings
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request, recipe_of
from core.verification.runner import investigate
from core.verification.steps.control import verdict_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "receipt",
        type=input_path,
        help="a receipt or an evidence package (.wacz), downloaded from the page or written by verify",
    )
    parser.add_argument("--model", type=input_name, help="where the same model is now, if it has moved")
    parser.add_argument(
        "--store",
        type=input_name,
        action="append",
        metavar="PATH",
        help="where the knowledge stores are now; may repeat",
    )
    parser.add_argument(
        "--training", type=input_path, metavar="FILE", help="where its training claims are now, if it had any"
    )
    parser.add_argument("--yes", action="store_true", help="read its web addresses without asking first")


def run(args: argparse.Namespace) -> int:
    if args.receipt.suffix != SUFFIX:
        return replayed(args, receipt_in(args.receipt))
    with opened_evidence(args.receipt) as evidence:
        check_places(args, evidence)
        names = () if args.store else receipt_from_json(evidence.receipt)[0].stores
        return replayed(args, evidence.receipt, load=evidence.load(names), snapshots=evidence.snapshots)


def check_places(args: argparse.Namespace, evidence: OpenedEvidence) -> None:
    """Raise BadInput where a package names a server, or a file or page that it lacks. Its maker chooses none here."""
    request, case, *_ = receipt_from_json(evidence.receipt)
    if parse_choice(request.model).kind == "server" and not args.model:
        raise BadInput(f"This case used a model on a server, {request.model}: say with --model which one to ask.")
    if request.training and not args.training:
        raise BadInput("This case used training claims, and a package does not hold them: name them with --training.")
    if request.urls and not kept_of(case, evidence.snapshots):
        raise BadInput(
            "This package lacks pages that its case read, so it cannot be run again. Ask its maker for another."
        )


def replayed(
    args: argparse.Namespace, record: Json, *, load: LoadStore = load_store, snapshots: Path | None = None
) -> int:
    """Run a receipt again, and return the exit status; `snapshots` is the folder of a package's pages."""
    request, before, llm, encoder = receipt_from_json(record)
    if request.search and not before.search:
        raise BadInput("The report of its search is missing in this receipt, so it cannot be run again.")
    request = replace(
        request,
        model=args.model or request.model,
        stores=tuple(args.store) if args.store else request.stores,
        training=str(args.training) if args.training else request.training,
    )
    request = with_its_steps(replace(request, searched=before.search, fetched=kept_of(before, snapshots)), record)
    request = replace(request, consent=agree(request, yes=args.yes))
    models = open_models(request.model, training=request.training)
    for was, now in ((llm, models.llm.identity), (encoder, models.encoder.identity)):
        if (was.digest or was.name) != (now.digest or now.name):
            raise BadInput(
                f"The receipt was made with {was.name} ({was.digest[:12]}), not {now.name} ({now.digest[:12]})."
            )
    run_step = at_shares(record.get("shares", ()))
    outcome = investigate(
        request,
        models,
        on_progress=print_progress,
        stop=asked_to_end,
        run_step=run_step,
        load=load,
        snapshots=snapshots,
    )
    if isinstance(outcome, Failure):
        raise BadInput(f"{outcome.error} (while: {outcome.step})")
    differences = same_findings(before, outcome)
    if differences:
        print(f"It came out differently in: {', '.join(differences)}.")
        return 1
    print(f"It came out the same: {verdict_words(outcome)}.")
    if not llm.digest:
        print("The server does not tell which weights it uses, so only the model's name was compared.", file=sys.stderr)
    return 0


def kept_of(case: Case, folder: Path | None) -> tuple[ReadAddress, ...]:
    """Return the web addresses of a case as they were read, if the snapshots of all are kept; else none."""
    if not case.fetched:
        return ()
    from core.search.search_request import snapshots_in  # sources, crawl, WARC

    snapshots = snapshots_in(folder)
    kept = all(one.problem or snapshots.path(one.snapshot).is_file() for one in case.fetched)
    return case.fetched if kept else ()


def agree(request: Request, *, yes: bool) -> str:
    """Say which addresses a replay reads again, ask, and return the digest of the consent.

    Raises BadInput where no terminal can ask, Cancelled for a no.
    """
    consent = consent_for(request)
    if consent:
        print("\n".join(["To be read:", *(f"  {url}" for url in consent.addresses)]), file=sys.stderr)
        ask(f"Send {consent.words}?", yes=yes)
    return consent.digest


def with_its_steps(request: Request, record: Json) -> Request:
    """Return the request with the steps that its receipt holds, where its recipe has others by now."""
    text = record.get("recipe", "")  # receipts of before 21 November 2026 have none
    if not text or text == steps_today(request):
        return request
    print(f"The recipe {request.recipe} has changed since; the steps of the receipt are done.", file=sys.stderr)
    return replace(request, own_recipe=text)


def steps_today(request: Request) -> str:
    """Return a request's steps today, as a receipt holds them; "" where its recipe is gone."""
    with suppress(BadInput):
        return recipe_toml(recipe_of(request))
    return ""
