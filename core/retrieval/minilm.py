"""all-MiniLM-L6-v2 on torch alone: sentence-transformers gives the same vectors, and takes five seconds to be imported.

Source: Devlin et al., NAACL 2019 (BERT); Wang et al., NeurIPS 2020 (MiniLM); Reimers and Gurevych, EMNLP 2019.
"""

from __future__ import annotations

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
    """The model in a folder of its publisher's. Threads may share it."""

    def __init__(self, folder: Path, *, device: str, dtype: torch.dtype) -> None:
        """Raises the errors of safetensors, tokenizers and torch for files that are not the model's."""
        self.device, self.dtype = device, dtype
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding(pad_id=0)
        weights = load_file(str(folder / "model.safetensors"), device=device)
        self._weights = {
            name: weight.to(dtype) if weight.is_floating_point() else weight for name, weight in weights.items()
        }

    def tokenize(self, texts: list[str]) -> list[Encoding]:
        """Return the word pieces of texts, with [CLS] and [SEP] at their ends, padded to one length."""
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
        ids = torch.tensor([text.ids for text in pieces], device=self.device)
        mask = torch.tensor([text.attention_mask for text in pieces], device=self.device)
        # Where nothing is padded there is no mask, as in transformers: torch then has a quicker kernel.
        shown = None if bool(mask.all()) else mask.bool()[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        states = self._embedded(ids)
        for number in range(LAYERS):
            states = self._layer(f"encoder.layer.{number}", states, shown)
        return states, mask

    def _embedded(self, ids: Tensor) -> Tensor:
        words = F.embedding(ids, self._weights["embeddings.word_embeddings.weight"])
        kinds = self._weights["embeddings.token_type_embeddings.weight"][0]
        places = self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        return self._normalised("embeddings.LayerNorm", words + kinds + places)

    def _layer(self, name: str, states: Tensor, shown: Tensor | None) -> Tensor:
        query, key, value = (
            self._linear(f"{name}.attention.self.{part}", states).view(*states.shape[:2], HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=shown).transpose(1, 2).flatten(-2)
        mixed = self._linear(f"{name}.attention.output.dense", attended)
        states = self._normalised(f"{name}.attention.output.LayerNorm", mixed + states)
        wide = F.gelu(self._linear(f"{name}.intermediate.dense", states))
        return self._normalised(f"{name}.output.LayerNorm", self._linear(f"{name}.output.dense", wide) + states)

    def _linear(self, name: str, states: Tensor) -> Tensor:
        return F.linear(states, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normalised(self, name: str, states: Tensor) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.layer_norm(states, (DIMENSIONS,), weight, bias, EPSILON)
