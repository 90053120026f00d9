"""Define an action: a request, its work, and the words, tables and files of its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.errors import BadInput

if TYPE_CHECKING:
    from core.interfaces import Stop
    from core.tabular.table import Table

ItemT = TypeVar("ItemT")
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

    def each(self, items: Sequence[ItemT], what: str) -> Iterator[ItemT]:
        """Yield the items, and report under the name `what` how many are done."""
        self.begin(what)
        for number, item in enumerate(items, start=1):
            yield item
            self.advance(number, len(items))


class Later:
    """A module with an action's work, imported when one of its functions is called: `--help` does not wait for it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *given: getattr(import_module(self._module), name)(*given)


@dataclass(frozen=True)
class Said:
    """A result in words for a person, and as plain values for a program."""

    words: str
    values: Any


def words_of(result: Any) -> str:
    """Return the words of a result that is a text or has words, "" for another."""
    return result.words if isinstance(result, Said) else result if isinstance(result, str) else ""


def values_of(result: Any) -> Any:
    """Return a result as plain JSON values."""
    return result.values if isinstance(result, Said) else Later("core.dataclass_json").to_json(result)


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
    the counted things of the progress. `summary` describes an action if its request serves several.
    """

    name: str
    request: type[RequestT]
    run: Callable[[RequestT, ActionContext], ResultT]
    words: Callable[[ResultT], str] = words_of
    tables: Callable[[ResultT], Sequence[Table]] | None = None
    json: Callable[[ResultT], Any] | None = values_of
    files: tuple[ResultFile[ResultT], ...] = ()
    good: Callable[[ResultT], bool] = lambda result: True
    json_help: str = "the result"
    unit: str = ""
    summary: str = ""

    @property
    def help(self) -> str:
        """The sentence on the action: its summary, or the first line of its request's docstring."""
        return self.summary or str(self.request.__doc__).partition("\n")[0]
