"""Which questions are worth asking: none that is no question, that fits any text, or that was asked before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.interfaces import Encoder, Stop, never
from core.terms import lower_words, strange_words, terms, words
from core.types import Case, Evidence, Passage, PassageStance, Stance, Verdict
from core.verification.question_judge import DraftQuestion, load_question_judge
from core.verification.stance.stance_words import UNCOUNTED

SAME_MEANING = 0.9
"""The cosine from which on two questions are one."""

LAST = 3
"""The rank of passages that do not speak of the claim."""

MIN_WORDS = 3
_OF_TEXTS = """
sentence passage text paragraph claim statement article document source quote quotation word phrase title author
writer speaker context topic subject theme message content summary meaning information detail fact evidence
mean meant say said state tell told describe refer mention suggest imply discuss explain claim follow give true false
correct accurate
"""
_OF_ANSWERS = """
name person people man woman thing something someone somebody anyone way kind type sort number amount date day time
year place location reason cause purpose result effect point issue problem question answer event situation main
new current recent news latest
"""
_TEXTS = "sentence|passage|text|paragraph|claim|statement|article|document|quote|quotation|phrase|term|word|title"
_THE_TEXT = re.compile(rf"\b(?:the|this|that|these|those|two|both|which)(?: \w+)?? ({_TEXTS})s?\b")
EMPTY_TERMS = frozenset(terms((_OF_TEXTS + _OF_ANSWERS).split()))
"""Terms that fit a question on any text: words about texts, and the kinds of answer that it asks for."""


READER = frozenset(("you", "your", "yours", "we", "our", "ours", "my"))
SOMEBODY = frozenset(("he", "she", "him", "her", "his", "hers"))


def is_question(text: str) -> bool:
    """Say whether a text asks: it ends with a question mark of any script, after at least MIN_WORDS words."""
    return text.rstrip(" \"'”’»").endswith(("?", "？", "؟")) and len(lower_words(text)) >= MIN_WORDS


def named_terms(text: str) -> frozenset[str]:
    """Return the terms of a text that some texts have and others do not."""
    return frozenset(terms(words(text))) - EMPTY_TERMS - {""}


def is_generic(question: str, *about: str) -> bool:
    """Tell whether a question fits any text: it names nothing from its own texts, or one thing only.

    One is enough where it has a name or a number: "Who is Ms Abedin?", but not "What is the new rule?".
    """
    named = named_terms(question)
    if named.isdisjoint(frozenset().union(*map(named_terms, about))):
        return True
    return len(named) == 1 and not any(word[0].isupper() or word[0].isdigit() for word in words(question)[1:])


def asks_of_text(question: str, claim: str) -> bool:
    """Say whether a question is about a text ("the sentence", "this claim"), unless the claim itself is about one."""
    named = {match.group(1).removesuffix("s") for match in _THE_TEXT.finditer(question.lower())}
    return any(noun not in claim.lower() for noun in named)


def speaks_to_nobody(question: str, claim: str) -> bool:
    """Tell whether a question addresses its reader ("you"), or is about "him" before it names anybody.

    Words of the claim are allowed.
    """
    said = words(question)
    own = set(lower_words(claim))
    if not READER.isdisjoint({word.lower() for word in said} - own):
        return True
    place = next((place for place, word in enumerate(said) if word.lower() in SOMEBODY - own), 0)
    return place > 0 and not any(word[0].isupper() for word in said[1:place])


def figures(text: str) -> frozenset[str]:
    """Return the words with digits: questions that differ in one are never the same."""
    return frozenset(word for word in lower_words(text) if any(character.isdigit() for character in word))


class AskedQuestions:
    """The questions of one case that were found worth asking, in order."""

    def __init__(self, claim: str, encoder: Encoder, before: Sequence[str] = (), *, stop: Stop = never) -> None:
        """`before` are questions that the case has already."""
        self.claim, self.encoder, self.stop = claim, encoder, stop
        self.questions = list(dict.fromkeys(question for question in before if question))
        self.vectors = self._encoded(self.questions)

    def is_empty(self, question: str, passage: str = "") -> bool:
        """Tell whether a text is no question, asks about words, or does not belong to claim and passage.

        A question on a claim alone may name other things.
        """
        if not is_question(question) or asks_of_text(question, self.claim) or speaks_to_nobody(question, self.claim):
            return True
        if not passage:
            return not named_terms(question)
        return bool(strange_words(question, self.claim, passage)) or is_generic(question, self.claim, passage)

    def taken(self, drafts: Sequence[DraftQuestion]) -> list[str]:
        """Return the drafts that are worth asking, which are asked from now on; "" in place of each other one.

        One with the same meaning as an earlier question has its words.
        """
        sound = [draft for draft in drafts if not self.is_empty(draft.question, draft.passage)]
        judge = load_question_judge()
        if judge.encoder == self.encoder.identity.digest:
            accepted = judge.accepts(sound, self.encoder, stop=self.stop)
            sound = [draft for draft, fine in zip(sound, accepted, strict=True) if fine]
        return [self._asked(draft.question) if draft in sound else "" for draft in drafts]

    def _asked(self, question: str) -> str:
        twin = self.twin(question)
        if twin is None:
            self.add(question)
        return twin or question

    def twin(self, question: str) -> str | None:
        """Return the earlier question with the same words or the same meaning, None if there is none."""
        said = lower_words(question)
        for earlier in self.questions:
            if lower_words(earlier) == said:
                return earlier
        if not self.questions:
            return None
        cosines = self.vectors @ self._encoded([question])[0]
        alike = [place for place in np.argsort(-cosines).tolist() if cosines[place] >= SAME_MEANING]
        return next(
            (self.questions[place] for place in alike if figures(self.questions[place]) == figures(question)), None
        )

    def add(self, question: str) -> None:
        self.questions.append(question)
        self.vectors = np.concatenate([self.vectors, self._encoded([question])])

    def _encoded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encoder.encode(texts, stop=self.stop)


def worth_asking(questions: Sequence[str], asked: AskedQuestions) -> tuple[str, ...]:
    """Return the questions that ask something of the claim, each once; they are asked from now on."""
    kept = []
    for question in questions:
        if not asked.is_empty(question) and asked.twin(question) is None:
            asked.add(question)
            kept.append(question)
    return tuple(kept)


def without_empty(evidence: Sequence[Evidence], asked: AskedQuestions) -> tuple[Evidence, ...]:
    """Return every answer: without its question where that is empty, with the first one's where it asks the same."""
    drafts = [
        DraftQuestion(pair.question, pair.passage.text if pair.passage else pair.answer, pair.answer, asked.claim)
        for pair in evidence
    ]
    questions = asked.taken(drafts)
    return tuple(replace(pair, question=question) for pair, question in zip(evidence, questions, strict=True))


