"""The targets of `python -m core fit`, one module each."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from core.documents.knowledge_store import read_store
from core.types import Document


def documents(stores: Sequence[str]) -> list[Document]:
    """Return the documents of several stores."""
    return [document for path in stores for document in read_store(Path(path))]


def this_command() -> str:
    """Return the command line that is running, to be kept among the figures that it measures."""
    return f"python -m core {shlex.join(sys.argv[1:])}"
