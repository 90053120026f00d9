"""What to look for: the claim itself, or questions about it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from core.ports import Engines, Schema
from core.prompts import render
from core.types import Case, Claim
from core.wording import counted


def about(claim: Claim) -> dict[str, str]:
    """Return the slots that describe a claim in every prompt."""
    return {
        "claim": claim.text,
        "speaker": claim.speaker or "unknown",
        "date": claim.date.isoformat() if claim.date else "unknown",
    }


@dataclass(frozen=True)
class QueryClaim:
    """Search with the claim as it stands."""

    title: str = "Take the claim as the query"

    def __call__(self, case: Case, engines: Engines) -> Case:
        return replace(case, queries=(case.claim.text,))

    def found(self, case: Case) -> str:
        return "1 query"


@dataclass(frozen=True)
class AskQuestions:
    """Have the model ask `count` questions about the claim; each becomes a query.

    Where it asks fewer different ones, the claim itself is a query as well.
    """

    count: int = 5
    longest: int = 160
    temperature: float = 0.7  # greedy decoding makes a small model ask the same question again
    title: str = "Ask questions about the claim"

    def __call__(self, case: Case, engines: Engines) -> Case:
        completion = engines.writer.write(
            render("questions_for_claim", about(case.claim)),
            schema=self.schema(),
            max_tokens=self.count * 60,
            temperature=self.temperature,
            seed=engines.seed,
            stop=engines.stop,
        )
        asked = (" ".join(question.split()) for question in json.loads(completion.text)["questions"])
        questions = tuple(dict.fromkeys(question for question in asked if question))
        return replace(
            case,
            queries=questions if len(questions) == self.count else (*questions, case.claim.text),
            completions=(*case.completions, replace(completion, step=self.title)),
        )

    def schema(self) -> Schema:
        question = {"type": "string", "minLength": 8, "maxLength": self.longest}
        questions = {"type": "array", "items": question, "minItems": self.count, "maxItems": self.count}
        return {"type": "object", "properties": {"questions": questions}, "required": ["questions"]}

    def found(self, case: Case) -> str:
        return counted(len(case.queries), "query", "queries")
