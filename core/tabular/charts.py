"""Draw charts with Altair, for pages and for downloads as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

# Colours, each used with its own shape, with enough contrast on the light and the dark page.
COLOURS = ("#3a83a6", "#d07a2d", "#a75b93", "#6f8f3a", "#8b7bc8", "#b5655f")
MARK = COLOURS[0]
FAINT = "#8a9199"
"""Colour of axes and grid lines, visible on white and on black."""

WIDTH = 560
# Heights by row use `alt.Step`, because Streamlit applies a number to the whole chart with axes and legend.
MAX_STUB = 30
FORMATS = ("svg", "pdf", "png")

_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {"gridColor": FAINT, "gridOpacity": 0.3, "domainColor": FAINT, "tickColor": FAINT},
    "font": "sans-serif",
}
_INK = {part: {"labelColor": "currentColor", "titleColor": "currentColor"} for part in ("axis", "legend", "header")}

Chart = alt.Chart | alt.LayerChart | alt.FacetChart


def stubs(names: Sequence[str]) -> dict[str, str]:
    """Return names shortened for an axis in their middle, because names often differ only at their ends.

    Names with equal short forms stay whole.
    """
    cut = {name: name if len(name) <= MAX_STUB else f"{name[:14]}…{name[-15:]}" for name in names}
    taken = list(cut.values())
    return {name: stub if taken.count(stub) == 1 else name for name, stub in cut.items()}


def picture(chart: Chart, kind: str) -> bytes:
    """Return a chart as the bytes of a file: "pdf", "png" or "svg" (with its text in the surrounding colour).

    Nothing is downloaded: data and fonts are local.
    """
    import vl_convert

    spec = chart.to_dict()
    spec["config"] = {**_CONFIG, **_merged(_CONFIG, _INK if kind == "svg" else {})}
    if "facet" not in spec:
        spec["width"] = WIDTH
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode("utf-8")
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf({**spec, "background": "white"}, allowed_base_urls=[]))
    return bytes(vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=2, allowed_base_urls=[]))


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {name: {**first.get(name, {}), **value} for name, value in second.items()}
