"""Read the fields of a request: each has a type, a default and `Annotated` notes (help, bounds, choices, files)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from core.errors import BadInput

NoteT = TypeVar("NoteT")
LONGEST_NUMBER = 20
"""The most characters of a whole number: a million digits would take long to read."""


@dataclass(frozen=True)
class Help:
    """The sentence on a field in `--help` and beside its widget. `label` replaces the field's name on the widget."""

    words: str
    label: str = ""


@dataclass(frozen=True)
class Between:
    """The least and the most that a number may be, both included.

    On a shared server the upper bounds keep one person's request from taking the machine for hours.
    """

    least: float
    most: float


ANY = Between(-math.inf, math.inf)


@dataclass(frozen=True)
class Choices:
    """The values to choose from; a mapping has a title for each.

    `read` returns the one spelling of a further value, such as one with parameters. It raises BadInput.
    """

    values: Collection[str]
    read: Callable[[str], str] | None = None

    def title(self, value: str) -> str:
        return str(self.values.get(value, value)) if isinstance(self.values, Mapping) else value

    def takes(self, value: str) -> bool:
        """Tell whether a value that is not listed may be chosen as well."""
        if self.read is None:
            return False
        try:
            return self.read(value) == value
        except BadInput:
            return False


@dataclass(frozen=True)
class Place:
    """A field that the command line takes by its place, shown as `metavar`, and not as an option."""

    metavar: str


@dataclass(frozen=True)
class OptionName:
    """The name of an option where it differs from the field's, and the name of its value in the help."""

    name: str = ""
    metavar: str = ""


@dataclass(frozen=True)
class With:
    """A field that means something only together with another option of its command."""

    option: str


@dataclass(frozen=True)
class Inner:
    """A field that the program fills in: it has no option and no widget."""


@dataclass(frozen=True)
class Reads:
    """A path that is read. Only commands have such a field: a page has contents (`FromFile`)."""


@dataclass(frozen=True)
class Writes:
    """A path that is written, with one of these endings if there are any. Only commands have such a field.

    A `folder` is filled. A file of the same name with each of `beside` at its end is written too.
    """

    endings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    folder: bool = False


@dataclass(frozen=True)
class Nothing:
    """A request without fields."""


class InputFile(NamedTuple):
    """A file that is read together with others: its name and its content."""

    name: str
    content: bytes


@dataclass(frozen=True)
class FromFile:
    """A value that `parse` reads from a file's name and bytes. A command has a path, a page an upload.

    `parse` raises BadInput for a file that it cannot read. A page takes files with these `endings`, if there are any.
    """

    parse: Callable[[str, bytes], Any]
    endings: tuple[str, ...] = ()


@dataclass(frozen=True)
class FromText:
    """A value that `parse` reads from a text, such as a time; `write` returns the text of a value.

    `parse` raises BadInput for a text that it cannot read. `metavar` names the value in the help of a command.
    """

    parse: Callable[[str], Any]
    write: Callable[[Any], str]
    metavar: str


class BadField(BadInput):
    """A request's field has a wrong value, or does not fit the others."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class RequestField:
    """A field of a request. `kind` is its type without None, tuple and notes; `many` says that it is a tuple."""

    name: str
    kind: Any
    many: bool
    default: Any
    notes: tuple[Any, ...]

    def note(self, kind: type[NoteT]) -> NoteT | None:
        return next((one for one in self.notes if isinstance(one, kind)), None)

    @property
    def needed(self) -> bool:
        return self.default is MISSING

    @property
    def option(self) -> str:
        """The name on the command line: `--recall-only`, or that of its place."""
        place, named = self.note(Place), self.note(OptionName)
        if place:
            return place.metavar
        return f"--{(named.name if named else '') or self.name.replace('_', '-')}"

    @property
    def shown_default(self) -> str:
        return ", ".join(self.default) if self.many else str(self.default)

    @property
    def help(self) -> str:
        found = self.note(Help)
        return found.words if found else ""

    @property
    def label(self) -> str:
        """The title of its widget."""
        found = self.note(Help)
        return (found.label if found else "") or self.name.replace("_", " ").capitalize()


def read_number(text: str, kind: type[int] | type[float], bounds: Between) -> int | float:
    """Return the number that a text is. Raises BadInput for another text and outside the bounds."""
    if kind is int:
        found = int(text) if len(text) <= LONGEST_NUMBER and text.lstrip("+-").isdecimal() else math.nan
    else:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
    if not bounds.least <= found <= bounds.most:
        what = "a whole number" if kind is int else "a number"
        raise BadInput(f"{text[:40]!r} is not {what} from {bounds.least:,} to {bounds.most:,}")
    return found


def fields_of(request: type[Any]) -> tuple[RequestField, ...]:
    """Return the fields that a person fills in: those of the request's dataclass, then those of its bases."""
    hints, own = get_type_hints(request, include_extras=True), request.__annotations__
    ordered = sorted(fields(request), key=lambda each: each.name not in own)
    found = (_field(each.name, hints[each.name], _default(each)) for each in ordered)
    return tuple(field for field in found if not field.note(Inner))


def _default(field: Any) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _field(name: str, hint: Any, default: Any) -> RequestField:
    kind, notes = hint, list[Any]()
    while get_origin(kind) in (Annotated, Union, UnionType):
        inside = [one for one in get_args(kind) if one is not NoneType]
        notes += inside[1:]
        kind = inside[0]
    many = get_origin(kind) is tuple
    return RequestField(name, get_args(kind)[0] if many else kind, many, default, tuple(notes))
