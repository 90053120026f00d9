"""Turn passages into questions and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from core.errors import ModelError
from core.ports import Engines, Schema
from core.prompts import cut, render
from core.steps.querying import about
from core.types import Case, Evidence, Hit, Passage
from core.wording import counted

OVERHEAD = 64
"""Tokens kept free for what the chat template adds around a prompt."""


def quote(question: str, passage: Passage) -> Evidence:
    """Return a question answered by a passage, word for word."""
    return Evidence(question, passage.text, passage, (passage.start, passage.end))


@dataclass(frozen=True)
class QuoteForQuestions:
    """Answer each question with its best passages, word for word, up to `pairs` in all.

    The questions take turns, and no passage is quoted twice.
    """

    pairs: int = 10
    title: str = "Answer with passages"

    def __call__(self, case: Case, engines: Engines) -> Case:
        quoted: dict[Passage, str] = {}
        for depth in range(max((len(ranking.hits) for ranking in case.rankings), default=0)):
            for ranking in case.rankings:
                if depth < len(ranking.hits) and len(quoted) < self.pairs:
                    quoted.setdefault(ranking.hits[depth].passage, ranking.query)
        hits = {hit.passage: hit for ranking in case.rankings for hit in ranking.hits}
        evidence = tuple(quote(question, passage) for passage, question in quoted.items())
        chosen = tuple(replace(hits[passage], rank=rank) for rank, passage in enumerate(quoted, start=1))
        return replace(case, evidence=evidence, hits=chosen)

    def found(self, case: Case) -> str:
        return counted(len(case.evidence), "answer")


@dataclass(frozen=True)
class AskOfPassages:
    """Have the model write the question that each passage answers; the passage is the answer."""

    longest: int = 40
    passage_tokens: int = 48  # reading passages is most of the time a small model takes
    title: str = "Ask what each passage answers"

    def __call__(self, case: Case, engines: Engines) -> Case:
        evidence, completions = list(case.evidence), list(case.completions)
        for hit in case.hits:
            engines.report(f"question {hit.rank} of {len(case.hits)}")
            text = cut(" ".join(hit.passage.text.split()), engines.writer, tokens=self.passage_tokens)
            completion = engines.writer.write(
                render("question_for_passage", {"claim": case.claim.text, "passage": text}),
                max_tokens=self.longest,
                seed=engines.seed,
                stop=engines.stop,
            )
            evidence.append(quote(first_question(completion.text), hit.passage))
            completions.append(replace(completion, step=self.title))
        return replace(case, evidence=tuple(evidence), completions=tuple(completions))

    def found(self, case: Case) -> str:
        return f"{counted(len(case.evidence), 'question')} with answers"


def first_question(text: str) -> str:
    """Return the first question of what a model wrote, on one line; the first line if it asks nothing."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    question, mark, _ = line.partition("?")
    return question + mark if mark else line


@dataclass(frozen=True)
class AnswerJointly:
    """Write questions, answers, sources and a rating of each verdict in one constrained generation.

    Sources are cut so that the prompt fits the model's context, and the case says so. Training claims like
    this one stand before it as examples where the user has them.
    Source: Ullrich and Drchal, FEVER 2025 (team CTU AIC).
    """

    pairs: int = 5
    examples: int = 3
    max_tokens: int = 1100
    title: str = "Ask and answer from the passages"

    def __call__(self, case: Case, engines: Engines) -> Case:
        if not case.hits:
            return case
        examples = self.worked_examples(case, engines)
        fixed = engines.writer.count_tokens(examples + case.claim.text) + self.max_tokens + 400 + OVERHEAD
        room = (engines.writer.identity.context_tokens - fixed) // len(case.hits) - 8
        if room < 16:
            raise ModelError(
                f"The model's context of {engines.writer.identity.context_tokens} tokens has no room for "
                f"{len(case.hits)} passages: choose a model with a longer context."
            )
        texts = [" ".join(hit.passage.text.split()) for hit in case.hits]
        fitted = [cut(text, engines.writer, tokens=room) for text in texts]
        sources = "\n".join(f"[{hit.rank}] {text}" for hit, text in zip(case.hits, fitted, strict=True))
        completion = engines.writer.write(
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
        if engines.examples is None:
            return ""
        return "\n\n" + "\n\n".join(
            render(
                "training_example",
                {
                    "claim": example.claim.text,
                    "label": str(example.label),
                    "evidence": "\n".join(f"Q: {question} A: {answer}" for question, answer in example.pairs[:3]),
                },
            )[0].text
            for example in engines.examples.nearest(case.claim.text, k=self.examples)
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
    if shortened:
        said.append(f"{shortened} of {sources} passages were cut to {room} tokens to fit the model's context.")
    return said
