"""A judge of questions: well formed, answered by its passage, and about the claim, each with a probability.

Three logistic regressions on MiniLM's vectors and on readable features. `python -m core fit question-judge` fits them
on questions that people wrote and judged; assets/questions holds their numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dataclass_json import from_json
from core.files import ASSETS
from core.interfaces import Encoder, LanguageModel, Stop, never
from core.llm.prompts import render
from core.statistics.logistic import Logistic
from core.terms import STOP_WORDS, lower_words, terms, words
from core.verification.question_focus import WEIGHTS, content_terms, kind_of

JUDGE = ASSETS / "questions" / "judge.json"

AUXILIARIES = frozenset(
    "is are was were do does did has have had can could will would should may might must isn aren wasn weren".split()
)
WH_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
ASKED = ("who", "what", "which", "when", "where", "why", "how", "how many", "how much", "yes or no", "other")
"""The kinds of questions, by their first words."""

_PREPOSITIONS = frozenset("of in for to from with on at by about into".split())
_ARTICLES = frozenset(("the", "a", "an"))
_PRONOUNS = frozenset("he she it they him her them his its their this that these those".split())

LEAST_LIKELIHOOD = -16.0
"""The least log-likelihood of a question that is shown, by SmolLM2 without an adapter.

Of 200 questions that people judged, 59 reach it: 61 % of these are sensible and 19 % nonsense, of all 45 and 43 %.
"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DraftQuestion:
    """A question, the text that answers it, the words that do ("" if unknown), and the claim ("" for none)."""

    question: str
    passage: str
    span: str = ""
    claim: str = ""


@dataclass(frozen=True)
class QuestionJudge:
    """Three regressions, each with the good questions as its second class, and the least probability by each.

    `measured` are their figures on held-out rows, by name.
    """

    encoder: str
    well_formed: Logistic
    answered: Logistic
    about_claim: Logistic
    least: tuple[float, float, float]
    measured: dict[str, Any]
    licence: str
    sources: tuple[str, ...]
    command: str

    def probabilities(self, drafts: Sequence[DraftQuestion], encoder: Encoder, *, stop: Stop = never) -> Floats:
        """Return how likely each draft is well formed, answered by its passage and about its claim; (drafts, 3)."""
        vectors = vectors_of(drafts, encoder, stop=stop)
        heads = (self.well_formed, self.answered, self.about_claim)
        rows = (form_rows(drafts, vectors), answer_rows(drafts, vectors), claim_rows(drafts, vectors))
        return np.stack([head.of_rows(row)[:, 1] for head, row in zip(heads, rows, strict=True)], axis=1)

    def accepts(self, drafts: Sequence[DraftQuestion], encoder: Encoder, *, stop: Stop = never) -> list[bool]:
        """Return whether each draft may be asked."""
        if not drafts:
            return []
        found = self.probabilities(drafts, encoder, stop=stop)
        return [bool(np.all(row >= self.least)) for row in found]


def answered_by(draft: DraftQuestion, encoder: Encoder, *, stop: Stop = never) -> float:
    """Return how likely a draft is answered by its passage; 0 with an encoder that the judge does not know."""
    judge = load_question_judge()
    if judge.encoder != encoder.identity.digest:
        return 0.0
    return float(judge.probabilities([draft], encoder, stop=stop)[0, 1])


def likely_questions(drafts: Sequence[DraftQuestion], llm: LanguageModel, *, stop: Stop = never) -> set[str]:
    """Return the questions with a log-likelihood of LEAST_LIKELIHOOD or more after their passage."""
    return {draft.question for draft in drafts if draft.question and _likelihood(draft, llm, stop) >= LEAST_LIKELIHOOD}


def _likelihood(draft: DraftQuestion, llm: LanguageModel, stop: Stop) -> float:
    prompt = render("question_likelihood", {"passage": draft.passage})
    likelihoods, _ = llm.log_likelihoods(prompt, [draft.question], stop=stop)
    return float(likelihoods[0])


@dataclass(frozen=True)
class DraftVectors:
    """Unit vectors of drafts' parts, each of shape (drafts, dimensions)."""

    question: NDArray[np.float32]
    passage: NDArray[np.float32]
    span: NDArray[np.float32]
    claim: NDArray[np.float32]


def vectors_of(drafts: Sequence[DraftQuestion], encoder: Encoder, *, stop: Stop = never) -> DraftVectors:
    """Return the vectors of the drafts' parts; each text is encoded once."""
    texts = [text for one in drafts for text in (one.question, one.passage, one.span, one.claim)]
    different = list(dict.fromkeys(texts))
    places = {text: place for place, text in enumerate(different)}
    rows = encoder.encode(different, stop=stop)[[places[text] for text in texts]]
    return DraftVectors(*(rows[start::4] for start in range(4)))


def asked_for(question: str) -> str:
    """Return which of ASKED a question is."""
    said = lower_words(question)
    at = next((place for place, word in enumerate(said[:4]) if word in WH_WORDS), None)
    if at is None:
        return "yes or no" if said and said[0] in AUXILIARIES else "other"
    following = said[at + 1] if at + 1 < len(said) else ""
    if said[at] == "how" and following in ("many", "much"):
        return f"how {following}"
    return {"whom": "who", "whose": "who"}.get(said[at], said[at])


FORM_NAMES = (
    *(f"asks {kind}" for kind in ASKED),
    "verb second",
    "verbs",
    "place of the verb",
    "words",
    "different words",
    "a word twice in a row",
    "articles",
    "function words",
    "question words",
    "ends in a verb",
    "ends in a preposition",
    "ends in an article",
    "article after the verb",
    "verb after the verb",
    "pronouns",
)


