"""Recipes of an agreement analysis: the rules that turn responses into numbers, and the independent units."""

from __future__ import annotations

from dataclasses import dataclass

CLUSTERS = {
    "item": "items",
    "claim": "claims",
    "claim-system": "claims and systems",
    "rater": "raters",
    "system": "systems",
    "response": "responses",
}
"""Units that a recipe may take as independent, with plurals. The published figures used "response"."""
BY_DESIGN = ""
"""The recipe's cluster that leaves the choice to the design: see `study.chosen_cluster`."""


@dataclass(frozen=True)
class AgreementRecipe:
    """The rules that turn responses into numbers for the analysis; `description` is a sentence about them.

    `excluded` are the ids of items left out. `first_rating_only` gives every response to an
    item the answers of the first one. `missing_as_zero` puts 0 for a missing answer; else it is dropped.
    `any_claim` also keeps a response to another claim than its item's: somebody typed another item's id.
    `rated_systems` says, by (item id, rating team), which system a response was about where the id is wrong.
    `conflicting_never_agrees` repeats a spelling slip: the form's "conflicting/cherry-picking" never equals
    the data's "Conflicting Evidence/Cherrypicking". `cluster`, one of CLUSTERS, is resampled and exchanged whole;
    BY_DESIGN takes claims and systems, or items. Raters of one item share its score, so their responses are not
    independent.
    """

    name: str
    description: str
    excluded: frozenset[str] = frozenset()
    first_rating_only: bool = False
    missing_as_zero: bool = False
    any_claim: bool = False
    rated_systems: tuple[tuple[tuple[str, str], str], ...] = ()
    conflicting_never_agrees: bool = False
    seed: int = 7
    resamples: int = 2000
    cluster: str = BY_DESIGN


RECIPES = {
    "default": AgreementRecipe(
        "default",
        "Keeps every rating of every item, drops missing answers and says how many, and imputes nothing. "
        "Leaves out responses to another claim than their item's: somebody typed another item's id.",
    ),
    "published": AgreementRecipe(
        "published",
        "Repeats the script behind the shared task's 2024 figures. The first rating of an id replaces all its "
        "ratings, and a missing answer counts as 0. Five ids are left out. A human verdict of conflicting evidence "
        "never equals the gold label. Responses are resampled as if all were independent.",
        excluded=frozenset({"333", "446", "844", "1161", "1641"}),
        first_rating_only=True,
        missing_as_zero=True,
        any_claim=True,
        rated_systems=((("1460", "HUMANE"), "HUMANE"),),
        conflicting_never_agrees=True,
        cluster="response",
    ),
}
