"""Means that are compared: equal ones are equal to the last digit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.statistics.correlation import Coefficient, coefficient_value, exact_mean, system_means

RATINGS = st.lists(st.integers(1, 5), min_size=1, max_size=30)


def test_seven_in_three_ratings_and_fourteen_in_six_are_a_tie() -> None:
    systems = ["a"] * 3 + ["b"] * 6 + ["c"] * 2
    ratings = [1, 3, 3, 4, 1, 2, 2, 2, 3, 5, 4]
    _, _, means = system_means(systems, [float(len(name)) for name in systems], ratings)
    assert means[0] == means[1] == 7 / 3


@given(RATINGS, st.integers(2, 4), st.randoms())
def test_a_mean_depends_on_neither_order_nor_repetition(ratings: list[int], times: int, chance: object) -> None:
    repeated = ratings * times
    chance.shuffle(repeated)  # type: ignore[attr-defined]
    assert exact_mean(repeated) == exact_mean(ratings)


def test_a_tie_of_systems_counts_as_one() -> None:
    systems = ["a"] * 3 + ["b"] * 6 + ["c"] * 2
    ratings = np.array([1, 3, 3, 4, 1, 2, 2, 2, 3, 5, 4], dtype=float)
    _, scores, means = system_means(systems, [1.0] * 3 + [2.0] * 6 + [3.0] * 2, ratings)
    assert coefficient_value(Coefficient.SPEARMAN, scores, means) == pytest.approx(np.sqrt(3) / 2)


@given(st.floats(-1e6, 1e6), st.integers(1, 9))
def test_equal_values_have_themselves_as_mean(value: float, times: int) -> None:
    assert exact_mean([value] * times) == value


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="data point"):
        exact_mean([])
