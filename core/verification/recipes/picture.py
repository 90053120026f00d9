"""A recipe as a picture: its steps from top to bottom, as SVG text that needs nothing else.

It is drawn for a column of WIDTH pixels, which a telephone has. Its colour is that of the text around it, for light and
dark ground. As a file of its own it follows the reader's system.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from core.interfaces import Step
from core.verification.recipes.catalogue import Recipe
from core.verification.recipes.values import is_step, is_steps, settings_of
from core.verification.steps.control import Repeat, UnlessDecided, WithAdapter

WIDTH = 340
PADDING = 12
GAP = 18
FOOT = 8
"""Room below the last box, for the lower edge of a frame around it."""
LINE = 16
LETTER = 7.7
"""Mean width of a letter of a title in pixels, with some to spare; settings are set smaller."""
SMALL_LETTER = 6.2


@dataclass(frozen=True)
class Box:
    """One step as it is drawn. `depth` counts the rounds around it; `notes` are shown below its title."""

    number: str
    title: str
    notes: tuple[str, ...]
    depth: int = 0
    frame: bool = False


@dataclass(frozen=True)
class Picture:
    """A drawing, how high it is in pixels at the width of WIDTH, and all that it says in words."""

    svg: str
    height: float
    words: str


def recipe_svg(recipe: Recipe) -> str:
    """Return the steps of a recipe as SVG, with all that they say as alternative text."""
    return picture_of(recipe).svg


def picture_of(recipe: Recipe) -> Picture:
    """Return the steps of a recipe as a picture."""
    boxes = [box for place, step in enumerate(recipe.steps, start=1) for box in boxes_of(step, str(place))]
    parts = [frame(boxes, place) for place, box in enumerate(boxes) if box.frame]
    y = 1.0
    for place, box in enumerate(boxes):
        drawn, bottom = draw(box, y)
        parts += [*drawn, *(arrow(bottom) if place + 1 < len(boxes) else [])]
        y = bottom + (GAP if place + 1 < len(boxes) else FOOT)
    said = f"The steps of “{recipe.title}”: {described(boxes)}"
    # The attribute `color` is for readers of SVG that do not know light-dark().
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {y:.0f}' width='{WIDTH}' height='{y:.0f}' "
        f"role='img' aria-label='{escaped(said)}' color='#30363c' font-family='system-ui, sans-serif' "
        "style='max-width: 100%; height: auto; color-scheme: light dark; color: light-dark(#30363c, #e4e2dc)'>"
        f"{''.join(parts)}</svg>"
    )
    return Picture(svg, round(y), said)


def boxes_of(step: Step, number: str, depth: int = 0, before: tuple[str, ...] = ()) -> list[Box]:
    """Return a step, and those within it, as boxes; `before` are notes from the step around it."""
    if isinstance(step, WithAdapter):
        return boxes_of(step.step, number, depth, (*before, f"adapter {Path(step.adapter).name}"))
    if isinstance(step, UnlessDecided):
        return boxes_of(step.step, number, depth, (*before, "unless a step before has decided"))
    if isinstance(step, Repeat):
        rounds = f"again while there is not enough evidence, {step.rounds} rounds at most"
        inner = [
            box
            for place, one in enumerate(step.steps, start=1)
            for box in boxes_of(one, f"{number}.{place}", depth + 1)
        ]
        return [Box(number, step.title, (*before, rounds), depth, frame=True), *inner]
    return [Box(number, step.title, (*before, *settings_words(step)), depth)]


def settings_words(step: Step) -> list[str]:
    """Return the settings of a step as words, such as “pool 100”."""
    hints = settings_of(type(step))
    plain = (each.name for each in fields(step) if not is_step(hints[each.name]) and not is_steps(hints[each.name]))  # type: ignore[arg-type]  # every step is a dataclass
    values = {name: getattr(step, name) for name in plain if name != "title"}
    named = {name: name.replace("_", " ") for name in values}
    return [
        named[name] if value is True else f"{named[name]} {value}"
        for name, value in values.items()
        if value is not False
    ]


def described(boxes: Sequence[Box]) -> str:
    """Return all boxes in words."""
    return "; ".join(
        f"{box.number}. {box.title}" + (f" ({', '.join(box.notes)})" if box.notes else "") for box in boxes
    )


def left_of(box: Box) -> float:
    return 1.0 + box.depth * PADDING


def wrapped(box: Box) -> tuple[list[str], list[str]]:
    """Return title and notes in lines that fit into the box."""
    room = WIDTH - 2 * left_of(box) - 2 * PADDING - 24
    title = textwrap.wrap(box.title, max(10, int(room / LETTER))) or [""]
    return title, textwrap.wrap(", ".join(box.notes), max(10, int(room / SMALL_LETTER)))


def height_of(box: Box) -> float:
    title, notes = wrapped(box)
    return 2 * PADDING - 6 + LINE * len(title) + (LINE - 1) * len(notes)


def draw(box: Box, y: float) -> tuple[list[str], float]:
    """Return a box with its top at `y`, and the place of its bottom."""
    title, notes = wrapped(box)
    left, bottom = left_of(box), y + height_of(box)
    parts = [
        f"<rect x='{left:.1f}' y='{y:.1f}' width='{WIDTH - 2 * left:.1f}' height='{bottom - y:.1f}' rx='6' "
        "fill='currentColor' fill-opacity='0.05' stroke='currentColor' stroke-opacity='0.35'/>",
        words(left + PADDING, y + PADDING + 9, box.number, size=12, opacity=0.75),
    ]
    baseline = y + PADDING + 9
    for line in title:
        parts.append(words(left + PADDING + 24, baseline, line, size=13, weight=600))
        baseline += LINE
    for line in notes:
        parts.append(words(left + PADDING + 24, baseline, line, size=11.5, opacity=0.8))
        baseline += LINE - 1
    return parts, bottom


def frame(boxes: Sequence[Box], place: int) -> str:
    """Return the dashed frame around a box at `place` and the boxes within it."""
    within = 1 + next(
        (count for count, box in enumerate(boxes[place + 1 :]) if box.depth <= boxes[place].depth),
        len(boxes) - place - 1,
    )
    top = 1.0 + sum(height_of(box) + GAP for box in boxes[:place])
    height = sum(height_of(box) + GAP for box in boxes[place : place + within]) - GAP + 6
    left = left_of(boxes[place])
    return (
        f"<rect x='{left:.1f}' y='{top:.1f}' width='{WIDTH - 2 * left:.1f}' height='{height:.1f}' rx='6' fill='none' "
        "stroke='currentColor' stroke-opacity='0.5' stroke-dasharray='4 4'/>"
    )


def arrow(y: float) -> list[str]:
    """Return an arrow from the bottom of a box at `y` to the top of the next."""
    middle, tip = WIDTH / 2, y + GAP - 3
    path = f"M{middle} {y + 3:.1f}V{tip:.1f}M{middle - 4} {tip - 4:.1f}L{middle} {tip:.1f}L{middle + 4} {tip - 4:.1f}"
    return [f"<path d='{path}' fill='none' stroke='currentColor' stroke-opacity='0.6' stroke-width='1.5'/>"]


def words(x: float, y: float, text: str, *, size: float, weight: int = 400, opacity: float = 1.0) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size:g}' font-weight='{weight}' fill='currentColor' "
        f"fill-opacity='{opacity:g}'>{escaped(text)}</text>"
    )


def escaped(text: str) -> str:
    """Return a text escaped for SVG, without control characters, which XML does not allow."""
    return html.escape("".join(character for character in text if character.isprintable()), quote=True)
