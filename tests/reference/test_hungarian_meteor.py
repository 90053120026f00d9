"""The official legacy scorer's figures on real submissions, to the last digit.

Origin: ../shared/data/reference/scores_dev_public.json, computed with the official scorer, nltk 3.9.1,
full Punkt and WordNet 3.0. One system takes about 3 s; the quick tests measure one.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.averitec.averitec import read_gold, read_submission
from core.scoring.items import TYPE_PREFIX, claim_groups, group_scores, mean_score
from core.scoring.metrics.hungarian_meteor import (
    LEVELS,
    PAIRS,
    QUESTIONS,
    TYPE_LEVEL,
    cut_at,
    hungarian_meteor,
    veracity_at,
)
from core.scoring.metrics.verdict import accuracy_items, confusion, label_f1
from core.scoring.metrics.words import Words, data_folders, find_words
from core.types import Label

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the AVeriTeC data is not beside the checkout (../shared/data)"
)


@pytest.fixture(scope="module")
def words() -> Words:
    found = find_words([*data_folders(), DATA / "nltk_data"])
    if not found.complete:
        pytest.skip(f"Punkt's tables or WordNet 3.0 are not on this machine: {found.signature}")
    return found


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "system", ["hero_baseline", pytest.param("ctu_aic", marks=SLOW), pytest.param("efc", marks=SLOW)]
)
def test_every_figure_equals_the_official_one(system: str, words: Words) -> None:
    expected: dict[str, Any] = json.loads((DATA / "reference/scores_dev_public.json").read_text())[system]
    gold = read_gold(DATA / "averitec/dev_public.json")
    predictions = read_submission(DATA / f"averitec/submissions/{system}.csv").by_id
    items = hungarian_meteor(gold, predictions, words)
    pairs = [item for item in items if item.metric == PAIRS]
    by_id = {claim.id: claim for claim in gold}

    assert mean_score([item for item in items if item.metric == QUESTIONS], "").value == expected["Q"]
    assert mean_score(pairs, "").value == expected["QA"]
    for level in LEVELS:
        assert mean_score(veracity_at(level, pairs, by_id, predictions), "").value == expected["averitec"][str(level)]
    typed = {s.group: s.value for s in group_scores(cut_at(TYPE_LEVEL, pairs), "", claim_groups(gold))}
    for kind, value in expected["by_type"].items():
        assert typed[TYPE_PREFIX + kind] == value
    f1 = label_f1(confusion(gold, predictions))
    assert {label.value: value for label, value in zip(Label, f1, strict=True)} == {
        label.value: expected["veracity"][label.value] for label in Label
    }
    assert float(np.mean(f1)) == expected["veracity"]["macro"]
    assert mean_score(accuracy_items(gold, predictions), "").value == expected["veracity"]["acc"]
