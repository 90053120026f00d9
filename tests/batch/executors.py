"""Executors for tests: one works in this process, and one works on claims without models."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from core.annotations import PredictedEvidence, Prediction
from core.batch.types import BatchPlan, Cost, Done
from core.errors import Cancelled, ModelError
from core.executor import GiveUp, Item, Result
from core.interfaces import Stop, never
from core.types import Claim, Label

HELD_AFTER = 2
"""Number of claims after which a slow batch waits."""


@dataclass
class ExecutorHere:
    """Works in this process with something that is open already. It waits at a claim until `released`."""

    opened: Any
    released: Event | None = None

    def map(self, work: Any, items: Any, *, give_up: GiveUp[Item, Result], stop: Stop = never) -> Iterator[Result]:
        for place, item in enumerate(items):
            while self.released and place >= HELD_AFTER and not self.released.wait(0.01) and not stop():
                continue
            if stop():
                raise Cancelled("Stopped.")
            yield work(self.opened, item)

    def close(self) -> None:
        """Leave what was open as it is."""


@dataclass
class PlainWorker:
    """Works without models, and says that it took so many seconds for each claim.

    A claim that says "fails" fails the first time; one that says "refuses" ends the batch with a sentence; the verdict
    on one that says "unsure" is not sure enough to be quoted; one that says "silent" has no passage for or against it.
    """

    seconds: float
    failed: set[str] = field(default_factory=set)

    def work(self, claim: Claim) -> Done:
        if "refuses" in claim.text:
            raise ModelError("The model cannot be loaded.")
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
    """Opens the executors of batches. A batch with the recipe `slow_recipe` waits in the middle until `released`."""

    slow_recipe: str = "slow"
    failed: set[str] = field(default_factory=set)
    released: Event = field(default_factory=Event)

    def __call__(self, plan: BatchPlan, *, workers: int, scheduler: str) -> ExecutorHere:
        slow = plan.request.recipe == self.slow_recipe
        return ExecutorHere(PlainWorker(0.4 if slow else 0.01, self.failed), self.released if slow else None)
