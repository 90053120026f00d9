"""Are the statistics of Agreement honest? Simulated studies in each design that the page offers.

    python -m tests.benchmarks.calibration [--studies 1000] [--only WORDS] [--processes 2] [--csv FOLDER]

A study has items with a score each, raters who answer on a scale of five, and what they share: raters of one item see
the same item, one rater is severe, one system's items are alike. Under the null the scores of two metrics have nothing
to do with the ratings; then p < .05 is a false positive, and a 95 % interval should cover 0. Then one metric follows
the ratings: power is the share with p < .05, and the interval should cover its real correlation, which comes from one
study of 200,000 rows. Then both follow them equally: a difference with p < .05 is a false positive. A second table has
Krippendorff's α.
"""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from core.statistics.agreement import Level, krippendorff_alpha
from core.statistics.bootstrap import Floats
from core.statistics.correlation import Coefficient, Correlation, coefficient_value, correlate, system_means
from core.statistics.crossed import Crossed
from core.statistics.permutation import perm_both, perm_crossed
from core.statistics.within_raters import correlate_within
from core.tabular.exports import to_csv, to_text
from core.tabular.table import Column, Table
from tests.benchmarks.measuring import parser_of

ALPHA = 0.05
RESAMPLES = 200
EFFECT = 0.5
"""How much of a following metric's spread comes from what the raters see (as a correlation)."""

THRESHOLDS = (-1.2, -0.4, 0.4, 1.2)
"""Where a rater's impression, a standard normal number, becomes 1 to 5."""

SKEWED = (0.8, 1.3, 1.7, 2.1)
"""Where four in five ratings are 1, and few are 5."""

MANY = 200_000
"""Rows of the study that has the real correlation."""

SEVERITY = 0.5
"""How far the mildest and the most severe rater are from the mean, on the scale of impressions."""

PEARSON, KENDALL = Coefficient.PEARSON, Coefficient.KENDALL


@dataclass(frozen=True)
class Design:
    """`groups` × `size` ratings; a share of the spread of scores and of ratings is common to a group.

    `units` are the independent ones. "group" is what the analysis takes as clusters: items with `size` raters each,
    raters with `size` items each, claims of `size` systems. "claim-system" crosses both. "within rater" has `size`
    raters of different severity for each item. "by system" correlates the means of the groups. "response" takes each
    row as independent. `across` is the share that the systems add, and `rated` the share of rows that are rated.
    `zeros` is the share of scores that are 0; the others are then log-normal, and most ratings are 1.
    """

    name: str
    groups: int
    size: int
    scores_shared: float
    ratings_shared: float
    coefficient: Coefficient = Coefficient.SPEARMAN
    zeros: float = 0.0
    across: float = 0.0
    units: str = "group"
    rated: float = 1.0


def _with(design: Design, *coefficients: Coefficient) -> tuple[Design, ...]:
    """Return the design under each coefficient."""
    return tuple(replace(design, name=f"{design.name}, {SHORT[one]}", coefficient=one) for one in coefficients)


