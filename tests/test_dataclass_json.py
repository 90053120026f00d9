from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dataclass_json import from_json, to_json


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    day: date | None
    colours: tuple[Colour, ...]


@dataclass(frozen=True)
class Outer:
    inner: Inner
    shares: dict[Colour, float]
    size: int = 3


@dataclass(frozen=True)
class Counts:
    rows: NDArray[np.int64]


OUTER = Outer(Inner(date(2026, 11, 23), (Colour.RED,)), {Colour.RED: 0.5})
WRITTEN = {"inner": {"day": "2026-11-23", "colours": ["red"]}, "shares": {"red": 0.5}, "size": 3}


def test_dates_enumerations_and_tuples_are_plain_json_and_read_again() -> None:
    assert to_json(OUTER) == WRITTEN
    assert from_json(WRITTEN, Outer) == OUTER


def test_arrays_are_lists_and_keep_their_type_of_numbers() -> None:
    written = to_json(Counts(np.array([[1, 2], [3, 4]])))
    assert written == {"rows": [[1, 2], [3, 4]]}
    read = from_json(written, Counts)
    assert read.rows.dtype == np.int64
    assert read.rows.tolist() == [[1, 2], [3, 4]]


def test_a_missing_key_takes_the_default_and_an_unknown_one_is_ignored() -> None:
    record = {name: value for name, value in WRITTEN.items() if name != "size"}
    assert from_json({**record, "later": 1}, Outer) == OUTER


def test_a_missing_field_and_a_wrong_value_raise_built_in_errors() -> None:
    with pytest.raises(KeyError, match="inner"):
        from_json({}, Outer)
    with pytest.raises(ValueError, match="blue"):
        from_json({**WRITTEN, "shares": {"blue": 1}}, Outer)
