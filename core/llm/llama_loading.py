"""Load a GGUF file into llama.cpp: its weights, a context, and the library's description of the model.

Only the worker process (llama_worker.py) imports this.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as c

from core.errors import BadInput, ModelError
from core.llm.devices import devices
from core.llm.expanded_copies import expanded_copy
from core.llm.llama_log import last_said, spoke_of_memory
from core.models.file_names import size_of
from core.models.gguf import read_header
from core.models.memory import memory_available
from core.models.placement import Placement, free_on_card, placement

BRANCHES = 16
"""Number of answers written at once."""

ALL_LAYERS = 999


@dataclass(frozen=True)
class Loading:
    """How a file is loaded.

    `expand` is the digest of weights to convert to Q8_0 first, because llama.cpp computes Q4_1 and Q5_1 slowly.
    Accuracy hardly changes, and a prompt takes half the time. Without `extra_buffers` the weights stay as they are in
    the file. Otherwise they are arranged for this processor's own instructions (AMX and others). Without `map_file` the
    file is read into memory. Without `gpu` no layer goes to a GPU, even if the build has one.
    """

    threads: int
    expand: str = ""
    extra_buffers: bool = True
    map_file: bool = True
    gpu: bool = True


def place(path: Path, loading: Loading, *, context_tokens: int) -> Placement:
    """Return the placement of the model in a file, by the memory that is free now."""
    card = free_on_card(devices()) if loading.gpu and c.llama_supports_gpu_offload() else 0
    try:
        size, header = size_of(path), read_header(path)
    except BadInput:  # llama.cpp names the fault of the file
        size, header = path.stat().st_size, None
    return placement(size, header, card=card, memory=memory_available(), context_tokens=context_tokens)


def load_weights(path: Path, loading: Loading, placed: Placement) -> Any:
    """Return the weights in a file. Raises ModelError if it cannot be loaded."""
    if not loading.expand:
        return _load(path, loading, placed, name=path)
    with expanded_copy(path, digest=loading.expand, threads=loading.threads) as copy:
        return _load(copy, loading, placed, name=path)


def _load(path: Path, loading: Loading, placed: Placement, *, name: Path) -> Any:
    parameters = c.llama_model_default_params()
    parameters.check_tensors = True  # refuse weights that are not numbers
    parameters.load_mode = c.LLAMA_LOAD_MODE_MMAP if loading.map_file else c.LLAMA_LOAD_MODE_NONE
    parameters.use_extra_bufts = loading.extra_buffers
    parameters.n_gpu_layers = ALL_LAYERS if placed.gpu_layers == placed.layers else placed.gpu_layers
    nothing = (ctypes.c_void_p * 1)()
    if not placed.gpu_layers:  # otherwise a GPU without layers still does part of the work
        parameters.devices = ctypes.addressof(nothing)
    model = c.llama_model_load_from_file(str(path).encode(), parameters)
    if model is None and spoke_of_memory():
        raise ModelError(
            f"{name} could not be loaded: there is not enough memory. Close other programs, raise the limit if there "
            "is one (ulimit -v), or choose a smaller model."
        )
    if model is None:
        raise ModelError(
            f"{name} could not be loaded: {last_said()}. The file may be incomplete, damaged or too new; "
            "download it again or choose another model."
        )
    return model


def open_context(model: Any, *, name: str, tokens: int, batch: int, threads: int) -> Any:
    """Return a context of `tokens` tokens for the weights. Raises ModelError if memory is too small."""
    parameters = c.llama_context_default_params()
    parameters.n_ctx = tokens
    parameters.n_batch = parameters.n_ubatch = min(batch, tokens)
    parameters.n_seq_max = 1 + branches(model)
    parameters.kv_unified = True  # all sequences share one context
    parameters.n_threads = parameters.n_threads_batch = threads
    parameters.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_DISABLED  # no quicker on CPUs
    context = c.llama_init_from_model(model, parameters)
    if context is None:
        raise ModelError(
            f"There is no room in memory to read {tokens} tokens with {name} "
            f"({last_said()}); choose a smaller context or model."
        )
    return context


def branches(model: Any) -> int:
    """Return how many answers a model can write at once; 1 for recurrent models, where each branch takes memory."""
    return 1 if c.llama_model_is_recurrent(model) or c.llama_model_is_hybrid(model) else BRANCHES
