"""Do `fit reader`: teach the reader of passages and claims."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from core.actions.action import ActionContext
from core.training.commands import FitReader
from core.training.entailment import LabelledPair, read_sets, set_names
from core.training.fit_reader import BATCH, LearningSchedule, ReaderTraining
from core.training.mixture import TIMES, interleaved, mixed
from core.training.written_claims import LEARNT, taught_pairs
from core.verification.stance.pair_reader import FITTED
from core.verification.written_claims import read_written

RUN_FOLDER = Path("reader-run")
CHECKPOINT = "checkpoint.safetensors"
LOSS_WEIGHT = 0.01
"""How much each batch moves the loss that is shown."""
LOSS_EVERY = 100


def learn(request: FitReader, context: ActionContext) -> str:
    """Learn from written claims and as many pairs of the sets in --data, to the end of the schedule."""
    train, _ = read_sets(request.data, [name for name in set_names(request.data) if name in TIMES])
    written = read_written(LEARNT)
    schedule = LearningSchedule(request.learn_pairs, seed=request.seed)
    people = mixed(train, seed=schedule.seed)

    @cache
    def passes(number: int) -> list[LabelledPair]:
        taught = taught_pairs(written, random.Random(schedule.seed + number))
        start = number * len(taught) % max(1, len(people) - len(taught))
        return interleaved(taught, people[start : start + len(taught)])

    training = ReaderTraining(schedule, request.base or FITTED, passes)
    checkpoint = (request.run_folder or RUN_FOLDER) / CHECKPOINT
    if checkpoint.is_file():
        training.learner.resume(checkpoint)
        context.tell(f"Resuming at {training.learner.step * BATCH:,} pairs, from {checkpoint}.")
    training.learn(checkpoint, LossLine(context, training.learner.step, schedule.steps).show)
    weights = request.out or FITTED / "reader.safetensors"
    size = training.export(weights)
    return f"{weights}: {size / 1e6:.1f} MB, learnt from {schedule.steps * BATCH:,} pairs."


class LossLine:
    """The progress of a run, with the running mean of its loss every LOSS_EVERY batches."""

    def __init__(self, context: ActionContext, before: int, steps: int) -> None:
        self._context, self._steps = context, steps
        self._loss: float | None = None
        context.begin("fit reader")
        context.advance(before, steps)

    def show(self, step: int, loss: float) -> None:
        self._loss = loss if self._loss is None else self._loss + LOSS_WEIGHT * (loss - self._loss)
        if step % LOSS_EVERY == 0:
            self._context.tell(f"Batch {step:,}: loss {self._loss:.3f}")
        self._context.advance(step, self._steps)
