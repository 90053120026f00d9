"""Recipes as TOML files: a name, a title, and a list of steps with their settings.

    name = "my_recipe"
    title = "My recipe"

    [[steps]]
    do = "Retrieve"
    pool = 200

A step within a step has a table of its own ([steps.step], [[steps.steps]]). `adapter`, the path of a LoRA
adapter, is a setting of every step. A missing setting has the step's default.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from core.errors import BadRecord
from core.files import expanded
from core.interfaces import Step
from core.records import parse_toml, read_text
from core.verification.recipes.catalogue import RECIPES, Recipe, recipe_named
from core.verification.recipes.values import checked_value, described, is_step, is_steps, needed, settings_of, shown
from core.verification.steps.control import Repeat, WithAdapter
from core.verification.steps.judging import PredictVeracity
from core.verification.steps.registry import STEPS

MAX_PATH = 4096
MAX_STEPS = 40
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
ABOUT = {"name": 60, "title": 100, "summary": 600, "source": 600}
"""The descriptive keys of a recipe, with the most characters of each; name and title are required."""

Table = dict[str, Any]


def load_recipe(path: Path) -> Recipe:
    """Return the recipe in a file. Adapters may be named relative to its folder. Raises BadInput."""
    text = read_text(path)
    return own(read_recipe(text, file=path.name, folder=path.absolute().parent), path.name)


def read_recipe(text: str, *, file: str, folder: Path | None = None) -> Recipe:
    """Return the recipe that a TOML text describes.

    Raises BadRecord. The sentence names `file`, the number of the step, the key, and the possible values.
    Without a `folder`, the path of an adapter must be absolute.
    """
    record = parse_toml(file, text)
    unknown = next((key for key in record if key not in (*ABOUT, "steps")), None)
    if unknown is not None:
        raise BadRecord(f"{file}: there is no {shown(unknown)} in a recipe; there are: {', '.join(ABOUT)}, steps.")
    about = {key: read_words(record, key, file) for key in ABOUT}
    return checked_recipe(Recipe(**about, steps=Reader(file, folder).steps(record.get("steps"))), file)


def read_words(record: Table, key: str, file: str) -> str:
    """Return one of the texts that a recipe says of itself, on one line."""
    value = record.get(key, "")
    if not isinstance(value, str):
        raise BadRecord(f"{file}: '{key}' must be a text, got {shown(value)}.")
    words = " ".join(value.split())
    if len(words) > ABOUT[key]:
        raise BadRecord(f"{file}: '{key}' has {len(words):,} characters; the limit is {ABOUT[key]}.")
    if key == "title" and not words:
        raise BadRecord(f"{file}: the recipe needs a 'title': a few words that name it.")
    if key == "name" and not NAME.fullmatch(words):
        raise BadRecord(
            f"{file}: the recipe needs a 'name' of letters, digits, - and _ (60 at most), got {shown(words)}."
        )
    return words


@dataclass(frozen=True)
class Reader:
    """Reads the steps of one file. `folder` is where the paths of adapters begin; None if they must be absolute."""

    file: str
    folder: Path | None

    def steps(self, given: Any, number: str = "") -> tuple[Step, ...]:
        """Return a list of steps; `number` is that of the step that they are in, empty for the recipe's own."""
        if not isinstance(given, list) or not given or not all(isinstance(item, dict) for item in given):
            where = f"{self.file}, step {number}" if number else self.file
            raise BadRecord(f"{where}: 'steps' must be a list of steps: begin each with [[steps]] and do = \"…\".")
        return tuple(
            self.step(item, f"{number}.{place}" if number else str(place)) for place, item in enumerate(given, start=1)
        )

    def step(self, given: Table, number: str) -> Step:
        """Return one step. Raises BadRecord naming its number."""
        name = given.get("do")
        if not isinstance(name, str) or name not in STEPS:
            said = f"there is no step {shown(name)}" if "do" in given else "'do' is missing"
            raise BadRecord(f"{self.file}, step {number}: {said}; there are: {', '.join(STEPS)}.")
        here = f"{self.file}, step {number} ({name})"
        hints = settings_of(STEPS[name])
        unknown = next((key for key in given if key not in (*hints, "do", "adapter")), None)
        if unknown is not None:
            there = ", ".join([*hints, "adapter"])
            raise BadRecord(f"{here}: there is no setting {shown(unknown)}; there are: {there}.")
        for key in needed(STEPS[name]):
            if key not in given:
                raise BadRecord(f"{here}: '{key}' is missing; it must be {described(hints[key])}.")
        step: Step = STEPS[name](
            **{
                key: self.setting(given[key], hint, number, f"{here}: '{key}'")
                for key, hint in hints.items()
                if key in given
            }
        )
        return WithAdapter(step, self.adapter(given["adapter"], here)) if "adapter" in given else step

    def setting(self, value: Any, hint: Any, number: str, where: str) -> Any:
        """Return the value of one setting, which may be steps."""
        if is_steps(hint):
            return self.steps(value, number)
        if not is_step(hint):
            return checked_value(value, hint, where)
        if not isinstance(value, dict):
            raise BadRecord(f"{where} must be a step, got {shown(value)}.")
        return self.step(value, f"{number}.1")

    def adapter(self, value: Any, here: str) -> str:
        """Return the absolute path of an adapter. Raises BadRecord for anything but a path."""
        if not isinstance(value, str) or not value or len(value) > MAX_PATH:
            raise BadRecord(f"{here}: 'adapter' must be the path of a GGUF file, got {shown(value)}.")
        path = expanded(Path(value))
        if not path.is_absolute() and self.folder is None:
            raise BadRecord(f"{here}: 'adapter' must be a whole path from the root, got {shown(value)}.")
        return str(self.folder / path if self.folder else path)


