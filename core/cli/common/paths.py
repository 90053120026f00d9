"""Files and folders on the command line: each option is an input or an output, and no input is overwritten.

`core.__main__` checks the paths of every command before the command begins.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import check_writable, check_writable_folder
from core.settings import settings

PICTURES = (".svg", ".pdf", ".png")
READ_AS_STORE = (".json", ".jsonl")


def input_path(text: str) -> Path:
    """Read the path of an input for argparse."""
    return Path(not_empty(text))


def input_name(text: str) -> str:
    """Read an input for argparse with a name, an address or a path: a model, recipe, store or source."""
    return not_empty(text)


@dataclass(frozen=True)
class OutputFile:
    """Reads the path of an output for argparse.

    `endings` are those that its name may have, none for any. A file of the same name with each of `beside` at its end
    is written too.
    """

    endings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def __call__(self, text: str) -> Path:
        return Path(not_empty(text))


def output_folder(text: str) -> Path:
    """Read the path of a folder for argparse that a command fills."""
    return Path(not_empty(text))


def not_empty(text: str) -> str:
    """Return the text for argparse. As a path, an empty one would name the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty: was a variable not set?")
    return text


@dataclass(frozen=True)
class Named:
    """A path and the option that names it."""

    option: str
    path: Path


def check_paths(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Raise BadInput for outputs that would overwrite an input or each other, or that cannot be written."""
    given = list(options_given(parser, args))
    files = [one for action, value in given for one in _written_files(action, value)]
    folders = [Named(_name(action), value) for action, value in given if action.type is output_folder]
    if not (files or folders):
        return
    inputs = [*(one for action, value in given for one in _read(action, value)), *_database()]
    for output in files:
        check_writable(output.path)
        for read in inputs:
            _check_file(output, read)
    for output in folders:
        check_writable_folder(output.path)
        for read in inputs:
            _check_folder(output, read)
    for one, other in combinations([*files, *folders], 2):
        if _same(one.path, other.path):
            raise BadInput(f"{one.option} and {other.option} both name {one.path}: give each a name of its own.")


def options_given(parser: argparse.ArgumentParser, args: argparse.Namespace) -> Iterator[tuple[argparse.Action, Any]]:
    """Yield each option of the command that was chosen, with each of its values."""
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        if isinstance(action, argparse._SubParsersAction):
            yield from options_given(action.choices[str(value)], args)
        else:
            yield from ((action, one) for one in (value if isinstance(value, list) else [value]) if one is not None)


def _written_files(action: argparse.Action, value: Any) -> Iterator[Named]:
    if isinstance(action.type, OutputFile):
        if (endings := action.type.endings) and value.suffix not in endings:
            raise BadInput(f"{value.name} must end in {', '.join(endings)}: that says which format to write.")
        yield from (Named(_name(action), value.with_name(value.name + end)) for end in ("", *action.type.beside))


def _read(action: argparse.Action, value: Any) -> Iterator[Named]:
    """Yield the inputs of an option: of NAME=PATH the path too."""
    if action.type in (input_path, input_name):
        texts = {str(value), str(value).partition("=")[2]} - {""}
        paths = (Path(text).expanduser() if text.startswith("~/") else Path(text) for text in texts)
        yield from (Named(_name(action), path) for path in paths if os.path.exists(path))


def _database() -> Iterator[Named]:
    """Yield the file of the program's own database, which no output may replace."""
    from core.storage.database import file_of  # SQLAlchemy: only for commands that write

    with suppress(BadInput):  # no home folder: the command that needs one says so
        path = file_of(settings().database_url)
        if path and path.exists():
            yield Named("Veridesk's database", path)


def _check_file(output: Named, read: Named) -> None:
    if _same(output.path, read.path):
        raise BadInput(f"{output.option} would overwrite {output.path}, which {read.option} reads: write elsewhere.")
    if output.path.suffix in READ_AS_STORE and read.path.is_dir() and _same(output.path.absolute().parent, read.path):
        raise BadInput(
            f"{output.option} names a file in {read.path}, and {read.option} reads that folder: write elsewhere."
        )


def _check_folder(output: Named, read: Named) -> None:
    if _same(output.path, read.path) or (read.path.is_file() and _same(output.path, read.path.absolute().parent)):
        raise BadInput(
            f"{output.option} fills the folder {output.path}, and {read.option} reads {read.path}: name another folder."
        )


def _same(one: Path, other: Path) -> bool:
    """Say whether two paths lead to one file or folder, by any link, also if they are not there yet.

    Pipes and devices may be written twice.
    """
    if os.path.exists(one) and os.path.exists(other):
        return one.samefile(other) and (one.is_file() or one.is_dir())
    return os.path.realpath(one) == os.path.realpath(other)


def _name(action: argparse.Action) -> str:
    """Return an option as it is written, or the place of an argument."""
    return max(action.option_strings, key=len, default="") or str(action.metavar or action.dest)