def askable(verdict: Verdict) -> list[Passage]:
    """Return the passages that speak of the claim: those that decide, then those that take a side, then the others."""
    return [stance.passage for rank, stance in sorted(_ranked(verdict), key=lambda one: one[0]) if rank < LAST]


def ordered_cards(case: Case) -> tuple[Card, ...]:
    """Return a case's cards in the order of the stances of their passages; those that decide come first."""
    ranks = {stance.passage: rank for rank, stance in _ranked(case.verdict)} if case.verdict else {}

    def rank(card: Card) -> int:
        return min(ranks.get(pair.passage, LAST) if pair.passage else LAST for _, pair in card.answers)

    return tuple(sorted(cards(case.evidence), key=rank))


def _ranked(verdict: Verdict) -> list[tuple[int, PassageStance]]:
    """Return the stances with their ranks: 0 for those that decide, LAST for those that do not speak of the claim."""
    ranks = {Stance.FOR: 1, Stance.AGAINST: 1, Stance.ABOUT: 2, Stance.UNRELATED: LAST}
    return [
        (0 if place in verdict.decisive else LAST if one.kind in UNCOUNTED else ranks[one.stance], one)
        for place, one in enumerate(verdict.stances)
    ]


@dataclass(frozen=True)
class Card:
    """A question with every answer to it, each with its place in the case's evidence, from 1.

    `question` is "" for a passage without one; such a card has one answer.
    """

    question: str
    answers: tuple[tuple[int, Evidence], ...]

    @property
    def title(self) -> str:
        """The title of the document behind the first answer, or its site; "" without a document."""
        passage = self.answers[0][1].passage
        return passage.document.title or passage.document.site if passage else ""


def cards(evidence: Sequence[Evidence]) -> tuple[Card, ...]:
    """Return evidence as cards, in order: answers to the same question share the first one's card."""
    groups: dict[object, list[tuple[int, Evidence]]] = {}
    for number, pair in enumerate(evidence, start=1):
        groups.setdefault(pair.heading or number, []).append((number, pair))
    return tuple(Card(answers[0][1].heading, tuple(answers)) for answers in groups.values())
