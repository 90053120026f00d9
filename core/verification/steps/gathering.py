"""Turn passages into questions and answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.errors import ModelError
from core.files import json_of
from core.interfaces import RunContext, Schema
from core.llm.prompts import about, first_tokens, render, shortened_note
from core.types import Case, Evidence, Hit, Passage, Ranking
from core.verification.questions import AskedQuestions, without_empty
from core.verification.steps.querying import training_claims
from core.verification.steps.values import Examples, Passages, SmallCount, Tokens
from core.wording import counted

OVERHEAD = 64
"""Tokens kept free for the chat template's own tokens around a prompt."""


def question_of(ranking: Ranking, case: Case) -> str:
    """Return the question that a ranking answers; "" where it was searched with the claim itself."""
    return "" if ranking.query == case.claim.text else ranking.query


def quote(question: str, passage: Passage) -> Evidence:
    """Return a question answered by a passage, word for word."""
    return Evidence(question, passage.text, passage, (passage.start, passage.end))


@dataclass(frozen=True)
class QuoteForQuestions:
    """Answer each question with its best passages, word for word, up to `pairs` in all.

    The questions take turns, and no passage is quoted twice.
    """

    pairs: Passages = 10
    title: str = "Answer with passages"

    def __call__(self, case: Case, context: RunContext) -> Case:
        quoted: dict[Passage, tuple[str, Hit]] = {}
        for depth in range(max((len(ranking.hits) for ranking in case.rankings), default=0)):
            for ranking in case.rankings:
                if depth < len(ranking.hits) and len(quoted) < self.pairs:
                    quoted.setdefault(ranking.hits[depth].passage, (question_of(ranking, case), ranking.hits[depth]))
        evidence = tuple(quote(question, hit.passage) for question, hit in quoted.values())
        hits = tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(quoted.values(), start=1))
        return replace(case, evidence=evidence, hits=hits)

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "answer")


@dataclass(frozen=True)
class QuotePassages:
    """Quote each passage found, word for word, without a question to it."""

    title: str = "Quote the passages"

    def __call__(self, case: Case, context: RunContext) -> Case:
        return replace(case, evidence=(*case.evidence, *(quote("", hit.passage) for hit in case.hits)))

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "quotation")


@dataclass(frozen=True)
class KeepClosestPairs:
    """Keep the `k` questions with answers that are closest to the claim, closest first.

    Source: Schlichtkrull et al., NeurIPS 2023 (the AVeriTeC baseline keeps three).
    """

    k: SmallCount = 3
    title: str = "Keep the closest questions and answers"

    def __call__(self, case: Case, context: RunContext) -> Case:
        if not case.evidence:
            return case
        texts = [f"{pair.question} {pair.answer}" for pair in case.evidence]
        vectors = context.models.encoder.encode([case.claim.text, *texts], stop=context.stop)
        order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[: self.k].tolist()
        evidence = tuple(case.evidence[place] for place in order)
        quoted = {pair.passage for pair in evidence}
        hits = [hit for hit in case.hits if hit.passage in quoted]
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
        return replace(case, evidence=evidence, hits=ranked)

    def found(self, case: Case) -> str:
        return f"{counted(len(case.evidence), 'question')} kept"


@dataclass(frozen=True)
class AnswerJointly:
    """Write questions, answers, sources and a rating of each verdict in one constrained generation.

    Sources are cut so that the prompt fits the model's context, and the case says so. Training claims like
    this one precede it as examples where the user has them.
    Source: Ullrich and Drchal, FEVER 2025 (team CTU AIC).
    """

    pairs: SmallCount = 5
    examples: Examples = 3
    max_tokens: Tokens = 1100
    title: str = "Ask and answer from the passages"

    def __call__(self, case: Case, context: RunContext) -> Case:
        if not case.hits:
            return case
        examples = self.worked_examples(case, context)
        fixed = context.models.llm.count_tokens(examples + case.claim.text) + self.max_tokens + 400 + OVERHEAD
        room = (context.models.llm.identity.context_tokens - fixed) // len(case.hits) - 8
        if room < 16:
            raise ModelError(
                f"The model's context of {context.models.llm.identity.context_tokens} tokens has no room for "
                f"{len(case.hits)} passages: choose a model with a longer context."
            )
        texts = [" ".join(hit.passage.text.split()) for hit in case.hits]
        fitted = [first_tokens(text, context.models.llm, tokens=room) for text in texts]
        sources = "\n".join(f"[{hit.rank}] {text}" for hit, text in zip(case.hits, fitted, strict=True))
        completion = context.models.llm.generate(
            render("evidence_first", {**about(case.claim), "sources": sources, "examples": examples}),
            schema=self.schema(len(case.hits)),
            max_tokens=self.max_tokens,
            seed=context.seed,
            stop=context.stop,
        )
        asked = AskedQuestions(case.claim.text, context.models.encoder, stop=context.stop)
        shortened = sum(text != cut_text for text, cut_text in zip(texts, fitted, strict=True))
        return replace(
            case,
            evidence=without_empty(answers(completion.text, case.hits), asked),
            completions=(*case.completions, replace(completion, step=self.title)),
            notes=(*case.notes, *notes(completion.text, shortened, len(texts), room)),
        )

    def worked_examples(self, case: Case, context: RunContext) -> str:
        return "".join(
            "\n\n"
            + render(
                "training_example",
                {
                    "claim": example.claim.text,
                    "label": str(example.label),
                    "evidence": "\n".join(f"Q: {question} A: {answer}" for question, answer in example.pairs[:3]),
                },
            )[0].text
            for example in training_claims(case, context, self.examples)
        )

    def schema(self, sources: int) -> Schema:
        text = {"type": "string", "minLength": 8, "maxLength": 200}
        pair = {
            "type": "object",
            "required": ["question", "answer", "source"],
            "properties": {"question": text, "answer": text, "source": {"enum": list(range(1, sources + 1))}},
        }
        rating = {"enum": [1, 2, 3, 4, 5]}
        verdicts = ["supported", "refuted", "not_enough_evidence", "conflicting_evidence"]
        ratings = {"type": "object", "required": verdicts, "properties": dict.fromkeys(verdicts, rating)}
        pairs = {"type": "array", "items": pair, "minItems": min(self.pairs, sources), "maxItems": self.pairs}
        return {"type": "object", "required": ["pairs", "ratings"], "properties": {"pairs": pairs, "ratings": ratings}}

    def found(self, case: Case) -> str:
        return f"{counted(len(case.evidence), 'question')} with answers"


def answers(text: str, hits: tuple[Hit, ...]) -> tuple[Evidence, ...]:
    """Return the pairs of a joint answer, each with its source and, where it quotes it, the words it quotes."""
    evidence = []
    for pair in json_of(text)["pairs"]:
        passage = hits[pair["source"] - 1].passage
        at = passage.document.text.find(pair["answer"], passage.start, passage.end)
        span = (at, at + len(pair["answer"])) if at >= 0 else None
        evidence.append(Evidence(pair["question"], pair["answer"], passage, span))
    return tuple(evidence)


def notes(text: str, shortened: int, sources: int, room: int) -> list[str]:
    """Return the notes on a joint answer: shortened sources, and the model's own ratings."""
    ratings = json_of(text)["ratings"]
    rated = ", ".join(f"{name.replace('_', ' ')} {rating}" for name, rating in ratings.items())
    said = [f"The model rated the verdicts (1 to 5): {rated}. The probabilities do not come from these ratings."]
    return [*said, *shortened_note(shortened, sources, room)]
