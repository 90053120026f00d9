"""Keep a claim within its time limit by cutting passages, questions and generations, and list the cuts.

The seconds of each step are measured claim by claim. Each step gets the largest share of the recipe's amounts that fits
the time left. A step that exceeds its part stops at the next token or batch. It then runs again on its finished inputs,
which costs nothing because the model's texts are cached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, cast, get_type_hints

from core.errors import Cancelled, VerideskError
from core.interfaces import RunContext, Step, Stop, never
from core.llm.caching import CachingModel, caching_model
from core.types import Case
from core.verification.runner import RunStep
from core.verification.steps.values import Examples, Passages, SmallCount

SHARES = (1.0, 0.75, 0.5, 0.35, 0.2, 0.1)
"""The shares of a recipe's amounts to choose from, largest first."""

SPARE = 0.05
"""Share of the time reserved for work between tokens and after the last step."""

UNKNOWN = 0.15
"""Share of the time left that is reserved for later steps without measurements."""

CHEAP = 0.02
"""Steps shorter than this share of the time are never cut."""

AMOUNTS = (SmallCount, Passages, Examples)
"""Types of a step's settings that are amounts."""


class OutOfTime(VerideskError):
    """The time ended before the smallest share of a step was finished."""


@dataclass
class Speeds:
    """The last seconds of each step, by title and share of its amounts."""

    seconds: dict[str, dict[float, float]] = field(default_factory=dict)

    def note(self, title: str, share: float, seconds: float) -> None:
        before = self.seconds.get(title, {})
        # Forget a larger share that was far slower in proportion: the machine was busy, and nothing would retry that
        # share.
        known = {other: took for other, took in before.items() if other < share or took / other <= 2 * seconds / share}
        self.seconds[title] = {**known, share: seconds}

    def predicted(self, title: str, share: float) -> float | None:
        """Return the expected seconds of a step, in proportion to the nearest measured share; None without one."""
        known = self.seconds.get(title)
        if not known:
            return None
        nearest = min(known, key=lambda seen: abs(seen - share))
        return known[nearest] * share / nearest


@dataclass
class TimeBudget:
    """The time of one claim, beginning now. Without `within` there is no limit.

    `run_step` is for `core.verification.runner.investigate`. `left_out` collects sentences on the cuts, `shares` the
    share of each step that was done.
    """

    within: float | None
    speeds: Speeds
    should_stop: Stop = never
    clock: Callable[[], float] = time.perf_counter
    left_out: list[str] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end = self.clock() + self.within * (1 - SPARE) if self.within else float("inf")
        self.llm: CachingModel | None = None

    def stop(self) -> bool:
        """Return whether the user stopped the work or the time is over."""
        return self.should_stop() or self.clock() > self.end

    def too_late(self) -> str:
        return f"The {self.within:g} s that a claim may take were over. Give more time, or a faster model or machine."

    def run_step(self, step: Step, case: Case, context: RunContext, later: Sequence[Step]) -> Case:
        """Return the case after a step, which is cut to fit the time.

        Raises OutOfTime if not even the smallest share can be done.
        """
        if not self.within:
            return step(case, context)
        self.llm = self.llm or caching_model(context.models.llm)
        if self.clock() > self.end:
            raise OutOfTime(self.too_late())
        share, began, known = self._affordable(step, later), self.clock(), len(self.llm.calls)
        try:
            return self._attempt(step, case, context, share, began, end=self._part(later, share))
        except Cancelled:
            if self.should_stop():
                raise
        smaller = [each for each in SHARES if each < share] if len(self.llm.calls) > known else []
        return self._again(step, case, context, smaller, began)

    def _again(self, step: Step, case: Case, context: RunContext, shares: Sequence[float], began: float) -> Case:
        """Repeat a stopped step with its finished inputs, or its smallest share in the time left."""
        assert self.llm is not None
        for share in shares:
            try:
                with self.llm.calls.only_known():
                    return self._attempt(step, case, context, share, began, end=self.end)
            except Cancelled:
                continue
        try:
            return self._attempt(step, case, context, SHARES[-1], began, end=self.end)
        except Cancelled:
            if self.should_stop():
                raise
            raise OutOfTime(f"Even the least of it could not be done. {self.too_late()}") from None

    def _attempt(self, step: Step, case: Case, context: RunContext, share: float, began: float, *, end: float) -> Case:
        assert self.llm is not None
        lesser, given = at_share(step, case, share)
        context = replace(context, models=replace(context.models, llm=self.llm))
        done = lesser(given, replace(context, stop=lambda: self.should_stop() or self.clock() > end))
        self.speeds.note(step.title, share, self.clock() - began)
        self.shares.append(share)
        if missing := left_out(step, lesser, case, given, examples=context.models.examples is not None):
            self.left_out.append(missing)
        return done

    def _affordable(self, step: Step, later: Sequence[Step]) -> float:
        """Return the largest share at which this and the later steps fit the time left."""
        whole = self.speeds.predicted(step.title, 1.0)
        if whole is None or whole < CHEAP * (self.within or 0.0):
            return 1.0
        left = self.end - self.clock()
        titles = [step.title, *(each.title for each in later)]
        for share in SHARES:
            if sum(self.speeds.predicted(title, share) or 0.0 for title in titles) <= left:
                return share
        return SHARES[-1]

    def _part(self, later: Sequence[Step], share: float) -> float:
        """Return the latest end of this step that leaves enough time for the later ones."""
        known = [self.speeds.predicted(each.title, share) for each in later]
        left = max(0.0, self.end - self.clock())
        unknown = UNKNOWN * left if None in known else 0.0
        return self.end - min(left / 2, sum(seconds or 0.0 for seconds in known) + unknown)


