"""Find the metrics that the administrator allows, and score with each in a process of its own.

They are the entry points of the group `veridesk.metrics`, and the files in VERIDESK_METRICS.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core.annotations import GoldClaim, Prediction
from core.errors import Cancelled, VerideskError
from core.files import expanded
from core.interfaces import Stop, never
from core.scoring.items import ItemScore, ItemStatus, make_signature
from core.scoring.metrics import own_process
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.metrics.own_process import GROUP, Described, MetricSource
from core.scoring.own_metric import Parameter
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.wording import ending_words
from core.workers import end_process, exit_code, start_piped

VARIABLE = "VERIDESK_METRICS"
SCORE = "score"
BATCH = 16
"""Claims asked at once, between reports of progress."""

LOSSES = 5
"""Claims that may end a metric's process, or exceed its time, before it is given up."""

OPENING_SECONDS = 60.0
LOOK_SECONDS = 0.05
NO_SCORE = "The metric gives this claim no score."

Pair = tuple[GoldClaim, Prediction]


class MetricFault(VerideskError):
    """A metric did not give scores; the message ends a sentence on the metric."""


class MetricLost(MetricFault):
    """The process of a metric cannot be used any more."""


@dataclass
class MetricProcess:
    """A process that runs one metric, or only describes a source. To be used by one thread."""

    process: subprocess.Popen[bytes]
    connection: Connection

    @classmethod
    def start(cls) -> MetricProcess:
        apart: dict[str, Any] = {"start_new_session": True, "stdin": subprocess.DEVNULL, "stdout": 2}  # 2: no result
        return cls(*start_piped(own_process.__name__, **apart))

    def ask(self, question: tuple[Any, ...], stop: Stop, seconds: float) -> Any:
        """Return the answer. Raises MetricFault with that of the metric, MetricLost without any, Cancelled."""
        begun = time.monotonic()
        try:
            self.connection.send(question)
            while not self.connection.poll(LOOK_SECONDS):
                if stop():
                    raise Cancelled("The scoring was stopped.")
                if time.monotonic() - begun > seconds:
                    raise MetricLost(f"it takes more than {seconds:g} seconds")
            answer = self.connection.recv()
        except (EOFError, OSError) as error:
            raise MetricLost(f"its process ended ({ending_words(exit_code(self.process))})") from error
        if isinstance(answer, str):
            raise MetricFault(answer)
        return answer

    def end(self) -> None:
        self.connection.close()
        end_process(self.process)


