"""Fit the classifier of sentences that are worth checking to debates and speeches that people judged."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.actions.action import ActionContext
from core.claims.worthiness import ANY_FACT, NAMES, WORTHINESS, WorthinessClassifier, feature_rows, worthiness_json
from core.errors import BadInput
from core.files import write_whole
from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from core.statistics.logistic import fit_logistic
from core.training.commands import FitWorthiness
from core.verification.question_judge import vector_names

Floats = NDArray[np.float64]

SETS = ("claimbuster3", "policlaim")
SOURCES = (
    "ClaimBuster (Arslan et al., ICWSM 2020; Zenodo 3836810): US presidential debates 1960–2016",
    "PoliClaim (Ni et al., ACL 2024): state-of-the-state speeches; any verifiable fact counts",
)
PENALTY = 0.003
"""scikit-learn's C."""

WEIGHT = 2.0
"""How much a sentence of PoliClaim counts. The set is a twelfth of the other."""

FOLDS = 5
CUTS = (10, 30)
LEAST_SENTENCES = 30
"""Shorter documents have no precision at 30."""

NUMBER = NAMES.index("a number")


@dataclass(frozen=True)
class JudgedSentences:
    """Sentences that people judged: `worthy` 0 or 1, the `document` of each, and whether any fact counted there."""

    texts: list[str]
    worthy: NDArray[np.int64]
    documents: NDArray[np.str_]
    any_fact: Floats


def judged_sentences(folder: Path) -> JudgedSentences:
    """Return the sentences of both sets in a folder. Raises BadInput where one is missing or broken."""
    rows = list[tuple[str, int, str, float]]()
    for number, name in enumerate(SETS):
        path = folder / f"{name}.jsonl.gz"
        try:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                records = [json.loads(line) for line in lines]
            rows += [
                (one["text"], int(one["label"] == "worthy"), f"{name}/{one['document']}", number) for one in records
            ]
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
        except (ValueError, KeyError) as error:
            raise BadInput(f"{path} is no set of judged sentences: {error}.") from error
    texts, worthy, documents, any_fact = zip(*rows, strict=True)
    return JudgedSentences(list(texts), np.array(worthy), np.array(documents), np.array(any_fact, dtype=np.float64))


def fit_ranking(request: FitWorthiness, context: ActionContext) -> str:
    """Fit the classifier to the sets, keep it, and return its figures."""
    classifier = fit_worthiness(request.data, load_encoder(), command=context.command, report=context.tell)
    path = request.out or WORTHINESS
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, worthiness_json(classifier))
    lines = []
    for name, figures in classifier.measured.items():
        read = f"{figures['sentences']:,} sentences of {figures['documents']} documents"
        lines.append(f"{name}, {read}, each held out once:")
        for way, found in figures.items():
            if isinstance(found, dict):
                lines.append(f"  {way}: {', '.join(f'{figure} {value:.3f}' for figure, value in found.items())}")
    return "\n".join([*lines, str(path)])


def fit_worthiness(
    folder: Path, encoder: Encoder, *, command: str, report: Callable[[str], None]
) -> WorthinessClassifier:
    """Return the classifier fitted to all sentences, with the figures of five fits that each leave documents out."""
    judged = judged_sentences(folder)
    report(f"{len(judged.texts):,} sentences of {len(set(judged.documents)):,} documents")
    rows = feature_rows(judged.texts, encoder)
    rows[:, len(NAMES)] = judged.any_fact
    names = (*NAMES, ANY_FACT, *vector_names(rows.shape[1] - len(NAMES) - 1))
    weights = np.where(judged.any_fact, WEIGHT, 1.0)
    fold = np.array([zlib.crc32(str(document).encode()) % FOLDS for document in judged.documents])
    scores = np.zeros(len(rows))
    for number in range(FOLDS):
        report(f"fit {number + 1} of {FOLDS + 1}")
        held = fold == number
        if held.any():
            model = fit_logistic(rows[~held], judged.worthy[~held], names, penalty=PENALTY, weights=weights[~held])
            scores[held] = model.of_rows(rows[held])[:, 1]
    report(f"fit {FOLDS + 1} of {FOLDS + 1}")
    regression = fit_logistic(rows, judged.worthy, names, penalty=PENALTY, weights=weights)
    rankings = {
        "classifier": scores,
        "longest first": np.array([len(text.split()) for text in judged.texts], dtype=np.float64),
        "has a number": rows[:, NUMBER],
    }
    return WorthinessClassifier(encoder.identity.digest, regression, set_figures(judged, rankings), SOURCES, command)


def set_figures(judged: JudgedSentences, rankings: dict[str, Floats]) -> dict[str, Any]:
    """Return the figures of each ranking and of chance, by set."""
    figures = dict[str, Any]()
    for number, name in enumerate(SETS):
        these = judged.any_fact == number
        worthy, documents = judged.worthy[these], judged.documents[these]
        found = {way: ranking_figures(worthy, scores[these], documents) for way, scores in rankings.items()}
        share = round(float(worthy.mean()), 3)
        found["chance"] = dict.fromkeys(("average precision", *(f"precision at {cut}" for cut in CUTS)), share)
        found["classifier"] |= class_figures(worthy, rankings["classifier"][these])
        figures[name] = {"sentences": len(worthy), "documents": len(set(documents)), **found}
    return figures


def ranking_figures(worthy: NDArray[np.int64], scores: Floats, documents: NDArray[np.str_]) -> dict[str, float]:
    """Return the average precision over all sentences and the means over documents of the precision at each cut.

    Sentences of one score count with the share of worthy ones among them. Documents of fewer than 30 sentences, or
    without a worthy one, are left out of the means.
    """
    from sklearn.metrics import average_precision_score

    of_documents = list[list[float]]()
    for document in dict.fromkeys(documents):
        own, ranked = worthy[documents == document], scores[documents == document]
        if len(own) >= LEAST_SENTENCES and own.any():
            cuts = [precision_at(own, ranked, cut) for cut in CUTS]
            of_documents.append([float(average_precision_score(own, ranked)), *cuts])
    means = np.mean(of_documents, axis=0)
    names = ("average precision by document", *(f"precision at {cut}" for cut in CUTS))
    whole = {"average precision": round(float(average_precision_score(worthy, scores)), 3)}
    return whole | {name: round(float(mean), 3) for name, mean in zip(names, means, strict=True)}


def precision_at(worthy: NDArray[np.int64], scores: Floats, cut: int) -> float:
    """Return the expected share of worthy ones among the first `cut`, in [0, 1], if ties are ordered by chance."""
    edge = np.sort(scores)[-cut]
    above, tied = scores > edge, scores == edge
    return float((worthy[above].sum() + worthy[tied].mean() * (cut - above.sum())) / cut)


def class_figures(worthy: NDArray[np.int64], scores: Floats) -> dict[str, float]:
    """Return precision, recall and F1 of the sentences with a score of at least a half."""
    from sklearn.metrics import precision_recall_fscore_support

    found = precision_recall_fscore_support(worthy, scores >= 0.5, average="binary", zero_division=0.0)
    return {name: round(float(value), 3) for name, value in zip(("precision", "recall", "F1"), found[:3], strict=True)}
