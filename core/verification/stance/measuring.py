"""Measure a reader on the calibration claims; a journal keeps each reading, so that a later run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.dataclass_json import from_json, to_json
from core.errors import Cancelled
from core.files import json_of, write_whole
from core.interfaces import Stop, UnusableAnswer
from core.verification.stance.chosen_reader import (
    PassageReader,
    PassageReading,
    built_in_digest,
)
from core.verification.stance.measurement import (
    UNREAD,
    ClaimRead,
    Measurement,
    folder,
    keep_measurement,
    measurement_of,
)
from core.verification.written_claims import FEW_CLAIMS, CalibrationClaim, calibration_claims

Lend = Callable[[], AbstractContextManager[PassageReader]]
"""Lends the reader that is measured for one claim, so that cases may use its model between two."""


@dataclass(frozen=True)
class ClaimsRead:
    """The claims read so far by one reader, beside the built-in reader with this digest."""

    built_in: str
    read: tuple[ClaimRead, ...] = ()


def measure(
    lend: Lend,
    built_in: PassageReader,
    report: Callable[[int, int, float], None],
    stop: Stop,
    *,
    claims: int = FEW_CLAIMS,
    language: str = "en",
) -> Measurement:
    """Have both readers read claims in a language, and keep and return the measurement.

    It goes on where an earlier run ended early; claims that were all read are read again. `report` gets the claims
    read, all claims, and the seconds left. Raises Cancelled after `stop`, ModelError where the model fails.
    """
    asked = calibration_claims(claims, language)
    with lend() as reader:
        identity = reader.identity
    path = folder() / f"{identity.key}.{language}.journal"
    journal = _begun(path, len(asked))
    began, before = time.monotonic(), len(journal.read)
    report(before, len(asked), 0.0)
    for one in asked[before:]:
        if stop():
            raise Cancelled("Stopped.")
        own = built_in.read(one.claim, one.passage, stop=stop)
        with lend() as reader:
            chosen = _answer(one, reader, stop)
        read = ClaimRead(one.passage.document.url, one.label, own, chosen or UNREAD, chosen is not None)
        journal = replace(journal, read=(*journal.read, read))
        write_whole(path, json.dumps(to_json(journal)), parents=True)
        done = len(journal.read)
        report(done, len(asked), (time.monotonic() - began) / (done - before) * (len(asked) - done))
    found = measurement_of(journal.read, identity, date.today(), language)
    keep_measurement(found)
    return found


def _answer(one: CalibrationClaim, reader: PassageReader, stop: Stop) -> PassageReading | None:
    """Return the reading of a claim's passage; None for an unusable answer."""
    try:
        return reader.read(one.claim, one.passage, stop=stop)
    except UnusableAnswer:
        return None


def _begun(path: Path, claims: int) -> ClaimsRead:
    """Return the journal of a run that ended early, else an empty one."""
    empty = ClaimsRead(built_in_digest())
    try:
        journal = from_json(json_of(path.read_text(encoding="utf-8")), ClaimsRead)
    except (OSError, ValueError, KeyError, TypeError):  # without a readable journal, all is read again
        return empty
    return journal if journal.built_in == empty.built_in and len(journal.read) < claims else empty
