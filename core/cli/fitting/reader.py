"""`python -m core fit reader`: teach the reader of passages and claims."""

from __future__ import annotations

import argparse
import random
from functools import cache
from pathlib import Path

from core.cli.common.terminal import ProgressLine, tell
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


def run(args: argparse.Namespace) -> int:
    """Learn from written claims and as many pairs of the sets in --data, to the end of the schedule."""
    train, _ = read_sets(args.data, [name for name in set_names(args.data) if name in TIMES])
    written = read_written(LEARNT)
    schedule = LearningSchedule(args.learn_pairs, seed=args.seed)
    people = mixed(train, seed=schedule.seed)

    @cache
    def passes(number: int) -> list[LabelledPair]:
        taught = taught_pairs(written, random.Random(schedule.seed + number))
        start = number * len(taught) % max(1, len(people) - len(taught))
        return interleaved(taught, people[start : start + len(taught)])

    training = ReaderTraining(schedule, args.base or FITTED, passes)
    checkpoint = (args.run_folder or RUN_FOLDER) / CHECKPOINT
    if checkpoint.is_file():
        training.learner.resume(checkpoint)
        tell(f"Resuming at {training.learner.step * BATCH:,} pairs, from {checkpoint}.")
    training.learn(checkpoint, LossLine(training.learner.step, schedule.steps).show)
    weights = args.out or FITTED / "reader.safetensors"
    size = training.export(weights)
    print(f"{weights}: {size / 1e6:.1f} MB, learnt from {schedule.steps * BATCH:,} pairs.")
    return 0


class LossLine:
    """The progress of a run, with the running mean of its loss."""

    def __init__(self, before: int, steps: int) -> None:
        self._line = ProgressLine("fit reader", "batches", before=before)
        self._steps = steps
        self._loss: float | None = None

    def show(self, step: int, loss: float) -> None:
        self._loss = loss if self._loss is None else self._loss + LOSS_WEIGHT * (loss - self._loss)
        self._line.what = f"fit reader, loss {self._loss:.3f}"
        self._line.show(step, self._steps)
