"""Declare the command that opens the pages in a browser."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import Between, Help
from core.files import ROOT
from core.settings import settings


@dataclass(frozen=True)
class OpenPages:
    """Open the pages in a browser."""

    port: Annotated[int, Between(0, 65535), Help("the port to listen on")] = 8501
    browser: Annotated[bool, Help("open the first page in the browser of this computer")] = False


def become_server(request: OpenPages, context: ActionContext) -> None:
    """Replace this process by the server, in the folder with its settings. Return only where that fails."""
    home = str(settings().home)  # a relative one is meant from here
    os.chdir(ROOT)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(request.port)]
    if request.browser:
        command += ["--server.headless", "false", "--server.showEmailPrompt", "false"]
    os.execve(sys.executable, command, {**os.environ, "VERIDESK_HOME": home})  # nosec B606: a program of ours, without a shell


APP = Action("app", OpenPages, become_server, json=None)
