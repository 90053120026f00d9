"""Answers that the model writes from passages, each with its passage.

A small model often writes things that no passage says. So an answer must share numbers and words with its passage
(grounding.py). Otherwise the passage itself is quoted, or a text that was to be reworded stays; a note counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.annotations import NO_ANSWER
from core.files import json_of
from core.interfaces import RunContext, Schema
from core.llm.prompts import first_tokens, render, shortened_note
from core.terms import terms, words
from core.types import Case, Completion, Evidence, Hit, Passage
from core.verification.steps.gathering import question_of, quote
from core.verification.steps.values import Characters, Share, SmallCount, Tokens
from core.wording import counted

QUOTED_WORDS = 4
"""An answer of at least this many words counts as a quotation if a passage holds it."""


def one_line(passage: Passage) -> str:
    return " ".join(passage.text.split())


def whole_sentences(text: str) -> str:
    """Return a text on one line without a last sentence that was cut off, unless it is the only one."""
    line = " ".join(text.split())
    end = max(line.rfind(mark) for mark in ".!?")
    return line[: end + 1] if end > 0 else line


def standing_on(question: str, answer: str, hits: tuple[Hit, ...], source: int) -> Evidence:
    """Return an answer with its passage: the one that holds it word for word, else number `source` of `hits`, from 1.

    A small model names the wrong number often, and a quotation must never be shown under another document. One or
    two words may occur in any passage, so for them the number counts.
    """
    quotable = len(answer.split()) >= QUOTED_WORDS
    for hit in (hits[source - 1], *(hits if quotable else ())):
        passage = hit.passage
        at = passage.document.text.find(answer, passage.start, passage.end)
        if at >= 0:
            return Evidence(question, answer, passage, (at, at + len(answer)))
    return Evidence(question, answer, hits[source - 1].passage)


def read_answer(question: str, written: str, hits: tuple[Hit, ...]) -> Evidence:
    """Return a model's answer under the schema of `AnswerQuestions`, with the passage that it named."""
    record = json_of(written)
    answer = " ".join(record["answer"].split())
    if record["source"] == 0 or not answer:
        return Evidence(question, NO_ANSWER)
    return standing_on(question, answer, hits, record["source"])


def quoted_note(count: int) -> list[str]:
    """Return the note that says how many answers gave way to a quotation; none for 0."""
    said = f"{counted(count, 'answer')} went beyond the passage; the passage is quoted instead."
    return [said] if count else []


@dataclass(frozen=True)
class AnswerQuestions:
    """Have the model answer each question from its best passages and name the one that it used.

    A question that none of them answers stays, with AVeriTeC's words for it and without a source. An answer gives way
    to a quotation if less than `support` of it is in its passage. Answers are added to those that are there.
    """

    passages: SmallCount = 3
    passage_tokens: Tokens = 96
    longest: Characters = 200
    support: Share = 0.7
    title: str = "Answer from the passages"

    def __call__(self, case: Case, context: RunContext) -> Case:
        written: list[Evidence] = []
        completions, read, shortened = list(case.completions), 0, 0
        for number, ranking in enumerate(case.rankings, start=1):
            context.report(f"question {number} of {len(case.rankings)}")
            hits = ranking.hits[: self.passages]
            if not hits:
                written.append(Evidence(question_of(ranking, case), NO_ANSWER))
                continue
            texts = [
                first_tokens(one_line(hit.passage), context.models.llm, tokens=self.passage_tokens) for hit in hits
            ]
            read += len(hits)
            shortened += sum(text != one_line(hit.passage) for text, hit in zip(texts, hits, strict=True))
            completion = self.answer(ranking.query, texts, context)
            completions.append(replace(completion, step=self.title))
            written.append(read_answer(question_of(ranking, case), completion.text, hits))
        grounded = [self.grounded(pair) for pair in written]
        gave_way = quoted_note(sum(one is not other for one, other in zip(written, grounded, strict=True)))
        return replace(
            case,
            evidence=(*case.evidence, *grounded),
            completions=tuple(completions),
            notes=(*case.notes, *shortened_note(shortened, read, self.passage_tokens), *gave_way),
        )

    def grounded(self, pair: Evidence) -> Evidence:
        """Return the pair, with its passage quoted where the answer goes beyond it."""
        passage = pair.passage
        if passage is None or stands_in(pair.answer, passage.text, share=self.support, question=pair.question):
            return pair
        return quote(pair.question, passage)

    def answer(self, question: str, texts: Sequence[str], context: RunContext) -> Completion:
        sources = "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
        return context.models.llm.generate(
            render("answer_question", {"question": question, "sources": sources}),
            schema=self.schema(len(texts)),
            max_tokens=self.longest + 40,
            seed=context.seed,
            stop=context.stop,
        )

    def schema(self, sources: int) -> Schema:
        answer = {"type": "string", "minLength": 2, "maxLength": self.longest}
        properties = {"source": {"enum": list(range(sources + 1))}, "answer": answer}
        return {"type": "object", "required": ["source", "answer"], "properties": properties}

    def found(self, case: Case) -> str:
        without = sum(pair.answer == NO_ANSWER for pair in case.evidence)
        said = counted(len(case.evidence) - without, "answer")
        return f"{said}, {counted(without, 'question')} without one" if without else said


