"""Every bad input ends with its status and its sentence: nothing that nobody foresaw, and no stack trace."""

import os
import re
from functools import reduce
from pathlib import Path

import pytest

from core.__main__ import main
from tests.reliability.corpus import ARGUMENTS, CHECK, COMMANDS, ENVIRONMENT, ODD_PATHS, Bad, corpus

pytestmark = pytest.mark.slow
CORPUS = corpus()
ODD = [(odd, words) for odd in ODD_PATHS for words in (COMMANDS if odd in ("missing", "pipe") else COMMANDS[:2])]
"""Every command with two odd paths, and two commands with the others: all commands open a path in one way."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)
    return tmp_path / "home"


def ended(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command and return its status and what it said."""
    try:
        status = main(list(words))
    except SystemExit as stopped:  # argparse
        status = int(stopped.code or 0)
    out, said = capsys.readouterr()
    said += out
    assert len(said) < 10_000, "a sentence without an end"
    assert "Traceback" not in said
    assert "unexpected error" not in said
    assert "The log is" not in said, "a log for a bad file"
    return status, said


def test_there_are_many() -> None:
    assert len(CORPUS) + len(ODD) >= 150
    assert len({bad.id for bad in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("bad", CORPUS, ids=[bad.id for bad in CORPUS])
def test_a_bad_file_is_a_sentence(bad: Bad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / (bad.name.split("/")[-1] if "/" in bad.name else f"bad.{bad.kind}")
    path.write_bytes(bad.make())
    places = {"{bad}": path, "{out}": tmp_path / "out", "{folder}": tmp_path, "{bad-journal}": path.with_suffix("")}
    words = tuple(
        reduce(lambda word, mark: word.replace(mark, str(places[mark])), places, word) for word in bad.command
    )
    status, said = ended(words, capsys)
    refused = 1 if bad.command is CHECK and status == 1 else 2  # `check` says no to a submission in its own words
    assert (status, re.search(bad.words, said) is not None) == (refused, True), said[-500:]
    assert path.name in said or bad.kind in ("receipt", "form", "model") or "could be joined" in said
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("odd", "command"), ODD, ids=[f"{odd}-{'-'.join(words[:2])}"[:20] for odd, words in ODD])
def test_a_path_that_is_no_file(
    odd: str, command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    path, words = ODD_PATHS[odd]
    path = path.replace("{tmp}", str(tmp_path))
    status, said = ended(tuple(word.replace("{bad}", path) for word in command), capsys)
    assert (status, re.search(words, said) is not None) == (2, True), said[-500:]


@pytest.mark.parametrize("name", ["model.gguf", "store.jsonl", "recipe.toml"])
def test_a_pipe_named_as_a_file_is_not_waited_for(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / name)
    option = {"model.gguf": "--model", "store.jsonl": "--store", "recipe.toml": "--recipe"}[name]
    status, said = ended(("verify", "", "--example", "everest", option, str(tmp_path / name)), capsys)
    assert status == 2
    assert re.search("no ordinary file|there is no such knowledge store|example", said), said


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_that_makes_no_sense(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(ARGUMENTS[name], capsys)[0] == 2


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_an_environment_that_cannot_be(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    variable, value, words = ENVIRONMENT[name]
    monkeypatch.setenv(variable, value)
    status, said = ended(("campaign", "list"), capsys)
    assert (status, re.search(words, said) is not None) == (2, True), said
