"""`veridesk app`: the pages, in a browser."""

from __future__ import annotations

import argparse
import os
import sys

from core.files import ROOT
from core.settings import settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8501, help="the port to listen on (default: %(default)s)")
    parser.add_argument("--browser", action="store_true", help="open the first page in the browser of this computer")


def run(args: argparse.Namespace) -> int:
    """Become the server, in the folder with its settings. Returns only where that fails."""
    home = str(settings().home)  # a relative one is meant from here
    os.chdir(ROOT)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(args.port)]
    if args.browser:
        command += ["--server.headless", "false", "--server.showEmailPrompt", "false"]
    os.execve(sys.executable, command, {**os.environ, "VERIDESK_HOME": home})  # nosec B606: a program of ours, without a shell
