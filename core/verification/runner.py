"""The one loop: read documents, index them, and let a recipe's steps turn the claim into a verdict."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.dates import published_before
from core.documents.examples import examples
from core.documents.knowledge_store import load_store
from core.documents.web import fetch_all
from core.errors import BadInput, Cancelled, ModelError, VerideskError
from core.interfaces import (
    ContextualEncoder,
    Encoder,
    Engines,
    Examples,
    Judge,
    LanguageModel,
    ModelIdentity,
    Searcher,
    Step,
    Stop,
    TokenVectors,
    never,
    silent,
)
from core.retrieval.corpus import Chunking, cut
from core.retrieval.index import Index
from core.retrieval.kept import KeptIndex, open_index
from core.types import Case, Claim, CorpusSummary, Document, Failure, Outcome, StepTime
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe, recipe_named
from core.verification.recipes.files import read_recipe
from core.wording import counted

MAX_CLAIM_CHARACTERS = 2000
CHECKING = "Check the claim"
READING = "Read the documents"
INDEXING = "Index the passages"


@dataclass(frozen=True)
class Request:
    """What a user asks for: a claim, where its evidence comes from, and how to work.

    `stores` are paths of knowledge stores, `urls` are fetched, `example` is the id of a bundled example, and
    `documents` were read before (uploads). `keep_index` keeps the passages' vectors for the next time.
    `include_late` also searches documents published after the claim. `own_recipe` is the text of the user's own
    recipe file, which `recipe` then names; empty for a built-in one. `training` is the path of annotated claims to
    take few-shot examples from, or empty.
    """

    claim: Claim
    stores: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    example: str = ""
    documents: tuple[Document, ...] = ()
    recipe: str = DEFAULT
    own_recipe: str = ""
    training: str = ""
    model: str = "bundled"
    seed: int = 0
    sentences: int = 3
    include_late: bool = False
    keep_index: bool = False


@dataclass(frozen=True)
class Progress:
    """Where a run is: stage `position` of `stages` (from 1), and what it found; `found` is empty while it works.

    `detail` says what a long stage is doing. `case` holds everything found so far; `seconds` count from the start.
    """

    stage: str
    position: int
    stages: int
    seconds: float
    case: Case
    found: str = ""
    detail: str = ""


@dataclass
class CachingEncoder:
    """An encoder that encodes each text once in a case: passages come back to be ranked, told apart and weighed."""

    encoder: Encoder
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def identity(self) -> ModelIdentity:
        return self.encoder.identity

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors.update(zip(new, self.encoder.encode(new, stop=stop), strict=True))
        return np.stack([self.vectors[text] for text in texts]) if texts else self.encoder.encode(texts)

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        """See `ContextualEncoder.token_vectors`. Raises ModelError if the encoder behind it has none."""
        if not isinstance(self.encoder, ContextualEncoder):
            raise ModelError(f"{self.identity.name} gives no vectors of single words, which reading a passage needs.")
        return self.encoder.token_vectors(texts, stop=stop)


OnProgress = Callable[[Progress], None]

Take = Callable[[Step, Case, Engines, Sequence[Step]], Case]
"""Does one step of a recipe on a case; told the steps that come after it."""


def unheard(progress: Progress) -> None:
    """The listener that takes no notice."""


def do(step: Step, case: Case, engines: Engines, later: Sequence[Step]) -> Case:
    """Do a step as it stands."""
    return step(case, engines)


@dataclass(frozen=True)
class Workbench:
    """The engines that outlive a case. `indexes` is the folder of kept indexes."""

    encoder: Encoder
    llm: LanguageModel
    judge: Judge
    indexes: Path
    examples: Examples | None = None


@dataclass
class Stages:
    """Tells a listener where the run is, and notes how long each stage took. `stage` is the one at work."""

    count: int
    on_progress: OnProgress
    case: Case
    started: float = field(default_factory=time.perf_counter)
    position: int = 0
    stage: str = CHECKING

    def tell(self, stage: str, *, found: str = "", detail: str = "") -> None:
        seconds = time.perf_counter() - self.started
        self.on_progress(Progress(stage, self.position, self.count, seconds, self.case, found, detail))

    def run(self, stage: str, work: Callable[[], Case], found: Callable[[Case], str]) -> None:
        self.position += 1
        self.stage = stage
        self.tell(stage)
        began = time.perf_counter()
        case = work()
        words = found(case)
        taken = StepTime(stage, time.perf_counter() - began, words)
        self.case = replace(case, times=(*self.case.times, taken))
        self.tell(stage, found=words)


def checked(claim: Claim) -> Claim:
    """Return the claim on one line. Raises BadInput if it has no letter or digit, or over MAX_CLAIM_CHARACTERS."""
    text = " ".join(claim.text.split())
    if not any(sign.isalnum() for sign in text):
        raise BadInput("The claim is empty: write the sentence that you want to check.")
    if len(text) > MAX_CLAIM_CHARACTERS:
        raise BadInput(
            f"The claim has {len(text):,} characters; {MAX_CLAIM_CHARACTERS:,} are the most. "
            "Shorten it to the one statement that you want to check."
        )
    return replace(claim, text=text)


def gather(request: Request, *, stop: Stop) -> tuple[list[Document], list[str]]:
    """Return the documents that a request names, each text once, and notes on those that could not be read.

    Raises BadInput where there are none, and BadRecord for a broken knowledge store.
    """
    notes: list[str] = []
    found = list(request.documents)
    for path in request.stores:
        store = load_store(Path(path))
        found += store.documents
        if store.empty:
            notes.append(f"{store.empty} documents of {path} have no text and were left out.")
    if request.example:
        found += next((item.documents for item in examples() if item.id == request.example), ())
    if request.urls:
        fetched = fetch_all(request.urls, stop=stop)
        found += fetched.documents
        notes += fetched.problems
    if not found:
        raise BadInput(" ".join(["There are no documents to search: add files, addresses or a store.", *notes]))
    return each_once(found), notes


def each_once(documents: Iterable[Document]) -> list[Document]:
    """Return each text once, as it was first found, with the earliest date that any copy of it bears."""
    found: dict[str, Document] = {}
    for document in documents:
        first = found.setdefault(document.digest, document)
        if document.published and (first.published is None or document.published < first.published):
            found[document.digest] = replace(first, published=document.published)
    return list(found.values())


def summarise(documents: Sequence[Document], passage_count: int, late: int, undated: int) -> CorpusSummary:
    """Return what will be searched, with one hash over the documents' hashes in order."""
    digest = hashlib.sha256("".join(document.digest for document in documents).encode()).hexdigest()
    return CorpusSummary(len(documents), passage_count, late, undated, digest)


