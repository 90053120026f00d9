"""No command overwrites what it reads, and an output that cannot be written is noticed before the work."""

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import __main__ as command_line
from core.__main__ import add_command, main
from core.cli.common.paths import OutputFile, input_name, input_path, not_empty, output_folder
from core.files import ASSETS

SCORING, STUDY = ASSETS / "scoring", ASSETS / "agreement"
COPIED = [*SCORING.iterdir(), *STUDY.iterdir()]
STORE = '{"url": "https://x.org/a", "url2text": ["The tower is tall."]}\n'
CAREFUL = ("--submission", "careful.json", "--gold", "gold.json", "--metric", "verdict")
RATED = ("agreement", "--ratings", "ratings.csv", "--scores", "scores.csv", "--resamples", "20")
ZIM = ("--source", "zim=/none", "--yes")
EVEREST = ("verify", "", "--example", "everest")
NO_CLAIMS = ("batch", "--claims", "gold.json")

OVERWRITING = {
    "batch on its claims": (*NO_CLAIMS, "--stores", "stores", "--out", "gold.json"),
    "batch's failures on its claims": (
        *("batch", "--claims", "a.json.failures.json", "--stores", "stores", "--out", "a.json"),
    ),
    "batch's journal on its documents": (*NO_CLAIMS, "--stores-extra", "a.json.journal", "--out", "a.json"),
    "batch's second output on its claims": (
        *(*NO_CLAIMS, "--stores", "stores", "--out", "new.json", "--out", "./gold.json"),
    ),
    "batch's receipts beside its claims": (*NO_CLAIMS, "--stores", "stores", "--out", "new.json", "--cases", "."),
    "batch into its stores": (*NO_CLAIMS, "--stores", "stores", "--out", "stores/1.json"),
    "batch's two outputs are one": (*NO_CLAIMS, "--stores", "stores", "--out", "new.json", "--out", "./new.json"),
    "batch's claims by a symbolic link": (*NO_CLAIMS, "--stores", "stores", "--out", "symbolic.json"),
    "batch's claims by a hard link": (*NO_CLAIMS, "--stores", "stores", "--out", "hard.json"),
    "score on its gold data": ("score", *CAREFUL, "--items", "gold.json"),
    "stress on its gold data": ("stress", "--gold", "gold.svg", "--chart", "gold.svg"),
    "a receipt on its store": (*EVEREST, "--store", "s.jsonl", "--receipt", "s.jsonl"),
    "a receipt in its store's folder": (*EVEREST, "--store", "stores", "--receipt", "stores/r.json"),
    "a receipt on its crawl": (*EVEREST, "--search", "warc=s.jsonl", "--receipt", "s.jsonl"),
    "a receipt on the database": (*EVEREST, "--receipt", "home/veridesk.db"),
    "a report on its receipt": ("report", "gold.json", "--out", "gold.json"),
    "a converted file on itself": ("convert", "gold.json", "gold.json"),
    "a study's report on its ratings": (*RATED, "--report", "ratings.csv"),
    "a study's report and tables in one": (*RATED, "--report", "new", "--tables", "new"),
    "a store on its claims": ("store", "build", "--claims", "gold.json", "--out", ".", *ZIM),
    "a store's chart on its gold data": ("store", "stats", "stores", "--gold", "gold.svg", "--chart", "gold.svg"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)
    for folder in ("home", "stores"):
        (tmp_path / folder).mkdir()
    for file in COPIED:
        shutil.copy(file, tmp_path)
    for name in ("s.jsonl", "stores/1.json", "own.toml", "m.gguf", "gold.svg", "home/veridesk.db"):
        (tmp_path / name).write_text(STORE)
    shutil.copy("gold.json", "a.json.failures.json")
    shutil.copy("s.jsonl", "a.json.journal")
    os.symlink("gold.json", "symbolic.json")
    os.link("gold.json", "hard.json")
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must be refused at once, and change no file; return its sentence."""
    before = contents(folder)
    status = main(list(words))
    said = capsys.readouterr().err
    assert (status, contents(folder)) == (2, before), said
    assert "The log is" not in said
    return said


@pytest.mark.parametrize("name", OVERWRITING)
def test_an_input_or_another_output_is_not_overwritten(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(OVERWRITING[name], folder, capsys)
    assert any(words in said for words in ("would overwrite", "both name", "reads that folder", "fills the folder"))


WRITING = {
    "batch": (*NO_CLAIMS, "--stores", "stores", "--out", "{}.json"),
    "batch --cases": (*NO_CLAIMS, "--stores", "stores", "--out", "new.json", "--cases", "{}"),
    "score": ("score", *CAREFUL, "--items", "{}"),
    "stress": ("stress", "--gold", "gold.json", "--chart", "{}.svg"),
    "verify": (*EVEREST, "--receipt", "{}"),
    "report": ("report", "gold.json", "--out", "{}"),
    "convert": ("convert", "gold.json", "{}.json"),
    "agreement --report": (*RATED, "--report", "{}"),
    "agreement --tables": (*RATED, "--tables", "{}"),
    "campaign export": ("campaign", "export", "any", "--out", "{}"),
    "backup": ("backup", "{}"),
    "store build": ("store", "build", "--claims", "gold.json", "--out", "{}", *ZIM),
    "store stats --tables": ("store", "stats", "stores", "--tables", "{}"),
    "store stats --chart": ("store", "stats", "stores", "--chart", "{}.svg"),
}
FILLS_A_FOLDER = ("batch --cases", "store build", "store stats --tables")


ODD_PLACES = ("file/new", "n" * 252, "a\0b", "loop/new", "/proc/new")
UNWRITABLE = [(name, place) for name in WRITING for place in ("missing/new", "taken")]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "place"), [*UNWRITABLE, *(("score", place) for place in ODD_PLACES)])
def test_an_output_that_cannot_be_written_is_noticed_before_the_work(
    name: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in FILLS_A_FOLDER and place == "missing/new":
        pytest.skip("such a folder can be made")
    (folder / "file").write_text("x")
    os.symlink("loop", folder / "loop")
    for ending in ("", ".json", ".svg"):
        where = folder / f"taken{ending}"
        where.write_text("x") if name in FILLS_A_FOLDER else where.mkdir()
    said = refused(tuple(word.replace("{}", place) for word in WRITING[name]), folder, capsys)
    reasons = "does not exist", "is a folder", "is no folder", "cannot be written", "is no path"
    assert any(words in said for words in reasons), said


@pytest.mark.skipif(os.geteuid() == 0, reason="the system lets root write everywhere")
@pytest.mark.parametrize("name", WRITING)
def test_a_folder_without_the_right_to_write_is_noticed_before_the_work(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "closed").mkdir(mode=0o500)
    said = refused(tuple(word.replace("{}", "closed/new") for word in WRITING[name]), folder, capsys)
    assert "cannot be written" in said


def test_outputs_may_be_devices_and_earlier_outputs(folder: Path) -> None:
    (folder / "items.csv").write_text("of an earlier run")
    assert main(["score", *CAREFUL, "--items", "items.csv"]) == 0
    assert (folder / "items.csv").read_text().startswith("id,system,")
    assert main([*RATED, "--report", "/dev/null", "--tables", "/dev/null"]) == 0
    assert [path.name for path in folder.rglob("*.new")] == []


@pytest.mark.parametrize(
    "words", [(*EVEREST, "--store", ""), (*EVEREST, "--receipt", ""), ("store", "stats", ""), ("recipes", "")]
)
def test_an_empty_text_is_neither_the_current_folder_nor_everything(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    assert "it is empty" in capsys.readouterr().err


TEXTS = {
    *("address", "by", "campaign", "claim", "completion_code", "completion_url", "example", "item", "keys", "metric"),
    *("name", "phase", "rater", "reason", "review_language", "review_publisher", "revoke", "scale", "scheduler"),
    *("speaker", "task", "team", "title", "url", "approve", "description", "names", "rename", "terms", "withdraw"),
    *("start", "end", "opens", "late", "archive", "kind", "kinds", "query", "sources", "urls"),
}
"""Options that take a text which is no path."""


def options(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from options(sub)
        else:
            yield action


@pytest.mark.parametrize("command", command_line.COMMANDS)
def test_every_option_that_names_a_file_says_whether_it_is_read_or_written(command: str) -> None:
    parser = argparse.ArgumentParser()
    add_command(parser, command)
    for action in options(parser):
        declared = isinstance(action.type, OutputFile) or action.type in (
            input_path,
            input_name,
            not_empty,
            output_folder,
        )
        if action.nargs == 0 or action.choices or declared:
            continue
        assert action.type not in (Path, str, open), f"{action.dest}: say input_path, output_file …"
        assert action.type or action.dest in TEXTS, f"{action.dest}: a path, or a text to be listed in TEXTS?"
        assert not any(word in str(action.metavar) for word in ("FILE", "PATH", "DIR", "FOLDER")), action.dest
