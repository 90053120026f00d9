"""Queries: the claim itself, questions about it, or texts that the model imagines as an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.annotations import GoldClaim
from core.interfaces import RunContext
from core.llm.prompts import about, listed, listing, listing_tokens, numbered, render
from core.retrieval.ranking import unlike
from core.types import Case, Completion, Message, Prompt
from core.verification.questions import AskedQuestions, worth_asking
from core.verification.steps.values import Characters, Cosine, Examples, SmallCount, Temperature, Tokens
from core.wording import counted

KNOWN_TOKENS = 40
"""How much of each earlier pair a prompt for further questions repeats."""


def training_claims(case: Case, context: RunContext, k: int) -> tuple[GoldClaim, ...]:
    """Return the `k` training claims most like the case's, best first; none where the user has no training file."""
    return context.models.examples.nearest(case.claim.text, k=k) if context.models.examples and k else ()


def with_turns(prompt: Prompt, turns: Sequence[Message]) -> Prompt:
    """Return a prompt with these turns, if there are any, in place of the examples that we wrote."""
    return (prompt[0], *turns, prompt[-1]) if turns else prompt


@dataclass(frozen=True)
class QueryClaim:
    """Search with the unchanged claim."""

    title: str = "Take the claim as the query"

    def __call__(self, case: Case, context: RunContext) -> Case:
        return replace(case, queries=(case.claim.text,), questions=())

    def found(self, case: Case) -> str:
        return "1 query"


@dataclass(frozen=True)
class AskQuestions:
    """Have the model ask `count` questions about the claim; each becomes a query.

    Questions that fit any claim or repeat another are dropped. If fewer are left, the claim itself is a query too.
    Where the user has training claims, the questions of the `examples` closest ones precede it, in place of ours. Once
    questions have been answered, the model sees those and asks about open points.
    """

    count: SmallCount = 5
    longest: Characters = 160
    examples: Examples = 3
    temperature: Temperature = 0.7  # greedy decoding makes a small model ask the same question again
    title: str = "Ask questions about the claim"

    def __call__(self, case: Case, context: RunContext) -> Case:
        slots = about(case.claim)
        if case.evidence:
            known = numbered(case.evidence, context.models.llm, tokens=KNOWN_TOKENS)
            prompt = render("further_questions", {**slots, "evidence": known})
        else:
            nearest = training_claims(case, context, self.examples)
            turns = [turn for example in nearest for turn in self.example_turns(example)]
            prompt = with_turns(render("questions_for_claim", slots), turns)
        completion = context.models.llm.generate(
            prompt,
            schema=listing("questions", self.count, self.longest),
            max_tokens=listing_tokens(self.count, self.longest),
            temperature=self.temperature,
            seed=context.seed,
            stop=context.stop,
        )
        answered = [pair.question for pair in case.evidence]
        asked = AskedQuestions(case.claim.text, context.models.encoder, answered, stop=context.stop)
        questions = worth_asking(listed(completion, "questions"), asked)
        enough = len(questions) == self.count or case.evidence
        return replace(
            case,
            queries=questions if enough else (*questions, case.claim.text),
            questions=(),
            completions=(*case.completions, replace(completion, step=self.title)),
        )

    def example_turns(self, example: GoldClaim) -> Prompt:
        """Return an annotated claim as a user's turn, and its first questions as the model's."""
        asked = [question.question for question in example.questions if question.question.strip()][: self.count]
        answer = Message("assistant", json.dumps({"questions": asked}, ensure_ascii=False))
        return (render("questions_for_claim", about(example.claim))[-1], answer) if asked else ()

    def found(self, case: Case) -> str:
        return counted(len(case.queries), "query", "queries")


@dataclass(frozen=True)
class DropSimilarQuestions:
    """Drop each question with a cosine above `similarity` to an earlier or an already answered one."""

    similarity: Cosine = 0.9
    title: str = "Drop similar questions"

    def __call__(self, case: Case, context: RunContext) -> Case:
        answered = [pair.question for pair in case.evidence]
        vectors = context.models.encoder.encode([*answered, *case.queries], stop=context.stop)
        kept = unlike(vectors, similarity=self.similarity, known=len(answered))
        queries = tuple(case.queries[position - len(answered)] for position in kept)
        return replace(case, queries=queries, questions=())

    def found(self, case: Case) -> str:
        return f"{counted(len(case.queries), 'question')} kept"


