"""List the metrics by name, with titles of their scores and their meaning: range, direction, source."""

from __future__ import annotations

from core.scoring.metrics.answers import ANSWERS
from core.scoring.metrics.ev2r_metric import EV2R
from core.scoring.metrics.hungarian_meteor_metric import HUNGARIAN_METEOR
from core.scoring.metrics.metric import UNIT_RANGE
from core.scoring.metrics.soft_coverage import SOFT_COVERAGE
from core.scoring.metrics.verdict import VERDICTS

METRICS = {one.name: one for one in (HUNGARIAN_METEOR, SOFT_COVERAGE, EV2R, VERDICTS, ANSWERS)}
"""In the order in which they are offered. A new metric is one more file and one more name here."""

TITLES = {name: one.title for name, one in METRICS.items()}
MEANINGS = {score: words for one in METRICS.values() for score, words in one.meanings.items()}
JUDGED = frozenset(name for name, one in METRICS.items() if one.judged)
EVIDENCE_ITEMS = {name: one.evidence for name, one in METRICS.items() if one.evidence}
"""The metrics of evidence, and the items of each that a stress test watches."""

_SHORT = {"q": "Q only", "q+a": "Q + A", "accuracy": "Accuracy", "macro-f1": "Macro F1", "averitec": "AVeriTeC"}


def short_title(metric: str) -> str:
    """Return a column's title: "AVeriTeC @ 0.25" for "hungarian-meteor:averitec@0.25"."""
    name = metric.partition(":")[2]
    for sign in (">=", ">", "@"):
        base, found, level = name.partition(sign)
        if found:
            return f"{_SHORT.get(base, base)} {'≥' if sign == '>=' else sign} {level}"
    return _SHORT.get(name, name.replace("-", " ").capitalize())


def long_title(metric: str) -> str:
    """Return a metric's full name: "Hungarian METEOR, AVeriTeC @ 0.25"."""
    family = metric.partition(":")[0]
    return f"{TITLES.get(family, family)}, {short_title(metric)}"


def name_in_words(metric: str) -> str:
    """Return a metric's name for a sentence: "Hungarian METEOR (Q + A)"; unknown names stay unchanged."""
    family, colon, _ = metric.partition(":")
    return f"{TITLES[family]} ({short_title(metric)})" if colon and family in TITLES else metric


def meaning(metric: str) -> str:
    """Return a sentence on range, direction and source; empty for an unknown metric."""
    return MEANINGS.get(metric.partition("@")[0].partition(">")[0], "")


def range_of(metric: str) -> tuple[float, float]:
    """Return the lowest and highest possible score."""
    registered = METRICS.get(metric.partition(":")[0])
    return registered.ranges.get(metric, UNIT_RANGE) if registered else UNIT_RANGE
