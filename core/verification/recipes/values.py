"""The allowed settings of a step, read from its dataclass, and the check of a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from core.actions.fields import Between
from core.errors import BadRecord
from core.interfaces import Step

MAX_TEXT = 300
"""Characters of a setting that is a text, such as a title."""


def settings_of(step: type[Any]) -> Mapping[str, Any]:
    """Return the types of a step's settings by name, with their bounds (`Annotated`), in order."""
    hints = get_type_hints(step, include_extras=True)
    return MappingProxyType({each.name: hints[each.name] for each in fields(step)})


def needed(step: type[Any]) -> list[str]:
    """Return the settings of a step that have no value of their own."""
    return [each.name for each in fields(step) if is_needed(each)]


def is_needed(setting: Field[Any]) -> bool:
    return setting.default is MISSING and setting.default_factory is MISSING


def is_step(hint: Any) -> bool:
    return hint is Step


def is_steps(hint: Any) -> bool:
    return get_origin(hint) is tuple and get_args(hint) == (Step, ...)


def bounds(hint: Any) -> tuple[Any, Between | None]:
    """Return a type without its bounds, and the bounds if it has any."""
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, *notes = get_args(hint)
    return kind, next((note for note in notes if isinstance(note, Between)), None)


def described(hint: Any) -> str:
    """Describe in words the values that a setting of this type may have."""
    kind, limits = bounds(hint)
    if is_step(hint):
        return "a step"
    if is_steps(hint):
        return "a list of steps"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in get_args(kind))
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[kind]
    return f"{words} from {limits.least:g} to {limits.most:g}" if limits else words


def checked_value(value: Any, hint: Any, where: str) -> Any:
    """Return a plain value as the setting's type. Raises BadRecord, beginning with `where`, if it is not one."""
    kind, limits = bounds(hint)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = (
        value in get_args(kind)
        if get_origin(kind) is Literal and isinstance(value, str)
        else number and (kind is float or isinstance(value, int))
        if kind in (int, float)
        else type(value) is kind and value != ""
    )
    if not fits or (limits and not limits.least <= value <= limits.most):
        raise BadRecord(f"{where} must be {described(hint)}, got {shown(value)}.")
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise BadRecord(f"{where} has {len(value):,} characters; the limit is {MAX_TEXT}.")
    return float(value) if kind is float else value


def shown(value: Any) -> str:
    """Return a value as an error quotes it, cut where it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
