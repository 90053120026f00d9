"""Ask on the terminal whether something may be done."""

from __future__ import annotations

import sys

from core.errors import BadInput, Cancelled


def ask(question: str, *, yes: bool = False) -> None:
    """Return once a person has said yes. Raises Cancelled for a no, BadInput where no terminal can ask."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{question} No terminal can ask you here: say --yes.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("Nothing was sent.")