@dataclass(frozen=True)
class WriteQueries:
    """Have the model write `count` search queries for each question, which are searched one by one.

    Where it writes fewer different ones, the question itself is a query as well.
    Source: Ftouhi et al., FEVER 2025 (team OldJoe).
    """

    count: SmallCount = 4
    longest: Characters = 80
    temperature: Temperature = 0.7
    title: str = "Write search queries for each question"

    def __call__(self, case: Case, context: RunContext) -> Case:
        queries: list[str] = []
        questions: list[str] = []
        completions = list(case.completions)
        for number, question in enumerate(case.queries, start=1):
            context.report(f"question {number} of {len(case.queries)}")
            completion = context.models.llm.generate(
                render("queries_for_question", {"claim": case.claim.text, "question": question}),
                schema=listing("queries", self.count, self.longest),
                max_tokens=listing_tokens(self.count, self.longest),
                temperature=self.temperature,
                seed=context.seed,
                stop=context.stop,
            )
            written = listed(completion, "queries")
            written = written if len(written) == self.count else (*written, question)
            queries += written
            questions += [question] * len(written)
            completions.append(replace(completion, step=self.title))
        return replace(case, queries=tuple(queries), questions=tuple(questions), completions=tuple(completions))

    def found(self, case: Case) -> str:
        return counted(len(case.queries), "query", "queries")


@dataclass(frozen=True)
class ImagineAnswers:
    """Have the model write an answer to each question without any source, and search with question and answer.

    Its text is never evidence: it only brings words that a passage with the answer may have.
    Source: Dharamvaram and Hakak, and Rashid and Hakak, FEVER 2025 (teams Yellow Flash and Checkmate).
    """

    longest: Tokens = 32
    title: str = "Imagine an answer to each question"

    def __call__(self, case: Case, context: RunContext) -> Case:
        queries: list[str] = []
        completions = list(case.completions)
        for number, question in enumerate(case.queries, start=1):
            context.report(f"question {number} of {len(case.queries)}")
            completion = context.models.llm.generate(
                render("imagined_answer", {**about(case.claim), "question": question}),
                max_tokens=self.longest,
                seed=context.seed,
                stop=context.stop,
            )
            queries.append(f"{question} {' '.join(completion.text.split())}".strip())
            completions.append(replace(completion, step=self.title))
        return replace(case, queries=tuple(queries), questions=case.queries, completions=tuple(completions))

    def found(self, case: Case) -> str:
        return counted(len(case.queries), "longer query", "longer queries")


@dataclass(frozen=True)
class ImagineArticles:
    """Have the model write the beginnings of `count` fact-checking articles on the claim, and search with each.

    The claim itself is a query too. The model's text is never evidence.
    Source: Yoon et al., FEVER 2024 and 2025 (HerO and HUMANE).
    """

    count: SmallCount = 2
    longest: Tokens = 96
    temperature: Temperature = 0.7
    title: str = "Imagine fact-checking articles"

    def __call__(self, case: Case, context: RunContext) -> Case:
        claim, prompt = case.claim.text, render("hypothetical_article", about(case.claim))
        articles: list[Completion] = []
        for number in range(self.count):
            context.report(f"article {number + 1} of {self.count}")
            written = context.models.llm.generate(
                prompt,
                max_tokens=self.longest,
                temperature=self.temperature,
                seed=context.seed + number,  # the prompt is the same, so the seed must not be
                stop=context.stop,
            )
            articles.append(replace(written, step=self.title))
        queries = dict.fromkeys((claim, *(f"{claim} {' '.join(each.text.split())}".strip() for each in articles)))
        return replace(
            case,
            queries=tuple(queries),
            questions=(claim,) * len(queries),
            completions=(*case.completions, *articles),
        )

    def found(self, case: Case) -> str:
        return counted(len(case.queries), "query", "queries")
