"""The fitted head: logistic regression on what can be counted in the evidence.

It decides where the language model's card says that the model may not. Every feature is a number that a reader can
check, and none of them looks at the claim alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadRecord
from core.files import ASSETS, write_whole
from core.interfaces import Encoder, Stop, never
from core.types import Label

HEADS = ASSETS / "heads"

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
"""What each feature measures, by name, in the order of the head's coefficients."""


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, with straight apostrophes."""
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


def rate(tokens: Sequence[str], cues: frozenset[str]) -> float:
    """Return how many of the tokens are cues, per hundred."""
    return 100.0 * sum(token in cues for token in tokens) / len(tokens) if tokens else 0.0


def closeness(claim: str, answers: Sequence[str], encoder: Encoder, *, stop: Stop = never) -> NDArray[np.float64]:
    """Return the cosines of each answer with the claim, its assertion and its denial; shape (answers, 3).

    The questions stay out of it: a small model's questions repeat the claim, whatever the answer says.
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


@dataclass(frozen=True)
class Head:
    """Multinomial logistic regression over standardised features.

    mean, scale: shape (features,); coefficients: (4, features), in the order of Label; intercepts: (4,).
    `threshold` is the probability under which the head says "cannot tell". `measured` holds the figures
    that the page quotes, with the command and the data that gave them.
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    threshold: float
    measured: dict[str, Any]

    def probabilities(self, values: dict[str, float]) -> dict[Label, float]:
        """Return the four probabilities; they sum to 1."""
        row = np.array([values[name] for name in self.names])
        scores = np.array(self.coefficients) @ ((row - self.mean) / self.scale) + self.intercepts
        exponentials = np.exp(scores - scores.max())
        return dict(zip(Label, (exponentials / exponentials.sum()).tolist(), strict=True))

    def contributions(self, values: dict[str, float], label: Label) -> list[tuple[str, float]]:
        """Return each feature's contribution to the score of `label`, largest first."""
        row = (np.array([values[name] for name in self.names]) - self.mean) / self.scale
        parts = np.array(self.coefficients)[list(Label).index(label)] * row
        return sorted(zip(self.names, parts.tolist(), strict=True), key=lambda part: -part[1])


def load_head(name: str) -> Head:
    """Return the head fitted for a recipe's evidence. Raises BadRecord if its file is missing or incomplete."""
    path = HEADS / f"{name}.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        fields = {key: record[key] for key in ("names", "mean", "scale", "intercepts")}
        return Head(
            **{key: tuple(value) for key, value in fields.items()},
            coefficients=tuple(tuple(row) for row in record["coefficients"]),
            threshold=record["threshold"],
            measured=record["measured"],
        )
    except (OSError, ValueError, KeyError) as error:
        raise BadRecord(f"{path} is not a fitted head ({error}): fit one with `python -m core fit`.") from error


def save_head(name: str, head: Head) -> Path:
    """Write a head as numbers and return its path."""
    HEADS.mkdir(parents=True, exist_ok=True)
    path = HEADS / f"{name}.json"
    write_whole(path, json.dumps(asdict(head), indent=1) + "\n")
    return path
