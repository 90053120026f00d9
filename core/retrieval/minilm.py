"""Run all-MiniLM-L6-v2 on torch only: sentence-transformers gives the same vectors but takes five seconds to import.

Source: Devlin et al., NAACL 2019 (BERT); Wang et al., NeurIPS 2020 (MiniLM); Reimers and Gurevych, EMNLP 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Encoding, Tokenizer
from torch import Tensor
from torch.nn import functional as F

LAYERS, HEADS, DIMENSIONS = 6, 12, 384
EPSILON = 1e-12
MAX_TOKENS = 256


class MiniLM:
    """The model from its publisher's folder. Threads may share it."""

    def __init__(self, folder: Path, *, device: str, dtype: torch.dtype) -> None:
        """Raises the errors of safetensors, tokenizers and torch for wrong files."""
        self.device, self.dtype = device, dtype
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding(pad_id=0)
        weights = load_file(str(folder / "model.safetensors"), device=device)
        self._weights = {
            name: weight.to(dtype) if weight.is_floating_point() else weight for name, weight in weights.items()
        }

    def tokenize(self, texts: list[str]) -> list[Encoding]:
        """Return the word pieces of texts, between [CLS] and [SEP], padded to one length."""
        return self._tokenizer.encode_batch(texts)

    def sentence_vectors(self, texts: list[str]) -> Tensor:
        """Return one unit vector per text: the mean of its word pieces' vectors. Shape (texts, DIMENSIONS)."""
        with torch.inference_mode():
            vectors, mask = self._forward(self.tokenize(texts))
            weight = mask.unsqueeze(-1).to(vectors.dtype)
            return F.normalize((vectors * weight).sum(1) / weight.sum(1).clamp(min=1e-9), dim=1)

    def piece_vectors(self, pieces: list[Encoding]) -> Tensor:
        """Return the vectors of word pieces in their context, shape (texts, pieces, DIMENSIONS)."""
        with torch.inference_mode():
            return self._forward(pieces)[0]

    def _forward(self, pieces: list[Encoding]) -> tuple[Tensor, Tensor]:
        ids, kinds, mask = piece_tensors(pieces, self.device)
        return last_layer(self._weights, ids, kinds, mask), mask


def piece_tensors(pieces: list[Encoding], device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return token ids, segment ids and attention mask of equally long texts, each of shape (texts, pieces)."""
    return (
        torch.tensor([text.ids for text in pieces], device=device),
        torch.tensor([text.type_ids for text in pieces], device=device),
        torch.tensor([text.attention_mask for text in pieces], device=device),
    )


def last_layer(weights: Mapping[str, Tensor], ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
    """Return the contextual vectors of word pieces, shape (texts, pieces, DIMENSIONS).

    weights: the model's own or others with the same names; gradients flow to those that require them.
    """
    # Without padding there is no mask, as in transformers, because torch then uses a faster kernel.
    shown = None if bool(mask.all()) else mask.bool()[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
    states = _embedded(weights, ids, kinds)
    for number in range(LAYERS):
        states = _layer(weights, f"encoder.layer.{number}", states, shown)
    return states


def _embedded(weights: Mapping[str, Tensor], ids: Tensor, kinds: Tensor) -> Tensor:
    words = F.embedding(ids, weights["embeddings.word_embeddings.weight"])
    segments = F.embedding(kinds, weights["embeddings.token_type_embeddings.weight"])
    places = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    return _normalised(weights, "embeddings.LayerNorm", words + segments + places)


def _layer(weights: Mapping[str, Tensor], name: str, states: Tensor, shown: Tensor | None) -> Tensor:
    query, key, value = (
        _linear(weights, f"{name}.attention.self.{part}", states).view(*states.shape[:2], HEADS, -1).transpose(1, 2)
        for part in ("query", "key", "value")
    )
    attended = F.scaled_dot_product_attention(query, key, value, attn_mask=shown).transpose(1, 2).flatten(-2)
    mixed = _linear(weights, f"{name}.attention.output.dense", attended)
    states = _normalised(weights, f"{name}.attention.output.LayerNorm", mixed + states)
    wide = F.gelu(_linear(weights, f"{name}.intermediate.dense", states))
    return _normalised(weights, f"{name}.output.LayerNorm", _linear(weights, f"{name}.output.dense", wide) + states)


def _linear(weights: Mapping[str, Tensor], name: str, states: Tensor) -> Tensor:
    return F.linear(states, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalised(weights: Mapping[str, Tensor], name: str, states: Tensor) -> Tensor:
    return F.layer_norm(states, (DIMENSIONS,), weights[f"{name}.weight"], weights[f"{name}.bias"], EPSILON)
