"""Change one thing in claims that a passage settles: the change says how the passage relates to the new claim."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.retrieval.chunking import sentence_spans
from core.training.entailment import LabelledPair
from core.training.minimal_pairs import DENIALS, lower_words, negated_claim, put
from core.types import Span
from core.verification.stance.names import names
from core.verification.stance.words import words_of
from core.verification.written_claims import LABELS

FOR, AGAINST, NEITHER = range(len(LABELS))

SHARES = {"number": 0.22, "object": 0.2, "subject": 0.16, "negation": 0.22, "verbatim": 0.14, "denial": 0.06}
"""Which share of the changed pairs has each change."""

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.,]*\d)")
_SHORTEST, _LONGEST = 5, 30
"""How many words a claim that is changed has."""


@dataclass
class Substitutes:
    """Numbers and names of many claims, by how long they are, so that a changed claim looks like any other."""

    numbers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    names: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def learn(self, claim: str) -> None:
        for number in _NUMBER.findall(claim):
            self.numbers[_shape(number)].append(number)
        for name in _names(claim):
            text = claim[slice(*name)]
            self.names[len(text.split())].append(text)


def changed(pairs: Sequence[LabelledPair], number: int, chance: random.Random) -> list[LabelledPair]:
    """Return up to `number` pairs with one change, in the SHARES of its kinds; source "changed_" and the kind.

    A number, or a name after the first, that is replaced: against. The name that a claim begins with: neither, for the
    passage speaks of another thing. A claim that is negated: the other side. A sentence of the passage itself: for.
    A passage that calls the claim false: against.
    """
    pool = Substitutes()
    for pair in pairs:
        pool.learn(pair.claim)
    makers: dict[str, Callable[[LabelledPair], LabelledPair | None]] = {
        "number": lambda pair: _number(pair, pool, chance),
        "object": lambda pair: _name(pair, pool, chance, subject=False),
        "subject": lambda pair: _name(pair, pool, chance, subject=True),
        "negation": _negated,
        "verbatim": lambda pair: _verbatim(pair, chance),
        "denial": lambda pair: _denied(pair, chance),
    }
    made: list[LabelledPair] = []
    for kind, share in SHARES.items():
        order = chance.sample(list(pairs), len(pairs))
        made += _first(int(number * share), (_of_kind(kind, makers[kind], pair) for pair in order))
    return made


def _first(number: int, found: Iterable[LabelledPair | None]) -> list[LabelledPair]:
    kept: list[LabelledPair] = []
    for pair in found:
        if pair:
            kept.append(pair)
        if len(kept) == number:
            break
    return kept


def _of_kind(kind: str, make: Callable[[LabelledPair], LabelledPair | None], pair: LabelledPair) -> LabelledPair | None:
    made = make(pair)
    return replace(made, source=f"changed_{kind}") if made else None


def _shape(number: str) -> str:
    """Return a number with its digits as 0, a year of our time as it is in part: 1987 is like 1954, not like 5321."""
    return f"{number[:2]}00" if re.fullmatch(r"1[89]\d\d|20\d\d", number) else re.sub(r"\d", "0", number)


def _names(text: str) -> list[Span]:
    return [name.span for name in names(text, words_of(text))]


def _number(pair: LabelledPair, pool: Substitutes, chance: random.Random) -> LabelledPair | None:
    """Replace a number that the passage gives too by one that it does not give."""
    if pair.label != FOR:
        return None
    shared = [found for found in _NUMBER.finditer(pair.claim) if found[0] in pair.premise]
    if not shared:
        return None
    found = chance.choice(shared)
    new = chance.choice(pool.numbers[_shape(found[0])])
    if new in pair.premise or new in pair.claim:
        return None
    return replace(pair, claim=put(pair.claim, found.span(), new), label=AGAINST)


def _name(pair: LabelledPair, pool: Substitutes, chance: random.Random, *, subject: bool) -> LabelledPair | None:
    """Replace a name that the passage has too: the first word of the claim, or a later one."""
    if pair.label != FOR:
        return None
    spans = [span for span in _names(pair.claim) if (span[0] == 0) is subject]
    shared = [span for span in spans if pair.claim[slice(*span)] in pair.premise]
    if not shared:
        return None
    span = chance.choice(shared)
    new = chance.choice(pool.names[len(pair.claim[slice(*span)].split())])
    if lower_words(new) & lower_words(f"{pair.premise} {pair.claim}"):
        return None
    return replace(pair, claim=put(pair.claim, span, new), label=NEITHER if subject else AGAINST)


def _negated(pair: LabelledPair) -> LabelledPair | None:
    claim = negated_claim(pair.claim) if pair.label != NEITHER else ""
    return replace(pair, claim=claim, label=AGAINST if pair.label == FOR else FOR) if claim else None


def _verbatim(pair: LabelledPair, chance: random.Random) -> LabelledPair | None:
    sentences = [pair.premise[slice(*span)] for span in sentence_spans(pair.premise)]
    fitting = [text for text in sentences if _SHORTEST <= len(text.split()) <= _LONGEST and text[0].isupper()]
    return replace(pair, claim=chance.choice(fitting), label=FOR) if fitting else None


def _denied(pair: LabelledPair, chance: random.Random) -> LabelledPair | None:
    """Make a passage that calls the claim false."""
    bare = pair.claim.rstrip(". ")
    if not bare or pair.label == NEITHER or len(bare.split()) > _LONGEST:
        return None
    return replace(pair, premise=chance.choice(DENIALS).format(bare), label=AGAINST)
