"""Load a GGUF file into llama.cpp: its weights, a context, and the library's description of the model.

Only the worker process (llama_worker.py) imports this.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as c
from filelock import FileLock, Timeout

from core.errors import BadInput, ModelError
from core.llm.devices import devices
from core.models.file_names import expanded_folder, size_of, unfinished_copy
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


LOCK_SECONDS = 20.0  # another process needs some 2 s for the same copy
UNUSED_SECONDS = 30 * 24 * 3600.0  # an unused copy of another model or version is deleted after this time


@contextmanager
def expanded_copy(path: Path, *, digest: str, threads: int) -> Iterator[Path]:
    """Yield the path of a Q8_0 copy of the weights at `path`, usable inside the block; `digest` names the weights.

    If the home cannot hold a copy, the copy is a temporary file of this process. Raises ModelError if that fails too.
    """
    try:
        copy = _kept_copy(path, digest, threads)
    except (OSError, Timeout, ModelError):  # no right to write there, a full disk, another process that hangs
        with tempfile.TemporaryFile(prefix="veridesk-") as file:
            copy = Path(f"/dev/fd/{file.fileno()}")
            _expand(path, copy, threads, place=tempfile.gettempdir())
            yield copy
    else:
        yield copy


def _kept_copy(path: Path, digest: str, threads: int) -> Path:
    """Return the kept copy; make it first if it is missing or incomplete. Raises OSError, Timeout, ModelError."""
    folder = expanded_folder()
    name = f"{digest[:16]}-{version('llama-cpp-python')}-"
    if copy := _whole_copy(folder, name):
        with suppress(OSError):  # a read-only home
            os.utime(copy)
        return copy
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock", timeout=LOCK_SECONDS):
        if copy := _whole_copy(folder, name):  # another process made it meanwhile
            return copy
        _clear(folder, name)
        return _made_copy(path, folder, name, threads)


def _whole_copy(folder: Path, name: str) -> Path | None:
    return next((copy for copy in folder.glob(f"{name}*.gguf") if copy.stem == name + _sha256(copy)), None)


def _made_copy(path: Path, folder: Path, name: str, threads: int) -> Path:
    new = unfinished_copy(os.getpid())
    try:
        _expand(path, new, threads, place=str(folder))
        with new.open("rb") as file:
            os.fsync(file.fileno())
        return new.rename(folder / f"{name}{_sha256(new)}.gguf")
    finally:
        new.unlink(missing_ok=True)


def _clear(folder: Path, name: str) -> None:
    """Delete damaged copies, long unused copies and the files of dead processes. The caller holds the lock."""
    for file in [*folder.glob(".*.new"), *folder.glob(f"{name}*.gguf")]:
        file.unlink(missing_ok=True)
    for file in folder.glob("*.gguf"):
        if time.time() - file.stat().st_mtime > UNUSED_SECONDS:
            file.unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _expand(path: Path, copy: Path, threads: int, *, place: str) -> None:
    """Write the weights as Q8_0. Raises ModelError, which names the `place`."""
    parameters = c.llama_model_quantize_default_params()
    parameters.ftype, parameters.allow_requantize, parameters.nthread = c.LLAMA_FTYPE_MOSTLY_Q8_0, True, threads
    if c.llama_model_quantize(str(path).encode(), str(copy).encode(), ctypes.byref(parameters)) != 0:
        raise ModelError(
            f"{path} could not be unpacked into {place} ({last_said()}). "
            "Is there room on that disk, and is the file complete?"
        )


LONGEST = 300  # bytes; names in a hostile file may have any length

# llama.cpp keeps only the address of its one logger, so the function must never be freed.
_said: deque[str] = deque(maxlen=5)


@c.llama_log_callback  # type: ignore[untyped-decorator]
def _keep(level: int, text: bytes, _: Any) -> None:
    if level in (3, 4) and text.strip():
        _said.append(text[:LONGEST].decode(errors="replace").strip())


def keep_log() -> None:
    """Hide llama.cpp's own warnings and errors, and keep the last few for `last_said`."""
    c.llama_log_set(_keep, ctypes.c_void_p(0))


def spoke_of_memory() -> bool:
    """Tell whether the last lines report a lack of memory, in the words of llama.cpp, C++ or the system."""
    signs = ("allocate", "bad_alloc", "out of memory", "Resource temporarily unavailable")
    return any(sign in said for said in _said for sign in signs)


def last_said() -> str:
    """Return the last reason in the log, skipping lines that only report a failed load."""
    reasons = [line for line in _said if not line.endswith("failed to load model")]
    return reasons[-1] if reasons else "llama.cpp gave no reason"
