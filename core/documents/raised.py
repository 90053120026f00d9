"""Settle raised figures: marks of footnotes go, powers stay raised, and ordinals and chemistry stay as they are."""

from __future__ import annotations

import re

BEGINS, ENDS = "\x0e", "\x0f"
"""Characters around a raised text until it is settled; no document has them."""

_RAISED = re.compile(rf"(?P<before>[^\W_]*|\S?){BEGINS}(?P<text>[^{BEGINS}{ENDS}]*){ENDS}")
_MARK = re.compile(r"[\[(]?(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[*†‡§]+|[a-z])[\])]?")
_FIGURES = re.compile(r"[-−]?\d{1,3}")
_HIGH = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_UNITS = frozenset("m km cm mm dm ft yd mi s h".split())


def marked(text: str) -> str:
    """Return a raised text with the characters around it that `settled` looks for."""
    return f"{BEGINS}{text}{ENDS}" if text.strip() else text


def is_small_figure(text: str) -> bool:
    """Say whether a text may be a mark of a footnote or a power, if it is small and raised."""
    return bool(_MARK.fullmatch(text.strip()) or _FIGURES.fullmatch(text.strip()))


def settled(text: str) -> str:
    """Return a text without its marks of footnotes, and with powers of units, letters and ten as raised figures.

    "34¹ people" has a mark, for no unit, letter or ten is before it; "5 m²", "10⁶" and "x²" have powers.
    """
    return _RAISED.sub(_settle, text).replace(BEGINS, "").replace(ENDS, "")


def _settle(found: re.Match[str]) -> str:
    before, text = found["before"], found["text"].strip()
    if _FIGURES.fullmatch(text) and (before in _UNITS or before == "10" or (len(before) == 1 and before.isalpha())):
        return before + text.translate(_HIGH)
    return before if _MARK.fullmatch(text) else before + text
