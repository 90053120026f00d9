"""Convert dataclasses to plain JSON values and back, with one shared converter or new ones for more hooks.

Dates are ISO 8601, enumerations their values, tuples and arrays lists. Missing keys take the field's default; unknown
keys are ignored.
"""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_origin

import numpy as np
from cattrs import Converter
from cattrs.preconf.json import make_converter
from cattrs.strategies import configure_tagged_union

T = TypeVar("T")


def new_converter() -> Converter:
    """Return a new converter, for callers that register hooks."""
    converter = make_converter(detailed_validation=False)  # otherwise it raises groups of errors
    converter.register_unstructure_hook_func(_is_array, lambda array: array.tolist())
    converter.register_structure_hook_func(_is_array, lambda rows, kind: np.array(rows, _type_of_numbers(kind)))
    return converter


def to_json(value: object, kind: Any = None) -> Any:
    """Return a dataclass, or a container of some, as plain JSON values; a union of types needs its `kind`."""
    return _CONVERTER.unstructure(value, kind)


def name_types(union: Any) -> None:
    """Let JSON name which type of a union of dataclasses a value has."""
    configure_tagged_union(union, _CONVERTER)


def from_json(record: object, kind: type[T]) -> T:
    """Return the value that `to_json` wrote.

    Raises KeyError for a missing field, and TypeError, ValueError or another built-in error for a wrong value.
    """
    return _CONVERTER.structure(record, kind)


def _is_array(kind: Any) -> bool:
    return kind is np.ndarray or get_origin(kind) is np.ndarray


def _type_of_numbers(kind: Any) -> Any:
    _, numbers = get_args(kind)
    return get_args(numbers)[0]


_CONVERTER = new_converter()
