"""How a command ends: in words and with a status, whatever happens; and what it may print."""

import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.cli.common.terminal import cleaned_output
from core.files import ASSETS
from core.verification.recipes import listing

ROOT = Path(__file__).parents[2]


def command(*words: str, home: Path, python: tuple[str, ...] = (), **given: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "VERIDESK_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, *python, "-m", "core", *words],
        cwd=ROOT, env=environment, text=True, stderr=subprocess.PIPE, **{"stdout": subprocess.PIPE, **given},
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


def test_what_nobody_foresaw_has_a_number_which_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(listing, "RECIPES", replace(listing.RECIPES, run=lambda *_: {}["secret detail"]))
    assert main(["recipes"]) == 70
    said = capsys.readouterr().err
    number = re.search(r"recipes: This command failed: unexpected error \(ID ([0-9A-F]{6})\)", said)
    assert "secret detail" not in said
    path = re.search(r"The log is (\S+\.log);", said)
    assert path[1].startswith(str(tmp_path / "logs"))
    logged = Path(path[1]).read_text()
    assert number[1] in logged
    assert "KeyError: 'secret detail'" in logged


def test_debug_shows_the_trace_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(listing, "RECIPES", replace(listing.RECIPES, run=lambda *_: {}["secret detail"]))
    assert main(["recipes", "--debug"]) == 70
    assert "KeyError: 'secret detail'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_logs_nothing_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    assert main(["recipes"]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "status", "after"), [(signal.SIGINT, 130, 0.0), (signal.SIGTERM, 143, 2.0)])
@pytest.mark.slow
def test_a_signal_ends_a_command_without_a_trace(
    number: signal.Signals, status: int, after: float, tmp_path: Path
) -> None:
    """After the first lines of ours: before them Python itself starts, and answers Ctrl-C with a trace."""
    process = command("verify", "", "--example", "everest", home=tmp_path, python=("-X", "importtime"))
    assert process.stderr
    next(line for line in process.stderr if line.endswith("| argparse\n"))  # what core/__main__.py imports second
    time.sleep(after)
    process.send_signal(number)
    _, said = process.communicate(timeout=300)
    assert process.returncode in (status, -number)  # until there is somebody to catch it the system ends it
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.rglob("*.new")] == []


KINDS = """[[kind]]
name = "claim"
type = "claim"
inputs = ["claim"]
method = "verbatim"
role = "evidence"
"""


def test_a_build_ends_soon_after_a_signal_though_a_server_is_silent(tmp_path: Path) -> None:
    kinds = tmp_path / "kinds.toml"
    kinds.write_text(KINDS)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(300)
        source = f"searxng=http://127.0.0.1:{silent.getsockname()[1]}"
        words = ("--claims", str(ASSETS / "scoring" / "gold.json"), "--claim-only", "--source", source, "--yes")
        process = command(
            "store", "build", *words, "--out", str(tmp_path / "new"), "--kinds", str(kinds), home=tmp_path
        )
        connection, _ = silent.accept()
        with connection:
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=300)
    assert process.returncode == 143
    assert "Traceback" not in said


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)  # before the first word: as `| head -0`
    process = command("recipes", home=tmp_path, stdout=writing)
    os.close(writing)
    _, said = process.communicate(timeout=300)
    assert (process.returncode, said) == (0, "")


def test_a_closed_output_and_a_full_disk(tmp_path: Path) -> None:
    words = f"{sys.executable} -m core recipes"
    closed = subprocess.run(["sh", "-c", f"{words} >&-"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")
    full = subprocess.run(["sh", "-c", f"{words} >/dev/full"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert full.returncode == 2
    assert full.stderr.startswith("recipes: No space left")


def in_shell(words: str, home: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as somebody types it, with what the shell does before and to its streams."""
    environment = {**os.environ, "VERIDESK_HOME": str(home), "GOLD": str(ASSETS / "scoring" / "gold.json")}
    line = f"{before} {sys.executable} -m core {words}"
    shell = subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert "unexpected error" not in shell.stderr
    assert "Traceback" not in shell.stderr
    return shell


QUICK = "verify '' --example everest --no-questions"


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["<&- 2>&-", "2>/dev/full"])
def test_a_result_needs_no_place_for_remarks(streams: str, tmp_path: Path) -> None:
    done = in_shell(f"{QUICK} --json {streams}", tmp_path)
    assert (done.returncode, json.loads(done.stdout)["label"]) == (0, "Supported")


def test_a_closed_input_is_empty(tmp_path: Path) -> None:
    ended = in_shell("check - --gold $GOLD <&-", tmp_path)
    assert ended.returncode == 2
    assert "check: - " in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("words", [("verify", "caf\udce9"), ("batch", "--claims", "c", "--out", "\udcff.json")])
def test_an_argument_in_another_encoding_is_a_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert re.search(r"Argument \d \(.*\\udc.*UTF-8", capsys.readouterr().err)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS bounds no address space")
@pytest.mark.parametrize(("words", "status"), [(QUICK, 2), ("--help", 0)])
def test_a_small_address_space_is_a_sentence(words: str, status: int, tmp_path: Path) -> None:
    ended = in_shell(words, tmp_path, before="ulimit -v 200000;")
    assert ended.returncode == status
    assert ("195 MB" in ended.stderr, ended.stdout == "") == ((True, True) if status else (False, False))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="macOS bounds no address space")
def test_a_model_without_room_is_not_said_to_be_damaged(tmp_path: Path) -> None:
    """Machines differ in whether the language model or the reader beside it meets the limit."""
    ended = in_shell(QUICK, tmp_path, before="ulimit -v 1500000;")
    assert ended.returncode == 2
    assert "not enough memory" in ended.stderr
    assert "ownload" not in ended.stderr


@pytest.mark.parametrize(
    "lack", [MemoryError(), RuntimeError("can't start new thread"), OSError(12, "Cannot allocate memory")]
)
def test_a_lack_of_memory_is_a_sentence(
    lack: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> str:
        raise lack

    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(listing, "RECIPES", replace(listing.RECIPES, run=run))
    assert main(["recipes"]) == 2
    assert capsys.readouterr().err.startswith("recipes: There is not")


def test_no_home_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A user without an entry among the accounts, and HOME not set."""

    def unknown(uid: int) -> None:
        raise KeyError(uid)

    for variable in ("HOME", "VERIDESK_HOME", "VERIDESK_DATABASE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert main(["campaign", "list"]) == 2
    assert "VERIDESK_HOME" in capsys.readouterr().err


STEERING = "a\x1b[31mred\x07\x9b2J\u202egnp.exe\u2066\ud800 caf\u00e9\r!\r\n\tend\n"


def test_what_steers_a_terminal_is_shown_as_its_escape(capsys: pytest.CaptureFixture[str]) -> None:
    with cleaned_output():
        print(STEERING, end="")
    assert capsys.readouterr().out == (
        "a\\u001b[31mred\\u0007\\u009b2J\\u202egnp.exe\\u2066\\ud800 caf\u00e9\\u000d!\r\n\tend\n"
    )


def test_json_says_the_same_with_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    with cleaned_output():
        print(json.dumps({"text": STEERING}, ensure_ascii=False))
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"text": STEERING}
    assert "\u202e" not in printed
