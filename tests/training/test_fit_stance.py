"""What a reader is worth on pairs of a claim and a passage."""

import numpy as np
import pytest

from core.training.fit_stance import Pair, measure, read_pairs
from core.types import Document, Passage, Stance
from core.verification.stance.reader import Thresholds
from tests.fakes import WordEncoder

TOLD = "The old bridge of Graz has 9 arches."
PAIR = Pair(
    "number", "The old bridge of Graz has 12 arches.", Passage(Document("u", TOLD), 0, len(TOLD)), Stance.AGAINST
)


@pytest.mark.parametrize(("against", "right", "named"), [(0.9, 1.0, 1.0), (0.1, 0.0, 0.0)])
def test_changes_are_noticed_and_named_or_neither(against: float, right: float, named: float) -> None:
    rows = np.array([[0.0, against, 1 - against, 0.0]])
    found = measure(rows, [PAIR], read_pairs([PAIR], WordEncoder()), Thresholds(0.5, 0.5))
    assert (found.right, found.named) == ({"number": right}, named)
