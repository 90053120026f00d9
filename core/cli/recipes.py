"""`python -m core recipes`: the recipes there are, and one of them as a file to change or as a picture."""

from __future__ import annotations

import argparse
import textwrap

from core.cli.common.paths import input_name
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.recipes.picture import boxes_of, recipe_svg
from core.verification.recipes.recipe_files import load_named, recipe_toml


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", type=input_name, nargs="?", metavar="NAME|FILE", help="a recipe, or a recipe file of your own (*.toml)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--toml", action="store_true", help="print it as a recipe file, to be changed and used")
    form.add_argument("--picture", action="store_true", help="print it as an SVG picture of its steps")


def run(args: argparse.Namespace) -> int:
    if not args.name:
        print("\n\n".join(about(recipe) for recipe in RECIPES.values()))
        return 0
    recipe = load_named(args.name)
    print((recipe_toml(recipe) if args.toml else recipe_svg(recipe) if args.picture else in_full(recipe)).rstrip("\n"))
    return 0


def about(recipe: Recipe) -> str:
    """Return a recipe's description, for a terminal."""
    name = f"{recipe.name} (default)" if recipe.name == DEFAULT else recipe.name
    said = [
        *textwrap.wrap(recipe.summary, 100),
        *textwrap.wrap(f"Source: {recipe.source}" if recipe.source else "", 100),
    ]
    return "\n".join([name, *(f"    {line}" for line in said)])


def in_full(recipe: Recipe) -> str:
    """Return a recipe with its steps and their settings."""
    boxes = [box for place, step in enumerate(recipe.steps, start=1) for box in boxes_of(step, str(place))]
    steps = (f"    {box.number:4} {box.title}" + (f": {', '.join(box.notes)}" if box.notes else "") for box in boxes)
    return "\n".join([about(recipe), "", *steps])
