"""Do a step only where it is still needed."""

from __future__ import annotations

from dataclasses import dataclass

from core.ports import Engines, Step
from core.types import Case


@dataclass(frozen=True)
class UnlessDecided:
    """Do `step` unless an earlier step has already come to a verdict."""

    step: Step

    @property
    def title(self) -> str:
        return self.step.title

    def __call__(self, case: Case, engines: Engines) -> Case:
        return case if case.verdict else self.step(case, engines)

    def found(self, case: Case) -> str:
        return self.step.found(case)
