"""Try hnswlib in a separate process before loading it here.

hnswlib is compiled for the build machine's processor. On a processor without its instructions, SIGILL would end the
server. The result is kept until the build or the processor changes.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from core.compiled_packages import PackageBuild, installed_build, rebuild_command
from core.errors import BadInput, ModelError
from core.files import ROOT, json_of, write_whole
from core.settings import settings
from core.wording import ending_words

PACKAGE = "hnswlib"
SECONDS = 60.0
_TRIAL = "from core.retrieval.neighbours import try_hnswlib; try_hnswlib()"
_LOG = logging.getLogger(__name__)


def hnswlib_trouble() -> str:
    """Return why hnswlib does not run here, with the command that repairs it; empty if it runs."""
    try:
        return _kept_trouble(installed_build(PACKAGE, PACKAGE), settings().home / "hnswlib-trial.json")
    except ModelError as error:
        return str(error)


@cache
def _kept_trouble(build: PackageBuild, file: Path) -> str:
    key = [build.version, build.digest, build.processor, build.features]
    kept = _record(file)
    if kept.get("build") == key and isinstance(kept.get("trouble"), str):
        return str(kept["trouble"])
    trouble = _tried(build)
    if trouble:
        _LOG.warning("%s", trouble)
    with suppress(BadInput):  # a home without space or rights: the next start tries again
        write_whole(file, json.dumps({"build": key, "trouble": trouble}, indent=2) + "\n", parents=True)
    return trouble


def _tried(build: PackageBuild) -> str:
    """Run hnswlib in a separate process; return a sentence on its failure, or an empty text."""
    try:
        done = subprocess.run([sys.executable, "-c", _TRIAL], cwd=ROOT, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        how = f"took more than {SECONDS:g} seconds"
    else:
        if done.returncode == 0:
            return ""
        how = f"ended with {ending_words(done.returncode)}"
    return (
        f"{build.name} does not run: a trial {how}. Passages are compared one by one, which is exact and slower in "
        f"large stores. To repair it: {rebuild_command(PACKAGE)}"
    )


def _record(file: Path) -> dict[str, Any]:
    try:
        record = json_of(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # an unreadable record: try again
        return {}
    return record if isinstance(record, dict) else {}
