"""Are the statistics of Agreement honest? 1,000 simulated studies in each design that the page offers.

    python tests/benchmarks/calibration.py [--studies 1000]

A study has items with a score each, raters who answer on a scale of five, and what they share: raters of one item see
the same item, one rater is severe, one system's items are alike. Under the null the scores of two metrics have nothing
to do with the ratings; then p < .05 is a false positive, and a 95 % interval should cover 0. Power is the share of
studies with p < .05 where one metric does follow the ratings.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.statistics.bootstrap import Floats
from core.statistics.correlation import Coefficient, correlate
from core.statistics.permutation import perm_both
from core.tabular.exports import to_text
from core.tabular.table import Column, Table

ALPHA = 0.05
RESAMPLES = 400
EFFECT = 0.5
"""How much of a following metric's spread comes from what the raters see (as a correlation)."""

THRESHOLDS = (-1.2, -0.4, 0.4, 1.2)
"""Where a rater's impression, a standard normal number, becomes 1 to 5."""


@dataclass(frozen=True)
class Design:
    """`groups` × `size` ratings; a share of the spread of scores and of ratings is common to a group.

    Groups are what the analysis takes as clusters: items with `size` raters each, raters with `size` items each, …
    """

    name: str
    groups: int
    size: int
    scores_shared: float
    ratings_shared: float


DESIGNS = (
    Design("1 rater, 60 items", 60, 1, 1.0, 0.6),
    Design("3 raters of 60 items", 60, 3, 1.0, 0.6),
    Design("3 raters of 12 items", 12, 3, 1.0, 0.6),
    Design("by rater: 12 with 20 items each", 12, 20, 0.0, 0.3),
    Design("by system: 8 with 20 items each", 8, 20, 0.3, 0.3),
)


@dataclass(frozen=True)
class Calibration:
    """Shares of the studies, each in [0, 1], for a correlation and for two metrics compared (PERM-BOTH)."""

    design: str
    false_positives: float
    coverage: float
    power: float
    compared_false_positives: float
    compared_power: float


def study(design: Design, generator: np.random.Generator, *, effect: float) -> tuple[Floats, Floats, Floats, NDArray]:
    """Return the scores of two metrics, the ratings, and the group of each; the first metric follows the ratings."""
    groups = np.repeat(np.arange(design.groups), design.size)

    def mixed(shared: float) -> tuple[Floats, Floats]:
        return np.sqrt(shared) * generator.normal(size=design.groups)[groups], np.sqrt(1 - shared) * generator.normal(
            size=len(groups)
        )

    common, own = mixed(design.ratings_shared)
    seen = common / np.sqrt(design.ratings_shared) if design.scores_shared == 1 else common + own
    first, second = (sum(mixed(design.scores_shared)) for _ in range(2))
    first = effect * seen + np.sqrt(1 - effect**2) * first
    return first, second, np.digitize(common + own, THRESHOLDS) + 1.0, groups


def studies(design: Design, count: int, *, effect: float) -> Iterator[tuple[Floats, Floats, Floats, NDArray]]:
    generator = np.random.default_rng([design.groups, design.size, round(100 * effect)])
    return (study(design, generator, effect=effect) for _ in range(count))


def calibrate(design: Design, count: int, *, coefficient: Coefficient = Coefficient.SPEARMAN) -> Calibration:
    """Run so many studies without and with an effect."""
    found = partial(correlate, coefficient=coefficient, seed=0, resamples=RESAMPLES)
    compared = partial(perm_both, coefficient=coefficient, seed=0, resamples=RESAMPLES)
    positives, covered, compared_positives = [], [], []
    for first, second, ratings, groups in studies(design, count, effect=0.0):
        one = found(first, ratings, clusters=groups)
        assert one.interval is not None
        assert one.p is not None
        positives.append(one.p < ALPHA)
        covered.append(one.interval.low <= 0 <= one.interval.high)
        compared_positives.append(compared(ratings, first, second, clusters=groups).p < ALPHA)
    power, compared_power = [], []
    for first, second, ratings, groups in studies(design, count, effect=EFFECT):
        power.append((found(first, ratings, clusters=groups).p or 0.0) < ALPHA)
        compared_power.append(compared(ratings, first, second, clusters=groups).p < ALPHA)
    shares = (positives, covered, power, compared_positives, compared_power)
    return Calibration(design.name, *(float(np.mean(share)) for share in shares))


def calibration_table(rows: Sequence[Calibration], count: int) -> Table:
    columns = (
        Column("Design"),
        *(Column(title, 1, "%") for title in ("False positives", "Coverage", "Power")),
        *(Column(title, 1, "%") for title in ("Comparison: false positives", "Power")),
    )
    figures = tuple((row.design, *(100 * share for share in list(vars(row).values())[1:])) for row in rows)
    note = f"{count:,} studies a design and column, p < .05, 95 % intervals, Spearman; power against {EFFECT}."
    return Table("calibration", "The statistics of Agreement on simulated studies", columns, figures, note)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    count = parser.parse_args().studies
    print(to_text(calibration_table([calibrate(design, count) for design in DESIGNS], count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
