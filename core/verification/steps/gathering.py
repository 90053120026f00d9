"""Turn passages into questions and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.annotations import GoldClaim
from core.errors import ModelError
from core.interfaces import Engines, LanguageModel, Schema
from core.llm.prompts import about, cut, render, shortened_note
from core.types import Case, Claim, Completion, Evidence, Hit, Message, Passage, Prompt
from core.verification.steps.querying import training_claims, with_turns
from core.verification.steps.values import Examples, Few, Passages, Tokens
from core.wording import counted

OVERHEAD = 64
"""Tokens kept free for what the chat template adds around a prompt."""

EXAMPLE_TOKENS = 48
"""How much of a training claim's answer an example shows."""


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

    def __call__(self, case: Case, engines: Engines) -> Case:
        quoted: dict[Passage, tuple[str, Hit]] = {}
        for depth in range(max((len(ranking.hits) for ranking in case.rankings), default=0)):
            for ranking in case.rankings:
                if depth < len(ranking.hits) and len(quoted) < self.pairs:
                    quoted.setdefault(ranking.hits[depth].passage, (ranking.query, ranking.hits[depth]))
        evidence = tuple(quote(question, hit.passage) for question, hit in quoted.values())
        hits = tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(quoted.values(), start=1))
        return replace(case, evidence=evidence, hits=hits)

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "answer")


@dataclass(frozen=True)
class QuotePassages:
    """Quote each passage found, word for word, without a question to it."""

    title: str = "Quote the passages"

    def __call__(self, case: Case, engines: Engines) -> Case:
        return replace(case, evidence=(*case.evidence, *(quote("", hit.passage) for hit in case.hits)))

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "quotation")


@dataclass(frozen=True)
class AskOfPassages:
    """Have the model write the question that each passage answers; the passage is the answer.

    The `examples` training claims closest to this one stand before it, in place of ours, where the user has them.
    Source of that: Schlichtkrull et al., NeurIPS 2023 (the AVeriTeC baseline).
    """

    longest: Tokens = 40
    passage_tokens: Tokens = 48  # reading passages is most of the time a small model takes
    examples: Examples = 3
    title: str = "Ask what each passage answers"

    def __call__(self, case: Case, engines: Engines) -> Case:
        evidence, completions, shortened = list(case.evidence), list(case.completions), 0
        nearest = training_claims(case, engines, self.examples)
        for hit in case.hits:
            engines.report(f"question {hit.rank} of {len(case.hits)}")
            whole = " ".join(hit.passage.text.split())
            text = cut(whole, engines.llm, tokens=self.passage_tokens)
            shortened += text != whole
            question, completion = ask(case.claim, text, engines, longest=self.longest, examples=nearest)
            evidence.append(quote(question, hit.passage))
            completions.append(replace(completion, step=self.title))
        notes = (*case.notes, *shortened_note(shortened, len(case.hits), self.passage_tokens))
        return replace(case, evidence=tuple(evidence), completions=tuple(completions), notes=notes)

    def found(self, case: Case) -> str:
        return f"{counted(len(case.evidence), 'question')} with answers"


def ask(
    claim: Claim, text: str, engines: Engines, *, longest: int, examples: Sequence[GoldClaim] = ()
) -> tuple[str, Completion]:
    """Return the question that a text answers, as the model writes it, and the completion that it came from.

    With annotated claims as `examples`, the first answered question of each stands before it, in place of ours.
    """
    prompt = render("question_for_passage", {"claim": claim.text, "passage": text})
    prompt = with_turns(prompt, [turn for example in examples for turn in example_turns(example, engines.llm)])
    completion = engines.llm.generate(prompt, max_tokens=longest, seed=engines.seed, stop=engines.stop)
    return first_question(completion.text), completion


def example_turns(example: GoldClaim, llm: LanguageModel) -> Prompt:
    """Return an annotated claim as a user's turn with claim and answer, and the model's with the question."""
    if not example.pairs:
        return ()
    question, answer = example.pairs[0]
    slots = {"claim": example.claim.text, "passage": cut(" ".join(answer.split()), llm, tokens=EXAMPLE_TOKENS)}
    return render("question_for_passage", slots)[-1], Message("assistant", question)


def first_question(text: str) -> str:
    """Return the first question of what a model wrote, on one line; the first line if it asks nothing."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    question, mark, _ = line.partition("?")
    return question + mark if mark else line


@dataclass(frozen=True)
class KeepClosestPairs:
    """Keep the `k` questions with answers that are closest to the claim, closest first.

    Source: Schlichtkrull et al., NeurIPS 2023 (the AVeriTeC baseline keeps three).
    """

    k: Few = 3
    title: str = "Keep the closest questions and answers"

    def __call__(self, case: Case, engines: Engines) -> Case:
        if not case.evidence:
            return case
        texts = [f"{pair.question} {pair.answer}" for pair in case.evidence]
        vectors = engines.encoder.encode([case.claim.text, *texts], stop=engines.stop)
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
    this one stand before it as examples where the user has them.
    Source: Ullrich and Drchal, FEVER 2025 (team CTU AIC).
    """

    pairs: Few = 5
    examples: Examples = 3
    max_tokens: Tokens = 1100
    title: str = "Ask and answer from the passages"

    def __call__(self, case: Case, engines: Engines) -> Case:
        if not case.hits:
            return case
        examples = self.worked_examples(case, engines)
        fixed = engines.llm.count_tokens(examples + case.claim.text) + self.max_tokens + 400 + OVERHEAD
        room = (engines.llm.identity.context_tokens - fixed) // len(case.hits) - 8
        if room < 16:
            raise ModelError(
                f"The model's context of {engines.llm.identity.context_tokens} tokens has no room for "
                f"{len(case.hits)} passages: choose a model with a longer context."
            )
        texts = [" ".join(hit.passage.text.split()) for hit in case.hits]
        fitted = [cut(text, engines.llm, tokens=room) for text in texts]
        sources = "\n".join(f"[{hit.rank}] {text}" for hit, text in zip(case.hits, fitted, strict=True))
        completion = engines.llm.generate(
            render("evidence_first", {**about(case.claim), "sources": sources, "examples": examples}),
            schema=self.schema(len(case.hits)),
            max_tokens=self.max_tokens,
            seed=engines.seed,
            stop=engines.stop,
        )
        shortened = sum(text != cut_text for text, cut_text in zip(texts, fitted, strict=True))
        return replace(
            case,
            evidence=answers(completion.text, case.hits),
            completions=(*case.completions, replace(completion, step=self.title)),
            notes=(*case.notes, *notes(completion.text, shortened, len(texts), room)),
        )

    def worked_examples(self, case: Case, engines: Engines) -> str:
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
            for example in training_claims(case, engines, self.examples)
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
    for pair in json.loads(text)["pairs"]:
        passage = hits[pair["source"] - 1].passage
        at = passage.document.text.find(pair["answer"], passage.start, passage.end)
        span = (at, at + len(pair["answer"])) if at >= 0 else None
        evidence.append(Evidence(pair["question"], pair["answer"], passage, span))
    return tuple(evidence)


def notes(text: str, shortened: int, sources: int, room: int) -> list[str]:
    """Return what a reader must know of a joint answer: shortened sources, and the model's own ratings."""
    ratings = json.loads(text)["ratings"]
    rated = ", ".join(f"{name.replace('_', ' ')} {rating}" for name, rating in ratings.items())
    said = [f"The model rated the verdicts (1 to 5): {rated}. The probabilities do not come from these ratings."]
    return [*said, *shortened_note(shortened, sources, room)]
