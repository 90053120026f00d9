"""Executors for tests: one works in this process, and one works on claims without models, slowly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.annotations import PredictedEvidence, Prediction
from core.batch.types import BatchPlan, Cost, Done
from core.errors import Cancelled, ModelError
from core.executor import GiveUp, Item, Result
from core.interfaces import Stop, never
from core.types import Claim, Label


@dataclass
class ExecutorHere:
    """Works in this process with something that is open already."""

    opened: Any

    def map(self, work: Any, items: Any, *, give_up: GiveUp[Item, Result], stop: Stop = never) -> Iterator[Result]:
        for item in items:
            if stop():
                raise Cancelled("Stopped.")
            yield work(self.opened, item)

    def close(self) -> None:
        """Leave what was open as it is."""


@dataclass
class SlowWorker:
    """Works without models, so many seconds on each claim.

    A claim that says "fails" fails the first time; one that says "refuses" ends the batch with a sentence; the verdict
    on one that says "unsure" is not sure enough to be quoted; one that says "silent" has no passage for or against it.
    """

    seconds: float
    failed: set[str] = field(default_factory=set)

    def work(self, claim: Claim) -> Done:
        if "refuses" in claim.text:
            raise ModelError("The model cannot be loaded.")
        time.sleep(self.seconds)
        pair = PredictedEvidence("Is it?", claim.text, "https://example.org", "The whole text.")
        unsure = "unsure" in claim.text
        prediction = Prediction(claim.id, claim.text, Label.REFUTED, (pair,), label_text="Refuted", cannot_tell=unsure)
        fails = "fails" in claim.text and claim.text not in self.failed
        self.failed.add(claim.text)
        error = "Search the documents: nothing was found." if fails else ""
        left_out = ("Write a question for each passage: 4 passages of 10",) if "late" in claim.text else ()
        done = Done(claim.id, None if fails else prediction, error, self.seconds, Cost(1, 9, 5, 3), left_out, "w", 1000)
        return replace(done, speaking=int("silent" not in claim.text))


@dataclass
class SlowExecutors:
    """Opens the executors of batches; a batch with the recipe `slow_recipe` is slow."""

    slow_recipe: str = "slow"
    failed: set[str] = field(default_factory=set)

    def __call__(self, plan: BatchPlan, *, workers: int, scheduler: str) -> ExecutorHere:
        return ExecutorHere(SlowWorker(0.4 if plan.request.recipe == self.slow_recipe else 0.01, self.failed))
