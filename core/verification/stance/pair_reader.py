"""Read a passage and a claim together, with the reader in assets/reader."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.files import ASSETS
from core.interfaces import Stop, never
from core.retrieval.dense import CPU_BATCH, GPU_BATCH, cores, fastest_dtype, over_cores

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from tokenizers import Tokenizer

FITTED = ASSETS / "reader"
REINSTALL = "fetch Veridesk's folder assets/reader again."


class PairReader:
    """Gives a passage and a claim three logits: for the claim, against it, neither. Threads may share it."""

    def __init__(self, weights: Mapping[str, torch.Tensor], tokenizer: Tokenizer, device: str) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._device = device
        self._batch, self._workers = (GPU_BATCH, 1) if device == "cuda" else (CPU_BATCH, cores())

    def logits(self, pairs: Sequence[tuple[str, str]], *, stop: Stop = never) -> NDArray[np.float64]:
        """Return the logits of passages with their claims, shape (pairs, 3); the same in any batch, but for rounding.

        Raises Cancelled if `stop`, asked before each batch, says so.
        """
        from core.verification.stance.pair_model import pieces_of

        found = np.empty((len(pairs), 3))
        pieces = pieces_of(self._tokenizer, pairs)

        def read(batch: list[int]) -> NDArray[np.float64]:
            return self._read([pieces[at] for at in batch])

        for batch, rows in over_cores([*map(len, pieces)], self._batch, self._workers, read, stop):
            found[batch] = rows
        return found

    def _read(self, pieces: list[list[int]]) -> NDArray[np.float64]:
        import torch

        from core.verification.stance.pair_model import padded, pair_logits

        with torch.inference_mode():
            logits = pair_logits(self._weights, padded(pieces, self._device))
            return np.asarray(logits.float().cpu().numpy(), dtype=np.float64)


@cache
def load_pair_reader(folder: Path = FITTED) -> PairReader:
    """Return the reader, in the fastest form that this processor or its card has.

    Raises ModelError if files of the folder are missing or damaged.
    """
    import torch

    from core.verification.stance.pair_model import pair_tokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)  # each core reads its own pairs
    weights = read_weights(folder, fastest_dtype(device == "cuda"), device)
    try:
        return PairReader(weights, pair_tokenizer(folder), device)
    except Exception as error:  # tokenizers raises no narrower error for a broken file
        raise ModelError(f"{folder / 'tokenizer.json'} cannot be read ({error}): {REINSTALL}") from error


def read_weights(folder: Path, dtype: torch.dtype, device: str) -> dict[str, torch.Tensor]:
    """Return the reader's weights by name. Raises ModelError if files are missing or damaged."""
    from safetensors import SafetensorError

    from core.verification.stance.pair_model import NAMES, read_packed

    try:
        weights = read_packed(folder, dtype, device)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no whole reader ({error}): {REINSTALL}") from error
    if missing := NAMES - weights.keys():
        raise ModelError(f"{folder} lacks the weights {sorted(missing)[0]} of the reader: {REINSTALL}")
    return weights
