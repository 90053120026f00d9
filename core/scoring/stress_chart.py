"""The picture of a stress test as SVG text that stands alone: no script, no outside file."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from core.scoring.stress import CLEAR, Movement
from core.scoring.titles import FAMILIES

WIDTH, LEFT, RIGHT, TOP, ROW = 640, 172, 18, 46, 15
COLOURS = ("#2f7fb0", "#c8681f", "#a4568c")
"""Of the metrics in order; they are told apart by shape, too, and can be read on white and on black."""

SHAPES = ("circle", "square", "triangle")

Across = Callable[[float], float]


def movement_chart(movements: Sequence[Movement]) -> str:
    """Return each metric's movement under each perturbation, with its 95 % interval; the band is ±0.05."""
    drawn = [one for one in movements if one.interval is not None]
    metrics = list(dict.fromkeys(one.metric for one in movements))
    names = list(dict.fromkeys((one.expected, one.perturbation) for one in movements))
    low = min([-2 * CLEAR, *(one.interval.low for one in drawn if one.interval)])
    high = max([2 * CLEAR, *(one.interval.high for one in drawn if one.interval)])
    step = ROW * len(metrics) + 10
    height = TOP + step * len(names) + 34

    def across(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    parts = [*_legend(metrics), *_axis(across, low, high, height)]
    for row, (expected, name) in enumerate(names):
        middle = TOP + step * row + step / 2
        parts.append(_text(LEFT - 12, middle - 2, name, "end"))
        parts.append(_text(LEFT - 12, middle + 11, f"should {expected.removesuffix('s')}", "end", faint=True))
        for one in drawn:
            if one.perturbation == name and one.interval and one.moved is not None:
                place = metrics.index(one.metric)
                y = TOP + step * row + 5 + ROW * (place + 0.5)
                parts.append(_bar(across(one.interval.low), across(one.interval.high), y, place))
                parts.append(_mark(across(one.moved), y, place))
    label = "How far each metric moves under each change of the evidence, with 95 % intervals"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="{label}" font-family="sans-serif" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>\n'
    )


def _legend(metrics: Sequence[str]) -> list[str]:
    parts = []
    for place, metric in enumerate(metrics):
        x = LEFT + 150 * place
        parts += [_mark(x, 14, place), _text(x + 10, 18, FAMILIES[metric.partition(":")[0]], "start")]
    return parts


def _axis(across: Across, low: float, high: float, height: float) -> list[str]:
    band = across(CLEAR) - across(-CLEAR)
    bottom = height - 30
    parts = [
        f'<rect x="{across(-CLEAR):.1f}" y="{TOP - 10}" width="{band:.1f}" height="{bottom - TOP + 10:.1f}" '
        'fill-opacity="0.08"/>',
        f'<path d="M{across(0):.1f} {TOP - 10}V{bottom:.1f}" stroke="currentColor" stroke-opacity="0.5"/>',
    ]
    parts += [_text(across(value), bottom + 14, f"{value:+.2f}", "middle", faint=True) for value in (low, high)]
    return [*parts, _text(across(0), bottom + 14, "0", "middle"), _text(across(0), height - 3, "moves by", "middle")]


def _bar(start: float, end: float, y: float, place: int) -> str:
    colour = COLOURS[place]
    return f'<path d="M{start:.1f} {y:.1f}H{end:.1f}" stroke="{colour}" stroke-width="2"/>'


def _mark(x: float, y: float, place: int) -> str:
    shape, colour = SHAPES[place], COLOURS[place]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    if shape == "square":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str, *, faint: bool = False) -> str:
    dim = ' fill-opacity="0.65" font-size="10.5"' if faint else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{dim}>{html.escape(words)}</text>'