def at_shares(shares: Iterable[float]) -> RunStep:
    """Return a `RunStep` that repeats the shares of an earlier run; steps after the last share run whole."""
    remaining = iter(shares)

    def run(step: Step, case: Case, context: RunContext, later: Sequence[Step]) -> Case:
        lesser, given = at_share(step, case, next(remaining, 1.0))
        return lesser(given, context)

    return run


def at_share(step: Step, case: Case, share: float) -> tuple[Step, Case]:
    """Return a step with this share of its amounts, and a case with this share of its inputs."""
    return scale_down(step, share), truncate(case, share)


def scale_down(step: Step, share: float) -> Step:
    """Return the step with this share of its amounts; the same for the steps inside it."""
    if share >= 1.0 or not is_dataclass(step):
        return step
    kinds = get_type_hints(type(step), include_extras=True)
    less = {each.name: _less(kinds[each.name], getattr(step, each.name), share) for each in fields(step)}
    smaller: Step = replace(step, **less)
    return smaller


def _less(kind: object, value: Any, share: float) -> Any:
    if kind in AMOUNTS:
        return max(0 if kind == Examples else 1, round(value * share))
    if isinstance(value, tuple):
        return tuple(_less(None, each, share) for each in value)
    return scale_down(cast(Step, value), share) if is_dataclass(value) and callable(value) else value


def truncate(case: Case, share: float) -> Case:
    """Return the case with this share of its queries, passages and answers."""
    if share >= 1.0:
        return case
    evidence = max(1, round(len(case.evidence) * share))
    hits, queries = max(1, round(len(case.hits) * share)), max(1, round(len(case.queries) * share))
    return replace(
        case,
        hits=case.hits[:hits],
        queries=case.queries[:queries],
        questions=case.questions[:queries],
        rankings=case.rankings[:queries],
        evidence=case.evidence[:evidence],
    )


def left_out(step: Step, lesser: Step, case: Case, given: Case, *, examples: bool) -> str:
    """Return a sentence on the cuts of a step; empty if nothing was cut.

    `examples` says whether there are training claims: without them, fewer examples are no cut.
    """
    words = [f"{new} of {old} {noun}" for noun, new, old in _inputs(case, given)]
    amounts = [amount for amount in _amounts(step, lesser) if examples or amount[0] != "examples"]
    words += [f"{setting} {new} in place of {old}" for setting, new, old in amounts]
    return f"{step.title}: {', '.join(words)}" if words else ""


def _inputs(case: Case, given: Case) -> list[tuple[str, int, int]]:
    pairs = (("passages", case.hits, given.hits), ("queries", case.queries, given.queries))
    both = (*pairs, ("answers", case.evidence, given.evidence))
    return [(noun, len(new), len(old)) for noun, old, new in both if len(new) < len(old)]


def _amounts(step: Any, lesser: Any) -> list[tuple[str, int, int]]:
    found = []
    for each in fields(step):
        old, new = getattr(step, each.name), getattr(lesser, each.name)
        if isinstance(old, int) and old != new:
            found.append((each.name.replace("_", " "), new, old))
        inner = zip(old, new, strict=True) if isinstance(old, tuple) else [(old, new)]
        for before, after in inner:
            found += _amounts(before, after) if is_dataclass(before) else []
    return found
