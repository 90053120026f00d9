"""The verdict classifier's features of the evidence: numbers that a reader can check."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.interfaces import Encoder, Stop, never
from core.types import PassageStance, Stance

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
DENIAL = frozenset(
    "false fake hoax untrue incorrect incorrectly wrong wrongly misleading misinformation debunk debunked debunks "
    "satire satirical fabricated doctored altered edited manipulated baseless unfounded myth rumour rumours rumor "
    "rumors falsely misleadingly misrepresented photoshopped conspiracy unproven unsubstantiated".split()
)
NEGATION = frozenset(
    "no not never none neither nor nothing cannot without deny denied denies refuted dismissed rejected "
    "didn't doesn't isn't wasn't weren't don't hasn't haven't can't won't wouldn't couldn't".split()
)
AFFIRMATION = frozenset(
    "confirmed confirms confirm true indeed correct correctly accurate according announced official officially "
    "data statistics report reported percent signed approved recorded".split()
)
CONTRAST = frozenset(
    "but however although though while despite whereas nevertheless partly partially context missing "
    "unclear unknown disputed contested depends some exaggerated".split()
)

MEANINGS = {
    "closest": "how close the closest answer is to the claim (cosine, −1 to 1)",
    "closeness": "how close the answers are to the claim on average (cosine, −1 to 1)",
    "top_three": "how close the three closest answers are on average (cosine, −1 to 1)",
    "spread": "how much the answers differ in closeness (standard deviation)",
    "lean": "whether the answers are closer to “it is true that …” than to “it is false that …”, on average",
    "strongest_lean": "the same, for the answer that leans most towards “false”",
    "denial": "share of answers with a word of denial, such as “hoax” or “misleading”",
    "negation": "negations per hundred words, weighted by closeness",
    "affirmation": "words such as “confirmed” or “according” per hundred words, weighted by closeness",
    "contrast": "words such as “however” per hundred words, weighted by closeness",
    "numbers_found": "share of the claim's numbers that the answers repeat (0 if it has none)",
    "words_found": "share of the claim's longer words that the closest three answers repeat",
}
"""The features of the answers, by name."""

STANCE_MEANINGS = {
    "for": "how sure it is that a passage is for the claim, at most (0 if none is)",
    "against": "how sure it is that a passage is against the claim, at most (0 if none is)",
    "share_for": "share of the passages that are for the claim",
    "share_against": "share of the passages that are against the claim",
    "share_unrelated": "share of the passages that speak of something else",
    "called_false": "share of the passages that call the claim false",
    "both": "whether there are passages on both sides",
}
"""The features of the passages' stances, by name."""

WORDING_MEANINGS = {
    "wording_supported": "how much more the claim's own words sound like a supported claim than a refuted one",
    "wording_not_enough": "how much more they sound like one without evidence than a refuted one",
    "wording_conflicting": "how much more they sound like one with conflicting evidence than a refuted one",
}
"""The features of the claim's own words, by name: differences of log-probabilities."""


def stance_features(stances: Sequence[PassageStance]) -> dict[str, float]:
    """Return the features of STANCE_MEANINGS. Raises ValueError if there are no stances."""
    if not stances:
        raise ValueError("the features of no stances are undefined")

    def strongest(stance: Stance) -> float:
        return max((one.probability for one in stances if one.stance is stance), default=0.0)

    def share(stance: Stance) -> float:
        return sum(one.stance is stance for one in stances) / len(stances)

    false = sum(one.stance is Stance.AGAINST and one.kind == "denial" for one in stances)
    values = (
        strongest(Stance.FOR),
        strongest(Stance.AGAINST),
        share(Stance.FOR),
        share(Stance.AGAINST),
        share(Stance.UNRELATED),
        false / len(stances),
        float(share(Stance.FOR) > 0 and share(Stance.AGAINST) > 0),
    )
    return {name: float(value) for name, value in zip(STANCE_MEANINGS, values, strict=True)}


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, with straight apostrophes."""
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


def rate(tokens: Sequence[str], cues: frozenset[str]) -> float:
    """Return how many of the tokens are cues, per hundred."""
    return 100.0 * sum(token in cues for token in tokens) / len(tokens) if tokens else 0.0


def closeness(claim: str, answers: Sequence[str], encoder: Encoder, *, stop: Stop = never) -> NDArray[np.float64]:
    """Return the cosines of each answer with the claim, its assertion and its denial; shape (answers, 3).

    The questions stay out of it: a small model's questions repeat the claim, with any answer.
    Raises ValueError if there are no answers.
    """
    if not answers:
        raise ValueError("the closeness of no answers is undefined")
    stated = [claim, f"It is true that {claim}", f"It is false that {claim}"]
    vectors = encoder.encode([*stated, *answers], stop=stop).astype(np.float64)
    return np.asarray(vectors[3:] @ vectors[:3].T)


def features(claim: str, answers: Sequence[str], cosines: NDArray[np.float64]) -> dict[str, float]:
    """Return the features of MEANINGS for a claim, the answers to it and their `closeness`."""
    near, lean = cosines[:, 0], cosines[:, 1] - cosines[:, 2]
    order = np.argsort(-near, kind="stable")[:3]
    weights = np.exp(near * 8.0) / np.exp(near * 8.0).sum()
    tokens = [words(answer) for answer in answers]
    numbers = set(NUMBER.findall(claim))
    told = set(NUMBER.findall(" ".join(answers)))
    long = {word for word in words(claim) if len(word) > 3}
    repeated = {word for index in order for word in tokens[index]}

    def weighted(cues: frozenset[str]) -> float:
        return float(weights @ [rate(answer, cues) for answer in tokens])

    values = (
        near.max(),
        near.mean(),
        near[order].mean(),
        near.std(),
        weights @ lean,
        lean.min(),
        np.mean([any(token in DENIAL for token in answer) for answer in tokens]),
        weighted(NEGATION),
        weighted(AFFIRMATION),
        weighted(CONTRAST),
        len(numbers & told) / len(numbers) if numbers else 0.0,
        len(long & repeated) / len(long) if long else 0.0,
    )
    return {name: float(value) for name, value in zip(MEANINGS, values, strict=True)}
