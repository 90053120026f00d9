"""`python -m core replay receipt.json`: run a case again and say whether it came out the same."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace

from core.batch.time_limit import at_shares
from core.cli.common.asking import ask
from core.cli.common.paths import input_name, input_path
from core.cli.common.terminal import asked_to_end
from core.cli.report import receipt_in
from core.cli.verify import print_progress
from core.errors import BadInput
from core.types import Failure
from core.verification.opening import open_models
from core.verification.reading import consent_for
from core.verification.receipt import Json, receipt_from_json, same_findings
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request, recipe_of
from core.verification.runner import investigate
from core.verification.steps.control import verdict_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "receipt", type=input_path, help="a receipt, downloaded from the page or written by verify --receipt"
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
    record = receipt_in(args.receipt)
    request, before, llm, encoder = receipt_from_json(record)
    request = replace(
        request,
        model=args.model or request.model,
        stores=tuple(args.store) if args.store else request.stores,
        training=str(args.training) if args.training else request.training,
    )
    request = with_its_steps(replace(request, searched=before.search), record)
    request = replace(request, consent=agree(request, yes=args.yes))
    models = open_models(request.model, training=request.training)
    for was, now in ((llm, models.llm.identity), (encoder, models.encoder.identity)):
        if (was.digest or was.name) != (now.digest or now.name):
            raise BadInput(
                f"The receipt was made with {was.name} ({was.digest[:12]}), not {now.name} ({now.digest[:12]})."
            )
    run_step = at_shares(record.get("shares", ()))
    outcome = investigate(request, models, on_progress=print_progress, stop=asked_to_end, run_step=run_step)
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


def agree(request: Request, *, yes: bool) -> str:
    """Say which addresses a receipt has read anew, ask, and return the digest of the consent.

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
