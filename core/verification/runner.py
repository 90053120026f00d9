"""The one loop: a recipe's steps turn a claim, step by step, into a case with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.documents.knowledge_store import load_store
from core.documents.language import NAMES, claim_language
from core.errors import Cancelled, VerideskError
from core.interfaces import Models, RunContext, Step, Stop, ignore, never
from core.retrieval.caching import CachingEncoder
from core.search.search_plan import Approve, always
from core.types import Case, Failure, Outcome
from core.verification.claim_intake import CHECKED_AS_ONE, ClaimKind, read_claim
from core.verification.claim_parts import parts_of, undecidable_claim
from core.verification.progress import OnProgress, Progress
from core.verification.reading import LoadStore, open_retriever
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.request import Request, checked, recipe_of, without_questions
from core.verification.stance.second_reading import able_model, case_reader
from core.verification.verdict.judges import model_judge

UNREAD = (
    "The claim is in {}. The built-in reader reads English only, and no chosen model read for it: translate the claim "
    "and its documents, or measure a model on Models."
)
READ_ALONE = "The claim is in {0}. The chosen model was measured on passages in {0}; whole verdicts were not measured."

RunStep = Callable[[Step, Case, RunContext, Sequence[Step]], Case]
"""Does one step of a recipe on a case; gets the steps after it."""


def run_step(step: Step, case: Case, context: RunContext, later: Sequence[Step]) -> Case:
    """Do a step unchanged."""
    return step(case, context)


def investigate(
    request: Request,
    models: Models,
    *,
    on_progress: OnProgress = ignore,
    stop: Stop = never,
    run_step: RunStep = run_step,
    load: LoadStore = load_store,
    snapshots: Path | None = None,
    approve: Approve = always,
) -> Outcome:
    """Return the case of a request, or the step that failed and why.

    `run_step` does the steps; a caller may give one that does less. `load` opens knowledge stores; a caller may give
    one that caches them. `snapshots` is the folder of pages that were read before; None for this machine's own.
    `approve` is asked before each later query of a search. Raises Cancelled if `stop` says so.
    """
    progress = Progress(Case(request.claim), on_progress)
    try:
        progress.case = Case(checked(request.claim))
        recipe = recipe_of(request)
        progress.stages = len(recipe.steps) + 2 + bool(request.search)
        encoder = CachingEncoder(models.encoder)
        retriever = open_retriever(request, encoder, progress, stop, load, snapshots, approve)
        language = claim_language(request.claim.text)
        able = able_model(models.llm, language, stop=stop)
        context = RunContext(
            replace(models, encoder=encoder),
            retriever,
            request.seed,
            stop,
            second=case_reader(able, language),
            answer_judge=model_judge(able) if able else None,
        )
        run_steps(recipe.steps, context, progress, run_step)
        return add_caveat(progress.case, recipe, request)
    except Cancelled:
        raise
    except VerideskError as error:
        return Failure(request.claim.id, progress.title, str(error))


def run_steps(steps: Sequence[Step], context: RunContext, progress: Progress, run_step: RunStep = run_step) -> None:
    """Do one step after the other on the case of `progress`. Raises their errors, and Cancelled between them."""
    for position, step in enumerate(steps, start=1):
        if context.stop():
            raise Cancelled("Stopped.")
        with progress.stage(step.title) as stage:
            here = replace(context, report=stage.report, show=stage.show)
            stage.case = run_step(step, stage.case, here, steps[position:])
            stage.found = step.found(stage.case)


def add_caveat(case: Case, recipe: Recipe, request: Request) -> Case:
    """Return the case with the caveats that a reader must know.

    They are about a verdict on no claim, on several, or on other kinds of evidence. A question, an opinion, a forecast
    or a single word gets no verdict, with any documents and any judge. Neither does a claim in an unread language.
    """
    if case.verdict is None:
        return case
    parts = parts_of(case.claim.text)
    if why := undecidable_claim(case.claim.text, case.claim.date) or unread(case):
        undecided = replace(
            case.verdict,
            grounded=False,
            decisive=(),
            counterfactual="",
            justification="",
            caveat=why,
            check=None,
        )
        return replace(case, verdict=undecided)
    several = len(parts) == 1 and read_claim(case.claim.text).kind is ClaimKind.SEVERAL
    elsewhere = unmeasured_language(case) or ("" if case.verdict.check else unmeasured(recipe, request))
    caveats = (case.verdict.caveat, CHECKED_AS_ONE if several else "", elsewhere)
    return replace(case, verdict=replace(case.verdict, caveat=" ".join(filter(None, caveats))))


def unread(case: Case) -> str:
    """Return why nobody can read a claim in its language, and the way out; empty if a reader can."""
    language = claim_language(case.claim.text)
    second = case.verdict.second if case.verdict else None
    if language == "en" or (second and (second.passages or not second.of)):
        return ""
    return UNREAD.format(NAMES[language])


def unmeasured_language(case: Case) -> str:
    """Return a sentence if whole verdicts were not measured in the claim's language; else ""."""
    language = claim_language(case.claim.text)
    return "" if language == "en" else READ_ALONE.format(NAMES[language])


def unmeasured(recipe: Recipe, request: Request) -> str:
    """Return a sentence if the judge was measured on other evidence than this; else ""."""
    fitted = RECIPES[DEFAULT] if request.questions else without_questions(RECIPES[DEFAULT])
    if recipe.steps != fitted.steps:
        here = f"the evidence that the recipe “{fitted.title}” finds, not on that of “{recipe.title}”"
    elif request.sentences != Request.sentences:
        here = f"passages of {Request.sentences} sentences, not on passages of {request.sentences}"
    else:
        return ""
    return f"This judge was fitted and measured on {here}: nobody has measured how often it is right here."
