"""Derive a command from an action: its options with their help, its run, its output."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from core.actions.action import Action, ActionContext, RequestT
from core.actions.fields import (
    ANY,
    BadField,
    Between,
    Choices,
    FromFile,
    FromText,
    OptionName,
    Place,
    Reads,
    RequestField,
    With,
    Writes,
    fields_of,
    read_number,
)
from core.cli.common.paths import OutputFile, input_name, input_path, output_folder
from core.cli.common.terminal import ProgressLine, ask, asked_to_end, tell
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes

NumberT = TypeVar("NumberT", int, float)


def add_command(parser: argparse.ArgumentParser, declared: Action[Any, Any] | Sequence[Action[Any, Any]]) -> None:
    """Give a parser the arguments and the `run` of an action, or of several by their names."""
    if isinstance(declared, Action):
        add_arguments(parser, declared)
        parser.set_defaults(run=partial(run, declared))
        return
    chosen = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in declared:
        summary = action.help[0].lower() + action.help[1:-1]
        add_command(chosen.add_parser(action.name, help=summary, description=action.help), action)


def add_arguments(parser: argparse.ArgumentParser, action: Action[Any, Any]) -> None:
    """Add an argument for each field of the request, and the options of the output."""
    add_fields(parser, action.request)
    if action.json:
        parser.add_argument("--json", action="store_true", help=f"print {action.json_help} as JSON")
    if action.tables:
        parser.add_argument("--format", choices=("csv", "latex"), help="print the tables as CSV or LaTeX")
    for file in action.files:
        kind = OutputFile(file.endings)
        parser.add_argument(f"--{file.name}", type=kind, metavar="FILE", help=file.help)


def add_fields(parser: argparse.ArgumentParser, request: type) -> None:
    for field in fields_of(request):
        name = field.name if field.note(Place) else field.option
        parser.add_argument(name, help=_help(field), **_reading(field))


def request_of(args: argparse.Namespace, request: type[RequestT]) -> RequestT:
    """Return the request of the arguments; those left out have the fields' defaults. Raises BadField."""
    given = [(field, getattr(args, field.name)) for field in fields_of(request)]
    for field, value in given:
        if value and (other := field.note(With)) and not getattr(args, other.option):
            raise BadField(field.name, f"it goes with --{other.option}: give both, or neither.")
    return request(**{field.name: _value(field, value) for field, value in given if value is not None})


def run(action: Action[Any, Any], args: argparse.Namespace) -> int:
    """Do an action and print its result. Return 1 for a result that is a "no", else 0."""
    try:
        result = action.run(request_of(args, action.request), on_terminal(action.unit, getattr(args, "words", ())))
    except BadField as error:
        options = (f"{field.option}: " for field in fields_of(action.request) if field.name == error.field)
        raise BadInput(f"{next(options, '')}{error}") from error
    try:
        if action.json and args.json:
            print(json.dumps(action.json(result), ensure_ascii=False, indent=1), flush=True)
        elif printed := list(_printed(action, result, args.format if action.tables else None)):
            print("\n\n".join(printed), flush=True)
    finally:  # a full disk costs no result, and a closed pipe costs no file
        for file in action.files:
            path: Path | None = getattr(args, file.name)
            if path:
                write_whole(path, file.write(result, path.suffix))
    return 0 if action.good(result) else 1


def _help(field: RequestField) -> str:
    read = _is_input_file(field)
    repeated = "; may be repeated" if field.many and not read and not field.note(Place) else ""
    silent = field.needed or read or field.kind is bool or field.default in (None, (), "")
    told = "" if silent else f" (default: {field.shown_default})"
    return f"{field.help}{repeated}{told}".replace("%", "%%")


def _reading(field: RequestField) -> dict[str, Any]:
    """Return how argparse reads a field."""
    if field.kind is bool:
        return {"action": "store_false" if field.default is True else "store_true", "dest": field.name}
    found, named = _reading_one(field), field.note(OptionName)
    if field.note(Place):
        nargs = ("+" if field.needed else "*") if field.many else None if field.needed else "?"
        return found | {"metavar": field.option, "nargs": nargs}
    if field.many:
        found |= {"nargs": "+", "action": "extend"} if _is_input_file(field) else {"action": "append"}
    return found | {"required": field.needed, "dest": field.name} | ({"metavar": named.metavar} if named else {})


def _is_input_file(field: RequestField) -> bool:
    return bool(field.note(FromFile) or (field.note(Reads) and field.kind is Path))


def _reading_one(field: RequestField) -> dict[str, Any]:
    if choice := field.note(Choices):
        return chosen(choice)
    if writes := field.note(Writes):
        folder = {"type": output_folder, "metavar": "DIR"}
        return folder if writes.folder else {"type": OutputFile(writes.endings, writes.beside), "metavar": "FILE"}
    if _is_input_file(field):
        return {"type": input_path, "metavar": "FILE"}
    if text := field.note(FromText):
        return {"metavar": text.metavar}
    if field.kind is date:
        return {"type": iso_date, "metavar": "YYYY-MM-DD"}
    if field.kind in (int, float):
        return {"type": number(field.kind, field.note(Between)), "metavar": "N"}
    return {"type": input_name} if field.note(Reads) else {}


def number(kind: type[NumberT], bounds: Between | None) -> Callable[[str], NumberT]:
    """Return a reader of numbers within the bounds."""

    def read(text: str) -> NumberT:
        try:
            return kind(read_number(text, kind, bounds or ANY))
        except BadInput as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def iso_date(text: str) -> date:
    """Read a date for argparse, which names the option in its message."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date written YYYY-MM-DD") from error


def chosen(choice: Choices) -> dict[str, Any]:
    """Return how argparse reads a choice."""
    read = choice.read
    if read is None:
        return {"choices": tuple(choice.values)}

    def one(text: str) -> str:
        try:
            return read(text)
        except BadInput as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return {"type": one, "metavar": f"{{{','.join(choice.values)}}}"}


def _value(field: RequestField, given: Any) -> Any:
    """Return the field's value of an argument. A file or a text with a reader is read here."""
    file, text = field.note(FromFile), field.note(FromText)
    if not (file or text):
        return tuple(given) if field.many else given
    try:
        values = [
            file.parse(one.name, read_bytes(one)) if file else text.parse(one) if text else one
            for one in (given if field.many else [given])
        ]
    except BadInput as error:
        raise BadField(field.name, str(error)) from error
    return tuple(values) if field.many else values[0]


def on_terminal(unit: str, words: Sequence[str] = ()) -> ActionContext:
    """Return the context in which an action reports on standard error; `words` are those after the program's name."""
    line = ProgressLine("", unit)

    def begin(part: str) -> None:
        nonlocal line
        line = ProgressLine(part, unit)

    command = f"python -m core {shlex.join(words)}"
    return ActionContext(begin, lambda done, total: line.show(done, total), tell, asked_to_end, ask, command)


def _printed(action: Action[Any, Any], result: Any, form: str | None) -> Iterator[str]:
    """Yield the paragraphs of a result for a person, or only its tables as CSV or LaTeX."""
    from core.tabular.exports import to_csv, to_latex, to_text

    if not form and (words := action.words(result)):
        yield words
    write = {"csv": to_csv, "latex": to_latex}.get(form or "", to_text)
    yield from (write(table).rstrip("\n") for table in (action.tables(result) if action.tables else ()))
