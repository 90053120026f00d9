"""Which written questions may head a passage: rules on their grammar and presuppositions.

A small model asks "What is Biden supporting a ban?". Of a passage that denies it, it asks "When did Gates plan this?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.interfaces import Encoder, Stop, never
from core.terms import STOP_WORDS, lower_words, words
from core.verification.question_focus import content_terms
from core.verification.question_judge import DraftQuestion, vectors_of
from core.verification.verb_forms import is_participle

NEAREST_CLAIM = 0.6
"""The least cosine of a question with its claim."""

_BE = frozenset("is are was were".split())
_BEFORE_FORMS = frozenset(
    "for of in by from with on to about not the a an without after before at and called being".split()
)
"""Words before a form in -ing or a participle that is no second verb: "for not wearing a mask"."""

_TIME = re.compile(r"\d{4}|\b(?:years?|months?|days?|weeks?)\b")


def heading_questions(
    drafts: Sequence[DraftQuestion], agreeing: Sequence[bool], encoder: Encoder, *, stop: Stop = never
) -> list[DraftQuestion]:
    """Return the drafts that may head their passages; `agreeing` says which passages agree with the claim."""
    sound = [one for one, agrees in zip(drafts, agreeing, strict=True) if one.question and _may_head(one, agrees)]
    if not sound:
        return []
    vectors = vectors_of(sound, encoder, stop=stop)
    near = (vectors.question * vectors.claim).sum(axis=1)
    return [one for one, cosine in zip(sound, near, strict=True) if cosine >= NEAREST_CLAIM]


def _may_head(draft: DraftQuestion, agrees: bool) -> bool:
    wrong = _is_empty(draft.question) or _has_second_verb(draft) or _knows_its_answer(draft)
    return not (wrong or _takes_for_granted(draft, agrees) or _shares_only_names(draft))


def _is_empty(question: str) -> bool:
    """Say whether a question fits any text on its subject: "What did Biden do?", "Who is the World Food Program?"."""
    said, rest = lower_words(question), [word for word in words(question)[1:] if word.lower() not in STOP_WORDS]
    names = bool(rest) and all(word[0].isupper() for word in rest)
    return said[-1] in ("do", "doing") or (said[0] == "who" and said[1] in _BE and names)


def _has_second_verb(draft: DraftQuestion) -> bool:
    """Say whether a question after a form of "be" goes on with a word that does not fit: "What is Biden supporting"."""
    said, passage = lower_words(draft.question), " ".join(lower_words(draft.passage))
    if said[0] not in ("what", "which", "who", "when", "where") or said[1] not in _BE:
        return False
    if said[0] == "what" and said[-2].endswith("ly"):
        return True
    forms = [
        at
        for at in range(3, len(said))
        if (said[at].endswith("ing") and len(said[at]) > 4) or (said[0] in ("what", "who") and is_participle(said[at]))
    ]
    return any(said[at - 1] not in _BEFORE_FORMS and f"{said[at - 1]} {said[at]}" not in passage for at in forms)


def _knows_its_answer(draft: DraftQuestion) -> bool:
    """Say whether a question names the time or the share that it asks for, or all words of its answer."""
    asked = lower_words(draft.question)[0]
    known = (asked == "when" and _TIME.search(draft.question)) or (asked == "what" and "%" in draft.question)
    answer = content_terms(draft.span)
    return bool(known or (answer and answer <= content_terms(draft.question)))


def _takes_for_granted(draft: DraftQuestion, agrees: bool) -> bool:
    """Say whether a question holds the claim's words alone, though its passage does not agree with the claim."""
    return not agrees and content_terms(draft.question) <= content_terms(draft.claim)


def _shares_only_names(draft: DraftQuestion) -> bool:
    """Say whether a question shares no word with the claim but names."""
    small = " ".join(word for word in words(draft.question)[1:] if word[0].islower())
    return not content_terms(small) & content_terms(draft.claim)
