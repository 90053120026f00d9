"""Static vectors distilled from the real MiniLM: of a few words in the quick tests, of all in a slow one."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadInput, Cancelled, ModelError
from core.interfaces import Stop, ignore, never
from core.retrieval import static
from core.retrieval.dense import load_encoder
from core.retrieval.index import hybrid
from core.retrieval.kept_index import open_index
from core.retrieval.static import FOLDER, StaticEncoder, distil, load_static, open_static
from core.types import Document

ROOT = Path(__file__).resolve().parents[2]
WORDS = "doctors physicians recommend advise jab flu influenza vaccination the against car sells harbour was frozen"
ALL_BUT_WORDS = rf"^(?!(?:{'|'.join(WORDS.split())}|\[UNK\]|\[PAD\])$).*"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models") / FOLDER
    distil(place, pieces=ALL_BUT_WORDS)
    return place


@pytest.fixture(scope="module")
def encoder(folder: Path) -> StaticEncoder:
    return load_static(folder)


def test_words_that_mean_the_same_are_close(encoder: StaticEncoder) -> None:
    vectors = encoder.encode(["Doctors advise", "Physicians recommend", "He sells the car", "qqq", ""])
    assert vectors.shape == (5, 384)  # with fewer words than dimensions, model2vec reduces none
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0, 0], atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_vectors_are_those_that_model2vec_makes(encoder: StaticEncoder, folder: Path) -> None:
    from model2vec import StaticModel

    texts = ["Doctors advise the flu vaccination against influenza", "the car was frozen the harbour was frozen", "car"]
    theirs = StaticModel.from_pretrained(folder).encode(texts)
    np.testing.assert_allclose(encoder.encode(texts), theirs, atol=0.002)  # theirs are rounded to float16


def test_a_text_has_the_same_vector_in_any_company(encoder: StaticEncoder) -> None:
    alone = encoder.encode(["flu against the car"])[0]
    np.testing.assert_allclose(encoder.encode(["the jab", "", "flu against the car"])[2], alone, atol=1e-6)


def test_distilling_tells_how_far_it_is_and_leaves_nothing_when_stopped(tmp_path: Path) -> None:
    heard: list[str] = []
    with pytest.raises(Cancelled):
        open_static(tmp_path, stop=lambda: len(heard) == 2, report=heard.append)
    assert "30,522" in heard[1]
    assert list(tmp_path.iterdir()) == []


def test_it_is_distilled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    asked: list[Path] = []

    def copied(place: Path, *, stop: Stop = never, report: Callable[[str], None] = ignore) -> None:
        asked.append(place)
        shutil.copytree(folder, place)

    monkeypatch.setattr(static, "distil", copied)
    first, second = open_static(tmp_path / "models"), open_static(tmp_path / "models")
    assert len(asked) == 1
    assert first.identity == second.identity
    assert [each.name for each in (tmp_path / "models").iterdir()] == [FOLDER]


def test_the_folder_of_a_killed_process_goes_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(static, "distil", lambda new, **_: shutil.copytree(folder, new))
    old, fresh = tmp_path / ".distilling-old", tmp_path / ".distilling-fresh"
    for left in (old, fresh):
        left.mkdir()
        (left / "weights").write_bytes(b"half")
    os.utime(old, (time.time() - 25 * 3600,) * 2)
    open_static(tmp_path)
    assert not old.exists()
    assert fresh.exists()


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json"])
def test_damaged_files_are_named(folder: Path, tmp_path: Path, damage: str) -> None:
    place = tmp_path / FOLDER
    shutil.copytree(folder, place)
    (place / damage).write_bytes((place / damage).read_bytes()[:100])
    with pytest.raises(ModelError, match="static vectors"):
        open_static(tmp_path)


def test_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"model2vec==0\.10\.0"):
        open_static(tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(BadInput, match="models"):
        open_static(tmp_path / "models")


def test_everywhere_finds_what_shares_no_word(encoder: StaticEncoder, tmp_path: Path) -> None:
    texts = ("Physicians recommend the jab against influenza.", "The harbour was frozen.", "He sells used cars.")
    documents = [Document(f"https://example.org/{text[:9]}", text) for text in texts]
    mini = load_encoder()
    kept = open_index(tmp_path, documents, mini, static=lambda *, stop=never, report=ignore: encoder)
    assert hybrid(kept, mini, "Doctors advise flu vaccination", k=1).hits == ()
    (hit,) = hybrid(kept, mini, "Doctors advise flu vaccination", k=1, dense_first_stage=True).hits
    assert hit.passage.document is documents[0]
    assert hit.bm25_rank is None


@pytest.mark.slow
def test_distilling_draws_nothing_in_the_terminal(tmp_path: Path) -> None:
    """In a process of its own: tqdm reads its switch when it is first imported."""
    code = (
        "import sys; from pathlib import Path; from core.retrieval.static import distil; "
        "distil(Path(sys.argv[1]), stop=lambda: True)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    command = [sys.executable, "-c", code, str(tmp_path / "none")]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert "Stopped while distilling" in told.stderr
    assert "Encoding tokens" not in told.stderr
