"""Every command line in the README and docs parses with the command's real arguments."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.__main__ import COMMANDS, add_command

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WRITTEN = re.compile(r"(?:python -m core|(?<=`)veridesk|(?<=    )veridesk)(?:\.__main__)? ([a-z]+[^`\n|&>]*)")


def documented() -> Iterator[str]:
    """Yield the words after `python -m core` or `veridesk` in every document."""
    for document in DOCUMENTS:
        text = re.sub(r"\\\n\s*", " ", document.read_text(encoding="utf-8"))
        text = re.sub(r"(?<!`)`[^`]+`(?!`)", lambda code: " ".join(code[0].split()), text)
        yield from (found[1].strip() for found in WRITTEN.finditer(text))


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return the command's parser; documents may leave arguments out, but not shorten options."""
    parser = argparse.ArgumentParser(command)
    add_command(parser, command)
    parsers = [parser]
    for one in parsers:
        one.allow_abbrev = False
        for action in one._actions:
            action.required = False
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
            elif not action.option_strings and action.nargs in (None, "+"):
                action.nargs = "?" if action.nargs is None else "*"
    return parser


def test_documents_show_commands() -> None:
    assert len(set(documented())) > 15


@pytest.mark.parametrize("line", sorted(set(documented())))
def test_a_documented_command_line_parses(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *words = [word for word in shlex.split(line, comments=True) if word != "…"]
    assert command in COMMANDS
    try:
        parser_of(command).parse_args(words)
    except SystemExit:
        pytest.fail(f"{line}: {capsys.readouterr().err.splitlines()[-1]}")
