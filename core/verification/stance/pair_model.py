"""MPNet fine-tuned to read a passage and a claim together: for the claim, against it, or neither.

Source: Song et al., NeurIPS 2020 (MPNet); Reimers and Gurevych, EMNLP 2019 (the base, all-mpnet-base-v2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

CLASSES = 3
LAYERS, HEADS, DIMENSIONS = 12, 12, 768
START, PADDING, END = 0, 1, 2
PASSAGE_PIECES, CLAIM_PIECES = 176, 72
"""Further word pieces of a passage and of a claim are not read."""

NAMES = frozenset(
    f"{name}.{part}"
    for name in ("n", "head", *(f"layers.{n}.{one}" for n in range(LAYERS) for one in "q k v o n1 f1 f2 n2".split()))
    for part in ("weight", "bias")
) | {"word.weight", "place.weight", "rel.weight"}
"""The names of the model's weights."""

EPSILON = 1e-5
_BUCKETS, _FARTHEST = 32, 128


def pair_tokenizer(folder: Path) -> Tokenizer:
    """Return the model's tokenizer, which neither cuts nor pads."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def pieces_of(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    """Return the ids of word pieces of each passage with its claim: <s> passage </s></s> claim </s>."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    read = tokenizer.encode_batch(texts, add_special_tokens=False)
    ids = {text: one.ids for text, one in zip(texts, read, strict=True)}
    return [
        [START, *ids[passage][:PASSAGE_PIECES], END, END, *ids[claim][:CLAIM_PIECES], END] for passage, claim in pairs
    ]


def padded(pairs: Sequence[Sequence[int]], device: str) -> Tensor:
    """Return pairs of different lengths as one tensor, shape (pairs, pieces of the longest)."""
    longest = max(map(len, pairs))
    return torch.tensor([[*pair, *[PADDING] * (longest - len(pair))] for pair in pairs], device=device)


def pair_logits(weights: Mapping[str, Tensor], ids: Tensor) -> Tensor:
    """Return the logits of the three classes, from the first state beside the mean of all; shape (pairs, CLASSES)."""
    shown = ids != PADDING
    states = F.embedding(ids, weights["word.weight"]) + F.embedding(
        shown.cumsum(1) * shown + 1, weights["place.weight"]
    )
    states = _normalised(weights, "n", states)
    bias = weights["rel.weight"][_distances(ids.shape[1], ids.device)].permute(2, 0, 1)[None]
    bias = bias.masked_fill(~shown[:, None, None, :], -1e4)
    for number in range(LAYERS):
        states = _layer(weights, f"layers.{number}", states, bias)
    counted = shown.unsqueeze(-1).to(states.dtype)
    mean = (states * counted).sum(1) / counted.sum(1)
    return _linear(weights, "head", torch.cat([states[:, 0], mean], dim=1))


def _layer(weights: Mapping[str, Tensor], name: str, states: Tensor, bias: Tensor) -> Tensor:
    query, key, value = (
        _linear(weights, f"{name}.{part}", states).view(*states.shape[:2], HEADS, -1).transpose(1, 2) for part in "qkv"
    )
    attended = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    attended = _linear(weights, f"{name}.o", attended.transpose(1, 2).reshape(states.shape))
    states = _normalised(weights, f"{name}.n1", states + attended)
    wider = F.gelu(_linear(weights, f"{name}.f1", states))
    return _normalised(weights, f"{name}.n2", states + _linear(weights, f"{name}.f2", wider))


def _linear(weights: Mapping[str, Tensor], name: str, states: Tensor) -> Tensor:
    return F.linear(states, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalised(weights: Mapping[str, Tensor], name: str, states: Tensor) -> Tensor:
    return F.layer_norm(states, (DIMENSIONS,), weights[f"{name}.weight"], weights[f"{name}.bias"], EPSILON)


def _distances(length: int, device: torch.device) -> Tensor:
    """Return the bucket of the distance from each piece to each, shape (length, length); far ones share buckets."""
    places = torch.arange(length, device=device)
    back = places[:, None] - places[None]
    half, exact = _BUCKETS // 2, _BUCKETS // 4
    far = back.abs().clamp_min(1).float()
    wide = exact + (torch.log(far / exact) / math.log(_FARTHEST / exact) * (half - exact)).long()
    near = torch.where(back.abs() < exact, back.abs(), wide.clamp_max(half - 1))
    return near + (back < 0).long() * half


BLOCK = 32
"""Numbers of a row that share a scale and a least value."""

SCALE, LEAST = ".scale", ".least"
BITS = {".q4": 4, ".q8": 8}
"""The endings of packed weights' names, with their bits. Of two 4-bit numbers in a byte the first is the high one."""


def packed(name: str, weight: Tensor, bits: int) -> dict[str, Tensor]:
    """Return a matrix of shape (rows, columns) as whole numbers, with float16 scales and least values by block."""
    rows = weight.float().reshape(weight.shape[0], -1, BLOCK)
    least = rows.amin(2, keepdim=True).half().float()
    scale = ((rows.amax(2, keepdim=True) - least) / (2**bits - 1)).clamp_min(1e-7).half().float()
    numbers = torch.round((rows - least) / scale).clamp(0, 2**bits - 1).to(torch.uint8).reshape(weight.shape)
    if bits == 4:
        numbers = (numbers[:, 0::2] << 4) | numbers[:, 1::2]
    return {
        f"{name}.q{bits}": numbers.contiguous(),
        name + SCALE: scale[..., 0].half().contiguous(),
        name + LEAST: least[..., 0].half().contiguous(),
    }


def unpacked(numbers: Tensor, scale: Tensor, least: Tensor, bits: int) -> Tensor:
    """Return the matrix behind packed numbers in float32, shape (rows, columns)."""
    if bits == 4:
        numbers = torch.stack([numbers >> 4, numbers & 15], -1)
    rows = numbers.reshape(scale.shape[0], -1, BLOCK).float()
    return (rows * scale.float()[..., None] + least.float()[..., None]).reshape(scale.shape[0], -1)


def read_packed(folder: Path, dtype: torch.dtype = torch.float32, device: str = "cpu") -> dict[str, Tensor]:
    """Return the weights of all safetensors files of a folder, by name.

    Raises OSError, SafetensorError or RuntimeError where a file is damaged or incomplete.
    """
    found: dict[str, Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            for name in file.keys():  # noqa: SIM118 — a safetensors file is no dict
                stem, bits = name[:-3], BITS.get(name[-3:])
                if bits:
                    scale, least = (file.get_tensor(stem + ending) for ending in (SCALE, LEAST))
                    found[stem] = unpacked(file.get_tensor(name), scale, least, bits).to(device, dtype)
                elif not name.endswith((SCALE, LEAST)):
                    found[name] = file.get_tensor(name).to(device, dtype)
    return found


def stored(folder: Path, names: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of a folder as they are stored, without those that belong to the weights `names`."""
    found: dict[str, Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            for name in file.keys():  # noqa: SIM118
                stem = next(
                    (name.removesuffix(ending) for ending in (*BITS, SCALE, LEAST) if name.endswith(ending)), name
                )
                if stem not in names:
                    found[name] = file.get_tensor(name)
    return found