@dataclass
class OwnMetric:
    """A metric of the administrator's. A claim that it cannot score is unscored, with a sentence; all others stay."""

    source: MetricSource
    described: Described
    parameters: Mapping[str, Parameter]
    name: str
    running: MetricProcess | None = field(default=None, init=False)
    losses: int = field(default=0, init=False)
    broken: str = field(default="", init=False)

    @property
    def signature(self) -> str:
        """Fields of a signature: the place of the metric and its source file's SHA-256."""
        place = self.source.place if self.source.entry else Path(self.source.place).name
        return make_signature(self.name, f"own:{place.replace('|', '/')}", f"sha256:{self.described.digest[:12]}")

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        """Score every gold claim, keyed by id; a missing prediction gets the lowest score. Raises Cancelled."""
        values: list[float | str | None] = []
        given = [(claim, predictions[claim.id]) for claim in gold if claim.id in predictions]
        for start in range(0, len(given), BATCH):
            values += self._values(given[start : start + BATCH], monitor.stop)
            monitor.on_progress(len(values), len(gold))
        by_id = {claim.id: value for (claim, _), value in zip(given, values, strict=True)}
        score, span = f"{self.name}:{SCORE}", self.described.declaration.range
        items = (self._item(claim, score, by_id) for claim in gold)
        return Measured(tuple(items), self.signature, score, ranges={score: span})

    def close(self) -> None:
        """End the process; a later measurement starts another one."""
        if self.running:
            self.running.end()
        self.running = None

    def _item(self, claim: GoldClaim, score: str, values: Mapping[str, float | str | None]) -> ItemScore:
        declared = self.described.declaration
        if claim.id not in values:
            return ItemScore(claim.id, score, declared.range[0], ItemStatus.MISSING, "There is no prediction.")
        value = values[claim.id]
        if isinstance(value, float):
            return ItemScore(claim.id, score, value)
        reason = f"{declared.title}, claim {claim.id}: {value}." if value else NO_SCORE
        return ItemScore(claim.id, score, None, ItemStatus.UNSCORED, reason)

    def _values(self, pairs: Sequence[Pair], stop: Stop) -> list[float | str | None]:
        """Return a number, None or a fault for each claim. After the fault of a batch each claim is asked alone."""
        if self.broken:
            return [self.broken] * len(pairs)
        try:
            return self._ask(pairs, stop)
        except MetricFault as fault:
            if len(pairs) > 1:
                return [value for pair in pairs for value in self._values([pair], stop)]
            self.losses += isinstance(fault, MetricLost)
            if self.losses == LOSSES:
                self.broken = f"it is given up, because {LOSSES} claims failed like this: {fault}"
            return [str(fault)]

    def _ask(self, pairs: Sequence[Pair], stop: Stop) -> list[float | str | None]:
        declared = self.described.declaration
        question = ([gold for gold, _ in pairs], [given for _, given in pairs], declared.range)
        try:
            if self.running is None:
                self.running = MetricProcess.start()
                self.running.ask((self.source, declared.name, self.parameters), stop, OPENING_SECONDS)
            return self.running.ask(question, stop, declared.seconds * len(pairs))  # type: ignore[no-any-return]
        except (MetricLost, Cancelled):
            self.close()
            raise


def own_metrics(taken: Collection[str]) -> tuple[list[Registration], list[str]]:
    """Return the administrator's metrics, and a sentence for each source without usable ones, or with a taken name."""
    if own_process.inside:
        return [], []
    found: dict[str, Registration] = {}
    faults: list[str] = []
    for source in sources():
        try:
            for described in _describe(source):
                name = described.declaration.name
                if name in found or name in taken:
                    raise MetricFault(f"another metric has the name {name}")
                found[name] = registration(source, described)
        except MetricFault as fault:
            faults.append(f"Own metrics in {source}: {fault}.")
    return list(found.values()), faults


def sources() -> list[MetricSource]:
    """Return the places of metrics: files that VERIDESK_METRICS names, then entry points."""
    named = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    files = [MetricSource(str(expanded(Path(one)).absolute())) for one in named]
    return files + [MetricSource(one.value, one.name) for one in entry_points(group=GROUP)]


def registration(
    source: MetricSource, described: Described, given: Mapping[str, Parameter] | None = None
) -> Registration:
    """Return the registration of a metric with its default parameters, or the given ones."""
    declared = described.declaration
    parameters = {**declared.parameters, **(given or {})}
    name = declared.written(parameters)
    score, span = f"{name}:{SCORE}", declared.range
    meaning = f"{declared.meaning.rstrip('.')}. " if declared.meaning else ""
    said = f"{meaning}{span[0]:g} to {span[1]:g}, higher is better. A metric of this server's own."
    return Registration(
        name=name,
        title=declared.title + name.removeprefix(declared.name).replace("(", " ("),
        summary=declared.meaning or "a metric of this server's own",
        open=lambda judge: OwnMetric(source, described, parameters, name),
        meanings={score: said},
        columns=(score,),
        ranges={score: span},
        evidence=score if declared.evidence else "",
        parameters=parameters,
        given=lambda written: registration(source, described, declared.read(written)),
    )


def _describe(source: MetricSource) -> list[Described]:
    process = MetricProcess.start()
    try:
        return process.ask((source, "", {}), never, OPENING_SECONDS)  # type: ignore[no-any-return]
    finally:
        process.end()
