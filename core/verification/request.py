"""A user's request: a claim, the sources of its evidence, and the way of working."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

from core.errors import BadInput
from core.interfaces import Step
from core.retrieval.corpus import Chunking
from core.search.search_plan import SearchOrder
from core.search_report import ReadAddress, SearchReport
from core.types import Claim, Document
from core.verification.recipes.catalogue import DEFAULT, Recipe, recipe_named
from core.verification.recipes.recipe_files import read_recipe
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.control import WithAdapter
from core.verification.steps.gathering import QuotePassages

MAX_CLAIM_CHARACTERS = 2000


@dataclass(frozen=True)
class Request:
    """A claim, the sources of its evidence, and the way of working.

    `stores` are paths of knowledge stores, `urls` are fetched, and `documents` were read before (uploads). `example` is
    the id of a bundled example. `keep_index` keeps the passages' vectors for the next time. `include_late` also
    searches documents published after the claim. `own_recipe` is the text of the user's own recipe file, which `recipe`
    then names; empty for a built-in one. `training` is the path of annotated claims to take few-shot examples from, or
    empty. `search` is the order for a search. `searched` is the report of an earlier search: its pages are read from
    their snapshots, and nothing leaves this machine. `fetched` are its web addresses as they were read before, from
    their snapshots too. `consent` is the digest of the person's consent to all that the request sends. Without
    `questions` passages are quoted, and no questions are written. `without` are the digests of documents that the
    person leaves out. `dates` are the days that they give to documents by digest, None for an unknown day.
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
    search: SearchOrder | None = None
    searched: SearchReport | None = None
    fetched: tuple[ReadAddress, ...] = ()
    consent: str = ""
    questions: bool = True
    without: tuple[str, ...] = ()
    dates: dict[str, date | None] = field(default_factory=dict)

    @property
    def chunking(self) -> Chunking:
        """How documents are cut: neighbouring passages share a sentence where they have several."""
        return Chunking(self.sentences, min(1, self.sentences - 1))


def checked(claim: Claim) -> Claim:
    """Return the claim on one line. Raises BadInput if it has no letter or digit, or over MAX_CLAIM_CHARACTERS."""
    text = " ".join(claim.text.split())
    if not any(character.isalnum() for character in text):
        raise BadInput("The claim is empty: write the sentence that you want to check.")
    if len(text) > MAX_CLAIM_CHARACTERS:
        raise BadInput(
            f"The claim has {len(text):,} characters; the limit is {MAX_CLAIM_CHARACTERS:,}. "
            "Shorten it to the one statement that you want to check."
        )
    return replace(claim, text=text)


def recipe_of(request: Request) -> Recipe:
    """Return the recipe that a request asks for, without questions to passages where it wants none.

    Raises BadInput if there is none, the user's own is unreadable, or it needs its questions.
    """
    own, name = request.own_recipe, request.recipe
    recipe = read_recipe(own, file=name) if own else recipe_named(name)
    return recipe if request.questions else without_questions(recipe)


def without_questions(recipe: Recipe) -> Recipe:
    """Return a recipe that quotes passages and asks no questions of them; one that quotes already is unchanged.

    Raises BadInput if it does neither.
    """
    if not any(asks_of_passages(step) or isinstance(step, QuotePassages) for step in recipe.steps):
        raise BadInput(
            f"“{recipe.title}” searches with its questions, so it cannot leave them out: choose another recipe."
        )
    return replace(recipe, steps=tuple(QuotePassages() if asks_of_passages(step) else step for step in recipe.steps))


def asks_of_passages(step: Step) -> bool:
    """Say whether a step writes questions to passages, with an adapter or without one."""
    return isinstance(step.step if isinstance(step, WithAdapter) else step, AskOfPassages)
