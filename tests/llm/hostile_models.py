"""Model files whose header is readable and whose content is made to break a program that trusts it."""

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


Q = "blk.0.attn_q.weight"
EPSILON = "llama.attention.layer_norm_rms_epsilon"
DAMAGES: dict[str, Damage] = {
    "no blocks": value("llama.block_count", 0),
    "2**32 blocks": value("llama.block_count", 2**32 - 1),
    "heads that share no width": value("llama.attention.head_count", 3),
    "epsilon nan": value(EPSILON, float("nan")),
    "no epsilon": without(EPSILON),
    "tokenizer spm": value("tokenizer.ggml.model", "llama"),
    "the same token always": value("tokenizer.ggml.tokens", ["a"] * 259),
    "few token types": value("tokenizer.ggml.token_type", [1]),
    "bos far out": value("tokenizer.ggml.bos_token_id", 2**32 - 1),
    "an encoder": value("general.architecture", "t5"),
    "recurrent": value("general.architecture", "mamba"),
    "template without end": value("tokenizer.chat_template", "{% for m in messages %}"),
    "no query weights": missing(Q),
    "query overflows": shape(Q, (2**62, WIDTH)),
    "query of type 99": kind(Q, 99),
    "infinite": infinite,
}


def write_hostile_model(path: Path, name: str) -> Path:
    return write_tiny_model(path, damage=DAMAGES[name])