@dataclass(frozen=True)
class Summarise:
    """Have the model sum up each of the best `passages`; the summaries are answers that await their questions.

    A summary gives way to a quotation if less than `support` of it is in its passage.
    Source: Yoon et al., FEVER 2025 (team HUMANE).
    """

    passages: SmallCount = 5
    passage_tokens: Tokens = 160
    longest: Tokens = 72
    support: Share = 0.7
    title: str = "Summarise the passages"

    def __call__(self, case: Case, context: RunContext) -> Case:
        hits = case.hits[: self.passages]
        evidence, completions, quoted, shortened = list(case.evidence), list(case.completions), 0, 0
        for number, hit in enumerate(hits, start=1):
            context.report(f"passage {number} of {len(hits)}")
            text = first_tokens(one_line(hit.passage), context.models.llm, tokens=self.passage_tokens)
            shortened += text != one_line(hit.passage)
            completion = context.models.llm.generate(
                render("summary", {"claim": case.claim.text, "passage": text}),
                max_tokens=self.longest,
                seed=context.seed,
                stop=context.stop,
            )
            completions.append(replace(completion, step=self.title))
            summary = whole_sentences(completion.text)
            grounded = stands_in(summary, hit.passage.text, share=self.support)
            quoted += not grounded
            evidence.append(standing_on("", summary, (hit,), 1) if grounded else quote("", hit.passage))
        notes = (*case.notes, *shortened_note(shortened, len(hits), self.passage_tokens), *quoted_note(quoted))
        return replace(case, hits=hits, evidence=tuple(evidence), completions=tuple(completions), notes=notes)

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "summary", "summaries")


@dataclass(frozen=True)
class RewriteAnswers:
    """Have the model reword each answer to fit its question, from the answer and nothing else.

    An answer stays as it was if it has less than `support` of the new one, or no question.
    Source: Yoon et al., FEVER 2025 (team HUMANE).
    """

    longest: Tokens = 64
    support: Share = 0.7
    title: str = "Fit each answer to its question"

    def __call__(self, case: Case, context: RunContext) -> Case:
        evidence: list[Evidence] = []
        completions, kept = list(case.completions), 0
        for number, pair in enumerate(case.evidence, start=1):
            context.report(f"answer {number} of {len(case.evidence)}")
            if not pair.question:
                evidence.append(pair)
                continue
            completion = context.models.llm.generate(
                render("fitted_answer", {"question": pair.question, "text": pair.answer}),
                max_tokens=self.longest,
                seed=context.seed,
                stop=context.stop,
            )
            completions.append(replace(completion, step=self.title))
            answer = whole_sentences(completion.text)
            fits = stands_in(answer, pair.answer, share=self.support, question=pair.question)
            kept += not fits
            evidence.append(replace(pair, answer=answer, span=None) if fits and answer != pair.answer else pair)
        note = [f"Not rewritten: {counted(kept, 'answer')}, because the new words said something else."] if kept else []
        return replace(case, evidence=tuple(evidence), completions=tuple(completions), notes=(*case.notes, *note))

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "answer")


def content_words(text: str) -> frozenset[str]:
    """Return the terms of a text, without function words."""
    return frozenset(terms(words(text))) - {""}


def stands_in(answer: str, passage: str, *, share: float, question: str = "") -> bool:
    """Tell whether an answer repeats its passage well enough to be shown under it.

    The passage must hold each of its numbers, and at least `share` of its other terms, in [0, 1]. An answer with no
    term beyond its question's says nothing. Words are compared, so a missing “not” goes unnoticed.
    """
    said, there = content_words(answer), content_words(passage)
    if not said - content_words(question):
        return False
    numbers = {term for term in said if any(character.isdigit() for character in term)}
    return numbers <= there and len(said & there) >= share * len(said)
