"""Teach the upper layers of the reader of passages and claims; goes on after a kill, and ends the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.files import replacing
from core.retrieval.dense import fastest_dtype
from core.training.entailment import LabelledPair
from core.training.learning import Gradients, Learner
from core.verification.stance.pair_model import (
    LAYERS,
    packed,
    padded,
    pair_logits,
    pair_tokenizer,
    pieces_of,
    read_packed,
    stored,
)

BATCH = 32
BLOCK = 50 * BATCH
"""Pairs that are sorted by length together: batches of like lengths need little padding."""

TAUGHT = (*(f"layers.{number}." for number in range(LAYERS // 2, LAYERS)), "head.")
"""How the names of the weights that learn begin. The layers below them, and the embeddings, stay."""

WARMUP_STEPS = 100
WEIGHT_DECAY = 0.01
LABEL_SMOOTHING = 0.05
TAUGHT_BITS = 8
"""Bits of each weight that learnt: its change is finer than 4 bits can hold."""

Row = tuple[list[int], int]
"""The word pieces of a passage with its claim, and their label."""


@dataclass(frozen=True)
class LearningSchedule:
    """How the reader learns. `pairs` is the length of the whole run, after which the learning rate is 0."""

    pairs: int
    seed: int = 0
    rate: float = 5e-5
    seconds_between: float = 180.0

    @property
    def steps(self) -> int:
        return self.pairs // BATCH

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step: it rises for WARMUP_STEPS, then falls linearly."""
        return self.rate * min((step + 1) / min(WARMUP_STEPS, self.steps / 10 + 1), (self.steps - step) / self.steps)


class ReaderTraining:
    """The weights and the position of one run. `passes` gives the pairs of pass 0, 1, … in their order."""

    def __init__(self, schedule: LearningSchedule, base: Path, passes: Callable[[int], Sequence[LabelledPair]]) -> None:
        """Raises OSError or the errors of safetensors where the folder `base` holds no reader to begin with."""
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self._dtype = fastest_dtype(self.device == "cuda")
        self.schedule = schedule
        self._base = base
        self._passes = passes
        self._tokenizer = pair_tokenizer(base)
        weights = read_packed(base, device=self.device)
        self.tuned = {name: weights[name] for name in sorted(weights) if name.startswith(TAUGHT)}
        self._still = {name: weight.to(self._dtype) for name, weight in weights.items() if name not in self.tuned}
        self.learner = Learner[Row](self.tuned, {"seed": schedule.seed}, decay=WEIGHT_DECAY, fused=True)

    def learn(self, checkpoint: Path, told: Callable[[int, float], None]) -> None:
        """Learn to the last step, and keep checkpoints on the way; `told` gets each step and its loss."""
        between = self.schedule.seconds_between
        # On a CPU the gradient of the fused attention takes longer than all the rest together.
        with sdpa_kernel(SDPBackend.MATH):
            self.learner.learn(
                self._batches(), self.schedule.rate_at, self._gradients_of, told, checkpoint, seconds_between=between
            )

    def _gradients_of(self, batch: Sequence[Row]) -> Callable[[Sequence[Row]], Gradients]:
        rounded = {name: weight.to(self._dtype).requires_grad_() for name, weight in self.tuned.items()}

        def gradients(part: Sequence[Row]) -> Gradients:
            labels = torch.tensor([label for _, label in part], device=self.device)
            logits = pair_logits({**self._still, **rounded}, padded([pieces for pieces, _ in part], self.device))
            loss = F.cross_entropy(logits.float(), labels, reduction="sum", label_smoothing=LABEL_SMOOTHING)
            loss = loss / len(batch)
            return loss.item(), torch.autograd.grad(loss, [*rounded.values()])

        return gradients

    def _batches(self) -> Iterator[list[Row]]:
        """Yield the batches from the current step on; those before it are passed over, untouched."""
        step = number = 0
        while step < self.schedule.steps:
            pairs = self._passes(number)
            for start in range(0, len(pairs) - BATCH + 1, BLOCK):
                block = pairs[start : start + BLOCK]
                ahead = len(block) // BATCH
                if step + ahead > self.learner.step:
                    batches = self._block(block, seed=self.schedule.seed + step)
                    yield from batches[max(0, self.learner.step - step) : self.schedule.steps - step]
                step += ahead
                if step >= self.schedule.steps:
                    return
            number += 1

    def _block(self, block: Sequence[LabelledPair], *, seed: int) -> list[list[Row]]:
        """Return a block's batches of like lengths, in an order by chance."""
        read = pieces_of(self._tokenizer, [(pair.premise, pair.claim) for pair in block])
        rows = sorted(zip(read, (pair.label for pair in block), strict=True), key=lambda row: len(row[0]))
        batches = [rows[start : start + BATCH] for start in range(0, len(rows) - BATCH + 1, BATCH)]
        random.Random(seed).shuffle(batches)
        return batches

    def export(self, path: Path) -> int:
        """Write all weights, those that learnt in 8 bits and the others as they were; return the number of bytes."""
        tensors = stored(self._base, self.tuned)
        for name, weight in self.tuned.items():
            matrix = weight.ndim == 2 and not name.startswith("head")
            tensors |= packed(name, weight, TAUGHT_BITS) if matrix else {name: weight.contiguous()}
        content = save(tensors)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
        return len(content)
