"""Compare several cases of one claim: the passages they share, and the cost of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.types import Case, Completion, Passage, StepTime
from core.verification.reading import INDEXING, READING
from core.verification.steps.judging import PredictVeracity

SAME = 0.5
"""Two passages of a document are one if they share more than this share of the shorter one's characters."""

READ, SEARCH, WRITE, WEIGH = "Reading", "Searching", "Writing", "Weighing"
KINDS = (READ, SEARCH, WRITE, WEIGH)


@dataclass(frozen=True)
class SharedPassage:
    """A passage behind evidence, and its place in each case's evidence, from 1; None where it is not."""

    passage: Passage
    places: tuple[int | None, ...]

    @property
    def cases(self) -> int:
        """How many cases have it."""
        return sum(place is not None for place in self.places)


def found_passages(cases: Sequence[Case]) -> tuple[SharedPassage, ...]:
    """Return the passages of all cases' evidence, each once: those in most cases first, then by their best place.

    Passages match by their document's digest and their overlap. If several match, the first case's passage represents
    all.
    """
    groups: list[tuple[Passage, dict[int, int]]] = []
    for number, case in enumerate(cases):
        for place, pair in enumerate(case.evidence, start=1):
            if pair.passage is None:
                continue
            group = next((places for passage, places in groups if same(passage, pair.passage)), None)
            if group is None:
                groups.append((pair.passage, group := {}))
            group.setdefault(number, place)
    found = [SharedPassage(passage, tuple(places.get(n) for n in range(len(cases)))) for passage, places in groups]
    return tuple(sorted(found, key=lambda one: (-one.cases, min(place for place in one.places if place))))


def same(first: Passage, second: Passage) -> bool:
    """Say whether two passages are of one document and overlap by more than SAME of the shorter one."""
    if first.document.digest != second.document.digest:
        return False
    shared = min(first.end, second.end) - max(first.start, second.start)
    return shared > SAME * min(first.end - first.start, second.end - second.start)


@dataclass(frozen=True)
class StepCost:
    """The cost of one step of a case. `kind` is one of KINDS; tokens are 0 where no model was asked.

    `read` counts the prompt tokens that were evaluated, `kept` those that were already, `written` the answers'.
    """

    step: str
    kind: str
    seconds: float
    read: int = 0
    kept: int = 0
    written: int = 0
    generations: int = 0


def step_costs(case: Case) -> tuple[StepCost, ...]:
    """Return seconds and tokens of every step, in order.

    Completions of a step without a time count for the longest step, which repeats other steps.
    """
    longest = max(case.times, key=lambda time: time.seconds, default=None)
    spoken: dict[str, list[Completion]] = {time.step: [] for time in case.times}
    for completion in case.completions:
        step = completion.step if completion.step in spoken or longest is None else longest.step
        spoken.setdefault(step, []).append(completion)
    return tuple(step_cost(time, spoken[time.step]) for time in case.times)


def step_cost(time: StepTime, spoken: Sequence[Completion]) -> StepCost:
    kept = sum(one.reused_tokens for one in spoken)
    read = sum(one.prompt_tokens for one in spoken) - kept
    written = sum(one.completion_tokens for one in spoken)
    kind = kind_of(time.step, asked=bool(spoken))
    return StepCost(time.step, kind, time.seconds, read, kept, written, len(spoken))


def kind_of(step: str, *, asked: bool) -> str:
    if step in (READING, INDEXING):
        return READ
    if step == PredictVeracity.title:
        return WEIGH
    return WRITE if asked else SEARCH