SHORT = {Coefficient.SPEARMAN: "ρ", PEARSON: "r", KENDALL: "τ_b"}
EVERY = tuple(Coefficient)
RANKS, FIRST = (Coefficient.SPEARMAN, KENDALL), (Coefficient.SPEARMAN, PEARSON)
ITEMS = Design("3 raters of 60 items", 60, 3, 1.0, 0.6)
ONE = Design("1 rater, 60 items", 60, 1, 1.0, 0.6)
BY_CLAIM = Design("by claim: 30 of 6 systems", 30, 6, 0.4, 0.4)
CROSSED = Design("by claim and system: 30 of 6", 30, 6, 0.4, 0.4, units="claim-system")
DIFFER = replace(CROSSED, name="by claim and system: 30 of 6 that differ", across=0.2)
WITHIN = Design("within rater: 3 of 60 items", 60, 3, 1.0, 0.6, units="within rater")
THIRD = "by claim and system: a third of 60 × 8 that differ"
DESIGNS = (
    *_with(DIFFER, *EVERY),
    *_with(replace(DIFFER, name="by claim and system: 30 of 6 that differ, half zeros", zeros=0.5), *FIRST),
    *_with(CROSSED, *FIRST),
    *_with(replace(CROSSED, name="by claim and system: 30 of 6, half zeros", zeros=0.5), PEARSON),
    *_with(replace(DIFFER, name="by claim and system: 30 of 3 that differ", size=3), Coefficient.SPEARMAN),
    *_with(replace(DIFFER, name=THIRD, groups=60, size=8, rated=0.33), Coefficient.SPEARMAN),
    *_with(replace(WITHIN, name="within rater: 1 of 60 items, four fifths zeros", size=1, zeros=0.8), KENDALL),
    *_with(replace(WITHIN, name="within rater: 3 of 60 items, four fifths zeros", zeros=0.8), KENDALL),
    *_with(WITHIN, Coefficient.SPEARMAN),
    *_with(Design("by system: means of 10 with 20 items each", 10, 20, 0.3, 0.3, units="by system"), *RANKS),
    *_with(replace(ONE, name="1 rater, 60 items, four fifths zeros", zeros=0.8), *RANKS),
    *_with(replace(ONE, name="1 rater, 60 items, half zeros", zeros=0.5), *FIRST),
    *_with(ONE, Coefficient.SPEARMAN),
    *_with(replace(ITEMS, name="3 raters of 60 items, half zeros", zeros=0.5), PEARSON, KENDALL),
    *_with(ITEMS, Coefficient.SPEARMAN),
    *_with(replace(ITEMS, name="3 raters of 12 items", groups=12), Coefficient.SPEARMAN),
    *_with(Design("rater as unit: 12 with 20 items each", 12, 20, 0.0, 0.3), Coefficient.SPEARMAN),
    *_with(Design("system as unit: 8 with 20 items each", 8, 20, 0.3, 0.3), Coefficient.SPEARMAN),
    *_with(BY_CLAIM, Coefficient.SPEARMAN),
    *_with(replace(BY_CLAIM, name="by claim: 30 of 6 systems, half zeros", zeros=0.5), PEARSON),
    *_with(replace(BY_CLAIM, name="by claim: 30 of 6 systems that differ", across=0.2), Coefficient.SPEARMAN),
    *_with(replace(ONE, name="response as unit: 60 responses", units="response"), Coefficient.SPEARMAN),
    *_with(replace(ONE, name="response as unit: 60, half zeros", units="response", zeros=0.5), *FIRST),
)


@dataclass(frozen=True)
class Calibration:
    """Shares of the studies, each in [0, 1], for a correlation and for two metrics compared.

    `null_coverage` is of a correlation of 0, `coverage` of the real one, `value`. `equal_false_positives` are of two
    equally good metrics; None where the page compares no metrics.
    """

    design: str
    false_positives: float
    null_coverage: float
    value: float
    coverage: float
    power: float
    compared_false_positives: float | None
    equal_false_positives: float | None


@dataclass(frozen=True)
class Simulated:
    """One study; arrays of shape (rows,). `groups` and `members` are the places of each row in the design."""

    first: Floats
    second: Floats
    ratings: Floats
    groups: NDArray[np.int64]
    members: NDArray[np.int64]


def study(design: Design, generator: np.random.Generator, *, first: float, second: float) -> Simulated:
    """Return a study whose metrics follow the ratings by `first` and `second`."""
    groups = np.repeat(np.arange(design.groups), design.size)
    members = np.tile(np.arange(design.size), design.groups)

    def mixed(shared: float) -> tuple[Floats, Floats]:
        own = np.sqrt(1 - shared - design.across) * generator.normal(size=len(groups))
        if design.across:
            own = own + np.sqrt(design.across) * generator.normal(size=design.size)[members]
        return np.sqrt(shared) * generator.normal(size=design.groups)[groups], own

    common, own = mixed(design.ratings_shared)
    seen = common / np.sqrt(design.ratings_shared) if design.scores_shared == 1 else common + own
    scores = [follow * seen + np.sqrt(1 - follow**2) * sum(mixed(design.scores_shared)) for follow in (first, second)]
    if design.zeros:
        scores = [np.where(one < norm.ppf(design.zeros), 0.0, np.exp(one)) for one in scores]
    impressions = common + own
    if design.units == "within rater":
        impressions = impressions + np.linspace(-SEVERITY, SEVERITY, design.size)[members]
    ratings = np.digitize(impressions, SKEWED if design.zeros else THRESHOLDS) + 1.0
    kept = generator.random(len(groups)) < design.rated
    return Simulated(*(one[kept] for one in (*scores, ratings, groups, members)))


