"""Come to a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.errors import BadInput
from core.ports import Engines
from core.types import Case


@dataclass(frozen=True)
class Weigh:
    """Have the judge weigh the evidence: the model itself where its card says it may, else the fitted head."""

    title: str = "Weigh the evidence"

    def __call__(self, case: Case, engines: Engines) -> Case:
        if not case.evidence:
            raise BadInput(
                "Nothing in the documents resembles the claim, so there is no evidence to weigh: "
                "add documents, or put the claim in other words."
            )
        verdict, completions = engines.judge.verdict(case, engines)
        taken = tuple(replace(completion, step=self.title) for completion in completions)
        return replace(case, verdict=verdict, completions=(*case.completions, *taken))

    def found(self, case: Case) -> str:
        if case.verdict is None:
            return "no verdict"
        return "cannot tell" if case.verdict.cannot_tell else str(case.verdict.label)
