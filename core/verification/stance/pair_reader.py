"""Read a passage and a claim together, by the bundled MiniLM with the fine-tuned layers of assets/reader."""

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
from core.retrieval.dense import CPU_BATCH, GPU_BATCH, bundled_folder, cores, fastest_dtype, over_cores

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from tokenizers import Encoding, Tokenizer

FITTED = ASSETS / "reader" / "reader.safetensors"


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
        found = np.empty((len(pairs), 3))
        pieces = self._tokenizer.encode_batch(list(pairs))
        lengths = [len(one.ids) for one in pieces]

        def read(batch: list[int]) -> NDArray[np.float64]:
            return self._read([pieces[at] for at in batch])

        for batch, rows in over_cores(lengths, self._batch, self._workers, read, stop):
            found[batch] = rows
        return found

    def _read(self, pieces: list[Encoding]) -> NDArray[np.float64]:
        import torch

        from core.verification.stance.pair_model import pair_logits, tensors_of

        with torch.inference_mode():
            logits = pair_logits(self._weights, *tensors_of(pieces, self._device))
            return np.asarray(logits.float().cpu().numpy(), dtype=np.float64)


@cache
def load_pair_reader(path: Path = FITTED) -> PairReader:
    """Return the fitted reader. Raises ModelError if its weights are missing or are not those of MiniLM's layers."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from core.verification.stance.pair_model import bundled_weights, pair_tokenizer

    folder = bundled_folder()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tuned = load_file(str(path), device=device)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read ({error}): run `python -m core fit reader`.") from error
    dtype = fastest_dtype(device == "cuda")
    weights = {name: weight.to(dtype) for name, weight in {**bundled_weights(folder, device), **tuned}.items()}
    return PairReader(weights, pair_tokenizer(folder), device)
