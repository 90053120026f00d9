"""The content of a report. Every text in it is readable (no hidden signs) and still to be escaped by exporters."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.interfaces import ModelIdentity
from core.types import Case, Claim, Document, Evidence, Hit, Label, NotSearched, Passage, PassageStance, Stance
from core.verification.questions import Card, ordered_cards
from core.verification.reading import LATER
from core.verification.receipt import passages
from core.verification.recipes.catalogue import Recipe
from core.verification.report.judge_measurements import worth_in_words
from core.verification.report.sources import CitedSource, Grid, protocol_of, source_of
from core.verification.request import Request, recipe_of
from core.verification.review import Review, for_others, passage_key
from core.verification.stance.measured_words import read_by
from core.verification.stance.stance_words import reason_of, word_of
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.documents_say import missing, quoted_stances, said_of_documents, sentence_of
from core.verification.verdict.source_voices import on_topic, voices_of
from core.verification.verdict.verdict_words import WORDS, both_judges, is_rule_based, shown_label, words_of
from core.wording import counted, day, place_in_words, readable

Fact = tuple[str, str]
"""A name and its value."""

Stances = Mapping[Passage, str]
"""The machine's reading of each passage, in words."""

SIDES = (Stance.AGAINST, Stance.FOR)
MOST_CITED = 4
"""The most sources in the body of a report; the appendix has the others."""
NEAREST = 2
"""The number of passages on the topic to quote if none takes a side."""
MOST_MISSED = 5
"""The most sentences in the body about things that were not found."""

_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class MachineVerdict:
    """The machine's verdict: its word, the sentence on the documents, its worth in words, and a model's own reason."""

    word: str
    said: str
    worth: str
    reason: str


@dataclass(frozen=True)
class OwnVerdict:
    """The person's conclusion; `word` is empty before they gave a verdict."""

    word: str
    reason: str
    notes: str
    name: str


@dataclass(frozen=True)
class Answer:
    """An answer, its passage and the place of that; `text` is empty if the answer is that whole passage.

    The machine's reasons cite it by `number`. `mark` is the person's judgement of the passage, `stance` the machine's
    reading of it.
    """

    number: int
    text: str
    passage: str = ""
    source: CitedSource | None = None
    mark: str = ""
    stance: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A question with every answer to it; `question` is empty for a passage without one."""

    question: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class CitedSentence:
    """The one sentence of a source that matters, and the machine's reading of it."""

    source: CitedSource
    words: str
    stance: str
    mark: str


@dataclass(frozen=True)
class RankedPassage:
    """A passage that the search found, with its ranks (from 1; None where that ranking did not see it)."""

    rank: int
    source: CitedSource
    by_words: int | None
    by_meaning: int | None
    mark: str = ""
    stance: str = ""


@dataclass(frozen=True)
class CaseReport:
    """A case in the order in which a reader needs it.

    `cited` are the sources that matter, and `not_found` sentences on things asked and not found. `evidence` and all
    after it belong to the appendix, and leave out the passages of `cited` and those off topic.
    """

    claim: str
    facts: tuple[Fact, ...]
    finding: MachineVerdict
    own: OwnVerdict | None
    cited: tuple[CitedSentence, ...]
    not_found: tuple[str, ...]
    evidence: tuple[Exhibit, ...]
    listed: tuple[RankedPassage, ...]
    left_out: tuple[str, ...]
    protocol: tuple[Grid, ...]
    method: str
    texts: tuple[tuple[str, str], ...]
    made_with: tuple[Fact, ...]
    limits: tuple[str, ...]
    made: date
    subject: Claim
    label: Label | None
    """The verdict that counts: the person's, else the machine's; None where neither could tell."""


