"""Model files whose header is readable and whose content is made to break a program that trusts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.llm.tiny_model import WIDTH, write_tiny_model

Damage = Callable[[Any], object]


def value(key: str, to: Any) -> Damage:
    """Return the damage that gives a key of the header another value of the same type."""

    def change(writer: Any) -> None:
        writer.kv_data[0][key].value = to

    return change


def without(key: str) -> Damage:
    return lambda writer: writer.kv_data[0].pop(key)


def shape(name: str, to: tuple[int, ...]) -> Damage:
    """Return the damage that says another shape of a tensor than its bytes have."""

    def change(writer: Any) -> None:
        writer.tensors[0][name].shape = to

    return change


def kind(name: str, to: int) -> Damage:
    """Return the damage that says another type of a tensor's numbers, by its number in ggml."""

    def change(writer: Any) -> None:
        writer.tensors[0][name].dtype = to

    return change


def missing(name: str) -> Damage:
    return lambda writer: writer.tensors[0].pop(name)


def infinite(writer: Any) -> None:
    for tensor in writer.tensors[0].values():
        tensor.tensor = np.full(tensor.tensor.shape, 3e38, np.float32)


Q, EMBEDDING = "blk.0.attn_q.weight", "token_embd.weight"
DAMAGES: dict[str, Damage] = {
    **{f"{key} {to}": value(f"llama.{key}", to) for key, numbers in {
        "context_length": (0, 2**32 - 1),
        "embedding_length": (0, 2**31),
        "block_count": (0, 3, 2**32 - 1),
        "feed_forward_length": (2**32 - 1,),
        "attention.head_count": (0, 3),
        "attention.head_count_kv": (3, 2**31),
        "attention.layer_norm_rms_epsilon": (float("nan"), float("inf")),
        "rope.dimension_count": (3, 2**31),
        "rope.freq_base": (float("nan"),),
        "vocab_size": (2**32 - 1,),
    }.items() for to in numbers},
    "no eps": without("llama.attention.layer_norm_rms_epsilon"),
    "tokenizer unknown": value("tokenizer.ggml.model", "no such tokenizer"),
    "tokenizer spm": value("tokenizer.ggml.model", "llama"),
    "tokenizer bert": value("tokenizer.ggml.model", "bert"),
    "tokenizer pre unknown": value("tokenizer.ggml.pre", "no such split"),
    "one token": value("tokenizer.ggml.tokens", ["a"]),
    "no letters": value("tokenizer.ggml.tokens", [f"word{n}" for n in range(259)]),
    "the same token always": value("tokenizer.ggml.tokens", ["a"] * 259),
    "long tokens": value("tokenizer.ggml.tokens", [f"{n:06}" * 10_000 for n in range(259)]),
    "few token types": value("tokenizer.ggml.token_type", [1]),
    "merges that are none": value("tokenizer.ggml.merges", ["", " ", "abc", "h e l", "\u00ff \u00ff"]),
    "bos far out": value("tokenizer.ggml.bos_token_id", 2**32 - 1),
    "an architecture that is not there": value("general.architecture", "no-such"),
    "another architecture": value("general.architecture", "qwen2"),
    "an encoder": value("general.architecture", "t5"),
    "recurrent": value("general.architecture", "mamba"),
    "alignment": lambda writer: writer.add_uint32("general.alignment", 3),
    "template without end": value("tokenizer.chat_template", "{% for m in messages %}"),
    "no query weights": missing(Q),
    "no embedding": missing(EMBEDDING),
    "query of no rows": shape(Q, (0, WIDTH)),
    "query too long": shape(Q, (2**40, WIDTH)),
    "query overflows": shape(Q, (2**62, WIDTH)),
    "embedding of many tokens": shape(EMBEDDING, (10**6, WIDTH)),
    **{f"query of type {number}": kind(Q, number) for number in (2, 8, 24, 99)},
    "infinite": infinite,
}  # fmt: skip


def write_hostile_model(path: Path, name: str) -> Path:
    return write_tiny_model(path, damage=DAMAGES[name])
