"""Run a case again, from its receipt or its package, and compare the results."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.actions.action import ActionContext
from core.batch.time_limit import at_shares
from core.cli.replay import Replay, Replayed
from core.documents.knowledge_store import load_store
from core.errors import BadInput
from core.interfaces import ignore
from core.models.choice import parse_choice
from core.search_report import ReadAddress
from core.types import Case, Failure
from core.verification.opening import open_models
from core.verification.package.container import SUFFIX
from core.verification.package.unpacking import OpenedEvidence, opened_evidence
from core.verification.progress import telling
from core.verification.reading import LoadStore, consent_for
from core.verification.receipt import Json, receipt_from_json, receipt_in, same_findings
from core.verification.recipes.recipe_files import recipe_toml
from core.verification.request import Request, recipe_of
from core.verification.runner import investigate
from core.verification.steps.control import verdict_words


def replay(request: Replay, context: ActionContext) -> Replayed:
    """Run a receipt again, or the one in a package. Raises BadInput if that cannot be done."""
    if request.receipt.suffix != SUFFIX:
        return replayed(request, context, receipt_in(request.receipt))
    with opened_evidence(request.receipt) as evidence:
        check_places(request, evidence)
        names = () if request.store else receipt_from_json(evidence.receipt)[0].stores
        load, snapshots = evidence.load(names), evidence.snapshots
        return replayed(request, context, evidence.receipt, load=load, snapshots=snapshots)


def check_places(asked: Replay, evidence: OpenedEvidence) -> None:
    """Raise BadInput where a package names a server, or a file or page that it lacks. Its maker chooses none here."""
    request, case, *_ = receipt_from_json(evidence.receipt)
    if parse_choice(request.model).kind == "server" and not asked.model:
        raise BadInput(f"This case used a model on a server, {request.model}: say with --model which one to ask.")
    if request.training and not asked.training:
        raise BadInput("This case used training claims, and a package does not hold them: name them with --training.")
    if request.urls and not kept_of(case, evidence.snapshots):
        raise BadInput(
            "This package lacks pages that its case read, so it cannot be run again. Ask its maker for another."
        )


def replayed(
    asked: Replay,
    context: ActionContext,
    record: Json,
    *,
    load: LoadStore = load_store,
    snapshots: Path | None = None,
) -> Replayed:
    """Run a receipt again, and return the result; `snapshots` is the folder of a package's pages."""
    request, before, llm, encoder = receipt_from_json(record)
    if request.search and not before.search:
        raise BadInput("The report of its search is missing in this receipt, so it cannot be run again.")
    request = replace(
        request,
        model=asked.model or request.model,
        stores=asked.store or request.stores,
        training=str(asked.training) if asked.training else request.training,
    )
    again = replace(request, searched=before.search, fetched=kept_of(before, snapshots))
    request = with_its_steps(again, record, context.tell)
    request = replace(request, consent=agree(request, context, yes=asked.yes))
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
        on_progress=telling(context.tell),
        stop=context.stop,
        run_step=run_step,
        load=load,
        snapshots=snapshots,
    )
    if isinstance(outcome, Failure):
        raise BadInput(f"{outcome.error} (while: {outcome.step})")
    differences = same_findings(before, outcome)
    if differences:
        return Replayed(f"It came out differently in: {', '.join(differences)}.", same=False)
    if not llm.digest:
        context.tell("The server does not tell which weights it uses, so only the model's name was compared.")
    return Replayed(f"It came out the same: {verdict_words(outcome)}.", same=True)


def kept_of(case: Case, folder: Path | None) -> tuple[ReadAddress, ...]:
    """Return the web addresses of a case as they were read, if the snapshots of all are kept; else none."""
    if not case.fetched:
        return ()
    from core.search.search_request import snapshots_in  # sources, crawl, WARC

    snapshots = snapshots_in(folder)
    kept = all(one.problem or snapshots.path(one.snapshot).is_file() for one in case.fetched)
    return case.fetched if kept else ()


def agree(request: Request, context: ActionContext, *, yes: bool) -> str:
    """Say which addresses a replay reads again, ask, and return the digest of the consent.

    Raises BadInput where no terminal can ask, Cancelled for a no.
    """
    consent = consent_for(request)
    if consent:
        context.tell("\n".join(["To be read:", *(f"  {url}" for url in consent.addresses)]))
        if not yes:
            context.ask(f"Send {consent.words}?")
    return consent.digest


def with_its_steps(request: Request, record: Json, tell: Callable[[str], None] = ignore) -> Request:
    """Return the request with the steps that its receipt holds, where its recipe has others by now."""
    text = record.get("recipe", "")  # receipts of before 21 November 2026 have none
    if not text or text == steps_today(request):
        return request
    tell(f"The recipe {request.recipe} has changed since; the steps of the receipt are done.")
    return replace(request, own_recipe=text)


def steps_today(request: Request) -> str:
    """Return a request's steps today, as a receipt holds them; "" where its recipe is gone."""
    with suppress(BadInput):
        return recipe_toml(recipe_of(request))
    return ""
