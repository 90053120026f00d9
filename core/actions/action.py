"""Define an action: a request, its work, and the words, tables and files of its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.errors import BadInput

if TYPE_CHECKING:
    from core.interfaces import Stop
    from core.tabular.table import Table

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


def nobody(question: str) -> None:
    """Raise BadInput: only a command can ask while it works."""
    raise BadInput(f"{question} Nobody can be asked here.")


@dataclass(frozen=True)
class ActionContext:
    """The ways of an action to report, to ask, and to see whether it should stop.

    `begin` names the part that begins. `advance` gives its finished items and their total. `tell` takes a remark on
    the input or the result. `ask` returns after a yes. It raises Cancelled after a no, BadInput where nobody can be
    asked. `command` is the line that repeats the action, "" on a page.
    """

    begin: Callable[[str], None]
    advance: Callable[[int, int], None]
    tell: Callable[[str], None]
    stop: Stop
    ask: Callable[[str], None] = nobody
    command: str = ""


def written(result: Any) -> Any:
    """Return a result as plain JSON values."""
    from core.dataclass_json import to_json  # numpy and cattrs, for which help should not wait

    return to_json(result)


@dataclass(frozen=True)
class ResultFile(Generic[ResultT]):
    """A file of a result: an option `--name FILE` of the command, and a download on a page.

    `write` takes the ending of the file's name, one of `endings` if there are any.
    """

    name: str
    help: str
    write: Callable[[ResultT, str], str | bytes]
    endings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Action(Generic[RequestT, ResultT]):
    """Something that a person may ask for, declared once.

    `request` is a frozen dataclass (see fields.py). `run` does the work. It raises VerideskError with a sentence for
    the user, and Cancelled after a stop. `words` are the result in sentences, `tables` its tables, `json` its JSON,
    `files` its files. `good` is false for a result that is a "no". `json_help` names the content of the JSON, `unit`
    the counted things of the progress.
    """

    name: str
    request: type[RequestT]
    run: Callable[[RequestT, ActionContext], ResultT]
    words: Callable[[ResultT], str] = lambda result: ""
    tables: Callable[[ResultT], Sequence[Table]] | None = None
    json: Callable[[ResultT], Any] | None = written
    files: tuple[ResultFile[ResultT], ...] = ()
    good: Callable[[ResultT], bool] = lambda result: True
    json_help: str = "the result"
    unit: str = ""
