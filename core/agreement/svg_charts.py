"""Two small charts as SVG text, for a report that must stand alone: no script, no outside file."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.correlation import Correlation

WIDTH = 640
LEFT = 190
RIGHT = 24


def interval_chart(rows: Sequence[tuple[str, Correlation]]) -> str:
    """Return a dot with its 95 % interval for each named correlation, on an axis from −1 to 1 or narrower."""
    drawn = [(name, one, one.interval) for name, one in rows if one.value is not None and one.interval is not None]
    if not drawn:
        defined = any(one.value is not None for _, one in rows)
        words = "There are too few items for an interval." if defined else "No correlation is defined."
        return f"<p class=note>{words}</p>"
    low = min(0.0, *(interval.low for _, _, interval in drawn))
    high = max(0.0, *(interval.high for _, _, interval in drawn))

    def place(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    height = 28 * len(drawn) + 40
    parts = [_line(place(0), 8, place(0), height - 28, "var(--line)")]
    for i, (name, one, interval) in enumerate(drawn):
        y = 22 + 28 * i
        parts.append(_text(LEFT - 12, y + 4, name, "end"))
        parts.append(_line(place(interval.low), y, place(interval.high), y, "var(--mark)", 2))
        parts.append(f"<circle cx='{place(one.value or 0.0):.1f}' cy='{y}' r='5' fill='var(--mark)'/>")
    for value in (low, 0.0, high):
        parts.append(_text(place(value), height - 8, f"{value:.2f}", "middle"))
    return _svg(height, parts, "Correlation of each metric with people, with its 95 % interval")


def scatter_chart(
    scores: NDArray[np.float64], ratings: NDArray[np.float64], *, x: str, y: str, seed: int, height: int = 320
) -> str:
    """Return the responses as points, ratings jittered by up to 0.18 of a step, with the least-squares line."""
    if not len(scores):
        return "<p class=note>No response has both.</p>"
    jitter = np.random.default_rng(seed).uniform(-0.18, 0.18, len(ratings))
    spread = float(np.ptp(scores)) or 1.0
    bottom, top = float(ratings.min()) - 0.4, float(ratings.max()) + 0.4
    left, foot = 48, height - 40

    def across(value: float) -> float:
        return left + (value - float(scores.min())) / spread * (WIDTH - left - RIGHT)

    def up(value: float) -> float:
        return foot - (value - bottom) / (top - bottom) * (foot - 12)

    parts = [
        f"<circle cx='{across(score):.1f}' cy='{up(rating):.1f}' r='3.5' fill='var(--mark)' fill-opacity='.45'/>"
        for score, rating in zip(scores.tolist(), (ratings + jitter).tolist(), strict=True)
    ]
    if np.ptp(scores) > 0:
        slope, start = np.polyfit(scores, ratings, 1)
        ends = float(scores.min()), float(scores.max())
        heights = [up(float(start + slope * end)) for end in ends]
        parts.append(_line(across(ends[0]), heights[0], across(ends[1]), heights[1], "var(--ink)", 1.5))
    parts += [_text(left - 14, up(value) + 4, f"{value:g}", "end") for value in np.unique(ratings).tolist()]
    for end, anchor in ((float(scores.min()), "start"), (float(scores.max()), "end")):
        parts.append(_text(across(end), height - 22, f"{end:.3g}", anchor))
    parts.append(_text(WIDTH / 2, height - 6, f"{x} (across) and {y.lower()} (up)", "middle"))
    return _svg(height, parts, f"{y} against {x}")


def _svg(height: int, parts: Sequence[str], label: str) -> str:
    return (
        f"<svg viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' role='img' "
        f"aria-label='{html.escape(label, quote=True)}' xmlns='http://www.w3.org/2000/svg'>{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-width='{width}'/>"


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>{html.escape(words)}</text>"
