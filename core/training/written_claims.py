"""Which writers' claims the reader learns from, chooses by, and is measured on; and the passages made of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from core.retrieval.chunking import sentence_spans
from core.training.entailment import LabelledPair
from core.types import Span
from core.verification.stance.words import words_of
from core.verification.written_claims import LABELS, ClaimOnDocument

LEARNT = tuple(f"w{number}" for number in (1, 2, 3, 4, 6, 7, *range(10, 18)))
"""The writers of the claims that the reader learns from."""

MEASURED = ("w5",)
"""Claims by this writer choose between ways to learn, and the thresholds."""

UNSEEN = ("w8", "w9")
"""Claims by these two are only looked at once, at the end."""


SOURCE = "written"
"""The set that pairs made of these claims belong to."""

WINDOWS = (1, 2, 3, 3, 5)
"""How many sentences the passages hold that are made of a document; evidence of more makes a longer one."""

TITLED = 0.3
"""The share of the passages that begin with the title of their document."""

APART = (0.6, 0.6, 0.3)
"""For each label, how often a claim is also paired with a passage without its evidence."""

LONGEST_EVIDENCE = 8
"""Evidence that is further apart, in sentences, is put together without the sentences between."""


def taught_pairs(claims: Sequence[ClaimOnDocument], chance: random.Random) -> list[LabelledPair]:
    """Return each claim with a passage around its evidence, and some with a passage that has none of it."""
    pairs = []
    for one in claims:
        pairs.append(LabelledPair(_titled(_around(one, chance), one, chance), one.claim, one.label, SOURCE))
        if chance.random() < APART[one.label] and (other := _elsewhere(one, chance)):
            pairs.append(LabelledPair(_titled(other, one, chance), one.claim, LABELS.index("neither"), SOURCE))
    chance.shuffle(pairs)
    return pairs


def _titled(passage: str, one: ClaimOnDocument, chance: random.Random) -> str:
    return f"{one.document.title}: {passage}" if chance.random() < TITLED else passage


def _around(one: ClaimOnDocument, chance: random.Random) -> str:
    """Return some sentences of the document that hold the evidence."""
    spans, held = _sentences(one.document.text), _with_evidence(one)
    first, last = held[0], held[-1]
    if last - first >= LONGEST_EVIDENCE:
        return " ".join(_line(one, *spans[at]) for at in held)
    size = max(chance.choice(WINDOWS), last - first + 1)
    start = chance.randint(max(0, last + 1 - size), min(first, max(0, len(spans) - size)))
    return _line(one, spans[start][0], spans[min(start + size, len(spans)) - 1][1])


def _elsewhere(one: ClaimOnDocument, chance: random.Random) -> str | None:
    """Return a passage without evidence, one of the three that share most words with the claim; None without any."""
    spans, held = _sentences(one.document.text), set(_with_evidence(one))
    size = chance.choice(WINDOWS[:4])
    starts = [at for at in range(len(spans) - size + 1) if not held & set(range(at, at + size))]
    texts = [_line(one, spans[at][0], spans[at + size - 1][1]) for at in starts]
    claimed = {word.stem for word in words_of(one.claim)}
    texts.sort(key=lambda text: -len(claimed & {word.stem for word in words_of(text)}))
    return chance.choice(texts[:3]) if texts else None


def _with_evidence(one: ClaimOnDocument) -> list[int]:
    """Return the places of the document's sentences with evidence."""
    spans = _sentences(one.document.text)
    return [at for at, (start, end) in enumerate(spans) if any(a < end and start < b for a, b in one.evidence)]


def _line(one: ClaimOnDocument, start: int, end: int) -> str:
    return " ".join(one.document.text[start:end].split())


@lru_cache(maxsize=1024)
def _sentences(text: str) -> list[Span]:
    return sentence_spans(text)
