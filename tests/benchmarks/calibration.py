"""Are the statistics of Agreement honest? 1,000 simulated studies in each design that the page offers.

    python tests/benchmarks/calibration.py [--studies 1000] [--only WORDS]

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
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.statistics.bootstrap import Floats
from core.statistics.correlation import Coefficient, correlate
from core.statistics.crossed import Crossed
from core.statistics.permutation import PermutationResult, perm_both, perm_crossed
from core.tabular.exports import to_text
from core.tabular.table import Column, Table

ALPHA = 0.05
RESAMPLES = 400
EFFECT = 0.5
"""How much of a following metric's spread comes from what the raters see (as a correlation)."""

THRESHOLDS = (-1.2, -0.4, 0.4, 1.2)
"""Where a rater's impression, a standard normal number, becomes 1 to 5."""


SKEWED = (0.8, 1.3, 1.7, 2.1)
"""Where four in five ratings are 1, and few are 5."""


@dataclass(frozen=True)
class Design:
    """`groups` × `size` ratings; a share of the spread of scores and of ratings is common to a group.

    Groups are what the analysis takes as clusters: items with `size` raters each, raters with `size` items each, …
    `across` is the share that the systems add where groups are claims of `size` systems, None elsewhere. `zeros` is the
    share of scores that are 0; the others are then log-normal, and most ratings are 1. With `crossed` claims and
    systems are permuted.
    """

    name: str
    groups: int
    size: int
    scores_shared: float
    ratings_shared: float
    coefficient: Coefficient = Coefficient.SPEARMAN
    zeros: float = 0.0
    across: float | None = None
    crossed: bool = False


DESIGNS = (
    Design("1 rater, 60 items", 60, 1, 1.0, 0.6),
    Design("3 raters of 60 items", 60, 3, 1.0, 0.6),
    Design("3 raters of 12 items", 12, 3, 1.0, 0.6),
    Design("by rater: 12 with 20 items each", 12, 20, 0.0, 0.3),
    Design("by system: 8 with 20 items each", 8, 20, 0.3, 0.3),
    Design("by claim: 30 of 6 systems", 30, 6, 0.4, 0.4, across=0.0),
    Design("by claim: 30 of 6 systems, Pearson", 30, 6, 0.4, 0.4, Coefficient.PEARSON, across=0.0),
    Design("by claim and system: 30 of 6", 30, 6, 0.4, 0.4, across=0.0, crossed=True),
    Design("by claim and system: 30 of 6 that differ", 30, 6, 0.4, 0.4, across=0.2, crossed=True),
    Design("by claim and system: 30 of 6 that differ, Pearson", 30, 6, 0.4, 0.4, Coefficient.PEARSON, 0.0, 0.2, True),
    Design("Pearson, half zeros: 3 raters of 60 items", 60, 3, 1.0, 0.6, Coefficient.PEARSON, 0.5),
    Design("Pearson, half zeros: 1 rater, 60 items", 60, 1, 1.0, 0.6, Coefficient.PEARSON, 0.5),
    Design("four fifths zeros: 1 rater, 60 items", 60, 1, 1.0, 0.6, zeros=0.8),
    Design("Pearson, half zeros, by claim: 30 of 6 systems", 30, 6, 0.4, 0.4, Coefficient.PEARSON, 0.5, 0.0),
    Design("Kendall: 3 raters of 60 items", 60, 3, 1.0, 0.6, Coefficient.KENDALL),
)
OUTSIDE = "by claim: 30 of 6 systems that differ"
"""A design that the page warns of: claims alone are taken as independent, but systems are alike too."""


@dataclass(frozen=True)
class Calibration:
    """Shares of the studies, each in [0, 1], for a correlation and for two metrics compared (PERM-BOTH)."""

    design: str
    false_positives: float
    coverage: float
    power: float
    compared_false_positives: float
    compared_power: float


Clusters = NDArray[np.int64] | Crossed


def study(design: Design, generator: np.random.Generator, *, effect: float) -> tuple[Floats, Floats, Floats, Clusters]:
    """Return the scores of two metrics, the ratings, and the group of each; the first metric follows the ratings."""
    groups = np.repeat(np.arange(design.groups), design.size)
    systems = np.tile(np.arange(design.size), design.groups)
    across = design.across or 0.0

    def mixed(shared: float) -> tuple[Floats, Floats]:
        own = np.sqrt(1 - shared - across) * generator.normal(size=len(groups))
        if across:
            own = own + np.sqrt(across) * generator.normal(size=design.size)[systems]
        return np.sqrt(shared) * generator.normal(size=design.groups)[groups], own

    common, own = mixed(design.ratings_shared)
    seen = common / np.sqrt(design.ratings_shared) if design.scores_shared == 1 else common + own
    first, second = (sum(mixed(design.scores_shared)) for _ in range(2))
    first = effect * seen + np.sqrt(1 - effect**2) * first
    if design.zeros:
        first, second = (np.where(one < norm.ppf(design.zeros), 0.0, np.exp(one)) for one in (first, second))
    ratings = np.digitize(common + own, SKEWED if design.zeros else THRESHOLDS) + 1.0
    return first, second, ratings, Crossed(groups.tolist(), systems.tolist()) if design.crossed else groups


def studies(design: Design, count: int, *, effect: float) -> Iterator[tuple[Floats, Floats, Floats, Clusters]]:
    generator = np.random.default_rng([design.groups, design.size, round(100 * effect)])
    drawn = (study(design, generator, effect=effect) for _ in range(count))
    return (one for one in drawn if all(np.ptp(values) > 0 for values in one[:3]))


def calibrate(design: Design, count: int, following: int) -> Calibration:
    """Run `count` studies without an effect, and for the power `following` studies with one.

    Studies whose scores or ratings are all equal are left out.
    """
    found = partial(correlate, coefficient=design.coefficient, seed=0, resamples=RESAMPLES)

    def compared(human: Floats, first: Floats, second: Floats, *, clusters: Clusters) -> PermutationResult:
        options = {"coefficient": design.coefficient, "seed": 0, "resamples": RESAMPLES}
        if isinstance(clusters, Crossed):
            return perm_crossed(human, first, second, clusters, **options)
        return perm_both(human, first, second, clusters=clusters, **options)

    positives, covered, compared_positives = [], [], []
    for first, second, ratings, groups in studies(design, count, effect=0.0):
        one = found(first, ratings, clusters=groups)
        assert one.interval is not None
        assert one.p is not None
        positives.append(one.p < ALPHA)
        covered.append(one.interval.low <= 0 <= one.interval.high)
        compared_positives.append(compared(ratings, first, second, clusters=groups).p < ALPHA)
    power, compared_power = [], []
    for first, second, ratings, groups in studies(design, following, effect=EFFECT):
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
    note = f"{count:,} studies a design and column, p < .05, power against {EFFECT}. Spearman, if none is named."
    return Table("calibration", "The statistics of Agreement on simulated studies", columns, figures, note)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", default="", help="words in the names of the designs to run")
    args = parser.parse_args()
    outside = Design(OUTSIDE, 30, 6, 0.4, 0.4, across=0.2)
    designs = [design for design in (*DESIGNS, outside) if args.only in design.name]
    found = [calibrate(design, args.studies, following=args.studies) for design in designs]
    print(to_text(calibration_table(found, args.studies)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
