"""Change evidence in known ways, for the stress test of a metric (core.scoring.stress).

A sound metric falls when numbers, names or answers are destroyed, and holds when only form, order or
repetition changes. After the perturbation experiments of Akhtar et al. 2024 (Ev²R); the perturbations are ours.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.annotations import PredictedEvidence, Prediction

Evidence = tuple[PredictedEvidence, ...]
Perturb = Callable[[Evidence, random.Random, Evidence], Evidence]
"""Takes a claim's evidence, a source of chance and another claim's evidence; returns the changed evidence."""

STOP_WORDS = frozenset(
    "a an the of in on at to for from by with and or but as is are was were be been being it its this that these "
    "those he she they his her their had has have do does did not no so than then there which who whom".split()
)
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
CONTRACTIONS = {
    "is not": "isn't", "are not": "aren't", "was not": "wasn't", "were not": "weren't", "do not": "don't",
    "does not": "doesn't", "did not": "didn't", "has not": "hasn't", "have not": "haven't", "had not": "hadn't",
    "cannot": "can't", "could not": "couldn't", "would not": "wouldn't", "will not": "won't",
    "should not": "shouldn't", "it is": "it's", "that is": "that's", "they are": "they're", "we are": "we're",
    "i am": "I'm", "they have": "they've", "there is": "there's",
}  # fmt: skip
# ASCII: else "İ" counts as an i, and its lower case is two characters.
_CONTRACTIBLE = re.compile(r"\b(?ai:" + "|".join(CONTRACTIONS) + r")\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL = re.compile(r"(?<![\d.,])\d{1,2}(?![\d%]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
"""A capitalised run that does not begin a sentence."""


@dataclass(frozen=True)
class Perturbation:
    """One way to change evidence, and the expected reaction of a sound metric: falls or holds."""

    name: str
    expected: str
    apply: Perturb


def _each(change: Callable[[str, random.Random], str]) -> Perturb:
    """Return the perturbation that changes every question and answer separately."""

    def apply(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
        return tuple(replace(e, question=change(e.question, chance), answer=change(e.answer, chance)) for e in evidence)

    return apply


def shuffle_pairs(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
    """Put the pairs in another order."""
    return tuple(chance.sample(evidence, len(evidence)))


def blank_answers(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
    """Leave the questions and drop the answers."""
    return tuple(replace(e, answer="") for e in evidence)


def repeat_pair(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
    """Repeat one pair at the end."""
    return (*evidence, chance.choice(evidence)) if evidence else evidence


def insert_foreign(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
    """Add a pair of another claim at the end."""
    return (*evidence, chance.choice(foreign)) if foreign else evidence


def typo(text: str, chance: random.Random) -> str:
    """Swap two neighbouring letters inside one word in ten."""
    words = text.split(" ")
    for i, word in enumerate(words):
        if len(word) > 3 and word.isalpha() and chance.random() < 0.1:
            k = chance.randrange(1, len(word) - 2)
            words[i] = word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    return " ".join(words)


def drop_stop_words(text: str, chance: random.Random) -> str:
    """Leave out articles, prepositions, auxiliaries and other function words."""
    return " ".join(word for word in text.split(" ") if word.lower() not in STOP_WORDS)


def change_numbers(text: str, chance: random.Random) -> str:
    """Replace every digit of every number by another digit."""

    def other(match: re.Match[str]) -> str:
        return "".join(str((int(c) + chance.randint(1, 9)) % 10) if c.isdecimal() else c for c in match[0])

    return _NUMBER.sub(other, text)


def numbers_as_words(text: str, chance: random.Random) -> str:
    """Write the numbers from 0 to 99 as words: the meaning stays."""
    return _SMALL.sub(lambda match: number_word(int(match[0])), text)


def number_word(number: int) -> str:
    """Return 0 to 99 in words: "forty-two"."""
    if number < 20:
        return ONES[number]
    ten, one = divmod(number, 10)
    return TENS[ten - 2] + (f"-{ONES[one]}" if one else "")


def shuffle_words(text: str, chance: random.Random) -> str:
    """Put all words in another order."""
    words = text.split(" ")
    return " ".join(chance.sample(words, len(words)))


def contract(text: str, chance: random.Random) -> str:
    """Write "is not" as "isn't" and the like: the meaning stays."""
    return _CONTRACTIBLE.sub(lambda match: _as_in(match[0], CONTRACTIONS[match[0].lower()]), text)


def _as_in(original: str, replacement: str) -> str:
    return replacement[0].upper() + replacement[1:] if original[0].isupper() else replacement


def swap_entities(evidence: Evidence, chance: random.Random, foreign: Evidence) -> Evidence:
    """Replace each name, consistently, by a name from another claim's evidence."""
    others = sorted({name for e in foreign for name in _NAME.findall(f"{e.question} {e.answer}")})
    if not others:
        return evidence
    known: dict[str, str] = {}

    def swap(text: str) -> str:
        return _NAME.sub(lambda match: known.setdefault(match[0], chance.choice(others)), text)

    return tuple(replace(e, question=swap(e.question), answer=swap(e.answer)) for e in evidence)


FALLS, HOLDS = "falls", "holds"

PERTURBATIONS = (
    Perturbation("numbers changed", FALLS, _each(change_numbers)),
    Perturbation("entities swapped", FALLS, swap_entities),
    Perturbation("answers blank", FALLS, blank_answers),
    Perturbation("words shuffled", FALLS, _each(shuffle_words)),
    Perturbation("typos", HOLDS, _each(typo)),
    Perturbation("stop words dropped", HOLDS, _each(drop_stop_words)),
    Perturbation("numbers as words", HOLDS, _each(numbers_as_words)),
    Perturbation("contractions", HOLDS, _each(contract)),
    Perturbation("pairs shuffled", HOLDS, shuffle_pairs),
    Perturbation("one pair repeated", HOLDS, repeat_pair),
    Perturbation("foreign pair inserted", HOLDS, insert_foreign),
)


def perturbed(predictions: Sequence[Prediction], perturbation: Perturbation, *, seed: int) -> dict[str, Prediction]:
    """Return the predictions with evidence that the perturbation changed, by id; the same seed gives the same."""
    changed = {}
    for position, prediction in enumerate(predictions):
        chance = random.Random(f"{seed} {perturbation.name} {prediction.claim_id}")
        foreign = predictions[(position + 1) % len(predictions)].evidence if len(predictions) > 1 else ()
        evidence = perturbation.apply(prediction.evidence, chance, foreign)
        if evidence != prediction.evidence:
            changed[prediction.claim_id] = replace(prediction, evidence=evidence)
    return changed
