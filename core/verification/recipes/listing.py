"""List the recipes, or show one of them in full, as a file or as a picture."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import BadField, Help, Place, Reads
from core.verification.recipes import DEFAULT

if TYPE_CHECKING:
    from core.verification.recipes.catalogue import Recipe


@dataclass(frozen=True)
class RecipesRequest:
    """List the recipes, or print one as a file or a picture."""

    name: Annotated[
        str, Place("NAME|FILE"), Reads(), Help("a recipe, or a recipe file of your own (*.toml); all if left out")
    ] = ""
    toml: Annotated[bool, Help("print it as a recipe file, to be changed and used")] = False
    picture: Annotated[bool, Help("print it as an SVG picture of its steps")] = False

    def __post_init__(self) -> None:
        if self.toml and self.picture:
            raise BadField("picture", "Choose a recipe file or a picture, not both.")


def listing(request: RecipesRequest, context: ActionContext) -> str:
    """Return the recipes in short, or one as it was asked for. Raises BadInput if there is none of that name."""
    from core.verification.recipes import catalogue  # all steps, for which `--help` should not wait
    from core.verification.recipes.picture import recipe_svg
    from core.verification.recipes.recipe_files import load_named, recipe_toml

    if not request.name:
        return "\n\n".join(about(recipe) for recipe in catalogue.RECIPES.values())
    recipe, form = load_named(request.name), in_full
    if request.toml or request.picture:
        form = recipe_toml if request.toml else recipe_svg
    return form(recipe).rstrip("\n")


def about(recipe: Recipe) -> str:
    """Return a recipe's description, for a terminal."""
    name = f"{recipe.name} (default)" if recipe.name == DEFAULT else recipe.name
    source = f"Source: {recipe.source}" if recipe.source else ""
    said = [line for text in (recipe.summary, source) for line in textwrap.wrap(text, 100)]
    return "\n".join([name, *(f"    {line}" for line in said)])


def in_full(recipe: Recipe) -> str:
    """Return a recipe with its steps and their settings."""
    from core.verification.recipes.picture import boxes_of

    boxes = [box for place, step in enumerate(recipe.steps, start=1) for box in boxes_of(step, str(place))]
    steps = (f"    {box.number:4} {box.title}" + (f": {', '.join(box.notes)}" if box.notes else "") for box in boxes)
    return "\n".join([about(recipe), "", *steps])


RECIPES = Action("recipes", RecipesRequest, listing, json=None)
