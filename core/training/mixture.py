"""Mix the sets that the reader learns from. The claim alone gives little away, and every stretch has the same mix."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.training.changed_pairs import changed
from core.training.entailment import LabelledPair
from core.verification.written_claims import LABELS

TIMES = {
    "fever": 1,
    "vitaminc_real": 1,
    "vitaminc_synthetic": 1,
    "mnli_dev": 1,
    "negnli": 1,
    "fm2": 2,
    "check_covid": 2,
    "scifact": 2,
    "wice": 1,
    "citation_integrity": 1,
    "breaking_nli": 1,
}
"""How often a pass over the data reads each row of a set."""

MOST_OF_A_LABEL = {"breaking_nli": 400, "citation_integrity": 300}
"""Sets that are one-sided or doubtful, and how many rows of each label are taken."""

LONGEST = 400
"""Passages with more characters are left out: they take the time of several, and passages are read by sentences."""

CHANGED = 30_000
"""How many pairs with one change are made. The sets hold few changed names, numbers and negations."""

CHANGED_SETS = ("fever", "vitaminc_real", "mnli_dev")

MADE_NEITHER = 20_000
"""How many pairs that settle nothing are made of FEVER's claims and sentences."""

IN_CONTEXT = 0.25
"""The share of FEVER's pairs that get a second sentence about the same thing: passages have more than one."""

NEITHER = LABELS.index("neither")
BINS = 40
_MOST_SHARED = 1 / 3
_OPENING = re.compile(r"(?:(?:[A-Z0-9]\S*|\([^)]*\)|of|the|and|in)(?:\s+|$))+")
_WORD = re.compile(r"\w+")
_KIND_OF_THING = re.compile(r"\b(?:is|was|are|were) (?:not )?(?:only |just |solely )?(?:an?|the|in)\b")
"""Claims and sentences that give a thing's kind: "a film" settles "a boat", though no word is shared."""


def mixed(train: Sequence[LabelledPair], *, seed: int) -> list[LabelledPair]:
    """Return one pass over the data, in an order in which every stretch has the mix of the whole."""
    chance = random.Random(seed)
    by_set: dict[str, list[LabelledPair]] = defaultdict(list)
    for pair in train:
        if len(pair.premise) <= LONGEST:
            by_set[pair.source].append(pair)
    if "fever" in by_set:
        by_set["fever"] = balanced(by_set["fever"], chance)
        by_set["made_neither"] = made_neither(by_set["fever"], MADE_NEITHER, chance)
        for name in ("fever", "made_neither"):
            by_set[name] = in_context(by_set[name], IN_CONTEXT, chance)
    settled = [pair for name in CHANGED_SETS for pair in by_set[name]]
    for pair in changed(settled, CHANGED, chance):
        by_set[pair.source].append(pair)
    groups: dict[tuple[str, int], list[LabelledPair]] = defaultdict(list)
    for name, pairs in by_set.items():
        for pair in pairs * TIMES.get(name, 1):
            groups[name, pair.label].append(pair)
    placed: list[tuple[float, int, LabelledPair]] = []
    for (name, _), pairs in sorted(groups.items()):
        chance.shuffle(pairs)
        kept = pairs[: MOST_OF_A_LABEL.get(name)]
        placed += [((at + chance.random()) / len(kept), len(placed) + at, pair) for at, pair in enumerate(kept)]
    return [pair for _, _, pair in sorted(placed)]


def balanced(pairs: Sequence[LabelledPair], chance: random.Random) -> list[LabelledPair]:
    """Return as many pairs for as against, among claims with words that suggest either side alike.

    FEVER's refuted claims are often negations: a reader that learnt all of them would guess from the claim.
    """
    scores = claim_scores(pairs)
    order = sorted(range(len(pairs)), key=lambda place: (scores[place], place))
    size = math.ceil(len(order) / BINS)
    kept: list[LabelledPair] = []
    for start in range(0, len(order), size):
        sides: tuple[list[int], list[int]] = ([], [])
        for place in order[start : start + size]:
            if pairs[place].label != NEITHER:
                sides[pairs[place].label].append(place)
        few = min(map(len, sides))
        kept += [pairs[place] for side in sides for place in chance.sample(side, few)]
    return kept


