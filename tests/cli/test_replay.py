"""`verify` and `batch` with each option that changes how a claim is worked on: its receipt replays the same."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.batch import command_work
from core.batch.worker import open_worker
from core.documents.examples import examples
from core.verification.recipes.catalogue import RECIPES
from core.verification.recipes.recipe_files import recipe_toml
from tests.batch.executors import ExecutorHere

pytestmark = pytest.mark.usefixtures("open_already")
EVEREST = next(example for example in examples() if example.id == "everest")
QUICK = ("--no-questions",)
MINE = ("--recipe", "{folder}/mine.toml")
LATE = ("--include-late", "--date", "1900-01-01")
OPTIONS = {
    "an own recipe, a speaker, a seed, and sentences of documents after the claim": (
        *(*MINE, *QUICK, *LATE, "--speaker", "A climber", "--seed", "7", "--sentences", "1"),
    ),
    "a kept index, where answers are whole passages, of a store with records without text": (
        *("--keep-index", "--sentences", "1", "--store", "{folder}/stores/0.json", *QUICK),
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the options name."""
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    own = recipe_toml(RECIPES["quoted_passages"]).replace('"quoted_passages"', '"mine"', 1).replace("k = 10", "k = 2")
    (tmp_path / "mine.toml").write_text(own)
    (tmp_path / "untrained.toml").write_text(own.replace("trained = true", "trained = false"))
    lines = [{"url": document.url, "url2text": [document.text]} for document in EVEREST.documents]
    (tmp_path / "stores").mkdir()
    store = (*lines, {"url": "u", "url2text": []})
    (tmp_path / "stores" / "0.json").write_text("".join(f"{json.dumps(line)}\n" for line in store))
    annotated = {"question": "How high is K2?", "answers": [{"answer": "8,611 metres."}]}
    claim = {"claim": "K2 is high.", "label": "Supported", "questions": [annotated]}
    (tmp_path / "train.json").write_text(json.dumps([claim]))
    (tmp_path / "claims.json").write_text(json.dumps([{"claim_id": 0, "claim": EVEREST.claim.text}]))
    return tmp_path


def replayed(receipt: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a receipt again; return what was said of it."""
    capsys.readouterr()
    status = main(["replay", str(receipt)])
    said = capsys.readouterr()
    assert status == 0, said.out + said.err
    assert "has changed since" not in said.err
    return said.out


def verified(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    receipt = folder / "r.json"
    given = [word.format(folder=folder) for word in words]
    assert main(["verify", EVEREST.claim.text, "--example", "everest", "--receipt", str(receipt), *given]) == 0
    assert replayed(receipt, capsys).startswith("It came out the")


@pytest.mark.parametrize("words", OPTIONS.values(), ids=OPTIONS)
def test_a_receipt_replays(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verified(words, folder, capsys)


@pytest.mark.slow
def test_a_receipt_with_examples_replays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verified(("--training", "{folder}/train.json", "--recipe", "{folder}/untrained.toml"), folder, capsys)


@pytest.mark.slow
def test_a_receipt_of_a_worker_process_replays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch_replayed(QUICK, folder, capsys)


@pytest.mark.slow
def test_a_receipt_of_a_batch_replays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_work, "executor_for", lambda plan, **_: ExecutorHere(open_worker(plan)))
    batch_replayed((*MINE, "--within", "30"), folder, capsys)


def batch_replayed(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [word.format(folder=folder) for word in words]
    claims, out, cases = folder / "claims.json", folder / "out.json", folder / "cases"
    asked = ["--claims", str(claims), "--stores", str(folder / "stores"), "--out", str(out), "--cases", str(cases)]
    assert main(["batch", *asked, *given]) == 0
    (receipt,) = cases.iterdir()
    replayed(receipt, capsys)
