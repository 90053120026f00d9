"""Offer the built-in recipes and the file that the person brought."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.errors import BadInput
from core.settings import settings
from core.verification.recipes.catalogue import RECIPES, Recipe
from core.verification.recipes.recipe_files import adapters, read_recipe
from core.verification.request import Request
from pages.ui.claim_form.claim_draft import OWN, OWN_RECIPE, current
from pages.ui.notices import notice
from pages.ui.roles import from_this_machine


def offered_recipes() -> dict[str, Recipe]:
    """Return the built-in recipes by name and, as OWN, the one that the user brought on Verify."""
    try:
        mine = own_recipe()
    except BadInput as error:
        notice(str(error))
        mine = None
    return {**RECIPES, OWN: mine} if mine else dict(RECIPES)


def done_by(asked: Request, recipe: str) -> Request:
    """Return the request, by the built-in recipe of this name or, for OWN, by the user's own. Raises BadInput."""
    if recipe != OWN:
        return replace(asked, recipe=recipe, own_recipe="")
    mine = own_recipe()
    if mine is None:
        raise BadInput("Add your recipe file in the settings, or choose a built-in recipe.")
    return replace(asked, recipe=mine.name, own_recipe=current()[OWN_RECIPE])


def own_recipe() -> Recipe | None:
    """Return the recipe of the file that the user brought, None before that.

    Raises BadInput if it is no recipe, or if it names an adapter that may not be read here.
    """
    text = current()[OWN_RECIPE]
    if not text:
        return None
    recipe = read_recipe(text, file="Your recipe file")
    for path in (Path(file) for file in adapters(recipe)):
        if not settings().may_read(path, local=from_this_machine(), folder=settings().models):
            raise BadInput(
                f"{path}: this server is open to other machines, so recipes may use adapters in "
                f"{settings().models} only."
            )
    return recipe
