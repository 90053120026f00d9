"""Weights in 4 or 8 bits a number, in blocks of a row: weight = number × scale + least of its block."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

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
