"""Run a metric of somebody's own in a process of its own: load it, describe it, compute its scores."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from multiprocessing.connection import Connection
from numbers import Real
from pathlib import Path
from typing import Any

from core.errors import BadInput, VerideskError
from core.scoring.own_metric import MARK, Declaration, Parameter, declared

GROUP = "veridesk.metrics"
PARENT_SECONDS = 1.0
inside = False
"""Whether this is such a process, which must not start others."""


@dataclass(frozen=True)
class MetricSource:
    """The place of metrics: a file's path, or an entry point's name and value."""

    place: str
    entry: str = ""

    def __str__(self) -> str:
        return f"entry point {self.entry} ({self.place})" if self.entry else self.place

    def found(self) -> list[tuple[Declaration, Callable[..., Any]]]:
        """Return the metrics here. Raises anything that their code raises, and BadInput without any."""
        loaded = EntryPoint(self.entry, self.place, GROUP).load() if self.entry else _module(Path(self.place))
        named = vars(loaded).values() if inspect.ismodule(loaded) else [loaded]
        marked = [(getattr(one, MARK), one) for one in named if MARK in getattr(one, "__dict__", {})]
        if not marked and callable(loaded):
            return [(declared(loaded, "", (0.0, 1.0), evidence=True, seconds=10.0), loaded)]
        if not marked:
            raise BadInput("it has no metric: mark a function with @own_metric (core.scoring.own_metric)")
        return marked


@dataclass(frozen=True)
class Described:
    """A metric as its process describes it; `digest` is the SHA-256 of its source file, or empty."""

    declaration: Declaration
    digest: str


def serve(connection: Connection) -> None:
    """Serve one metric behind a pipe until it closes: describe the source, or open a metric and score claims."""
    global inside
    inside = True
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    with suppress(EOFError, OSError):
        source, name, parameters = connection.recv()
        opened = _attempt(lambda: _opened(source, name, parameters) if name else _described(source), source)
        connection.send(None if callable(opened) else opened)
        while callable(opened):
            gold, predictions, span = connection.recv()
            connection.send(_attempt(lambda: _checked(list(opened(gold, predictions)), len(gold), span), source))  # noqa: B023


def _end_with_parent(parent: int) -> None:
    """End this process with the one that started it, even if a metric hangs."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)


def _module(path: Path) -> Any:
    """Return a file as a module; it may import the files beside it."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadInput("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _described(source: MetricSource) -> list[Described]:
    return [Described(declaration, _digest(made)) for declaration, made in source.found()]


def _digest(made: Callable[..., Any]) -> str:
    try:
        return hashlib.sha256(Path(inspect.getsourcefile(made) or "").read_bytes()).hexdigest()
    except (OSError, TypeError):
        return ""


def _opened(source: MetricSource, name: str, parameters: Mapping[str, Parameter]) -> Callable[..., Iterable[object]]:
    made: Any = next(made for declaration, made in source.found() if declaration.name == name)
    if inspect.isclass(made):
        called: Any = made(**parameters)
        return called  # type: ignore[no-any-return]
    return lambda gold, predictions: made(gold, predictions, **parameters)


def _attempt(act: Callable[[], Any], source: MetricSource) -> Any:
    """Return the result, or the fault in words that end a sentence beginning with the metric."""
    try:
        return act()
    except VerideskError as error:
        return str(error)
    except Exception as error:
        return _fault(error, source)


def _fault(error: Exception, source: MetricSource) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    here = [one for one in frames if one.filename == source.place] or frames
    where = f" in line {here[-1].lineno} of {Path(here[-1].filename).name}" if here else ""
    said = " ".join(str(error).split())
    return f"it raises {type(error).__name__}{where}{f': {said[:300]}' if said else ''}"


def _checked(values: Sequence[object], count: int, span: tuple[float, float]) -> list[float | str | None] | str:
    """Return a number, None or the fault of each claim; the fault of all if their number is wrong."""
    if len(values) != count:
        return f"it gives {len(values)} values for {count} {'claim' if count == 1 else 'claims'}"
    return [_number(value, span) for value in values]


def _number(value: object, span: tuple[float, float]) -> float | str | None:
    if value is None:
        return None
    if not isinstance(value, Real):
        return f"it gives a value of type {type(value).__name__}, not a number"
    found = float(value)
    if not math.isfinite(found):
        return f"it gives {found}, not a finite number"
    if not span[0] <= found <= span[1]:
        return f"it gives {found:g}, outside its range of {span[0]:g} to {span[1]:g}"
    return found