def claim_scores(pairs: Sequence[LabelledPair]) -> list[float]:
    """Return how much the words of each claim speak for it rather than against it: naive Bayes over two halves.

    Each half is scored by the words of the other, so that no claim is judged by itself.
    """
    half = [sum(pair.claim.encode()) % 2 for pair in pairs]
    counts = [[Counter[str](), Counter[str]()] for _ in range(2)]
    for pair, one in zip(pairs, half, strict=True):
        if pair.label != NEITHER:
            counts[one][pair.label].update(_features(pair.claim))
    weights = [_log_odds(*counts[1 - one]) for one in range(2)]
    return [
        math.fsum(weights[one].get(word, 0.0) for word in _features(pair.claim))  # the same in any order of the words
        for pair, one in zip(pairs, half, strict=True)
    ]


def _features(claim: str) -> set[str]:
    words = _WORD.findall(claim.lower())
    return {*words, *(f"{one} {other}" for one, other in itertools.pairwise(words))}


def _log_odds(told: Counter[str], denied: Counter[str]) -> dict[str, float]:
    prior = math.log(max(1, told.total()) / max(1, denied.total()))
    seen = {word for word in (told | denied) if told[word] + denied[word] >= 5}
    return {word: math.log((told[word] + 1) / (denied[word] + 1)) - prior for word in seen}


def made_neither(pairs: Sequence[LabelledPair], number: int, chance: random.Random) -> list[LabelledPair]:
    """Return up to `number` claims with a sentence that settles nothing about them.

    Of ten, six have another sentence about the same thing, three one about something that shares a name, one any.
    A sentence with many of the claim's other words is passed over: it might settle the claim. So is one that gives
    the kind of the same thing.
    """
    about: dict[str, list[str]] = defaultdict(list)
    sharing: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        if not _KIND_OF_THING.search(pair.premise):
            about[opening(pair.claim)].append(pair.premise)
        for name in _names(pair.claim):
            sharing[name].append(pair.premise)
    anything = [pair.premise for pair in pairs]
    made: list[LabelledPair] = []
    for pair in chance.sample(list(pairs), len(pairs)):
        if len(made) == number:
            break
        drawn = chance.random()
        if drawn < 0.6 and not _KIND_OF_THING.search(pair.claim):
            pool = about[opening(pair.claim)]
        elif drawn < 0.9:
            pool = [text for name in sorted(_names(pair.claim)) for text in sharing[name]]
        else:
            pool = anything
        found = _elsewhere(pair, chance.sample(pool, min(8, len(pool))))
        if found:
            made.append(LabelledPair(found, pair.claim, NEITHER, "made_neither"))
    return made


def in_context(pairs: Sequence[LabelledPair], share: float, chance: random.Random) -> list[LabelledPair]:
    """Return the pairs, a share of them with a sentence before or after the passage that settles nothing."""
    about: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        about[opening(pair.claim)].append(pair.premise)
    return [_beside(pair, about[opening(pair.claim)], chance) if chance.random() < share else pair for pair in pairs]


def _beside(pair: LabelledPair, pool: Sequence[str], chance: random.Random) -> LabelledPair:
    found = _elsewhere(pair, chance.sample(pool, min(8, len(pool))))
    if not found or len(found) + len(pair.premise) >= LONGEST:
        return pair
    return replace(pair, premise=" ".join(chance.sample([found, pair.premise], 2)))


def opening(claim: str) -> str:
    """Return the name that a claim begins with: FEVER's claims begin with the title of their page."""
    found = _OPENING.match(claim)
    return found[0].strip().lower() if found else ""


def _names(claim: str) -> set[str]:
    return {word for word in opening(claim).split() if len(word) > 3 and word.isalpha()}


def _elsewhere(pair: LabelledPair, texts: Iterable[str]) -> str | None:
    """Return the first text outside the evidence with few of the claim's words beyond the name."""
    name = set(_WORD.findall(opening(pair.claim)))
    rest = {word for word in _WORD.findall(pair.claim.lower()) if len(word) > 3} - name
    for text in texts:
        apart = text not in pair.premise and pair.premise not in text
        if apart and len(rest & set(_WORD.findall(text.lower()))) <= _MOST_SHARED * len(rest):
            return text
    return None


def interleaved(some: Sequence[LabelledPair], others: Sequence[LabelledPair]) -> list[LabelledPair]:
    """Return two lists of pairs in turn, as far as both go."""
    return list(itertools.chain.from_iterable(zip(some, others, strict=False)))
