"""Open the models that a request names: for the pages, which keep them, and for the command line."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.interfaces import Examples, Models
from core.llm.backends import open_model
from core.models.choice import parse_choice
from core.retrieval.dense import SentenceEncoder, load_encoder
from core.retrieval.lexical import LexicalIndex
from core.verification.recipes.catalogue import DEFAULT
from core.verification.stance.pair_reader import load_pair_reader
from core.verification.verdict.classifier_judge import ClassifierJudge


class NearestExamples:
    """Training claims by BM25 over their texts, as team CTU AIC chooses its few-shot examples."""

    def __init__(self, claims: Sequence[GoldClaim]) -> None:
        self.claims = claims
        self.index = LexicalIndex([gold.claim.text for gold in claims])

    def nearest(self, claim: str, *, k: int) -> tuple[GoldClaim, ...]:
        positions, _ = self.index.search(claim, k=k + 1)
        found = [self.claims[int(position)] for position in positions]
        # A claim is never its own example: its annotation would give the verdict away.
        return tuple(gold for gold in found if gold.claim.text != claim)[:k]


def open_examples(training: str) -> Examples | None:
    """Return the training claims of a file, None where no file is named. Raises BadInput if it cannot be read."""
    return NearestExamples(read_gold(Path(training))) if training else None


def open_readers() -> SentenceEncoder:
    """Return the encoder. The reader of passages is loaded as well, so that no case waits for it."""
    load_pair_reader()
    return load_encoder()


def open_models(model: str, *, training: str = "") -> Models:
    """Open everything that a run on the command line needs: the encoder while the model's process loads its weights."""
    choice, examples = parse_choice(model), open_examples(training)
    with ThreadPoolExecutor(1) as thread:
        encoder = thread.submit(open_readers)
        llm = open_model(choice)
    return Models(encoder.result(), llm, ClassifierJudge(DEFAULT), examples)
