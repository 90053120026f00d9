"""Hungarian METEOR in several processes gives what it gives in one, in the same order, and stops when told to."""

from pathlib import Path

import pytest

from core.averitec.averitec import read_gold, read_submission
from core.errors import Cancelled
from core.scoring.metrics import hungarian_meteor_metric as module
from core.scoring.metrics.hungarian_meteor import hungarian_meteor
from core.scoring.metrics.words import find_words
from core.scoring.progress import ProgressMonitor

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "scoring"


@pytest.mark.slow
def test_several_processes_score_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_CLAIMS", 1)
    monkeypatch.setattr(module, "CHUNK", 4)
    monkeypatch.setattr(module, "WORKERS", 2)
    gold, words = read_gold(EXAMPLE / "gold.json"), find_words()
    predictions = read_submission(EXAMPLE / "hasty.json").by_id
    told: list[tuple[int, int]] = []
    monitor = ProgressMonitor(lambda done, total: told.append((done, total)))
    assert module.hungarian_meteor_of_many(gold, predictions, words, monitor) == hungarian_meteor(
        gold, predictions, words
    )
    assert told == [(0, 6), (4, 6), (6, 6)]
    with pytest.raises(Cancelled):
        module.hungarian_meteor_of_many(gold, predictions, words, ProgressMonitor(stop=lambda: True))