def verify(stages: Stages, recipe: Recipe, engines: Engines, take: Take = do) -> Case:
    """Return the case after every step of the recipe. Raises what the steps raise."""
    for place in range(len(recipe.steps)):
        do_one(place, stages, recipe, engines, take)
    return stages.case


def do_one(place: int, stages: Stages, recipe: Recipe, engines: Engines, take: Take = do) -> None:
    """Do the step at `place` of the recipe (from 0) on the case of `stages`. Raises what the step raises."""
    if engines.stop():
        raise Cancelled("Stopped.")
    step, later = recipe.steps[place], recipe.steps[place + 1 :]
    stages.run(step.title, partial(taken, take, step, stages, engines, later), step.found)


def taken(take: Take, step: Step, stages: Stages, engines: Engines, later: Sequence[Step]) -> Case:
    """Return the case after one step, which reports to the listener under its own title."""
    heard = replace(engines, report=lambda words: stages.tell(step.title, detail=words))
    return take(step, stages.case, heard, later)


def recipe_of(request: Request) -> Recipe:
    """Return the recipe that a request asks for. Raises BadInput if there is none, or if the user's own is none."""
    return read_recipe(request.own_recipe, file=request.recipe) if request.own_recipe else recipe_named(request.recipe)


def add_caveat(case: Case, recipe: Recipe, request: Request) -> Case:
    """Return the case, with what a reader must know of a verdict on evidence that its judge was not fitted on."""
    fitted = RECIPES[DEFAULT]
    if recipe.steps != fitted.steps:
        here = f"the evidence that the recipe “{fitted.title}” finds, not on that of “{recipe.title}”"
    elif request.sentences != Request.sentences:
        here = f"passages of {Request.sentences} sentences, not on passages of {request.sentences}"
    else:
        return case
    if case.verdict is None:
        return case
    caveat = f"This judge was fitted and measured on {here}: nobody has measured how often it is right here."
    return replace(case, verdict=replace(case.verdict, caveat=caveat))


