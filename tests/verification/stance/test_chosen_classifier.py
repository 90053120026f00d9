"""Which reader reads the passages of a case: the one with the best card, a cross-encoder only where it was chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ModelError
from core.interfaces import Models, RunContext
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.models.choice import choose_cross_encoder
from core.models.cross_encoders import installed_cross_encoders
from core.models.download_job import Downloads
from core.models.file_names import WEIGHTS
from core.models.hub import find_cross_encoder
from core.retrieval.index import Index
from core.statistics.logistic import softmax
from core.storage.store import Store
from core.types import Document, Passage, PassageStance, Stance
from core.verification.stance.cards import StanceCard, card_of, save_stance_card
from core.verification.stance.chosen_classifier import take_stances
from core.verification.stance.classifier import Thresholds
from core.verification.stance.cross_encoder import load_cross_encoder
from core.verification.verdict.judges import ClassifierJudge
from tests.fakes import ScriptedModel, WordEncoder
from tests.models.local_hub import LocalHub, local_hub
from tests.verification.stance.tiny_cross_encoder import save_tiny
from tests.waiting import until

pytestmark = pytest.mark.slow
CLAIM = "the bridge was opened in 1937 ."


@contextmanager
def hub_with(folder: Path) -> Iterator[LocalHub]:
    """Run a hub with one cross-encoder, its weights as LFS has them and its small files as git has them."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    with local_hub(files=files) as hub:
        hub.listing = [{"type": "file", "path": name, "size": len(content)} for name, content in files.items()]
        weights = next(entry for entry in hub.listing if entry["path"] == WEIGHTS)
        weights["lfs"] = {"oid": hashlib.sha256(files[WEIGHTS]).hexdigest(), "size": weights["size"]}
        yield hub


def downloaded(home: Path, hub: LocalHub) -> Path:
    """Download the hub's cross-encoder as the Models page does, and return its folder."""
    queue = JobQueue(JobStore(Store(f"sqlite:///{home / 'jobs.db'}")), place="here")
    downloads = Downloads(home / "models", lambda: hub.url, queue)
    downloads.start(find_cross_encoder("maker/nli", hub=hub.url), licence="MIT")
    until(lambda: not downloads.all()[0].state.live)
    (found,) = downloads.all()
    queue.close()
    assert found.state is State.DONE, found.sentence
    return installed_cross_encoders()[0].folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    return tmp_path


def read() -> PassageStance:
    """Return the stance of a passage that states the claim, and goes on for longer than a cross-encoder reads."""
    encoder, llm = WordEncoder(), ScriptedModel()
    context = RunContext(Models(encoder, llm, ClassifierJudge("quoted_passages")), Index([], encoder))
    text = f"{CLAIM} {'bread is baked . ' * 200}"
    (found,) = take_stances(CLAIM, [Passage(Document("u", text), 0, len(text))], context)
    return found


def card(digest: str, score: float) -> StanceCard:
    embedded = card_of("")
    assert embedded is not None
    return replace(embedded, reader="nli", digest=digest, score=score, thresholds=Thresholds(0.0, 1.0))


def test_a_cross_encoder_is_downloaded_chosen_and_reads_once_it_is_measured_to_read_best(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with hub_with(save_tiny(tmp_path_factory.mktemp("nli"))) as hub:
        folder = downloaded(home, hub)
    by_embedded = read()
    assert by_embedded.stance is Stance.FOR
    choose_cross_encoder(folder)
    assert read() == by_embedded  # nobody measured it
    reader = load_cross_encoder(folder)
    save_stance_card(card(reader.digest, score=0.5))
    assert read() == by_embedded  # it was measured to read worse
    save_stance_card(card(reader.digest, score=0.999))
    by_cross_encoder = read()
    assert by_cross_encoder.reason.endswith("only its beginning)")
    rows = softmax(reader.model.predict([(by_cross_encoder.passage.text, CLAIM)]))
    place = reader.order[list(Stance).index(by_cross_encoder.stance)]
    assert by_cross_encoder.probability == pytest.approx(rows[0, place])
    choose_cross_encoder(None)
    assert read() == by_embedded


def test_one_whose_labels_do_not_say_what_they_mean_is_refused_once_it_is_to_read(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = save_tiny(tmp_path_factory.mktemp("nli"), labels={0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with hub_with(place) as hub:
        folder = downloaded(home, hub)
    choose_cross_encoder(folder)
    (found,) = installed_cross_encoders()
    save_stance_card(card(found.digest, score=0.999))
    with pytest.raises(ModelError, match="contradiction and neutral"):
        read()
