"""Retrieval with the real MiniLM."""

import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import Cancelled, ModelError
from core.retrieval import dense
from core.retrieval.dense import BUNDLED_DIGEST, SentenceEncoder, bundled_folder, load_encoder
from core.retrieval.index import Index, hybrid
from core.types import Document, Passage

SENTENCES = [
    "The city council approved the new bridge on Monday.",
    "On Monday the new bridge was approved by the council of the city.",
    "Bananas contain potassium.",
    "A very long sentence about nothing in particular that goes on, " * 12,
    "",
]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return load_encoder()


def passages_of(*texts: str) -> list[Passage]:
    return [Passage(Document(f"https://example.org/{text[:9]}", text), 0, len(text)) for text in texts]


def test_the_identity_names_the_official_weights(encoder: SentenceEncoder) -> None:
    assert encoder.identity.digest == BUNDLED_DIGEST
    assert encoder.identity.name.startswith("all-MiniLM-L6-v2")
    assert encoder.identity.context_tokens == 256


def test_vectors_have_length_one_and_meaning(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(SENTENCES)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.8 > 0.3 > vectors[0] @ vectors[2]


@pytest.fixture(scope="module")
def plain() -> Any:
    from sentence_transformers import SentenceTransformer  # takes seconds, which the quick tests need not wait

    return SentenceTransformer(str(bundled_folder()), device="cpu", local_files_only=True)


@pytest.mark.slow
def test_vectors_are_those_of_sentence_transformers(encoder: SentenceEncoder, plain: Any) -> None:
    texts = [*SENTENCES, *(f"{number} bananas." for number in range(40)), "word " * 400]  # several batches
    expected = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    closest = 0.99 if "bfloat16" in encoder.identity.name else 0.999999
    assert (encoder.encode(texts) * expected).sum(axis=1).min() > closest


@pytest.mark.slow
def test_the_vectors_of_words_are_those_of_sentence_transformers(encoder: SentenceEncoder, plain: Any) -> None:
    pieces = encoder.token_vectors([*SENTENCES, "It snowed."])
    assert ["It snowed."[start:end] for start, end in pieces[-1].spans] == ["It", "snow", "ed", "."]
    expected = plain.encode(["It snowed."], output_value="token_embeddings", show_progress_bar=False)[0].numpy()
    tolerance = 0.1 if "bfloat16" in encoder.identity.name else 1e-4
    np.testing.assert_allclose(pieces[-1].vectors, expected[1:-1], atol=tolerance)
    assert encoder.token_vectors([""])[0].vectors.shape == (0, 384)


def test_bfloat16_stays_close_and_is_named(encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(dense, "fastest_dtype", lambda gpu: torch.bfloat16)
    coarse = load_encoder()
    assert coarse.identity.name == "all-MiniLM-L6-v2 (bfloat16)"
    vectors = coarse.encode(SENTENCES)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors * encoder.encode(SENTENCES)).sum(axis=1).min() > 0.99


def test_no_texts_give_no_vectors(encoder: SentenceEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_threads_may_share_an_encoder(encoder: SentenceEncoder) -> None:
    together = encoder.encode(SENTENCES)
    with ThreadPoolExecutor(8) as threads:
        alone = list(threads.map(lambda text: encoder.encode([text])[0], SENTENCES * 4))
    np.testing.assert_allclose(np.stack(alone), np.tile(together, (4, 1)), atol=0.01)


def test_a_stop_is_heard_between_batches(encoder: SentenceEncoder) -> None:
    asked = count(1)
    with pytest.raises(Cancelled):
        encoder.encode(["word"] * 500, stop=lambda: next(asked) == 3)
    assert next(asked) == 4


def test_loading_asks_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the encoder asked the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert load_encoder().encode(["still works"]).shape == (1, 384)


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(dense, "bundled_folder", lambda: tmp_path)
    with pytest.raises(ModelError, match="official all-MiniLM-L6-v2"):
        load_encoder()


def test_weights_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "bundled_folder", lambda: tmp_path / "nowhere")
    with pytest.raises(ModelError, match=r"nowhere/model\.safetensors"):
        load_encoder()


def test_a_broken_tokenizer_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").symlink_to(bundled_folder() / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("{")
    monkeypatch.setattr(dense, "bundled_folder", lambda: tmp_path)
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 cannot"):
        load_encoder()


def test_meaning_reorders_what_words_found(encoder: SentenceEncoder) -> None:
    corpus = passages_of(
        "Bridge, bridge, bridge: the card game is played by four.",
        "The new crossing over the river, a bridge, was paid for by the state.",
        "Nothing about it here.",
    )
    ranking = hybrid(Index(corpus, encoder), encoder, "Who paid for the river bridge?")
    assert ranking.hits[0].passage == corpus[1]
    assert len(ranking.hits) == 2
