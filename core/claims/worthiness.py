"""How likely a sentence is worth checking: a logistic regression on MiniLM's vectors and on readable features.

`python -m core fit worthiness` fits it on sentences of debates and speeches that people judged. assets/worthiness holds
its numbers. Source of the task: Hassan et al., KDD 2017 (ClaimBuster).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dataclass_json import from_json
from core.files import ASSETS
from core.interfaces import Encoder, Stop, never
from core.statistics.logistic import Logistic
from core.verification.claim_intake import ASKED, FUTURE, OPINION, SAID
from core.verification.question_focus import DATE
from core.verification.stance.words import lexicon

WORTHINESS = ASSETS / "worthiness" / "classifier.json"

Floats = NDArray[np.float64]

_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    "nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|"
    "trillions?|half|third|quarter|dozens?|twice|double[ds]?|triple[ds]?"
)
NUMBER = re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE)
AMOUNT = re.compile(
    r"[$€£₹%]|\b(?:per ?cent|percent|percentage|dollars?|euros?|pounds|cents|millions?|billions?|trillions?|thousands?|"
    r"hundreds?)\b",
    re.IGNORECASE,
)
WHEN = re.compile(
    rf"{DATE.pattern}|\b(?:last|past|this|previous) (?:year|month|week|decade|century|quarter)\b"
    r"|\b(?:years?|months?|weeks?|days?|decades?) ago\b|\b(?:yesterday|today|since|in the last)\b",
)
COMPARISON = re.compile(
    r"\b(?:more|less|fewer|most|least|than|highest|lowest|largest|biggest|smallest|greatest|longest|worst|best|fastest|"
    r"higher|lower|larger|bigger|smaller|better|worse|faster|first|only|twice|record|times as|average|majority)\b",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:increas\w+|decreas\w+|r[oi]se[ns]?|rising|fell|fall(?:s|en|ing)|grew|grow[ns]?|growing|doubl\w+|tripl\w+|"
    r"cuts?|cutting|reduc\w+|rais\w+|lower(?:ed|s|ing)|dropp?\w*|gain\w*|lost|los(?:es|ing)|creat\w+|declin\w+|"
    r"expand\w*|improv\w+|went (?:up|down)|gone (?:up|down))\b",
    re.IGNORECASE,
)
DEED = re.compile(
    r"\b(?:voted|signed|passed|vetoed|supported|opposed|proposed|promised|spent|spends?|paid|pays|built|won|killed|"
    r"invaded|appointed|introduced|sponsored|funded|banned|sold|bought|invested|began|started|ended|launched|"
    r"eliminated|became|balanced|negotiated|refused|failed|gave|took|sent|brought|made|did)\b",
    re.IGNORECASE,
)
CAUSE = re.compile(r"\b(?:because|caus\w+|due to|result\w* (?:in|of)|led to|leads to)\b", re.IGNORECASE)
_NAME_WORD = re.compile(r"[A-Z][a-zA-Z’'.-]*[a-zA-Z]")
_NO_NAME = frozenset(
    "i i'm i've i'll i'd the a an and but so we you he she it they this that these those mr mrs ms dr sir madam".split()
)
_FIRST = frozenset("i i'm i've i'll i'd me my mine myself".split())
_WE = frozenset("we we're we've we'll we'd us our ours ourselves".split())
_YOU = frozenset("you you're you've you'll you'd your yours".split())
_THIRD = frozenset("he she it they him her them his its their he's she's it's they're they've".split())
_VIEWS = re.compile(r"\bI (?:\w+ )?(?:think|believe|feel|hope|guess|wish|want|would|will|say|know|mean)\b")
_BEGINS = re.compile(r"(?:and|but|so|well|now|no|yes|let|thank|please|good|ladies|look|because)\b", re.IGNORECASE)
_THANKS = re.compile(
    r"\b(?:thank|thanks|welcome|please|good (?:evening|morning|night)|bless|congratulat\w+|applause)\b", re.IGNORECASE
)
_ORDER = re.compile(
    r"\b(?:let(?:'s|’s| us| me)|must|have to|need to|ought to|should|would|could|can|may(?! \d)|might)\b", re.IGNORECASE
)
_PAST = re.compile(r"\b(?:was|were|had|did|has been|have been|\w{3,}ed)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|has|have|isn't|aren't|isn’t|aren’t)\b", re.IGNORECASE)
_SAID = re.compile(rf"\b(?:{SAID}|according to)\b", re.IGNORECASE)

NAMES = (
    "words",
    "fewer than six words",
    "a number",
    "numbers",
    "an amount",
    "a time",
    "a name",
    "names",
    "comparisons",
    "a change",
    "a deed",
    "a cause",
    "all or none",
    "negations",
    "I",
    "we",
    "you",
    "he, she, it or they",
    "a view of the speaker's",
    "an opinion",
    "a forecast",
    "an order or a wish",
    "a question",
    "an exclamation",
    "the past",
    "the present",
    "reported words",
    "thanks or greetings",
    "begins in the middle",
    "quotation marks",
)
"""The readable features of a sentence, in the order of `features_of`."""

REASONS = {
    "a number": "states a number",
    "numbers": "states a number",
    "an amount": "states an amount",
    "a time": "names a date or time",
    "a name": "names a person, place or body",
    "names": "names a person, place or body",
    "comparisons": "compares",
    "a change": "speaks of a rise, fall or change",
    "a deed": "tells what somebody did",
    "a cause": "names a cause",
    "all or none": "says all, none, only or first",
    "negations": "denies something",
    "he, she, it or they": "speaks about somebody else",
    "the past": "tells what happened",
    "the present": "tells how things are",
    "reported words": "reports what somebody said",
}
"""The features that may raise a score, in words for a person."""

AGAINST = {
    "a question": "asks a question",
    "thanks or greetings": "thanks or greets",
    "a view of the speaker's": "gives the speaker's view",
    "an opinion": "gives an opinion",
    "a forecast": "speaks of the future",
    "an order or a wish": "orders or wishes",
    "fewer than six words": "is very short",
    "I": "speaks about the speaker",
    "you": "addresses the listener",
    "we": "speaks about “we”",
}
"""The features that may lower a score, in words for a person."""


def features_of(sentence: str) -> list[float]:
    """Return the readable features of a sentence, in the order of NAMES."""
    said = sentence.replace("’", "'").split()
    lower = [word.strip('.,;:!?"“”()[]').lower() for word in said]
    share = 1 / max(len(said), 1)
    names = names_in(sentence)
    numbers = NUMBER.findall(sentence)
    return [
        math.log1p(len(said)),
        float(len(said) < 6),
        float(bool(numbers)),
        math.log1p(sum(bool(NUMBER.search(word)) for word in said)),
        float(bool(AMOUNT.search(sentence))),
        float(bool(WHEN.search(sentence))),
        float(bool(names)),
        math.log1p(len(names)),
        math.log1p(len(COMPARISON.findall(sentence))),
        float(bool(CHANGE.search(sentence))),
        float(bool(DEED.search(sentence))),
        float(bool(CAUSE.search(sentence))),
        float(any(word in lexicon().quantifiers for word in lower)),
        math.log1p(sum(word in lexicon().negation for word in lower)),
        sum(word in _FIRST for word in lower) * share,
        sum(word in _WE for word in lower) * share,
        sum(word in _YOU for word in lower) * share,
        sum(word in _THIRD for word in lower) * share,
        float(bool(_VIEWS.search(sentence))),
        float(bool(OPINION.search(sentence))),
        float(bool(FUTURE.search(sentence))),
        float(bool(_ORDER.search(sentence))),
        float(bool(ASKED.search(sentence))),
        float("!" in sentence),
        float(bool(_PAST.search(sentence))),
        float(bool(_IS.search(sentence))),
        float(bool(_SAID.search(sentence))),
        float(bool(_THANKS.search(sentence))),
        float(bool(_BEGINS.match(sentence))),
        float(any(sign in sentence for sign in '“”"')),
    ]


def names_in(sentence: str) -> list[str]:
    """Return the words of a sentence that begin with a capital letter, but its first and the pronoun "I"."""
    words = sentence.split()[1:]
    found = (_NAME_WORD.match(word.strip('"“”()[],;:.!?')) for word in words)
    return [one.group() for one in found if one and one.group().lower() not in _NO_NAME]


@dataclass(frozen=True)
class WorthinessClassifier:
    """A regression with the sentences worth checking as its second class, and its figures on held-out documents.

    Its features are NAMES, ANY_FACT and the numbers of MiniLM's vector. `measured` holds figures by set and ranking.
    """

    encoder: str
    regression: Logistic
    measured: dict[str, Any]
    sources: tuple[str, ...]
    command: str

    def scores(self, rows: Floats) -> Floats:
        """Return how likely each sentence is worth checking, in [0, 1]; shape (sentences,)."""
        return np.asarray(self.regression.of_rows(rows)[:, 1])

    def reason(self, row: Floats, score: float) -> str:
        """Return in words the readable features that raise a sentence's score most; of a low score, that lower it."""
        weights = np.array(self.regression.coefficients[1]) / self.regression.scale
        moves = (weights * (row - self.regression.mean))[: len(NAMES)]
        present = [place for place in range(len(NAMES)) if row[place]]
        reasons, sign = (REASONS, 1) if score >= LOW else (AGAINST, -1)
        named = [place for place in present if NAMES[place] in reasons and sign * moves[place] > 0]
        amount, time, numbers = (row[NAMES.index(name)] for name in ("an amount", "a time", "numbers"))
        if amount or (time and numbers <= math.log1p(1)):  # the number is that of the amount or of the date
            named = [place for place in named if REASONS.get(NAMES[place]) != REASONS["a number"]]
        best = dict.fromkeys(reasons[NAMES[place]] for place in sorted(named, key=lambda at: -sign * moves[at]))
        return ", ".join(list(best)[:MOST_REASONS]) or (RESEMBLES if score >= LOW else NO_REASON)


MOST_REASONS = 2
LOW = 0.3
"""Below this score the reason is one against checking the sentence."""

RESEMBLES = "resembles claims that people checked"
NO_REASON = "resembles no claim that people checked"
ANY_FACT = "any fact counts"
"""The feature of the set in which any verifiable fact counts as worthy. It is 0 for a sentence to be ranked."""


def feature_rows(sentences: Sequence[str], encoder: Encoder, *, stop: Stop = never) -> Floats:
    """Return NAMES, ANY_FACT and the vector of each sentence, shape (sentences, len(NAMES) + 1 + dimensions)."""
    readable = np.array([[*features_of(one), 0.0] for one in sentences], dtype=np.float64)
    return np.hstack([readable.reshape(len(sentences), len(NAMES) + 1), encoder.encode(sentences, stop=stop)])


@cache
def load_worthiness() -> WorthinessClassifier:
    """Return the classifier that comes with the program."""
    return from_json(json.loads(WORTHINESS.read_text(encoding="utf-8")), WorthinessClassifier)


def worthiness_json(classifier: WorthinessClassifier) -> str:
    """Return a classifier as the JSON that `load_worthiness` reads."""
    return json.dumps(asdict(classifier), indent=1) + "\n"
