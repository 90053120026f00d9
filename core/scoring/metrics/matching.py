"""One-to-one matching of two evidence sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_matching(similarity: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the pairs (prediction, reference) of the one-to-one matching with the largest sum.

    similarity[i, j] compares prediction i with reference j; shape (predictions, references). Returns
    min(shape) pairs, ascending in the prediction.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(similarity, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def matched_recall(similarity: NDArray[np.float64]) -> float:
    """Return the best one-to-one similarity between two evidence sets, per reference.

    similarity[i, j] compares prediction i with reference j, in [0, 1]; shape (predictions, references).
    A missed reference counts as 0; no predictions score 0.0. Raises ValueError if there are no references:
    recall is then undefined. Source: Schlichtkrull et al., NeurIPS 2023 (Hungarian METEOR).
    """
    references = similarity.shape[1]
    if not references:
        raise ValueError("recall is undefined without references")
    pairs = best_matching(similarity)
    matched = np.array([similarity[pair] for pair in pairs])
    # Sum times reciprocal, as the shared task's scorer does: a quotient may differ in the last digit.
    return float(matched.sum() * (1 / float(references)))
