"""Every command line in the README and docs parses with the command's real arguments."""

import argparse
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.__main__ import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WRITTEN = re.compile(r"(?:python -m core|veridesk) ([a-z]+[^`\n#|&]*)")


def documented() -> Iterator[tuple[str, str]]:
    """Yield each document's name and the words after `python -m core`, once each."""
    seen = set()
    for document in DOCUMENTS:
        text = re.sub(r"\\\n\s*", " ", document.read_text(encoding="utf-8"))
        text = re.sub(r"`[^`]+`", lambda code: " ".join(code[0].split()), text)
        for found in WRITTEN.finditer(text):
            if found[1] not in seen:
                seen.add(found[1])
                yield document.name, found[1].strip()
