from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, ModelError
from core.types import Document, Passage
from core.verification.stance.alignment import read_texts
from core.verification.stance.chosen_reader import NEITHER
from core.verification.stance.classifier import sentences_in
from core.verification.stance.cross_encoder import CrossEncoderReader, label_order, load_cross_encoder
from tests.fakes import WordEncoder
from tests.verification.stance.tiny_cross_encoder import save_tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("nli"))


@pytest.fixture(scope="module")
def reader(folder: Path) -> CrossEncoderReader:
    return load_cross_encoder(folder)


def passage(text: str) -> Passage:
    return Passage(Document("u", text), 0, len(text))


@pytest.mark.slow
def test_labels_are_placed_by_their_names(reader: CrossEncoderReader) -> None:
    assert reader.order == (1, 0, 2)  # entailment, contradiction and neutral, where the model has them


@pytest.mark.slow
def test_a_reading_has_the_probabilities_of_the_model_and_its_surest_sentence(reader: CrossEncoderReader) -> None:
    claim, read = "the bridge was opened in 1937 .", passage("The bridge was opened. Bread is baked.")
    found = reader.read(claim, read)
    scores = np.asarray(reader.model.predict([(read.text, claim)]), dtype=float)[0]
    own = np.exp(scores) / np.exp(scores).sum()
    assert np.exp(found.log_probabilities) == pytest.approx(own[[1, 0, 2]], abs=1e-6)
    assert (found.sentence in sentences_in(read)) is (int(np.argmax(found.log_probabilities)) != NEITHER)


@pytest.mark.slow
def test_weights_of_half_precision_are_read_in_full(reader: CrossEncoderReader) -> None:
    assert {str(weights.dtype) for weights in reader.model.parameters()} == {"torch.float32"}


@pytest.mark.slow
def test_reading_can_be_stopped(reader: CrossEncoderReader) -> None:
    with pytest.raises(Cancelled):
        reader.read("the bridge", passage("the bridge"), stop=lambda: True)


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
