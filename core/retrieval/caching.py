"""Cache the vectors of one case, so that all its steps encode each text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.interfaces import ContextualEncoder, Encoder, ModelIdentity, Stop, TokenVectors, never


@dataclass
class CachingEncoder:
    """An encoder that encodes each text once."""

    encoder: Encoder
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def identity(self) -> ModelIdentity:
        return self.encoder.identity

    def encode(self, texts: Sequence[str], *, stop: Stop = never) -> NDArray[np.float32]:
        """See `core.interfaces.Encoder`."""
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors.update(zip(new, self.encoder.encode(new, stop=stop), strict=True))
        return np.stack([self.vectors[text] for text in texts]) if texts else self.encoder.encode(texts)

    def token_vectors(self, texts: Sequence[str], *, stop: Stop = never) -> list[TokenVectors]:
        """See `ContextualEncoder.token_vectors`. Raises ModelError if the encoder behind it has none."""
        if not isinstance(self.encoder, ContextualEncoder):
            raise ModelError(f"{self.identity.name} gives no vectors of single words, which reading a passage needs.")
        return self.encoder.token_vectors(texts, stop=stop)
