"""Declare a metric of one's own: a function, or a class that is called, of gold claims and their predictions.

`docs/library.md` has a whole example.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from core.errors import BadInput

Parameter = bool | int | float | str
Made = TypeVar("Made", bound=Callable[..., Any])

MARK = "veridesk_metric"
TEXT = re.compile(r"[\w.+-]*")
NAME = re.compile(r"[a-z][a-z0-9-]*")
WRITTEN = re.compile(r"(?P<base>[^()]+)\((?P<parameters>[^()]*)\)")
YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Declaration:
    """A metric's name and meaning, its lowest and highest score, and the defaults of its parameters.

    With `evidence` it compares evidence, so it may be stress-tested. `seconds` is the most time for one claim.
    """

    name: str
    title: str
    meaning: str
    range: tuple[float, float]
    evidence: bool
    seconds: float
    parameters: Mapping[str, Parameter]

    def written(self, given: Mapping[str, Parameter]) -> str:
        """Return the name with the parameters that differ from their defaults: "overlap(words=3)"."""
        inside = in_words({key: value for key, value in given.items() if value != self.parameters[key]})
        return f"{self.name}({inside})" if inside else self.name

    def read(self, written: str) -> dict[str, Parameter]:
        """Return all parameters, those in "words=3,lower=yes" among them. Raises BadInput."""
        found = dict(self.parameters)
        for part in filter(None, map(str.strip, written.split(","))):
            key, _, value = (one.strip() for one in part.partition("="))
            if key not in found:
                known = ", ".join(found) or "none"
                raise BadInput(f"{self.title} has no parameter {key!r}; its parameters: {known}.")
            found[key] = self._value(key, value)
        return found

    def _value(self, key: str, text: str) -> Parameter:
        default = self.parameters[key]
        kind = type(default)
        read: Callable[[str], Parameter] = _yes if kind is bool else kind
        try:
            if (kind is str and not TEXT.fullmatch(text)) or (kind is float and not math.isfinite(float(text))):
                raise ValueError
            return read(text)
        except (ValueError, KeyError):
            wanted = {bool: "yes or no", int: "a whole number", float: "a number", str: "a word"}[kind]
            raise BadInput(f"{self.title}: {key} must be {wanted}, not {text!r}.") from None


def own_metric(
    title: str = "", *, range: tuple[float, float] = (0.0, 1.0), evidence: bool = True, seconds: float = 10.0
) -> Callable[[Made], Made]:
    """Mark a function, or a class with `__call__`, as a metric.

    It takes the gold claims and, in the same order, their predictions. It returns a number within `range` for each,
    higher is better; None leaves a claim without a score. A claim's score must not depend on the other claims. The
    docstring's first paragraph explains it to readers. Keyword-only arguments with defaults are its parameters. A
    metric that also reads verdicts has `evidence=False`. Raises BadInput for a range or parameter that cannot be used.
    """

    def mark(made: Made) -> Made:
        setattr(made, MARK, declared(made, title, range, evidence=evidence, seconds=seconds))
        return made

    return mark


def declared(
    made: Callable[..., Any], title: str, span: tuple[float, float], *, evidence: bool, seconds: float
) -> Declaration:
    """Return the declaration of a metric. Raises BadInput as `own_metric`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", made.__name__).lower().strip("_").split("_")
    name, shown = "-".join(words), title or " ".join(words).capitalize()
    if not NAME.fullmatch(name):
        raise BadInput(f"The name of the metric {made.__name__} needs plain letters, digits and underscores.")
    low, high = map(float, span)
    if not (math.isfinite(low) and math.isfinite(high) and low < high and seconds > 0):
        raise BadInput(f"{shown} needs a range of two finite numbers, the lower one first, and a time above 0 seconds.")
    meaning = " ".join((inspect.getdoc(made) or "").split("\n\n")[0].split())
    return Declaration(name, shown, meaning, (low, high), evidence, float(seconds), _parameters(made, shown))


def _parameters(made: Callable[..., Any], title: str) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for key, one in inspect.signature(made).parameters.items():
        if one.kind is one.KEYWORD_ONLY:
            if type(one.default) not in (bool, int, float, str):
                raise BadInput(f"{title}: the parameter {key} needs a default: a number, a word, True or False.")
            found[key] = one.default
    return found


def split_name(written: str) -> tuple[str, str]:
    """Return the name and the parameters of "overlap(words=3)": "overlap" and "words=3"."""
    found = WRITTEN.fullmatch(written.strip())
    return (found["base"], found["parameters"]) if found else (written, "")


def in_words(parameters: Mapping[str, Parameter]) -> str:
    """Return parameters as they are typed: "words=3,lower=yes"."""
    shown = {key: YES_NO[value] if isinstance(value, bool) else value for key, value in parameters.items()}
    return ",".join(f"{key}={value}" for key, value in shown.items())


def _yes(text: str) -> bool:
    return {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}[text.lower()]