def investigate(
    request: Request,
    bench: Workbench,
    *,
    on_progress: OnProgress = unheard,
    stop: Stop = never,
    searcher: Searcher | None = None,
    take: Take = do,
) -> Outcome:
    """Return the case that a request comes to, or the step that failed and why.

    With a `searcher`, its passages are searched in place of the documents that the request names. `take` does the
    steps, for a caller that wants less of them done.
    Raises Cancelled if `stop` says so.
    """
    stages = Stages(0, on_progress, Case(request.claim))
    try:
        stages.case = Case(checked(request.claim))
        recipe = recipe_of(request)
        stages.count = len(recipe.steps) + (0 if searcher else 2)
        encoder = CachingEncoder(bench.encoder)
        prepared = searcher or prepare(request, replace(bench, encoder=encoder), stages, stop)
        engines = Engines(prepared, encoder, bench.llm, bench.judge, bench.examples, request.seed, stop)
        return add_caveat(verify(stages, recipe, engines, take), recipe, request)
    except Cancelled:
        raise
    except VerideskError as error:
        return Failure(request.claim.id, stages.stage, str(error))


def told(stages: Stages, words: str) -> None:
    """Pass on what a long indexing run is doing."""
    stages.tell(INDEXING, detail=words)


def named(request: Request) -> str:
    """Return what people call the documents of a request: its stores by name, or how many files there are."""
    stores = ", ".join(Path(store).name for store in request.stores)
    others = counted(len(request.documents) + len(request.urls), "file")
    return stores or (f"Example {request.example}" if request.example else others)


def chunking_of(request: Request) -> Chunking:
    """Return how a request wants documents cut: neighbouring passages share a sentence where they have several."""
    return Chunking(request.sentences, min(1, request.sentences - 1))


def index_of(
    request: Request,
    documents: Sequence[Document],
    encoder: Encoder,
    indexes: Path,
    *,
    stop: Stop = never,
    report: Callable[[str], None] = silent,
) -> KeptIndex:
    """Return the kept index of a request's documents, built where there is none."""
    return open_index(
        indexes,
        documents,
        encoder,
        chunking=chunking_of(request),
        name=named(request),
        stop=stop,
        report=report,
    )


def documents_of(request: Request, *, stop: Stop = never) -> tuple[list[Document], CorpusSummary, list[str]]:
    """Return the documents to be searched, what they are in figures, and notes on those that could not be read.

    Raises as `gather` does, and BadInput if all were published after the claim.
    """
    documents, notes = gather(request, stop=stop)
    deadline = None if request.include_late else request.claim.date
    before, late, undated = published_before(documents, deadline)
    if not before:
        raise BadInput(
            f"All {late} documents were published after the claim: check its date, or allow later documents."
        )
    return before, summarise(before, 0, late, undated), notes


def prepare(request: Request, bench: Workbench, stages: Stages, stop: Stop) -> Searcher:
    """Read and index the documents that a request names, in two stages."""
    kept: list[Document] = []
    searchers: list[Searcher] = []

    def read() -> Case:
        documents, corpus, notes = documents_of(request, stop=stop)
        kept.extend(documents)
        return replace(stages.case, corpus=corpus, notes=tuple(notes))

    def index() -> Case:
        searchers.append(
            index_of(request, kept, bench.encoder, bench.indexes, stop=stop, report=partial(told, stages))
            if request.keep_index
            else Index(cut(kept, chunking_of(request)), bench.encoder, stop=stop)
        )
        return replace(stages.case, corpus=replace(stages.case.corpus, passages=len(searchers[0].passages)))

    stages.run(READING, read, lambda case: counted(case.corpus.documents, "document"))
    stages.run(INDEXING, index, lambda case: counted(case.corpus.passages, "passage"))
    return searchers[0]
