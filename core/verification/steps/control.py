"""Do steps only where they are still needed, more than once, or with an adapter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import ModelError
from core.interfaces import AdaptableModel, RunContext, Step
from core.types import Case, Hit, Label, Passage
from core.verification.steps.values import SmallCount
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import counted


@dataclass(frozen=True)
class UnlessDecided:
    """Do `step` unless an earlier step has already given a verdict."""

    step: Step

    @property
    def title(self) -> str:
        return self.step.title

    def __call__(self, case: Case, context: RunContext) -> Case:
        return case if case.verdict else self.step(case, context)

    def found(self, case: Case) -> str:
        return self.step.found(case)


@dataclass(frozen=True)
class Repeat:
    """Do `steps`, and repeat them while the verdict is Not Enough Evidence, up to `rounds` times in all.

    A round that brings no new evidence is the last. The queries, rankings and passages of all rounds are kept.
    Source: Rolinger and Liu, FEVER 2025 (team FZIGOT), after Besta et al., AAAI 2024 (Graph of Thoughts).
    """

    steps: tuple[Step, ...]
    rounds: SmallCount = 3
    title: str = "Ask, answer and weigh, in rounds"

    def __call__(self, case: Case, context: RunContext) -> Case:
        for number in range(1, self.rounds + 1):
            before = case
            if number > 1:  # steps that skip a decided case must weigh the new evidence
                case = replace(case, verdict=None)
            for step in self.steps:
                context.report(f"round {number} (at most {self.rounds}): {step.title}")
                case = step(case, context)
            answers = len(case.evidence) - len(before.evidence)
            note = f"Round {number}: {counted(answers, 'answer')}, {verdict_words(case)}."
            case = with_earlier(before, replace(case, notes=(*case.notes, note)))
            if not answers or case.verdict is None or case.verdict.label is not Label.NOT_ENOUGH_EVIDENCE:
                break
        return case

    def found(self, case: Case) -> str:
        return f"{counted(len(case.evidence), 'answer')}, {verdict_words(case)}"


def verdict_words(case: Case) -> str:
    """Return a case's verdict in two words or three."""
    return words_of(shown_label(case.verdict)).word if case.verdict else "no verdict"


def with_earlier(before: Case, after: Case) -> Case:
    """Return `after` with the queries, rankings and passages that it had `before` in front of its own."""
    if before.rankings is after.rankings:  # it did not search
        return after
    hits: dict[Passage, Hit] = {}
    for hit in (*before.hits, *after.hits):
        hits.setdefault(hit.passage, hit)
    return replace(
        after,
        queries=(*before.queries, *after.queries),
        questions=(*(before.questions or before.queries), *(after.questions or after.queries)),
        rankings=(*before.rankings, *after.rankings),
        hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits.values(), start=1)),
    )


@dataclass(frozen=True)
class WithAdapter:
    """Do `step` with a LoRA adapter, a GGUF file, laid over the language model.

    Raises ModelError if the model runs on a server, or if the file is no adapter for it.
    Source: Rolinger and Liu, FEVER 2025 (team FZIGOT), with an adapter each to ask, answer and weigh.
    """

    step: Step
    adapter: str

    @property
    def title(self) -> str:
        return self.step.title

    def __call__(self, case: Case, context: RunContext) -> Case:
        llm, file = context.models.llm, Path(self.adapter)
        if not isinstance(llm, AdaptableModel):
            raise ModelError(
                f"{llm.identity.name} runs on a server, which cannot load the adapter {file.name}. Choose a "
                f"GGUF file on this machine, start the server with the adapter, or leave it out of the recipe."
            )
        adapted = llm.with_adapter(file)
        case = self.step(case, replace(context, models=replace(context.models, llm=adapted)))
        note = f"“{self.title}” was done with the adapter {file.name} (SHA-256 {adapted.identity.digest[:12]}…)."
        return case if note in case.notes else replace(case, notes=(*case.notes, note))

    def found(self, case: Case) -> str:
        return self.step.found(case)
