"""The ranking of sentences is fitted with whole documents held out, and its figures are those of held-out ones."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from core.claims.worthiness import ANY_FACT, NAMES, WorthinessClassifier, worthiness_json
from core.dataclass_json import from_json
from core.errors import BadInput
from core.training.fit_worthiness import SETS, fit_worthiness, judged_sentences, precision_at
from tests.fakes import WordEncoder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sentences with a number are worthy; each of 7 documents has 32."""
    for name in SETS:
        rows = [
            {
                "text": f"Prices rose by {n} percent." if n % 2 else "I think so too, my friend.",
                "document": f"d{document}",
                "label": "worthy" if n % 2 else "not",
            }
            for document in range(7)
            for n in range(32)
        ]
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_what_people_judged_worthy_is_ranked_first_in_unseen_documents(folder: Path) -> None:
    told = list[str]()
    found = fit_worthiness(folder, WordEncoder(), command="fit", report=told.append)
    for name in SETS:
        assert found.measured[name]["classifier"]["average precision"] == 1.0
        assert found.measured[name]["classifier"]["precision at 10"] == 1.0
        assert found.measured[name]["longest first"]["average precision"] < 0.7
        assert found.measured[name]["chance"]["precision at 30"] == 0.5
    assert found.regression.names[: len(NAMES) + 1] == (*NAMES, ANY_FACT)
    assert from_json(json.loads(worthiness_json(found)), WorthinessClassifier) == found


def test_ties_count_with_the_share_of_worthy_ones_among_them() -> None:
    worthy, scores = np.array([1, 0, 1, 0]), np.array([2.0, 1.0, 1.0, 1.0])
    assert precision_at(worthy, scores, 2) == pytest.approx((1 + 1 / 3) / 2)


def test_a_broken_set_is_named(folder: Path) -> None:
    with gzip.open(folder / f"{SETS[1]}.jsonl.gz", "wt") as file:
        file.write("{}\n")
    with pytest.raises(BadInput, match=SETS[1]):
        judged_sentences(folder)
