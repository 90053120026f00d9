"""Check all parts of an installation at once, within a time limit."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from core.actions.action import Action, ActionContext
from core.actions.fields import Nothing
from core.doctor.finding import Finding, Health
from core.errors import VerideskError, unforeseen
from core.interfaces import Stop
from core.optional_packages import OPTIONAL_PACKAGES, OptionalPackage

SECONDS = 20.0
AGAIN = "Close other programs, then: python -m core doctor"

Check = Callable[[], Finding]


def checks(stop: Stop, *, port: int | None = None) -> dict[str, Check]:
    """Return the check of each part, in display order."""
    from core.doctor import engines, machine  # they bring the libraries that they check

    return {
        "Language model": partial(engines.language_model, stop),
        "Processor": engines.processor,
        "Graphics card": engines.graphics_card,
        "Sentence encoder": engines.sentence_encoder,
        "Neighbour search": engines.neighbour_search,
        "Words for METEOR": engines.words_of_meteor,
        "Own metrics": engines.own_metrics,
        "Home": machine.home,
        "Database": machine.database,
        "Port": partial(machine.port, port),
        "Memory": machine.memory,
        "Packages": machine.packages,
        **{package.name: partial(presence, package) for package in OPTIONAL_PACKAGES},
    }


def presence(package: OptionalPackage) -> Finding:
    """Return whether an optional package is installed, without importing it, because some imports are slow."""
    try:
        return Finding(package.name, Health.GOOD, f"{version(package.name)}, for {package.use}")
    except PackageNotFoundError:
        return Finding(package.name, Health.ABSENT, f"Only needed for {package.use}", package.command)


def examine(*, port: int | None = None) -> list[Finding]:
    """Return the state of each part. `port` is the app's port, by default the configured one."""
    deadline = time.monotonic() + SECONDS
    return examined(checks(lambda: time.monotonic() > deadline, port=port), seconds=SECONDS)


def examined(parts: Mapping[str, Check], *, seconds: float) -> list[Finding]:
    """Run checks in parallel, and wait at most `seconds` for all."""
    found: dict[str, Finding] = {}
    deadline = time.monotonic() + seconds
    threads = [threading.Thread(target=_check, args=(part, run, found), daemon=True) for part, run in parts.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
    words = f"No answer within {seconds:g} seconds"
    return [found.get(part) or Finding(part, Health.WRONG, words, AGAIN, late=True) for part in parts]


def _check(part: str, run: Check, found: dict[str, Finding]) -> None:
    try:
        found[part] = run()
    except VerideskError as error:
        found[part] = Finding(part, Health.WRONG, str(error))
    except Exception:
        found[part] = Finding(part, Health.WRONG, unforeseen(f"The check of {part}"))


def works(findings: Sequence[Finding]) -> bool:
    """Return whether all needed parts work."""
    return all(finding.state is not Health.WRONG for finding in findings)


def report(request: Nothing, context: ActionContext) -> list[Finding]:
    """Return the state of each part, for a command."""
    findings = examine()
    if any(finding.late for finding in findings):  # its thread still runs, and torch aborts a Python that ends under it
        atexit.register(os._exit, 0 if works(findings) else 1)
    return findings


def words(findings: Sequence[Finding]) -> str:
    """Return a line for each part: its state, its name, a sentence, and the step that mends it."""
    lines = [f"{one.state:13}  {one.part:16}  {one.words}{f' → {one.mend}' if one.mend else ''}" for one in findings]
    end = "All needed parts work." if works(findings) else "Some needed parts do not work: mend those marked wrong."
    return "\n".join([*lines, end])


DOCTOR = Action(
    "doctor", Nothing, report, words, good=works, json_help="the findings",
    json=lambda findings: {"good": works(findings), "parts": [asdict(finding) for finding in findings]},
)  # fmt: skip
