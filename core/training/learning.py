"""Learn weights in steps over the cores. A killed run goes on from its checkpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from core.errors import BadInput
from core.files import replacing

PARTS = 2
"""Each core takes a part of every batch. Matrices split over the cores make all wait for the slowest."""

LARGEST_GRADIENT = 1.0
AVERAGES = ("exp_avg", "exp_avg_sq")
"""AdamW's two averages of the gradients, as torch names them."""

Row = TypeVar("Row")
Gradients = tuple[float, tuple[Tensor, ...]]
"""The loss of a part of a batch as its share of the mean, and the gradients by weight."""


class Learner(Generic[Row]):
    """Weights that learn, their optimizer, and the number of steps done. A checkpoint must be of the same `run`."""

    def __init__(self, weights: Mapping[str, Tensor], run: Mapping[str, int], *, decay: float, fused: bool) -> None:
        self.weights = weights
        self.step = 0
        self._run = run
        self._cores = ThreadPoolExecutor(PARTS)
        self._optimizer = torch.optim.AdamW(weights.values(), weight_decay=decay, fused=fused)

    def learn(
        self,
        batches: Iterable[Sequence[Row]],
        rate_at: Callable[[int], float],
        gradients_of: Callable[[Sequence[Row]], Callable[[Sequence[Row]], Gradients]],
        told: Callable[[int, float], None],
        checkpoint: Path | None,
        *,
        seconds_between: float,
    ) -> None:
        """Learn from batches, those that are left; `told` gets the number of each step and its loss.

        `gradients_of` a batch gives the function for its parts. The checkpoint is kept now and then, and at the end.
        """
        torch.set_num_threads(1)
        kept = time.monotonic()
        for batch in batches:
            loss = self._learn_batch(batch, gradients_of(batch), rate_at(self.step))
            self.step += 1
            told(self.step, loss)
            if checkpoint and time.monotonic() - kept >= seconds_between:
                self.keep(checkpoint)
                kept = time.monotonic()
        if checkpoint:
            self.keep(checkpoint)

    def _learn_batch(self, batch: Sequence[Row], gradients: Callable[[Sequence[Row]], Gradients], rate: float) -> float:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        parts = [part for part in (batch[at::PARTS] for at in range(PARTS)) if part]
        found = list(self._cores.map(gradients, parts))
        # In a fixed order: the sum does not depend on the core that is ready first.
        for place, weight in enumerate(self.weights.values()):
            weight.grad = sum(some[place].float() for _, some in found)  # type: ignore[assignment]
        torch.nn.utils.clip_grad_norm_(self.weights.values(), LARGEST_GRADIENT)
        self._optimizer.step()
        return sum(loss for loss, _ in found)

    def keep(self, path: Path) -> None:
        """Write the weights, the optimizer's averages and the position to one file, whole or not at all."""
        tensors = {f"weight/{name}": weight.detach() for name, weight in self.weights.items()}
        for name, weight in self.weights.items():
            state = self._optimizer.state[weight]
            tensors |= {f"{average}/{name}": state[average] for average in AVERAGES if state}
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(save(tensors, {"about": json.dumps({**self._run, "step": self.step})}))

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint. Raises BadInput if it is of another run, or no checkpoint."""
        device = str(next(iter(self.weights.values())).device)
        try:
            with safe_open(path, "pt", device=device) as file:
                about = json.loads(file.metadata()["about"])
                found = {name: file.get_tensor(name) for name in list(file.keys())}
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path} is no checkpoint ({error}): remove it to start over.") from error
        step = int(about.pop("step", 0))
        if about != self._run:
            other = ", ".join(f"{name} {value}" for name, value in about.items())
            raise BadInput(f"{path} is of another run ({other}): remove it, or name another folder with --run-folder.")
        self.step = step
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(found[f"weight/{name}"])
                averages = {average: found[f"{average}/{name}"] for average in AVERAGES}
                self._optimizer.state[weight] = {"step": torch.tensor(float(step)), **averages}
