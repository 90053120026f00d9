"""List the metrics by name, with titles of their scores and their meaning: range, direction, source."""

from __future__ import annotations

from contextlib import suppress

from core.errors import BadInput
from core.scoring.metrics.answers import ANSWERS
from core.scoring.metrics.ev2r_metric import EV2R
from core.scoring.metrics.hungarian_meteor_metric import HUNGARIAN_METEOR
from core.scoring.metrics.metric import UNIT_RANGE, Registration
from core.scoring.metrics.own import SCORE, own_metrics
from core.scoring.metrics.soft_coverage import SOFT_COVERAGE
from core.scoring.metrics.verdict import VERDICTS
from core.scoring.own_metric import split_name

_BUILT_IN = (HUNGARIAN_METEOR, SOFT_COVERAGE, EV2R, VERDICTS)
_OWN, OWN_FAULTS = own_metrics({one.name for one in (*_BUILT_IN, ANSWERS)})
"""The administrator's metrics, and a sentence for each place that has no usable ones."""

METRICS = {one.name: one for one in (*_BUILT_IN, *_OWN, ANSWERS)}
"""In the order in which they are offered. A new metric is one more file and one more name here."""

TITLES = {name: one.title for name, one in METRICS.items()}
MEANINGS = {score: words for one in METRICS.values() for score, words in one.meanings.items()}
JUDGED = frozenset(name for name, one in METRICS.items() if one.judged)
EVIDENCE_ITEMS = {name: one.evidence for name, one in METRICS.items() if one.evidence}
"""The metrics of evidence, and the items of each that a stress test watches."""

_SHORT = {"q": "Q only", "q+a": "Q + A", "accuracy": "Accuracy", "macro-f1": "Macro F1", "averitec": "AVeriTeC"}


def registered(name: str) -> Registration:
    """Return the metric of a name, which may have parameters: "overlap(words=3)". Raises BadInput."""
    base, written = split_name(name)
    found = METRICS.get(base)
    if found is None or (written and not found.given):
        raise BadInput(" ".join((f"There is no metric {name[:80]!r} here, but {', '.join(METRICS)}.", *OWN_FAULTS)))
    return found.given(written) if found.given and written else found


def metric_name(name: str) -> str:
    """Return the name of a metric of claims in its one spelling. Raises BadInput."""
    if name == ANSWERS.name:
        raise BadInput(f"The metric {name!r} scores answers, not claims.")
    return registered(name).name


def evidence_name(name: str) -> str:
    """Return the name of a metric of evidence in its one spelling. Raises BadInput."""
    found = registered(name)
    if not found.evidence:
        raise BadInput(f"The metric {found.title} does not compare evidence.")
    return found.name


def title(name: str) -> str:
    """Return a metric's title; the name where no metric has it any more."""
    found = _found(name)
    return found.title if found else name


def short_title(metric: str) -> str:
    """Return a column's title: "AVeriTeC @ 0.25" for "hungarian-meteor:averitec@0.25"."""
    family, _, name = metric.partition(":")
    if name == SCORE:
        return title(family)
    for sign in (">=", ">", "@"):
        base, found, level = name.partition(sign)
        if found:
            return f"{_SHORT.get(base, base)} {'≥' if sign == '>=' else sign} {level}"
    return _SHORT.get(name, name.replace("-", " ").capitalize())


def long_title(metric: str) -> str:
    """Return a metric's full name: "Hungarian METEOR, AVeriTeC @ 0.25"."""
    family, _, name = metric.partition(":")
    return title(family) if name == SCORE else f"{title(family)}, {short_title(metric)}"


def name_in_words(metric: str) -> str:
    """Return a metric's name for a sentence: "Hungarian METEOR (Q + A)"; unknown names stay unchanged."""
    family, colon, name = metric.partition(":")
    if not (colon and _found(family)):
        return metric
    return title(family) if name == SCORE else f"{title(family)} ({short_title(metric)})"


def meaning(metric: str) -> str:
    """Return a sentence on range, direction and source; empty for an unknown metric."""
    found = _found(metric.partition(":")[0])
    return found.meanings.get(metric.partition("@")[0].partition(">")[0], "") if found else ""


def range_of(metric: str) -> tuple[float, float]:
    """Return the lowest and highest possible score."""
    found = _found(metric.partition(":")[0])
    return found.ranges.get(metric, UNIT_RANGE) if found else UNIT_RANGE


def columns_of(name: str) -> tuple[str, ...]:
    """Return the scores of a metric on its leaderboard."""
    found = _found(name)
    return found.columns if found else ()


def _found(name: str) -> Registration | None:
    with suppress(BadInput):
        return registered(name)
    return None
