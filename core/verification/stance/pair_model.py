"""MiniLM fine-tuned to read a passage and a claim together: for the claim, against it, or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from torch.nn import functional as F

from core.retrieval.minilm import DIMENSIONS, last_layer

CLASSES = 3
MAX_TOKENS = 192
HEAD = "head"
TUNED = ("encoder.layer.", HEAD)
"""How the names of the fine-tuned weights begin; the embeddings are the bundled model's."""


def pair_tokenizer(folder: Path) -> Tokenizer:
    """Return the bundled model's tokenizer for pairs; the longer text of a pair that is too long is cut."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    tokenizer.no_padding()
    return tokenizer


def tensors_of(pairs: Sequence[Encoding], device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return the ids, segments and attention mask of pairs padded to the longest, each of shape (pairs, pieces)."""
    shape = len(pairs), max(len(pair.ids) for pair in pairs)
    ids, kinds, mask = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    for row, pair in enumerate(pairs):
        size = len(pair.ids)
        ids[row, :size] = torch.tensor(pair.ids)
        kinds[row, :size] = torch.tensor(pair.type_ids)
        mask[row, :size] = 1
    return ids.to(device), kinds.to(device), mask.to(device)


def pair_logits(weights: Mapping[str, Tensor], ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
    """Return the logits of the three classes, from [CLS] beside the mean of the last layer; shape (pairs, CLASSES)."""
    states = last_layer(weights, ids, kinds, mask)
    shown = mask.unsqueeze(-1).to(states.dtype)
    mean = (states * shown).sum(1) / shown.sum(1)
    pooled = torch.cat([states[:, 0], mean], dim=1)
    return F.linear(pooled, weights[f"{HEAD}.weight"], weights[f"{HEAD}.bias"])


def bundled_weights(folder: Path, device: str) -> dict[str, Tensor]:
    """Return the bundled model's weights in float32, without the counter of places."""
    weights = load_file(str(folder / "model.safetensors"), device=device)
    return {name: weight.float() for name, weight in weights.items() if weight.is_floating_point()}


def fresh_head(seed: int) -> dict[str, Tensor]:
    """Return a head that has learnt nothing."""
    chance = torch.Generator().manual_seed(seed)
    weight = torch.randn(CLASSES, 2 * DIMENSIONS, generator=chance) * 0.02
    return {f"{HEAD}.weight": weight, f"{HEAD}.bias": torch.zeros(CLASSES)}
