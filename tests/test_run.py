"""run.py: it installs once, trusts no interrupted installation, and names each trouble with the line to type."""

import ast
import errno
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import run

ROOT = Path(run.__file__).parent


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """run.py's paths in a folder of its own, with small requirements and a finished environment."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    places = {"HERE": "", "VENV": ".venv", "PYTHON": ".venv/bin/python"}
    files = {"DONE": ".venv/installed.txt", "BEGUN": ".venv/installing", "LOG": ".venv/install.log"}
    for name, path in {**places, **files}.items():
        monkeypatch.setattr(run, name, tmp_path / path)
    run.PYTHON.symlink_to(sys.executable)
    (tmp_path / run.APP).write_text("torch==1.2.3  # small\nnumpy==1\n")
    (tmp_path / run.TESTS).write_text("-r requirements.txt\npytest==1\n")
    run.DONE.write_text("\n".join((run.wanted(run.APP), run.wanted(run.TESTS))))
    return tmp_path


def test_a_finished_installation_is_not_repeated(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "make_environment", pytest.fail)
    run.install(run.APP)
    run.install(run.TESTS)


def test_changed_requirements_are_installed_again(copy: Path) -> None:
    (copy / run.TESTS).write_text("pytest==2\n")
    assert run.wanted(run.APP) in run.done()
    assert run.wanted(run.TESTS) not in run.done()
    (copy / run.APP).write_text("torch==2\n")
    assert run.wanted(run.APP) not in run.done()


@pytest.mark.parametrize(
    "break_it", [lambda: run.BEGUN.touch(), lambda: run.PYTHON.unlink(), lambda: run.DONE.unlink()]
)
def test_an_interrupted_installation_is_not_trusted(copy: Path, break_it: object) -> None:
    assert callable(break_it)
    break_it()
    assert run.done() == []


def test_windows_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.sys, "platform", "win32")
    with pytest.raises(run.Trouble, match="wsl --install"):
        run.main([])


@pytest.mark.slow
def test_an_interrupted_environment_is_made_anew(copy: Path) -> None:
    run.BEGUN.touch()
    half = run.VENV / "half"
    half.touch()
    run.make_environment()
    assert not half.exists()
    assert run.BEGUN.exists()
    assert subprocess.run([run.PYTHON, "-m", "pip", "--version"], check=False).returncode == 0


def test_torch_has_the_version_of_the_requirements(copy: Path) -> None:
    assert run.torch() == "torch==1.2.3"


@pytest.mark.parametrize(
    ("log", "compiler", "line"),
    [
        ("OSError: [Errno 28] No space left on device", "g++", "df -h"),
        ("NewConnectionError: failed to establish a new connection", "g++", run.AGAIN),
        ("error: command failed", None, run.COMPILER_LINE),
        ("error: command failed", "g++", run.AGAIN),
    ],
)
def test_the_log_of_pip_names_the_line_to_type(
    log: str, compiler: str | None, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: compiler if name == compiler else None)
    assert f"Type: {line}" in str(run.told_by(log))


def test_an_old_python_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(run.Trouble, match=r"3\.9"):
        run.main([])


def test_python_3_6_can_parse_it() -> None:
    ast.parse((ROOT / "run.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_a_folder_that_cannot_be_written_is_named(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run.DONE.unlink()

    def refuse() -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(run.VENV))

    monkeypatch.setattr(run, "make_environment", refuse)
    with pytest.raises(run.Trouble, match="chmod"):
        run.install(run.APP)


def test_other_words_are_commands_of_the_program(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    become: list[list[str]] = []
    monkeypatch.setattr(run, "become", lambda module: become.append(module) or 0)
    monkeypatch.setenv("DISPLAY", ":0")
    for words in ([], ["verify", "A claim."], ["test", "-m", "slow"]):
        run.main(words)
    assert become == [["core", "app", "--browser"], ["core", "verify", "A claim."], ["pytest", "-m", "slow"]]
