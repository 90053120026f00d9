"""Write and read the journal of a batch: one line per finished claim, written at once. Later runs resume from it.

The first line has the settings of the batch, so that no run resumes with other settings.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from core.averitec.averitec_rows import prediction_from_row, submission_row
from core.batch import JOURNAL
from core.batch.types import BatchPlan, Cost, Done
from core.errors import BadInput, BadRecord, reason_of
from core.files import json_of

Json = dict[str, Any]
FORMAT = 3
"""Increase this number if the meaning of a line changes."""


def journal_path(out: Path) -> Path:
    """Return the path of a submission's journal."""
    return out.with_name(out.name + JOURNAL)


def settings_of(plan: BatchPlan) -> Json:
    """Return the settings that a resumed run must share."""
    request = plan.request
    return {
        "format": FORMAT,
        "recipe": request.own_recipe or request.recipe,
        "model": request.model,
        "seed": request.seed,
        "sentences": request.sentences,
        "include_late": request.include_late,
        "questions": request.questions,
        "extra": list(plan.extra),
        "training": request.training,
        "within": plan.within,
    }


def record_of(done: Done) -> Json:
    """Return the record of one line of the journal."""
    row = submission_row(done.prediction) if done.prediction else None
    return {**asdict(replace(done, prediction=None)), "prediction": row}  # asdict would copy each document


def done_from_record(place: str, record: Json) -> Done:
    """Return the result in one line. Raises BadRecord, KeyError or TypeError for an invalid line."""
    row = record["prediction"]
    prediction = prediction_from_row("journal", place, row) if row else None
    cost, left_out = Cost(**record["cost"]), tuple(record["left_out"])
    return Done(**{**record, "prediction": prediction, "cost": cost, "left_out": left_out})


@dataclass
class Tail:
    """Reads new lines of a growing journal."""

    path: Path
    settings: Json | None = None
    lines: int = 0
    offset: int = field(default=0)

    def read(self) -> list[Done]:
        """Return the results in the new whole lines; the first line becomes `settings`.

        Raises BadRecord with the number of an invalid line.
        """
        if not self.path.exists():
            return []
        with self.path.open("rb") as journal:
            journal.seek(self.offset)
            content = journal.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.offset += len(whole)
        return [done for line in whole.split(b"\n")[:-1] if (done := self._line(line)) is not None]

    def _line(self, line: bytes) -> Done | None:
        self.lines += 1
        try:
            record = json_of(line)
            if self.settings is None:
                self.settings = dict(record["settings"])
                return None
            return done_from_record(f"line {self.lines}", record)
        except (ValueError, KeyError, TypeError, BadRecord) as error:
            raise BadRecord(
                f"{self.path}:{self.lines}: this line is no record of a batch ({reason_of(error)}); delete the file."
            ) from error


def read_journal(path: Path) -> tuple[Json | None, dict[str, Done]]:
    """Return the settings of earlier runs (None before the first) and their results, by claim id.

    The last record of a claim counts. Raises BadRecord as `Tail.read`.
    """
    tail = Tail(path)
    finished = {done.claim_id: done for done in tail.read()}
    return tail.settings, finished


@contextmanager
def locked(path: Path) -> Iterator[IO[bytes]]:
    """Open and lock a journal for reading and appending. A killed process loses its lock.

    Raises BadInput if another run writes it, or if it cannot be written.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(path))
            # a buffer that a full disk refuses would fail again at closing
            journal = stack.enter_context(path.open("a+b", buffering=0))
        except Timeout as error:
            raise BadInput(f"Another run is writing {path}: wait for it, or give another --out.") from error
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}.") from error
        yield journal


def is_locked(path: Path) -> bool:
    """Return whether a run is writing this journal."""
    if not path.exists():
        return False
    try:
        with _lock(path):
            return False
    except Timeout:
        return True


def _lock(path: Path) -> FileLock:
    return FileLock(path.with_name(f".{path.name}.lock"), timeout=0)


def open_journal(journal: IO[bytes], path: Path, plan: BatchPlan) -> dict[str, Done]:
    """Return the results of earlier runs by claim id, and remove an incomplete last line.

    Raises BadInput if the earlier runs had other settings.
    """
    _mend(journal)
    settings, finished = read_journal(path)
    wanted = settings_of(plan)
    if settings is None:
        add_line(journal, {"settings": wanted})
    elif settings != wanted:
        raise BadInput(f"{path} was begun with {differences(settings, wanted)}: give another --out, or delete it.")
    return finished


def differences(before: Json, now: Json) -> str:
    """Return the settings that differ, in words."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return ", ".join(f"{name} {_said(before.get(name))} (now {_said(now.get(name))})" for name in names)


def _said(value: object) -> str:
    """Return a setting in words; of the user's own recipe only the first line."""
    return "none" if value in (None, "", []) else str(value).split("\n")[0]


def _mend(journal: IO[bytes]) -> None:
    journal.seek(0)
    whole = journal.read()
    journal.truncate(whole.rfind(b"\n") + 1)
    journal.seek(0, os.SEEK_END)


def add_line(journal: IO[bytes], record: Json) -> None:
    """Add one line to the journal and wait until it is on disk. Raises BadInput if it cannot be written."""
    line = json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
    try:
        if journal.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(journal.fileno())
    except OSError as error:
        raise BadInput(
            f"{journal.name} cannot be written ({error.strerror}): free some space and go on; finished claims stay."
        ) from error