def case_report(
    request: Request,
    case: Case,
    llm: ModelIdentity,
    *,
    review: Review,
    measured: Mapping[str, Any] | None,
    made: date,
) -> CaseReport:
    """Return the report of a finished case on the day `made`.

    `measured` is the result of `core.verification.report.judge_measurements.judge_measurements`.
    """
    assert case.verdict is not None  # only finished cases are reported
    recipe = recipe_of(request)
    own, own_words = review.conclusion.label, _own(for_others(review))
    stances = {one.passage: stance_in_words(one) for one in case.verdict.stances}
    words = {one.passage: word_of(one) for one in case.verdict.stances}
    chosen = _chosen(case)
    beside = {one.passage for one in chosen}
    beside |= {one.passage for one in case.verdict.stances if one.stance is Stance.UNRELATED}
    return CaseReport(
        claim=readable(case.claim.text),
        facts=_facts(case.claim),
        finding=_finding(case, measured),
        own=own_words,
        cited=tuple(_cited(one, review) for one in chosen),
        not_found=_not_found(case),
        evidence=tuple(
            exhibit for card in ordered_cards(case) if (exhibit := _exhibit(card, beside, review, stances)).answers
        ),
        listed=tuple(_listed(hit, review, words) for hit in case.hits),
        left_out=_left_out(case),
        protocol=protocol_of(case.search) if case.search else (),
        method=_method(case, own_words),
        texts=_texts(case),
        made_with=_made_with(request, case, recipe, llm),
        limits=_limits(case),
        made=made,
        subject=case.claim,
        label=own or shown_label(case.verdict),
    )


def _facts(claim: Claim) -> tuple[Fact, ...]:
    said = day(claim.date) if claim.date else ""
    place = place_in_words(claim.place)
    named = (("Said by", claim.speaker), ("Said on", said), ("Appeared in", claim.source), ("Place", place))
    return tuple((name, readable(value)) for name, value in named if value)


def _finding(case: Case, measured: Mapping[str, Any] | None) -> MachineVerdict:
    verdict = case.verdict
    assert verdict is not None
    word = words_of(shown_label(verdict)).word
    reason = "" if verdict.judge == CLASSIFIER else readable(verdict.justification)
    worth = f"{readable(both_judges(verdict))} {worth_in_words(verdict, measured)}".strip()
    return MachineVerdict(word, readable(said_of_documents(case)), worth, reason)


def _chosen(case: Case) -> list[PassageStance]:
    """Return one passage of each source that matters, the quoted ones first; the nearest if none takes a side."""
    assert case.verdict is not None
    sides = [[one for one in map(voice.strongest, SIDES) if one] for voice in voices_of(case.verdict.stances)]
    sided = sorted((one for each in sides for one in each), key=lambda one: -one.probability)
    found = [*quoted_stances(case.verdict), *sided] or on_topic(case.verdict.stances)[:NEAREST]
    chosen: dict[Document, PassageStance] = {}
    for one in found:
        chosen.setdefault(one.passage.document, one)
    return list(chosen.values())[:MOST_CITED]


def _cited(one: PassageStance, review: Review) -> CitedSentence:
    words = readable(sentence_of(one))
    source = source_of(one.passage.document, one.passage.start)
    return CitedSentence(source, words, stance_in_words(one), mark_of(one.passage, review))


def _not_found(case: Case) -> tuple[str, ...]:
    """Return sentences on the claim's missing terms, the questions without a passage, and queries without a page."""
    unanswered = [pair.question for pair in case.evidence if pair.question and pair.passage is None]
    silent = [one for one in case.search.searches if not one.found] if case.search else []
    said = [
        *missing(case),
        *(f"{readable(question)} No passage answers this." for question in dict.fromkeys(unanswered)),
        *(f"“{readable(one.query)}”: {one.source} found no page." for one in silent),
    ]
    more = [f"{counted(len(said) - MOST_MISSED, 'more query', 'more queries')} found nothing."]
    return tuple(said[:MOST_MISSED] + (more if len(said) > MOST_MISSED else []))


def _own(review: Review) -> OwnVerdict | None:
    said = review.conclusion
    word = WORDS[said.label].word if said.label else ""
    own = OwnVerdict(word, readable(said.reason), readable(said.notes), readable(said.name))
    return own if own != OwnVerdict("", "", "", "") else None


def _exhibit(card: Card, beside: Container[Passage], review: Review, stances: Stances) -> Exhibit:
    """Return a question with its answers, without those from some passages."""
    kept = [(number, pair) for number, pair in card.answers if pair.passage is None or pair.passage not in beside]
    answers = tuple(_answer(number, pair, review, stances) for number, pair in kept)
    return Exhibit(readable(card.question), answers)


