"""LoRA adapters of llama models: trained with torch on the weights of a GGUF file, and written as one.

Source: Hu et al., ICLR 2022. The file has the form that llama.cpp's convert_lora_to_gguf.py writes. peft and gguf are
optional: only training needs them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import VerideskError
from core.interfaces import ignore
from core.optional_packages import GGUF, PEFT
from core.training.learning import Gradients, Learner

RANK = 8
ALPHA = 16.0
PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""The linear layers of a block, as transformers and as llama.cpp call them."""

WARM_UP = 0.05
"""The share of the steps in which the learning rate rises."""

BLOCK = 16
"""How many batches are sorted by length together."""

IGNORED = -100
"""The target that torch's cross-entropy leaves out."""


@dataclass(frozen=True)
class TrainingExample:
    """A prompt and the answer to be learned, in tokens. The answer ends with the token that ends a turn."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer)


@dataclass(frozen=True)
class Schedule:
    """How an adapter is trained: examples a step, the highest learning rate, and the seed of all that is drawn.

    A run that is kept is kept every `seconds_between`.
    """

    batch: int = 8
    rate: float = 4e-4
    seed: int = 0
    seconds_between: float = 120.0

    def rate_at(self, step: int, steps: int) -> float:
        """Return the learning rate of a step, from 0: it rises for WARM_UP of them, then falls as a cosine to 0."""
        warm = WARM_UP * steps
        if step < warm:
            return self.rate * (step + 1) / (warm + 1)
        return self.rate * 0.5 * (1 + math.cos(math.pi * (step - warm) / (steps - warm)))


def load_trainable(weights: Path, *, first_layer: int, seed: int = 0) -> Any:
    """Return the model in a GGUF file in float32, with a LoRA over every linear layer from block `first_layer` on.

    Raises VerideskError if a package that only training needs is missing.
    """
    try:
        import gguf  # noqa: F401  # transformers reads the file with it
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise VerideskError(f"Training needs the package {error.name}: {PEFT.command} {GGUF.requirement}") from error
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(seed)
    base = AutoModelForCausalLM.from_pretrained(  # nosec B615: a file that is here
        weights.parent, gguf_file=weights.name, dtype=torch.float32, local_files_only=True
    )
    layers = list(range(first_layer, base.config.num_hidden_layers))
    config = LoraConfig(
        r=RANK,
        lora_alpha=int(ALPHA),
        target_modules=[part.rpartition(".")[2] for part in PARTS],
        layers_to_transform=layers,
    )
    return get_peft_model(base, config)


def train(
    model: Any,
    examples: Sequence[TrainingExample],
    schedule: Schedule,
    report: Callable[[tuple[int, float]], None] = ignore,
    checkpoint: Path | None = None,
) -> None:
    """Fit the LoRA of a model to each example once, in random order, with the loss on the answers alone.

    `report` gets the number of examples done and the last batch's mean loss a token, in nats. With a `checkpoint` the
    run is kept there now and then, and goes on from there. Raises BadInput for a checkpoint of another run.
    """
    order = by_length(examples, schedule)
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    run = {"seed": schedule.seed, "steps": len(order)}
    learner = Learner[TrainingExample](weights, run, decay=0.0, fused=False)
    if checkpoint and checkpoint.is_file():
        learner.resume(checkpoint)

    def told(step: int, loss: float) -> None:
        report((min(step * schedule.batch, len(examples)), loss))

    model.train()
    learner.learn(
        order[learner.step :],
        lambda step: schedule.rate_at(step, len(order)),
        partial(gradients_of, model, list(weights.values())),
        told,
        checkpoint,
        seconds_between=schedule.seconds_between,
    )
    model.eval()


def gradients_of(
    model: Any, weights: Sequence[Any], batch: Sequence[TrainingExample]
) -> Callable[[Sequence[TrainingExample]], Gradients]:
    """Return the function that gives the gradients of a part of a batch."""
    import torch

    every = sum(len(one.answer) for one in batch)

    def gradients(part: Sequence[TrainingExample]) -> Gradients:
        tokens, targets = (torch.from_numpy(rows) for rows in padded(part))
        loss = answer_loss(model, tokens, targets) / every
        return float(loss.detach()), torch.autograd.grad(loss, weights)

    return gradients


def by_length(examples: Sequence[TrainingExample], schedule: Schedule) -> list[Sequence[TrainingExample]]:
    """Return the examples in batches, in random order; those of a batch have like lengths, and need little padding."""
    chance, order = random.Random(schedule.seed), list(examples)
    chance.shuffle(order)
    blocks = [sorted(block, key=len) for block in batches(order, schedule.batch * BLOCK)]
    found = [batch for block in blocks for batch in batches(block, schedule.batch)]
    chance.shuffle(found)
    return found


def answer_loss(model: Any, tokens: Any, targets: Any) -> Any:
    """Return the summed cross-entropy of the answers' tokens, in nats. Only they go through the vocabulary."""
    import torch

    hidden = model.base_model.model.model(input_ids=tokens, use_cache=False).last_hidden_state
    kept = targets[:, 1:] != IGNORED
    logits = model.base_model.model.lm_head(hidden[:, :-1][kept])
    return torch.nn.functional.cross_entropy(logits, targets[:, 1:][kept], reduction="sum")


def batches(examples: Sequence[TrainingExample], size: int) -> Iterator[Sequence[TrainingExample]]:
    for start in range(0, len(examples), size):
        yield examples[start : start + size]


def padded(batch: Sequence[TrainingExample]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a batch's tokens and targets, each of shape (examples, longest); the targets of prompts are ignored.

    The padding is at the end, where causal attention keeps it from the tokens before.
    """
    longest = max(map(len, batch))
    tokens = np.zeros((len(batch), longest), dtype=np.int64)
    targets = np.full((len(batch), longest), IGNORED, dtype=np.int64)
    for row, one in enumerate(batch):
        end = len(one)
        tokens[row, :end] = [*one.prompt, *one.answer]
        targets[row, len(one.prompt) : end] = one.answer
    return tokens, targets


def write_adapter(path: Path, model: Any, *, facts: dict[str, str]) -> None:
    """Write the LoRA of a model as the GGUF file that llama.cpp lays over the same weights.

    `facts` are further metadata, such as {"general.license": "cc-by-nc-4.0"}.
    """
    from gguf import GGUFWriter

    writer = GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    for key, value in facts.items():
        writer.add_string(key, value)
    for name, tensor in adapter_tensors(model):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def adapter_tensors(model: Any) -> Iterator[tuple[str, NDArray[np.float16]]]:
    """Yield the name and the values of each of an adapter's matrices: A of shape (rank, inputs), B (outputs, rank)."""
    config = model.base_model.model.config
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, weight in model.named_parameters():
        if ".lora_" not in name:
            continue
        layer, _, part = name.partition(".layers.")[2].partition(".lora_")[0].partition(".")
        ours, side = PARTS[part], "a" if ".lora_A." in name else "b"
        values = weight.detach().numpy()
        if side == "b" and ours in heads:
            values = interleaved(values, heads[ours])
        yield f"blk.{layer}.{ours}.weight.lora_{side}", values.astype(np.float16)


def interleaved(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Return the rows of a query or key matrix in llama.cpp's order.

    Rotary embeddings turn pairs of rows: neighbours there, the two halves of a head in transformers.
    """
    return rows.reshape(heads, 2, len(rows) // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)
