"""Encode every passage of a store with static word vectors, distilled from MiniLM by model2vec.

A passage's vector is the sum of its words' vectors. model2vec would tokenise each passage again. Here each distinct
word is tokenised once, and a sparse product sums the vectors, ten times as fast. Punctuation is left out: its weights
change the vectors by less than a hundredth. Source: Tulkens and van Dongen, Model2Vec (2024); frequency weights after
Arora, Liang and Ma, ICLR 2017.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from core.errors import BadInput, Cancelled, ModelError
from core.files import clear_leftovers
from core.interfaces import ModelIdentity, Stop, ignore, never
from core.retrieval.dense import BUNDLED, BUNDLED_DIGEST, bundled_folder
from core.retrieval.tokens import Tokens, tokens_of

DIMENSIONS = 256
FOLDER = f"static-{BUNDLED_DIGEST[:12]}-{DIMENSIONS}"
DISTILLING = ".distilling-"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
INSTALL = "pip install model2vec==0.10.0 skeletoken==0.6.1"


class StaticEncoder:
    """Encodes texts with a table of vectors, one per word piece. Threads may share it."""

    def __init__(self, table: NDArray[np.float32], tokenizer: Tokenizer, identity: ModelIdentity) -> None:
        """Use `table`, shape (pieces, dimensions); its rows are the numbers that `tokenizer` gives to pieces."""
        self.identity = identity
        self._table = table
        self._tokenizer = tokenizer
        self._unknown = tokenizer.token_to_id("[UNK]")

    @property
    def dimensions(self) -> int:
        return int(self._table.shape[1])

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """Return one vector per text, as `vectors` does."""
        return self.vectors(tokens_of(texts, stop=stop))

    def vectors(self, tokens: Tokens) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(tokens), dimensions); zeros without known words."""
        pieces = self._tokenizer.encode_batch_fast(tokens.words, add_special_tokens=False)
        known = [[piece for piece in word.ids if piece != self._unknown] for word in pieces]
        of_words = _sums([piece for word in known for piece in word], list(map(len, known)), self._table)
        summed = _sums(*tokens.gathered(), of_words)
        unit: NDArray[np.float32] = summed / np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-12)
        return unit


def _sums(
    numbers: Sequence[int] | NDArray[np.int32], lengths: Sequence[int] | NDArray[np.int64], rows: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the sum of the first lengths[0] numbered rows, then of the next lengths[1], and so on."""
    borders = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    counts = csr_matrix(
        (np.ones(len(numbers), np.float32), np.asarray(numbers, dtype=np.int32), borders),
        shape=(len(lengths), len(rows)),
    )
    return np.asarray(counts @ rows, dtype=np.float32)


def open_static(models: Path, *, stop: Stop = never, report: Callable[[str], None] = ignore) -> StaticEncoder:
    """Return the static encoder under `models`; distil it first from the bundled MiniLM if it is missing.

    Distilling takes 15 seconds on two cores, once, and reports progress to `report`. Raises ModelError if model2vec is
    not installed or the kept files are damaged. Raises Cancelled if `stop` is true, and BadInput if it cannot be
    written.
    """
    folder = models / FOLDER
    if not folder.exists():
        try:
            _keep(folder, stop, report)
        except OSError as error:
            raise BadInput(
                f"The static vectors cannot be kept in {models} ({error}): free some space there."
            ) from error
    return load_static(folder)


def load_static(folder: Path) -> StaticEncoder:
    """Return the static encoder in a folder that model2vec wrote. Raises ModelError if its files cannot be read."""
    from safetensors.numpy import load

    try:
        weights = (folder / WEIGHTS).read_bytes()
        table = load(weights)["embeddings"].astype(np.float32)
        tokenizer = Tokenizer.from_str((folder / TOKENIZER).read_text(encoding="utf-8"))
    except Exception as error:  # tokenizers and safetensors raise no narrower error for a broken file
        raise ModelError(f"{folder}: the static vectors cannot be read ({error}); delete this folder.") from error
    if len(table) != tokenizer.get_vocab_size():
        raise ModelError(f"{folder}: its files belong to different models; delete this folder.")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    name = f"{BUNDLED} (static, {table.shape[1]} dimensions)"
    return StaticEncoder(table, tokenizer, ModelIdentity(name, hashlib.sha256(weights).hexdigest()))


def _keep(folder: Path, stop: Stop, report: Callable[[str], None]) -> None:
    """Distil into a temporary folder, then move it, so that no process opens an incomplete one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(folder.parent, DISTILLING)
    with tempfile.TemporaryDirectory(prefix=DISTILLING, dir=folder.parent) as name:
        new = Path(name) / folder.name
        distil(new, stop=stop, report=report)
        try:
            new.rename(folder)
        except OSError:
            if not folder.exists():  # otherwise another process was faster
                raise


def distil(
    folder: Path,
    *,
    pieces: str | None = None,
    stop: Stop = never,
    report: Callable[[str], None] = ignore,
) -> None:
    """Distil the bundled MiniLM with model2vec and write the result to `folder`.

    Leaves out word pieces that match the pattern `pieces`. Raises ModelError if model2vec is not installed and
    Cancelled if `stop`, asked between batches, says so.
    """
    if find_spec("model2vec") is None or find_spec("skeletoken") is None:
        raise ModelError(f"Searching every passage by meaning needs model2vec: run `{INSTALL}`.")
    import torch
    from model2vec.distill import distill_from_model
    from transformers import AutoModel, AutoTokenizer, PreTrainedTokenizerFast

    torch.set_num_threads(1)  # as in core.retrieval.dense: with more threads, a busy machine is many times slower
    source = str(bundled_folder())
    model = AutoModel.from_pretrained(source, local_files_only=True)  # nosec B615: a folder
    tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)  # nosec B615: a folder
    assert isinstance(tokenizer, PreTrainedTokenizerFast)  # the bundled one is
    done = 0

    def before_batch(_: Any, __: Any, given: dict[str, Any]) -> None:
        nonlocal done
        if stop():
            raise Cancelled("Stopped while distilling the static vectors.")
        report(f"{done:,} of about {len(tokenizer):,} word pieces distilled into static vectors (only once)")
        done += len(given["input_ids"])

    # model2vec shows its progress as a terminal bar and cannot be stopped.
    model.register_forward_pre_hook(before_batch, with_kwargs=True)
    distilled = distill_from_model(
        model, tokenizer, pca_dims=DIMENSIONS, device="cpu", token_remove_pattern=pieces or r"\[unused\d+\]"
    )
    distilled.save_pretrained(folder)
