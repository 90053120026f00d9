"""One rater at a time: severity, straight-lining, accuracy on control items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.agreement.rating_formats import read_time, time_formats
from core.agreement.ratings import MajorError, Response
from core.statistics.bootstrap import Floats


@dataclass(frozen=True)
class RaterProfile:
    """How one rater uses one scale.

    `severity` is the mean of (the others' mean - own rating) over the `shared` items; positive is severe. None where no
    item is shared; so is `sd` of a single rating.
    """

    rater: str
    n: int
    mean: float
    sd: float | None
    severity: float | None
    shared: int


@dataclass(frozen=True)
class Straightness:
    """How uniform a rater's answers are; n counts the items with at least two scales answered.

    `uniform` counts items with one value on all scales. `longest_run` is the longest sequence of consecutive items with
    identical answers.
    """

    rater: str
    n: int
    uniform: int
    longest_run: int


@dataclass(frozen=True)
class ControlAccuracy:
    """How many of the control items a rater answered, and how many as the key says."""

    rater: str
    answered: int
    correct: int

    @property
    def share(self) -> float | None:
        return self.correct / self.answered if self.answered else None


def rater_profiles(matrix: ArrayLike, raters: Sequence[str]) -> tuple[RaterProfile, ...]:
    """Return how each rater with at least one rating uses the scale of the matrix."""
    ratings = np.asarray(matrix, dtype=np.float64)
    sums, counts = np.nansum(ratings, axis=0), np.isfinite(ratings).sum(axis=0)
    return tuple(
        _profile(own, sums, counts, rater) for own, rater in zip(ratings, raters, strict=True) if np.isfinite(own).any()
    )


def straightness(answers: Mapping[str, Sequence[Sequence[int | None]]]) -> tuple[Straightness, ...]:
    """Return each rater's straight-lining; `answers[rater]` has a row per item in the order they were given.

    A row holds the answer to each scale, None where it is missing.
    """
    results = []
    for rater, rows in sorted(answers.items()):
        several = [row for row in rows if sum(value is not None for value in row) > 1]
        uniform = sum(len(set(row) - {None}) == 1 for row in several)
        results.append(Straightness(rater, len(several), uniform, _longest_run([tuple(row) for row in several])))
    return tuple(results)


def answers_in_order(responses: Iterable[Response], scales: Sequence[str]) -> dict[str, list[list[int | None]]]:
    """Return each rater's answers to the scales in the order they were given, without evidence with a major error."""
    answers: dict[str, list[list[int | None]]] = {}
    rated = [response for response in responses if response.error is MajorError.NONE]
    formats = time_formats([response.timestamp for response in rated])

    def place(response: Response) -> tuple[float, int]:
        moment = read_time(response.timestamp, formats)
        return (math.inf if moment is None else moment, response.row)

    for response in sorted(rated, key=place):
        answers.setdefault(response.rater, []).append([response.ratings.get(scale) for scale in scales])
    return answers


def control_accuracy(verdicts: Sequence[tuple[str, str, str]], key: Mapping[str, str]) -> tuple[ControlAccuracy, ...]:
    """Return each rater's accuracy on controls: `verdicts` are (rater, item, verdict), `key` item → verdict.

    A verdict of "" means that the response ended before the question: answered, but not right.
    Every rater who answered anything gets a line; one without controls has `share` None.
    """
    answered: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for rater, item, verdict in verdicts:
        if item in key:
            answered[rater] += 1
            correct[rater] += verdict == key[item]
    raters = sorted({rater for rater, _, _ in verdicts})
    return tuple(ControlAccuracy(rater, answered[rater], correct[rater]) for rater in raters)


def _profile(own: Floats, sums: Floats, counts: NDArray[np.int64], rater: str) -> RaterProfile:
    rated = ~np.isnan(own)
    shared = rated & (counts > 1)
    others = (sums[shared] - own[shared]) / (counts[shared] - 1)
    severity = float((others - own[shared]).mean()) if shared.any() else None
    values = own[rated]
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return RaterProfile(rater, len(values), float(values.mean()), sd, severity, int(shared.sum()))


def _longest_run(rows: Sequence[tuple[int | None, ...]]) -> int:
    longest = run = 0
    previous: tuple[int | None, ...] | None = None
    for row in rows:
        run = run + 1 if row == previous else 1
        previous, longest = row, max(longest, run)
    return longest