def form_rows(drafts: Sequence[DraftQuestion], vectors: DraftVectors) -> Floats:
    """Return the features of the questions alone: FORM_NAMES, then the vector."""
    return np.hstack([np.array([_form(one.question) for one in drafts], dtype=np.float64), vectors.question])


def _form(question: str) -> list[float]:
    said = lower_words(question) or [""]
    kind = asked_for(question)
    verbs = [place for place, word in enumerate(said) if word in AUXILIARIES]
    after = said[verbs[0] + 1] if verbs and verbs[0] + 1 < len(said) else ""
    share = 1 / len(said)
    return [
        *(float(kind == one) for one in ASKED),
        float(len(said) > 1 and said[1] in AUXILIARIES),
        float(len(verbs)),
        float(verbs[0] if verbs else 12),
        float(len(said)),
        len(set(said)) * share,
        float(any(one == other for one, other in pairwise(said))),
        sum(word in _ARTICLES for word in said) * share,
        sum(word in STOP_WORDS for word in said) * share,
        float(sum(word in WH_WORDS for word in said)),
        float(said[-1] in AUXILIARIES),
        float(said[-1] in _PREPOSITIONS),
        float(said[-1] in _ARTICLES),
        float(after in _ARTICLES),
        float(after in AUXILIARIES),
        sum(word in _PRONOUNS for word in said) * share,
    ]


ANSWER_NAMES = (
    "cosine with the passage",
    "cosine with the answer",
    "share of its terms in the passage",
    "terms that are not in the passage",
    "names and numbers that are not in the passage",
    "share of its terms in the answer",
    "share of the answer's terms in it",
    "longest run of words of the passage",
    "no answer given",
    "counts something else",
    *(f"asks {asked}, answer: {kind}" for asked in ASKED for kind in WEIGHTS),
)


def answer_rows(drafts: Sequence[DraftQuestion], vectors: DraftVectors) -> Floats:
    """Return the features of questions beside their passages: ANSWER_NAMES, then the product of the vectors."""
    readable = np.array(
        [
            _answer(one, float(question @ passage), float(question @ span))
            for one, question, passage, span in zip(
                drafts, vectors.question, vectors.passage, vectors.span, strict=True
            )
        ],
        dtype=np.float64,
    )
    return np.hstack([readable, vectors.question * vectors.passage * len(vectors.question[0]) ** 0.5])


def _answer(draft: DraftQuestion, near_passage: float, near_span: float) -> list[float]:
    own, there, answer = (content_terms(text) for text in (draft.question, draft.passage, draft.span))
    kind, asked = kind_of(draft.span), asked_for(draft.question)
    named = {word for word in words(draft.question)[1:] if word[0].isupper() or word[0].isdigit()}
    return [
        near_passage,
        near_span if draft.span else 0.0,
        len(own & there) / max(len(own), 1),
        float(len(own - there)),
        float(len(named - set(words(draft.passage)))),
        len(own & answer) / max(len(own), 1),
        len(own & answer) / max(len(answer), 1),
        float(_longest_run(lower_words(draft.question), lower_words(draft.passage))),
        float(not draft.span),
        float(asked in COUNTED and _counts_other(draft)),
        *(float(asked == one and kind == other) for one in ASKED for other in WEIGHTS),
    ]


COUNTED = ("how many", "how much")


def _counts_other(draft: DraftQuestion) -> bool:
    """Say whether the thing that a question counts is neither in its answer nor in the words after it."""
    if not draft.span:
        return False
    thing = re.search(r"\b(?:many|much)\b(.*)", draft.question.lower())
    nouns = [term for term in terms(words(thing[1])) if term][:2] if thing else []
    _, _, after = draft.passage.partition(draft.span)
    return bool(nouns) and not set(nouns) & content_terms(f"{draft.span} {' '.join(after.split()[:3])}")


def _longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the most words in a row that two texts share."""
    longest, before = 0, [0] * (len(other) + 1)
    for word in one:
        now = [0] * (len(other) + 1)
        for place, another in enumerate(other, start=1):
            if word == another:
                now[place] = before[place - 1] + 1
                longest = max(longest, now[place])
        before = now
    return longest


CLAIM_NAMES = (
    "cosine with the claim",
    "share of its terms in the claim",
    "share of the claim's terms in it",
    "a term of the claim",
    "a name or number of the claim",
    "share of its terms in claim or passage",
)


def claim_rows(drafts: Sequence[DraftQuestion], vectors: DraftVectors) -> Floats:
    """Return the features of questions beside their claims: CLAIM_NAMES."""
    rows = []
    for one, question, claim in zip(drafts, vectors.question, vectors.claim, strict=True):
        own, theirs = content_terms(one.question), content_terms(one.claim)
        either = theirs | content_terms(one.passage)
        named = {word for word in words(one.question)[1:] if word[0].isupper() or word[0].isdigit()}
        rows.append(
            [
                float(question @ claim),
                len(own & theirs) / max(len(own), 1),
                len(own & theirs) / max(len(theirs), 1),
                float(bool(own & theirs)),
                float(bool(named & set(words(one.claim)))),
                len(own & either) / max(len(own), 1),
            ]
        )
    return np.array(rows, dtype=np.float64)


def vector_names(dimensions: int) -> tuple[str, ...]:
    """Return the names of a vector's numbers."""
    return tuple(f"vector {number}" for number in range(dimensions))


@cache
def load_question_judge() -> QuestionJudge:
    """Return the judge that comes with the program."""
    return from_json(json.loads(JUDGE.read_text(encoding="utf-8")), QuestionJudge)


def judge_json(judge: QuestionJudge) -> str:
    """Return a judge as the JSON that `load_question_judge` reads."""
    return json.dumps(asdict(judge), indent=1) + "\n"