def _answer(number: int, pair: Evidence, review: Review, stances: Stances) -> Answer:
    answer = _BLANK_LINES.sub("\n", readable(pair.answer))
    if pair.passage is None:
        return Answer(number, answer)
    quoted = _BLANK_LINES.sub("\n", readable(pair.passage.text.strip()))
    return Answer(
        number,
        answer if answer.strip() != quoted else "",
        quoted,
        source_of(pair.passage.document, pair.span[0] if pair.span else pair.passage.start),
        mark_of(pair.passage, review),
        stances.get(pair.passage, ""),
    )


def _listed(hit: Hit, review: Review, stances: Stances) -> RankedPassage:
    passage = hit.passage
    source = source_of(passage.document, passage.start)
    mark, stance = mark_of(passage, review), stances.get(passage, "")
    return RankedPassage(hit.rank, source, hit.bm25_rank, hit.dense_rank, mark, stance)


def stance_in_words(one: PassageStance) -> str:
    """Return the machine's reading of a passage, and why."""
    return f"{word_of(one)}. {readable(reason_of(one))}"


def mark_of(passage: Passage, review: Review) -> str:
    """Return the person's mark of a passage in one word, "" without one."""
    return str(review.marks.get(passage_key(passage), ""))


def _left_out(case: Case) -> tuple[str, ...]:
    named = tuple(_named(one) for one in case.corpus.not_searched)
    unnamed = case.corpus.late - sum(one.why == LATER for one in case.corpus.not_searched)
    published = f"{counted(unnamed, 'document')} published after the claim was made, not named here."
    return (*named, *([published] if unnamed else []), *(readable(note) for note in case.notes))


def _named(one: NotSearched) -> str:
    """Return a document that was left out in a sentence."""
    parts = (f"“{one.title}”", one.url if one.url != one.title else "", day(one.published) or "no date", one.why)
    return f"{readable(', '.join(part for part in parts if part))}."


def _texts(case: Case) -> tuple[tuple[str, str], ...]:
    """Return each document of the case with the SHA-256 of its text as it was read."""
    read = dict.fromkeys(one.document for one in passages(case))
    return tuple((readable(document.title or document.site), document.digest) for document in read)


def _method(case: Case, own: OwnVerdict | None) -> str:
    """Return how the documents were searched. Without a person's own verdict, add how the program decided."""
    corpus, verdict = case.corpus, case.verdict
    assert verdict is not None
    searched = f"{counted(corpus.documents, 'document')} ({counted(corpus.passages, 'passage')})"
    documents = len({hit.passage.document.digest for hit in case.hits})
    kept = f"{counted(len(case.hits), 'passage')} from {counted(documents, 'document')}"
    how = "by rules on these passages alone" if is_rule_based(verdict) else f"({verdict.judge})"
    decided = "" if own and own.word else f" A program decided {how}."
    return readable(f"Veridesk searched {searched} and kept {kept}. It searched nothing else.{decided}")


def _made_with(request: Request, case: Case, recipe: Recipe, llm: ModelIdentity) -> tuple[Fact, ...]:
    seconds = sum(step.seconds for step in case.times)
    source = f"{recipe.title}. Source: {recipe.source}" if recipe.source else recipe.title
    facts = (
        ("Recipe", source),
        ("Recipe in words", recipe.summary),
        ("Language model", llm.name),
        ("Model weights (SHA-256)", llm.digest or "not told by the server"),
        ("Passages", read_by(case.verdict.second) if case.verdict else ""),
        ("Documents searched (SHA-256)", case.corpus.digest),
        ("Searched at", f"{case.search.began:%Y-%m-%d %H:%M:%S} UTC" if case.search and case.search.began else ""),
        ("Seed", str(request.seed)),
        ("Computed in", f"{seconds:.0f} s"),
    )
    return tuple((name, readable(value)) for name, value in facts if value)


def _limits(case: Case) -> tuple[str, ...]:
    undated = case.corpus.undated
    maybe_late = f"{counted(undated, 'document')} had no publication date and may be later than the claim."
    return (
        *([maybe_late] if undated else []),
        "Quotations were copied by a program; whether they are quoted in their sense is for a person to say.",
        "The machine's verdict supports a person's judgement; it does not replace it.",
    )
