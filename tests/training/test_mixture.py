"""The reader's data: one seed gives one order, also in another process."""

import os
import subprocess
import sys

SCORES = """
from core.training.entailment import LabelledPair
from core.training.mixture import claim_scores
words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron".split()
claims = [" ".join(words[at % 7 : at % 7 + 2 + at % 9]) + f" {at % 11}" for at in range(300)]
print(claim_scores([LabelledPair("A passage.", claim, at % 2, "fever") for at, claim in enumerate(claims)]))
"""


def test_a_claims_score_does_not_depend_on_the_order_of_its_words_in_memory() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCORES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    (only,) = printed
    assert len(set(only.strip("[]\n").split(", "))) > 50