def studies(design: Design, count: int, *, first: float = 0.0, second: float = 0.0) -> Iterator[Simulated]:
    """Yield studies; those whose scores or ratings are all equal are left out."""
    generator = np.random.default_rng([design.groups, design.size, round(100 * first), round(100 * second)])
    drawn = (study(design, generator, first=first, second=second) for _ in range(count))
    return (one for one in drawn if all(np.ptp(values) > 0 for values in (one.first, one.second, one.ratings)))


def real_value(design: Design) -> float:
    """Return the correlation of a following metric over very many items, claims and systems."""
    if design.units in ("within rater", "by system"):
        large = replace(design, groups=MANY // design.size)
    else:  # one row a group, so claims and systems are drawn anew for each row
        large = replace(design, groups=MANY, size=1, across=0.0, rated=1.0)
    one = study(large, np.random.default_rng(0), first=EFFECT, second=EFFECT)
    rows = [np.arange(len(one.first))]
    if design.units == "within rater":
        rows = [np.flatnonzero(one.members == rater) for rater in range(design.size)]
    x, y = one.first, one.ratings
    if design.units == "by system":
        x, y = (values.reshape(large.groups, large.size).mean(axis=1) for values in (x, y))
        rows = [np.arange(large.groups)]
    return float(np.mean([coefficient_value(design.coefficient, x[own], y[own]) for own in rows]))


def found(design: Design, one: Simulated) -> Correlation:
    options = {"coefficient": design.coefficient, "seed": 0, "resamples": RESAMPLES}
    if design.units == "within rater":
        raters = [str(member) for member in one.members]
        return correlate_within(one.first, one.ratings, raters, clusters=one.groups.tolist(), **options)
    if design.units == "by system":
        return correlate(*system_means([str(group) for group in one.groups], one.first, one.ratings)[1:],
            clusters=range(design.groups), **options)  # fmt: skip
    return correlate(one.first, one.ratings, clusters=clusters(design, one), **options)


def clusters(design: Design, one: Simulated) -> list[int] | Crossed | None:
    if design.units == "response":
        return None
    if design.units == "claim-system":
        return Crossed(one.groups.tolist(), one.members.tolist())
    groups: list[int] = one.groups.tolist()
    return groups


def compared(design: Design, one: Simulated) -> bool:
    """Tell whether two metrics are found to differ."""
    options = {"coefficient": design.coefficient, "seed": 0, "resamples": RESAMPLES}
    units = clusters(design, one)
    if isinstance(units, Crossed):
        return perm_crossed(one.ratings, one.first, one.second, units, **options).p < ALPHA
    return perm_both(one.ratings, one.first, one.second, clusters=units, **options).p < ALPHA


def calibrate(design: Design, count: int) -> Calibration:
    """Run `count` studies in each of three cases: no metric follows the ratings, one does, or both do."""
    value = real_value(design)
    positives, null_covered, covered, power = [], [], [], []
    for first, p_below, covers in ((0.0, positives, null_covered), (EFFECT, power, covered)):
        for one in studies(design, count, first=first):
            result = found(design, one)
            if result.interval is not None and result.p is not None:
                p_below.append(result.p < ALPHA)
                covers.append(result.interval.low <= (value if first else 0.0) <= result.interval.high)
    both: list[float | None] = [None, None]
    if design.units not in ("within rater", "by system"):
        both = [
            float(np.mean([compared(design, one) for one in studies(design, count, first=follow, second=follow)]))
            for follow in (0.0, EFFECT)
        ]
    shares = [float(np.mean(share)) for share in (positives, null_covered, covered, power)]
    done = Calibration(design.name, *shares[:2], value, *shares[2:], *both)
    print(done, file=sys.stderr, flush=True)
    return done


@dataclass(frozen=True)
class AlphaDesign:
    """`items` rated by `raters`, whose impressions correlate by `likeness`, on a scale cut at `thresholds`."""

    name: str
    items: int
    raters: int
    likeness: float
    thresholds: tuple[float, ...] = THRESHOLDS
    level: Level = "ordinal"


COMMON = (1.28,)
"""Where nine in ten ratings have one value."""

ALPHAS = tuple(
    AlphaDesign(
        f"{items} items, {raters} raters{', 90 % one value' * common}, likeness {likeness}",
        items, raters, likeness, COMMON if common else THRESHOLDS, "nominal" if common else "ordinal",
    )
    for items, common in ((10, False), (20, False), (60, False), (60, True), (200, True))
    for raters in (2, 4)
    for likeness in (0.3, 0.7)
)  # fmt: skip


def rated(design: AlphaDesign, generator: np.random.Generator) -> Floats:
    common = np.sqrt(design.likeness) * generator.normal(size=design.items)
    own = np.sqrt(1 - design.likeness) * generator.normal(size=(design.raters, design.items))
    return np.digitize(common + own, design.thresholds).astype(np.float64)


def calibrate_alpha(design: AlphaDesign, count: int) -> tuple[str, float, float | None, float]:
    """Return the design's name, α over very many items, the coverage of intervals, and the share without one."""
    value = krippendorff_alpha(rated(replace(design, items=MANY // 10), np.random.default_rng(0)), level=design.level)
    assert value.value is not None
    generator = np.random.default_rng(design.items)
    intervals = [krippendorff_alpha(rated(design, generator), level=design.level).interval for _ in range(count)]
    covered = [one.low <= value.value <= one.high for one in intervals if one is not None]
    return design.name, value.value, float(np.mean(covered)) if covered else None, 1 - len(covered) / count


def calibration_table(rows: Sequence[Calibration], count: int) -> Table:
    columns = (
        Column("Design"),
        *(Column(title, 1, "%") for title in ("False positives", "Coverage of 0")),
        Column("Real", 2),
        *(Column(title, 1, "%") for title in ("Coverage", "Power", "Comparison: false positives", "Two equally good")),
    )
    figures = tuple(
        (row.design, *(value if name == "value" or value is None else 100 * value
                       for name, value in list(vars(row).items())[1:]))
        for row in rows
    )  # fmt: skip
    note = f"{count:,} studies a design and case, p < .05, power against {EFFECT}."
    return Table("calibration", "The statistics of Agreement on simulated studies", columns, figures, note)


def alpha_table(rows: Sequence[tuple[str, float, float | None, float]], count: int) -> Table:
    columns = (Column("Design"), Column("α", 2), Column("Coverage", 1, "%"), Column("No interval", 1, "%"))
    figures = tuple(
        (name, value, None if covered is None else 100 * covered, 100 * without)
        for name, value, covered, without in rows
    )
    return Table("calibration-alpha", "Krippendorff's α on simulated ratings", columns, figures, f"{count:,} studies.")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", default="", help="words in the names of the designs to run")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--csv", type=Path, help="folder for the tables")
    args = parser.parse_args()
    designs, alphas = ([one for one in known if args.only in one.name] for known in (DESIGNS, ALPHAS))
    with ProcessPoolExecutor(args.processes) as workers:
        tables = (
            calibration_table([*workers.map(partial(calibrate, count=args.studies), designs)], args.studies),
            alpha_table([*workers.map(partial(calibrate_alpha, count=args.studies), alphas)], args.studies),
        )
    for table in tables:
        print(to_text(table))
        if args.csv:
            (args.csv / f"{table.name}.csv").write_text(to_csv(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
