"""Fit the embedded stance classifier, and measure it on pairs."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.annotations import NO_ANSWER, GoldClaim
from core.interfaces import ContextualEncoder, Encoder, ModelIdentity, Stop, TokenVectors, never
from core.retrieval.chunking import passages, sentence_spans
from core.statistics.logistic import fit_logistic
from core.training.entailment import LabelledPair
from core.training.minimal_pairs import KINDS, MinimalPair, lower_words
from core.types import Document, Label, Passage, PassageStance, Stance
from core.verification.stance.cards import StanceCard
from core.verification.stance.classifier import (
    STANCES,
    Thresholds,
    compare_passages,
    decided,
    sentences_in,
    stance_of,
)
from core.verification.stance.computed import computed_amounts
from core.verification.stance.embedded import EmbeddedClassifier, rows_of
from core.verification.stance.features import Read
from core.verification.stance.pair_reader import PairReader
from core.verification.stance.relations import with_relations
from core.verification.written_claims import ClaimOnDocument

PENALTY = 0.3
MADE_WEIGHT = 2.0
"""How much a pair that a program made counts beside one that people wrote."""

GUESSED_WEIGHTS = {"answer": 0.3, "swapped": 0.3, "nearest": 0.3}
"""How much pairs with a guessed label count. An answer gets its claim's label; near passages settle nothing."""

NEAR = 10
"""The number of passages nearest to a claim from which one is drawn that was not written for it."""

WRITTEN, NEAREST_WRITTEN = "written", 3
"""The kind of pairs of written claims, and how many passages without its evidence each claim has."""

SHARED = 0.6
"""Passages that share at least this part of their words with a claim's own are not drawn."""

THRESHOLDS = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
"""The probabilities tried; a passage that hardly takes a side takes none."""

Floats = NDArray[np.float64]

_OF_LABEL = {Label.SUPPORTED: Stance.FOR, Label.REFUTED: Stance.AGAINST}
_CHUNK = 100
_LONGEST_ANSWER = 1000


@dataclass(frozen=True)
class Pair:
    """A claim, a passage and the passage's true stance; `kind` as in KINDS, "answer", "swapped", or a set's name."""

    kind: str
    claim: str
    passage: Passage
    stance: Stance


def pairs_of(made: Iterable[MinimalPair]) -> list[Pair]:
    """Return minimal pairs with the whole of their documents as passages."""
    return [Pair(one.kind, one.claim, _whole(one.document), one.stance) for one in made]


def answer_pairs(gold: Iterable[GoldClaim], *, most: int = 3) -> list[Pair]:
    """Return annotated claims with up to `most` of their answers, which are taken to have the stance of the label."""
    return [
        Pair("answer", claim.claim.text, _whole(Document("gold", text[:_LONGEST_ANSWER])), _stance(claim.label))
        for claim in gold
        for _, text in claim.pairs[:most]
        if text != NO_ANSWER and len(text) > 20
    ]


def entailment_pairs(pairs: Iterable[LabelledPair]) -> list[Pair]:
    """Return pairs that people wrote, each with its set as kind."""
    return [
        Pair(one.source, one.claim, _whole(Document("entailment", one.premise)), STANCES[one.label]) for one in pairs
    ]


def written_pairs(claims: Iterable[ClaimOnDocument]) -> list[Pair]:
    """Return claims with each passage of their document that has all evidence, and the nearest that have none."""
    made = []
    for one in claims:
        about, claimed = passages(one.document), lower_words(one.claim)
        held = [part for part in about if all(part.start < end and start < part.end for start, end in one.evidence)]
        others = [part for part in about if not any(part.start < end and a < part.end for a, end in one.evidence)]
        others.sort(key=lambda part: -len(claimed & lower_words(part.text)))
        made += [Pair(WRITTEN, one.claim, part, STANCES[one.label]) for part in held]
        made += [Pair(WRITTEN, one.claim, part, Stance.ABOUT) for part in others[:NEAREST_WRITTEN]]
    return made


def with_amounts_computed(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Return the pairs with amounts in the passage that make one of the claim: "37 of the 148" for "one in four"."""
    return [
        one
        for one in pairs
        if any(computed_amounts(one.premise[start:end], one.claim) for start, end in sentence_spans(one.premise))
    ]


def swapped_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return each pair's claim with the passage of the pair half the list away: evidence that is not about it."""
    shift = len(pairs) // 2
    others = [*pairs[shift:], *pairs[:shift]]
    return [
        Pair("swapped", one.claim, other.passage, Stance.UNRELATED) for one, other in zip(pairs, others, strict=True)
    ]


def nearest_pairs(pairs: Sequence[Pair], encoder: Encoder, *, seed: int = 0) -> list[Pair]:
    """Pair each claim with a similar passage that belongs to another claim, as a search finds them."""
    own: dict[str, list[set[str]]] = defaultdict(list)
    for pair in pairs:
        own[pair.claim].append(_words(pair))
    passages = list({pair.passage.text: pair for pair in pairs}.values())
    vectors = encoder.encode([pair.passage.text for pair in passages])
    closeness = encoder.encode([pair.claim for pair in pairs]) @ vectors.T
    chance = random.Random(seed)
    made = []
    for pair, row in zip(pairs, closeness, strict=True):
        near = [passages[int(place)] for place in np.argsort(-row)[: 2 * NEAR]]
        others = [one for one in near if not any(_alike(_words(one), words) for words in own[pair.claim])][:NEAR]
        if others:
            made.append(Pair("nearest", pair.claim, chance.choice(others).passage, Stance.ABOUT))
    return made


def _words(pair: Pair) -> set[str]:
    return lower_words(pair.passage.text)


def _alike(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= SHARED * min(len(one), len(other))


def _stance(label: Label) -> Stance:
    return _OF_LABEL.get(label, Stance.ABOUT)


def _whole(document: Document) -> Passage:
    return Passage(document, 0, len(document.text))


@dataclass
class _Prepared:
    """An encoder that knows the texts of a chunk of pairs already, which it encoded in full batches."""

    encoder: ContextualEncoder
    known: dict[str, TokenVectors] = field(default_factory=dict)

    @property
    def identity(self) -> ModelIdentity:
        return self.encoder.identity

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        return self.encoder.encode(texts, stop=stop)

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new, self.encoder.token_vectors(new, stop=stop), strict=True))
        return [self.known[text] for text in texts]


