"""The shared task's legacy scores: Hungarian METEOR over questions and pairs, and veracity given evidence.

Source: Schlichtkrull, Guo & Vlachos, NeurIPS 2023, section 6; the numbers of the official scorer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.annotations import SCORED_PAIRS, GoldClaim, PredictedEvidence, Prediction
from core.scoring.items import ItemScore, ItemStatus, make_signature
from core.scoring.metrics.meteor import Language, MeteorText, meteor, read_text
from core.scoring.progress import UNMONITORED, ProgressMonitor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAIR_LIMIT = SCORED_PAIRS

LEVELS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)
"""The evidence thresholds of "veracity @"; a score counts if it is greater."""

TYPE_LEVEL = 0.25
"""The threshold of the legacy scores by claim type."""

QUESTIONS = "hungarian-meteor:q"
PAIRS = "hungarian-meteor:q+a"
NO_GOLD_EVIDENCE = "the gold annotation has no evidence"
NO_PREDICTION = "the submission has no prediction for this claim"


@dataclass(frozen=True)
class EvidenceStrings:
    """The strings that are compared, as the official scorer builds them."""

    questions: tuple[str, ...]
    pairs: tuple[str, ...]


def gold_strings(gold: GoldClaim) -> EvidenceStrings:
    """Return the gold questions, and each question with each of its answers."""
    pairs = tuple(f"{question} {answer}" for question, answer in gold.pairs)
    return EvidenceStrings(tuple(q.question for q in gold.questions), pairs)


def predicted_strings(evidence: Sequence[PredictedEvidence]) -> EvidenceStrings:
    """Return the first ten predicted questions, and each with its answer."""
    kept = evidence[:PAIR_LIMIT]
    return EvidenceStrings(tuple(e.question for e in kept), tuple(f"{e.question} {e.answer}" for e in kept))


def meteor_signature(language: Language) -> str:
    """Return the signature of every Hungarian METEOR score computed with these words."""
    return make_signature("hungarian-meteor", f"pairs:first-{PAIR_LIMIT}", "match:hungarian", language.signature)


def equals_shared_task(signature: str) -> bool:
    """Return whether Hungarian METEOR of this signature is the shared task's to the last digit."""
    return "tok:nltk-3.9" in signature and "untrained" not in signature and "syn:wordnet-3.0" in signature


def hungarian_meteor(
    gold: Sequence[GoldClaim],
    predictions: Mapping[str, Prediction],
    language: Language,
    monitor: ProgressMonitor = UNMONITORED,
) -> list[ItemScore]:
    """Return Hungarian METEOR of every gold claim, for questions and for question-answer pairs, each in [0, 1].

    Keyed by id. A claim without prediction scores 0; one without gold evidence is unscored. Raises
    Cancelled if the monitor said so between two claims.
    """
    items = []
    for claim in monitor.over(gold):
        prediction = predictions.get(claim.id)
        reference = gold_strings(claim)
        predicted = predicted_strings(prediction.evidence if prediction else ())
        # Texts rarely recur between claims, so caching all would waste memory.
        known: dict[str, MeteorText] = {}
        items.append(_item(QUESTIONS, claim.id, prediction, predicted.questions, reference.questions, known, language))
        items.append(_item(PAIRS, claim.id, prediction, predicted.pairs, reference.pairs, known, language))
    return items


def _item(
    metric: str,
    claim_id: str,
    prediction: Prediction | None,
    predicted: Sequence[str],
    references: Sequence[str],
    known: dict[str, MeteorText],
    language: Language,
) -> ItemScore:
    if not references:
        return ItemScore(claim_id, metric, None, ItemStatus.UNSCORED, NO_GOLD_EVIDENCE)
    if prediction is None:
        return ItemScore(claim_id, metric, 0.0, ItemStatus.MISSING, NO_PREDICTION)
    return ItemScore(claim_id, metric, matched_recall(similarities(predicted, references, language, known)))


def similarities(
    predicted: Sequence[str],
    references: Sequence[str],
    language: Language,
    known: dict[str, MeteorText] | None = None,
) -> NDArray[np.float64]:
    """Return METEOR of each prediction against each reference, shape (predictions, references).

    `known` caches tokenized texts.
    """
    import numpy as np  # `--help` should not wait for it

    texts = {} if known is None else known
    for text in (*predicted, *references):
        if text not in texts:
            texts[text] = read_text(text, language)
    values = [[meteor(texts[p], texts[r]) for r in references] for p in predicted]
    return np.array(values, dtype=np.float64).reshape(len(predicted), len(references))


def evidence_gated(
    items: Iterable[ItemScore],
    gold: Mapping[str, GoldClaim],
    predictions: Mapping[str, Prediction],
    *,
    metric: str,
    passes: Callable[[float], bool],
) -> list[ItemScore]:
    """Return 1 for each claim with a right verdict and passing evidence, else 0.

    `items` are the evidence scores. Unscored items stay unscored at any verdict; otherwise each failed judgement would
    lower the score.
    """
    gated = []
    for item in items:
        prediction = predictions.get(item.claim_id)
        right = prediction is not None and prediction.label is gold[item.claim_id].label
        if item.value is None:
            gated.append(ItemScore(item.claim_id, metric, None, ItemStatus.UNSCORED, item.reason))
        else:
            value = float(right and passes(item.value))
            status = ItemStatus.SCORED if prediction else ItemStatus.MISSING
            gated.append(ItemScore(item.claim_id, metric, value, status, "" if prediction else NO_PREDICTION))
    return gated


def veracity_at(
    level: float,
    items: Iterable[ItemScore],
    gold: Mapping[str, GoldClaim],
    predictions: Mapping[str, Prediction],
) -> list[ItemScore]:
    """Return the legacy AVeriTeC score's items: right verdict and Q+A Hungarian METEOR greater than `level`."""
    metric = f"hungarian-meteor:averitec@{level:g}"
    return evidence_gated(items, gold, predictions, metric=metric, passes=lambda value: value > level)


def cut_at(level: float, items: Iterable[ItemScore]) -> list[ItemScore]:
    """Return Q+A items with values up to `level` set to 0; the legacy scorer averages these by claim type."""
    return [
        ItemScore(
            item.claim_id,
            f"hungarian-meteor:q+a>{level:g}",
            None if item.value is None else (item.value if item.value > level else 0.0),
            item.status,
            item.reason,
        )
        for item in items
    ]


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
    import numpy as np

    pairs = best_matching(similarity)
    matched = np.array([similarity[pair] for pair in pairs])
    # Sum times reciprocal, as the shared task's scorer does: a quotient may differ in the last digit.
    return float(matched.sum() * (1 / float(references)))
