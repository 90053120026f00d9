"""The reader of passages and claims: its packed weights, its forms, and damaged files."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import ModelError
from core.verification.stance.pair_model import (
    CLAIM_PIECES,
    END,
    PASSAGE_PIECES,
    START,
    packed,
    pair_tokenizer,
    pieces_of,
    unpacked,
)
from core.verification.stance.pair_reader import FITTED, PairReader, load_pair_reader, read_weights
from core.verification.written_claims import read_written


@pytest.mark.parametrize(("bits", "steps"), [(4, 15), (8, 255)])
def test_packed_weights_are_off_by_half_a_step_at_most(bits: int, steps: int) -> None:
    weight = torch.randn(6, 64, generator=torch.Generator().manual_seed(0))
    found = packed("w", weight, bits)
    again = unpacked(found[f"w.q{bits}"], found["w.scale"], found["w.least"], bits)
    assert found[f"w.q{bits}"].numel() == weight.numel() * bits // 8
    assert float((again - weight).abs().max()) <= 0.51 * float(weight.max() - weight.min()) / steps + 0.002


def test_a_passage_and_a_claim_are_cut_each_for_itself() -> None:
    (ids,) = pieces_of(pair_tokenizer(FITTED), [("word " * 500, "claim " * 500)])
    assert len(ids) == PASSAGE_PIECES + CLAIM_PIECES + 4
    assert (ids[0], ids[PASSAGE_PIECES + 1], ids[PASSAGE_PIECES + 2], ids[-1]) == (START, END, END, END)


@pytest.mark.slow
def test_every_form_takes_the_same_sides() -> None:
    claims = read_written(("w5",))[::14]
    pairs = [(one.document.text[slice(*one.evidence[0])], one.claim) for one in claims]
    readers = [
        PairReader(read_weights(FITTED, form, "cpu"), pair_tokenizer(FITTED), "cpu")
        for form in (torch.float32, torch.bfloat16)
    ]
    exact, fast = (reader.logits(pairs) for reader in readers)
    surer = np.sort(exact, axis=1)
    clear = surer[:, -1] - surer[:, -2] > 0.2
    assert clear.sum() > len(pairs) / 2
    assert (exact.argmax(axis=1) == fast.argmax(axis=1))[clear].all()


def test_a_reader_that_is_missing_cut_or_incomplete_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="assets/reader"):
        load_pair_reader(tmp_path)
    shutil.copy(FITTED / "tokenizer.json", tmp_path)
    whole = (FITTED / "reader.safetensors").read_bytes()
    (tmp_path / "reader.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="assets/reader"):
        load_pair_reader(tmp_path)
    from safetensors.torch import save_file

    save_file({"head.bias": torch.zeros(3)}, tmp_path / "reader.safetensors")
    with pytest.raises(ModelError, match="assets/reader"):
        load_pair_reader(tmp_path)
