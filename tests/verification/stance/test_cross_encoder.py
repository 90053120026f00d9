from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, ModelError
from core.types import Document, Passage
from core.verification.stance.alignment import read_texts
from core.verification.stance.classifier import compare_passages
from core.verification.stance.cross_encoder import CrossEncoderClassifier, label_order, load_cross_encoder
from core.verification.stance.features import Read
from tests.fakes import WordEncoder
from tests.verification.stance.tiny_cross_encoder import save_tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("nli"))


@pytest.fixture(scope="module")
def reader(folder: Path) -> CrossEncoderClassifier:
    return load_cross_encoder(folder)


def passages(*texts: str) -> list[Passage]:
    return [Passage(Document(f"u{number}", text), 0, len(text)) for number, text in enumerate(texts)]


def reads(claim: str, found: list[Passage]) -> list[Read]:
    return compare_passages(claim, found, WordEncoder())


@pytest.mark.slow
def test_labels_are_placed_by_their_names(reader: CrossEncoderClassifier) -> None:
    assert reader.order == (1, 0, 2)  # entailment, contradiction and neutral, where the model has them


@pytest.mark.slow
def test_probabilities_are_those_of_the_model_in_the_order_of_the_stances(reader: CrossEncoderClassifier) -> None:
    claim, found = "the bridge was opened in 1937 .", passages("the bridge was opened .", "bread is baked .")
    rows = reader.probabilities(claim, found, reads(claim, found))
    scores = np.asarray(reader.model.predict([(one.text, claim) for one in found]), dtype=float)
    own = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert rows[:, 0] == pytest.approx(own[:, 1], abs=1e-6)
    assert rows[:, 1] == pytest.approx(own[:, 0], abs=1e-6)
    assert rows[:, 2:].sum(axis=1) == pytest.approx(own[:, 2], abs=1e-6)
    assert rows[1, 3] > rows[1, 2]  # bread covers nothing of the claim, so its neutral part is "unrelated"


@pytest.mark.slow
def test_weights_of_half_precision_are_read_in_full(reader: CrossEncoderClassifier) -> None:
    assert {str(weights.dtype) for weights in reader.model.parameters()} == {"torch.float32"}


@pytest.mark.slow
def test_batches_can_be_stopped(reader: CrossEncoderClassifier) -> None:
    claim, found = "the bridge", passages("the bridge")
    with pytest.raises(Cancelled):
        reader.probabilities(claim, found, reads(claim, found), stop=lambda: True)


@pytest.mark.slow
def test_a_passage_that_is_too_long_is_noticed(reader: CrossEncoderClassifier) -> None:
    assert reader.truncated("the bridge", passages("the bridge", "the " * 600)) == [False, True]


def test_weights_in_another_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelError, match="safetensors"):
        load_cross_encoder(tmp_path)


@pytest.mark.parametrize("labels", [{0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, {0: "yes", 1: "no"}])
def test_labels_that_do_not_say_what_they_mean_are_refused(labels: dict[int, str]) -> None:
    with pytest.raises(ModelError, match="entailment, contradiction and neutral"):
        label_order(labels, Path("m"))


def test_words_have_vectors_of_their_pieces() -> None:
    (text,) = read_texts(["Bread is baked."], WordEncoder())
    assert [word.text for word in text.words] == ["Bread", "is", "baked"]
    assert np.linalg.norm(text.vectors, axis=1) == pytest.approx([1, 1, 1])
