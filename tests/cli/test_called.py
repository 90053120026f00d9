"""The command under its two names: `veridesk` where it is installed, and `python -m core`."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core.__main__ import COMMANDS, main, run
from core.files import ROOT


@pytest.mark.parametrize(
    ("called", "shown"), [("/usr/bin/veridesk", "veridesk"), ("core/__main__.py", "python -m core")]
)
def test_help_says_which_name_was_called(
    called: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [called, "verify", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith(f"usage: {shown} verify ")


def test_the_script_of_the_project_is_the_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["veridesk"].partition(":")
    assert getattr(importlib.import_module(module), function) is run
    assert all(importlib.import_module(one.module) for one in COMMANDS.values())


def test_app_starts_the_server_where_its_settings_are(tmp_path: Path) -> None:
    """Streamlit reads its settings from the folder that it starts in; the person's own folder keeps the home."""
    code = (
        "import os, sys\n"
        "os.execve = lambda *given: print(os.getcwd(), given[1][1:], given[2]['VERIDESK_HOME'])\n"
        "sys.argv = ['veridesk', 'app', '--port', '8888']\n"
        "from core.__main__ import main\n"
        "main()"
    )
    environment = {"PYTHONPATH": str(ROOT), "VERIDESK_HOME": "here", "PATH": "/usr/bin"}
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    server = ["-m", "streamlit", "run", "app.py", "--server.port", "8888"]
    assert said.stdout == f"{ROOT} {server} {tmp_path / 'here'}\n"