def checked_recipe(recipe: Recipe, file: str) -> Recipe:
    """Return the recipe. Raises BadRecord if it cannot give a verdict or would take for ever."""
    every = [step for one in recipe.steps for step in flat(one)]
    if len(every) > MAX_STEPS:
        raise BadRecord(f"{file} has {len(every)} steps; the limit is {MAX_STEPS}.")
    if not any(isinstance(step, PredictVeracity) for step in every):
        raise BadRecord(f'{file}: no step gives a verdict; end with [[steps]] and do = "PredictVeracity".')
    for step in every:
        if isinstance(step, Repeat) and any(isinstance(inner, Repeat) for one in step.steps for inner in flat(one)):
            raise BadRecord(f"{file}: a Repeat within a Repeat is not possible: put their steps into one.")
    return recipe


def own(recipe: Recipe, file: str) -> Recipe:
    """Return a recipe that a user brings. Raises BadRecord if it has the name of a built-in one and other steps."""
    if recipe.name in RECIPES and recipe.steps != RECIPES[recipe.name].steps:
        raise BadRecord(f"{file}: {recipe.name!r} is a built-in recipe with other steps: give yours a name of its own.")
    return recipe


def flat(step: Step) -> list[Step]:
    """Return a step and all steps within it."""
    inner = [getattr(step, "step", None), *getattr(step, "steps", ())]
    return [step, *(deeper for one in inner if one is not None for deeper in flat(one))]


def adapters(recipe: Recipe) -> list[str]:
    """Return the paths of the adapters that a recipe's steps use."""
    return [step.adapter for one in recipe.steps for step in flat(one) if isinstance(step, WithAdapter)]


def recipe_toml(recipe: Recipe) -> str:
    """Return a recipe as the text of a file that `read_recipe` reads as the same recipe."""
    about = [f"{key} = {quoted(getattr(recipe, key))}" for key in ABOUT if getattr(recipe, key)]
    return "\n".join([*about, *(line for step in recipe.steps for line in step_lines(step, "steps", many=True))]) + "\n"


def step_lines(step: Step, path: str, *, many: bool) -> list[str]:
    """Return a step as the lines of a table at `path`; with `many`, of an array of tables."""
    adapter = step.adapter if isinstance(step, WithAdapter) else ""
    step = step.step if isinstance(step, WithAdapter) else step
    lines = ["", f"[[{path}]]" if many else f"[{path}]", f"do = {quoted(type(step).__name__)}"]
    lines += [f"adapter = {quoted(adapter)}"] if adapter else []
    below: list[str] = []
    for setting in fields(step):  # type: ignore[arg-type]  # every step is a dataclass
        value, hint = getattr(step, setting.name), settings_of(type(step))[setting.name]
        if is_steps(hint):
            below += [line for one in value for line in step_lines(one, f"{path}.{setting.name}", many=True)]
        elif is_step(hint):
            below += step_lines(value, f"{path}.{setting.name}", many=False)
        elif setting.name != "title" or value != setting.default:
            lines.append(f"{setting.name} = {quoted(value)}")
    return [*lines, *below]


def quoted(value: str | float | bool) -> str:
    """Return a value as TOML writes it. A text is written as in JSON: TOML has the same escapes."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def load_named(words: str) -> Recipe:
    """Return a built-in recipe by its name, or the one in a file with a path in .toml. Raises BadInput."""
    return load_recipe(Path(words)) if words.endswith(".toml") else recipe_named(words)


def chosen_recipe(words: str) -> tuple[str, str]:
    """Return the recipe's name, as `load_named` finds it, and the text of its file if it is the user's own."""
    recipe = load_named(words)
    return recipe.name, recipe_toml(recipe) if words.endswith(".toml") else ""
