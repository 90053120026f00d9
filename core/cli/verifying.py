"""Verify one claim from the command line, and show its report, receipt and package."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.actions.action import ActionContext, Said
from core.cli.case_output import (
    case_text,
    cited_lines,
    cited_sources,
    known_reviews,
    review_lines,
    summary_of,
)
from core.cli.verify import VerifyOrder
from core.documents.documents import read_files
from core.documents.examples import examples
from core.errors import BadInput
from core.interfaces import Models
from core.records import read_bytes
from core.search.search_plan import Approve, always
from core.types import Claim, Document, Failure
from core.verification.opening import open_models
from core.verification.package.signing import SigningKey, signing_key_in
from core.verification.progress import telling
from core.verification.reading import consent_for
from core.verification.receipt import Json, receipt_to_json
from core.verification.recipes.recipe_files import chosen_recipe
from core.verification.report.judge_measurements import judge_measurements
from core.verification.request import Request, checked
from core.verification.runner import investigate


@dataclass(frozen=True)
class Verified(Said):
    """The report of a claim, its receipt, and the key that signs its package."""

    receipt: Json
    key: SigningKey | None


def verify(order: VerifyOrder, context: ActionContext) -> Verified:
    """Verify the claim, after a yes to its search. Raises BadInput for a failure, Cancelled for a no or a stop."""
    key = signing_key_in(order.key) if order.key else None
    request, models = prepared(order, request_from(order, context.tell), context)
    approve: Approve = always
    if request.search:
        from core.cli.searching import approval  # see `prepared`

        approve = approval(order, context)
    outcome = investigate(request, models, on_progress=telling(context.tell), stop=context.stop, approve=approve)
    if isinstance(outcome, Failure):
        raise BadInput(f"{outcome.error} (while: {outcome.step})")
    summary = summary_of(outcome, recipe=request.recipe, model=models.llm.identity.name)
    measured = judge_measurements(outcome.verdict) if outcome.verdict else None
    known, cited = known_reviews(order, outcome, models.encoder), cited_sources(outcome)
    text = "\n".join([case_text(outcome, summary, measured), *cited_lines(cited), *review_lines(known)])
    receipt = receipt_to_json(request, outcome, models.llm.identity, models.encoder.identity)
    return Verified(text, {**summary, "cited": cited, **known}, receipt, key)


def receipt_text(done: Verified, ending: str) -> str:
    return json.dumps(done.receipt, indent=1, ensure_ascii=False) + "\n"


def package_bytes(done: Verified, ending: str) -> bytes:
    """Return the evidence package. Raises BadInput as `write_evidence`."""
    from core.verification.package.writing import write_evidence  # WARC, and the report as HTML

    file = io.BytesIO()
    write_evidence(file, done.receipt, made=datetime.now(UTC).replace(microsecond=0), key=done.key)
    return file.getvalue()


def prepared(order: VerifyOrder, request: Request, context: ActionContext) -> tuple[Request, Models]:
    """Return the request with the search that its person agreed to, if any, and the models; nothing was sent yet.

    Addresses that a person writes after --url are agreed to by that.
    """
    if not order.search:
        agreed = replace(request, consent=consent_for(request).digest)
        return agreed, open_models(request.model, training=request.training)
    from core.cli.searching import agree, opened_sources, order_for  # sources, crawl, WARC

    sources = opened_sources(order)  # before the models, which take seconds
    models = open_models(request.model, training=request.training)
    asked = replace(request, search=order_for(order, request.claim, sources, models.llm))
    return replace(asked, consent=agree(order, asked, sources, context)), models


def request_from(order: VerifyOrder, tell: Callable[[str], None]) -> Request:
    """Return the request that the order amounts to. Raises BadInput for no claim or files that cannot be read."""
    claim = Claim(order.claim, speaker=order.speaker, date=order.date)
    if order.example:
        example = next((item for item in examples() if item.id == order.example), None)
        if example is None:
            raise BadInput(f"There is no example {order.example!r}; there are: {', '.join(e.id for e in examples())}.")
        claim = claim if claim.text else example.claim
    recipe, own_recipe = chosen_recipe(order.recipe)
    return Request(
        checked(claim),
        stores=order.store,
        urls=() if order.looked_up else order.url,
        example=order.example,
        documents=tuple(document for path in order.file for document in read_path(Path(path), tell)),
        recipe=recipe,
        own_recipe=own_recipe,
        training=str(order.training.absolute()) if order.training else "",
        model=order.model,
        seed=order.seed,
        sentences=order.sentences,
        include_late=order.include_late,
        keep_index=order.keep_index,
        questions=not order.no_questions,
    )


def read_path(path: Path, tell: Callable[[str], None]) -> tuple[Document, ...]:
    """Return the documents of a file, and tell its unreadable parts.

    Raises BadInput if nothing could.
    """
    reading = read_files([(path.name, read_bytes(path))])
    if not reading.documents:
        raise BadInput(" ".join(reading.problems) or f"{path} holds no text.")
    for problem in reading.problems:
        tell(problem)
    return reading.documents
