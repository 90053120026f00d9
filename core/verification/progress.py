"""The progress of a run: its stages in order, their findings, and their seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from core.interfaces import ignore
from core.types import Case, StepTime

CHECKING = "Check the claim"


@dataclass(frozen=True)
class Update:
    """A report to a listener: stage `position` of `stages` (from 1) and `found`, which is empty while it works.

    `detail` describes the work of a long stage. `case` has all findings so far; `seconds` count from the start.
    """

    stage: str
    position: int
    stages: int
    seconds: float
    case: Case
    found: str = ""
    detail: str = ""


OnProgress = Callable[[Update], None]


def telling(tell: Callable[[str], None]) -> OnProgress:
    """Return a listener that reports each finding with the seconds since the start."""

    def listen(update: Update) -> None:
        if update.found:
            tell(f"{update.seconds:6.1f} s  {update.stage}: {update.found}")

    return listen


@dataclass
class Stage:
    """The stage at work. Its step puts here the resulting case, and its findings in a few words."""

    case: Case
    report: Callable[[str], None]
    show: Callable[[Case], None]
    found: str = ""


@dataclass
class Progress:
    """One run: reports its progress and notes the seconds of each stage. `title` is that of the stage at work."""

    case: Case
    on_progress: OnProgress = ignore
    stages: int = 0
    position: int = 0
    title: str = CHECKING
    started: float = field(default_factory=time.perf_counter)

    def report(self, *, found: str = "", detail: str = "") -> None:
        """Tell the listener where the run is."""
        seconds = time.perf_counter() - self.started
        self.on_progress(Update(self.title, self.position, self.stages, seconds, self.case, found, detail))

    @contextmanager
    def stage(self, title: str) -> Iterator[Stage]:
        """Begin a stage; when its block ends, its case is that of the run. Nothing is noted of one that raises."""
        self.position += 1
        self.title = title
        self.report()
        began = time.perf_counter()
        stage = Stage(self.case, self._detail, self._show)
        yield stage
        times = (*stage.case.times, StepTime(title, time.perf_counter() - began, stage.found))
        self.case = replace(stage.case, times=times)
        self.report(found=stage.found)

    def _detail(self, words: str) -> None:
        self.report(detail=words)

    def _show(self, case: Case) -> None:
        self.case = case
        self.report()