def read_pairs(pairs: Sequence[Pair], encoder: ContextualEncoder, reader: PairReader) -> list[Read]:
    """Return the reading of each pair's passage."""
    reads: list[Read] = []
    for start in range(0, len(pairs), _CHUNK):
        chunk = pairs[start : start + _CHUNK]
        prepared = _Prepared(encoder)
        texts = [p.passage.document.text[a:b] for p in chunk for a, b in sentences_in(p.passage)]
        prepared.token_vectors([*(pair.claim for pair in chunk), *texts])
        compared = [read for pair in chunk for read in compare_passages(pair.claim, [pair.passage], prepared)]
        reads += with_relations(compared, reader)
    return reads


def fit_stance_classifier(pairs: Sequence[Pair], reads: Sequence[Read]) -> EmbeddedClassifier:
    """Return the classifier fitted to pairs and their readings; pairs that people wrote count most."""
    names = list(reads[0].values)
    truth = np.array([STANCES.index(pair.stance) for pair in pairs])
    weights = np.array([MADE_WEIGHT if pair.kind in KINDS else GUESSED_WEIGHTS.get(pair.kind, 1.0) for pair in pairs])
    rows = rows_of([read.values for read in reads], names)
    return EmbeddedClassifier(fit_logistic(rows, truth, names, penalty=PENALTY, weights=weights))


@dataclass(frozen=True)
class ClassifierFigures:
    """A classifier's figures on pairs.

    `right` is the share of right stances by kind. `named` is the share of noticed changes with the right kind, 0
    without any.
    """

    right: dict[str, float]
    named: float

    @property
    def score(self) -> float:
        return float(np.mean(list(self.right.values())))


def measure(
    classifier: EmbeddedClassifier, rows: Floats, pairs: Sequence[Pair], reads: Sequence[Read], thresholds: Thresholds
) -> ClassifierFigures:
    """Return the figures of the probabilities `rows` of pairs. Right: for, against; for the two other kinds neither."""
    plain = classifier.without_differences(reads)
    count, right, named = Counter[str](), Counter[str](), []
    for pair, read, row, undiffering in zip(pairs, reads, rows, plain, strict=True):
        found = stance_of(pair.passage, read, row, undiffering, thresholds)
        count[pair.kind] += 1
        right[pair.kind] += fits(pair.stance, found.stance)
        if pair.kind in KINDS and pair.stance is found.stance is Stance.AGAINST:
            named.append(names_change(pair.kind, found))
    share = sum(named) / len(named) if named else 0.0
    return ClassifierFigures({kind: round(right[kind] / count[kind], 4) for kind in count}, round(share, 4))


def fits(expected: Stance, found: Stance) -> bool:
    """Tell whether a stance is right; "about" and "unrelated" count as the same."""
    neither = (Stance.ABOUT, Stance.UNRELATED)
    return found in neither if expected in neither else found is expected


def names_change(kind: str, found: PassageStance) -> bool:
    """Say whether the reason is of the kind of change that was made."""
    return found.kind == {"denied": "denial"}.get(kind, kind)


def choose_thresholds(rows: Floats, pairs: Sequence[Pair]) -> Thresholds:
    """Return the thresholds with which the most is right and the least wrong, each kind of pairs counting alike."""
    tried = [Thresholds(one, other) for one in THRESHOLDS for other in THRESHOLDS]
    return max(tried, key=lambda thresholds: _worth(rows, pairs, thresholds))


def _worth(rows: Floats, pairs: Sequence[Pair], thresholds: Thresholds) -> float:
    """Return the share that is right less the share that is wrong, as the mean over the kinds."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for pair, row in zip(pairs, rows, strict=True):
        found = decided(row, thresholds)
        right, took = fits(pair.stance, found), found in (Stance.FOR, Stance.AGAINST)
        by_kind[pair.kind].append(1 if right else -1 if took else 0)
    return float(np.mean([np.mean(found) for found in by_kind.values()]))


def stance_card(
    classifier: EmbeddedClassifier,
    thresholds: Thresholds,
    pairs: Sequence[Pair],
    reads: Sequence[Read],
    *,
    command: str,
) -> StanceCard:
    """Return the card of a classifier: its thresholds, and its figures on pairs; `command` measures them again."""
    found = measure(classifier, classifier.probabilities(reads), pairs, reads, thresholds)
    return StanceCard(thresholds, round(found.score, 4), found.right, found.named, len(pairs), command)
