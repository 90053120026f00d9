"""A GGUF file into llama.cpp's memory: its weights, a context over them, and what the library says of it.

Only the worker process (llama_worker.py) imports this.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections import deque
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as c

from core.errors import ModelError

BATCH = 512


# llama.cpp has one logger a process and holds its address only: what it calls must never be freed.
_said: deque[str] = deque(maxlen=5)


@c.llama_log_callback  # type: ignore[untyped-decorator]
def _keep(level: int, text: bytes, _: Any) -> None:
    if level in (3, 4) and text.strip():
        _said.append(text.decode(errors="replace").strip())


def keep_log() -> None:
    """Keep llama.cpp's own warnings and errors from the screen, and the last few of them for `last_said`."""
    c.llama_log_set(_keep, ctypes.c_void_p(0))


def last_said() -> str:
    return _said[-1] if _said else "llama.cpp gave no reason"


def load_weights(path: Path, *, threads: int, gpu_layers: int | None, expand: bool) -> Any:
    """Return the weights in a file. Raises ModelError if it cannot be loaded.

    `expand` turns them into Q8_0 first, for a file whose kind of weights llama.cpp computes slowly (Q4_1, Q5_1): next
    to nothing is lost, and a prompt takes half the time. That copy lives as long as the loading.
    """
    if not expand:
        return _load(path, gpu_layers)
    parameters = c.llama_model_quantize_default_params()
    parameters.ftype, parameters.allow_requantize, parameters.nthread = c.LLAMA_FTYPE_MOSTLY_Q8_0, True, threads
    with tempfile.TemporaryDirectory(prefix="veridesk-") as folder:
        copy = Path(folder) / path.name
        if c.llama_model_quantize(str(path).encode(), str(copy).encode(), ctypes.byref(parameters)) != 0:
            raise ModelError(
                f"{path} could not be unpacked into {folder} ({last_said()}). "
                "Is there room on that disk, and is the file complete?"
            )
        return _load(copy, gpu_layers, keep_file=False)


def _load(path: Path, gpu_layers: int | None, *, keep_file: bool = True) -> Any:
    parameters = c.llama_model_default_params()
    parameters.check_tensors = True  # weights that are no numbers are refused, and not taken without a word
    parameters.load_mode = c.LLAMA_LOAD_MODE_MMAP if keep_file else c.LLAMA_LOAD_MODE_NONE
    wanted = gpu_layers if gpu_layers is not None else -1 if c.llama_supports_gpu_offload() else 0
    parameters.n_gpu_layers = 999 if wanted < 0 else wanted
    model = c.llama_model_load_from_file(str(path).encode(), parameters)
    if model is None:
        raise ModelError(
            f"{path} could not be loaded: {last_said()}. The file may be incomplete, damaged or too new; "
            "download it again or choose another model."
        )
    return model


def open_context(model: Any, *, name: str, tokens: int, threads: int) -> Any:
    """Return a context of so many tokens over the weights. Raises ModelError if there is no room for it."""
    parameters = c.llama_context_default_params()
    parameters.n_ctx = tokens
    parameters.n_batch = parameters.n_ubatch = min(BATCH, tokens)
    parameters.n_threads = parameters.n_threads_batch = threads
    parameters.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_DISABLED  # no quicker on CPUs
    context = c.llama_init_from_model(model, parameters)
    if context is None:
        raise ModelError(
            f"There is no room in memory to read {tokens} tokens with {name} "
            f"({last_said()}); choose a smaller context or model."
        )
    return context
