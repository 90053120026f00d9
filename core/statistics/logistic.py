"""Keep a multinomial logistic regression as readable numbers, without pickle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST_SCALE = 1e-6


@dataclass(frozen=True)
class Logistic:
    """A fitted regression over standardised features.

    mean, scale: shape (features,); coefficients: (classes, features); intercepts: (classes,).
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    def of_rows(self, rows: Floats) -> Floats:
        """Return the probabilities of the classes for rows of features, in the order of `names`; (rows, classes)."""
        scores = (rows - self.mean) / self.scale @ np.array(self.coefficients).T + self.intercepts
        return softmax(scores)

    def of_values(self, values: Mapping[str, float]) -> Floats:
        """Return the probabilities of the classes for one set of features; shape (classes,), they sum to 1."""
        return np.asarray(self.of_rows(np.array([[values[name] for name in self.names]]))[0])


def softmax(scores: Floats) -> Floats:
    """Return each row of scores as probabilities."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def fit_logistic(
    rows: Floats, classes: NDArray[np.int64], names: Sequence[str], *, penalty: float, weights: Floats | None = None
) -> Logistic:
    """Return the regression fitted to rows of features; `penalty` is scikit-learn's C, the inverse of its strength.

    Every class from 0 to the highest must occur. Numbers are rounded to six digits, as they are kept.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(rows)
    scale = np.where(scaler.scale_ < SMALLEST_SCALE, 1.0, scaler.scale_)  # a constant feature says nothing
    model = LogisticRegression(C=penalty, max_iter=500).fit(
        (rows - scaler.mean_) / scale, classes, sample_weight=weights
    )
    coefficients, intercepts = model.coef_, model.intercept_
    if len(intercepts) == 1:  # of two classes scikit-learn keeps the second alone: the first has the scores 0
        coefficients, intercepts = np.vstack([0 * coefficients, coefficients]), np.append(0.0, intercepts)
    return Logistic(
        tuple(names),
        _rounded(scaler.mean_),
        _rounded(scale),
        tuple(_rounded(row) for row in coefficients),
        _rounded(intercepts),
    )


def out_of_fold(
    rows: Floats, classes: NDArray[np.int64], folds: NDArray[np.int64], *, penalty: float, weights: Floats | None = None
) -> Floats:
    """Return each row's probabilities by a regression fitted on the other folds; shape (rows, classes)."""
    guessed = np.zeros((len(rows), classes.max() + 1))
    names = [str(place) for place in range(rows.shape[1])]
    for fold in np.unique(folds):
        rest = folds != fold
        some = None if weights is None else weights[rest]
        fitted = fit_logistic(rows[rest], classes[rest], names, penalty=penalty, weights=some)
        guessed[~rest] = fitted.of_rows(rows[~rest])
    return guessed


def log_loss(probabilities: Floats, truth: NDArray[np.int64]) -> float:
    """Return the mean negative log-probability of the right class, in nats; probabilities: (rows, classes)."""
    return float(-np.log(np.clip(probabilities[np.arange(len(truth)), truth], 1e-12, 1)).mean())


def _rounded(numbers: Floats) -> tuple[float, ...]:
    return tuple(float(f"{number:.6g}") for number in numbers)
