"""A person's conclusion on a case: a verdict of their own, notes, and a mark for each passage."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, func, select

from core.dataclass_json import from_json, to_json
from core.errors import VerideskError
from core.storage.store import Store
from core.storage.tables import jobs, reviews
from core.types import Label, Passage


class Mark(StrEnum):
    """A person's judgement of a passage."""

    USEFUL = "useful"
    WRONG = "wrong"
    UNRELATED = "not about it"


@dataclass(frozen=True)
class Conclusion:
    """A person's own verdict, None before they gave one, why (for the reader), notes and who signs.

    Nobody else reads the notes unless `show_notes`.
    """

    label: Label | None = None
    reason: str = ""
    notes: str = ""
    name: str = ""
    show_notes: bool = False


@dataclass(frozen=True)
class Review:
    """A person's review of a case. `marks` are by `passage_key`; `saved` is seconds since 1970, None if unsaved.

    `version` counts how often the conclusion was saved.
    """

    conclusion: Conclusion = Conclusion()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    saved: float | None = None
    version: int = 0

    @property
    def empty(self) -> bool:
        return self.conclusion == Conclusion() and not self.marks


def for_others(review: Review) -> Review:
    """Return a review as others may read it: without notes, unless their writer shows them."""
    said = review.conclusion
    return review if said.show_notes else replace(review, conclusion=replace(said, notes=""))


def passage_key(passage: Passage) -> str:
    """Return the key of a passage's mark: the same for the same characters of the same text."""
    return f"{passage.document.digest[:16]}:{passage.start}-{passage.end}"


def review_from_json(record: Mapping[str, Any] | None) -> Review:
    """Return the review of a receipt, an empty one where it has none. Raises KeyError or ValueError if it is broken."""
    if record is None:
        return Review()
    return from_json({name: record[name] for name in ("conclusion", "marks", "saved", "version")}, Review)


CONCLUSION = "conclusion"


class Overtaken(VerideskError):
    """Somebody saved another conclusion while this one was written."""


@dataclass(frozen=True)
class SavedConclusion:
    """A conclusion as it was saved once; `saved` is seconds since 1970."""

    number: int
    conclusion: Conclusion
    saved: float


class Reviews:
    """Conclusions and marks of cases, by the id of their job. Every method raises StoreError as `Store` does.

    The caller has checked that the case belongs to the owner.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def load(self, case_id: str) -> Review:
        """Return the last saved review of a case; an empty one if nothing was saved."""
        with self.store.transaction() as connection:
            newest = _newest(connection, case_id)
        saved = max((row.saved for row in newest.values()), default=None)
        last = newest.pop(CONCLUSION, None)
        marked = {subject: json.loads(row.value) for subject, row in newest.items()}
        marks = {subject: Mark(mark) for subject, mark in marked.items() if mark}
        if last is None:
            return Review(marks=marks, saved=saved)
        return Review(from_json(json.loads(last.value), Conclusion), marks, saved, last.version)

    def conclude(self, case_id: str, owner: str, conclusion: Conclusion, *, seen: int) -> None:
        """Save a conclusion as the one after version `seen`, which its writer had before them (0: none).

        Raises Overtaken, and saves nothing, if there is a later version by now.
        """
        with self.store.transaction(writing=True) as connection:
            version = _version(connection, case_id, CONCLUSION)
            if version != seen:
                raise Overtaken("Somebody saved another conclusion while you wrote yours. Yours is still in the form.")
            self._add(connection, case_id, owner, CONCLUSION, to_json(conclusion), version + 1)

    def mark(self, case_id: str, owner: str, passage: str, mark: Mark | None) -> None:
        """Mark a passage by its key, or take its mark away."""
        with self.store.transaction(writing=True) as connection:
            version = _version(connection, case_id, passage)
            self._add(connection, case_id, owner, passage, str(mark or ""), version + 1)

    def history(self, case_id: str) -> tuple[SavedConclusion, ...]:
        """Return every conclusion that was ever saved of a case, the newest first."""
        wanted = select(reviews).where(reviews.c.job == case_id, reviews.c.subject == CONCLUSION)
        with self.store.transaction() as connection:
            rows: Sequence[Row[Any]] = connection.execute(wanted.order_by(reviews.c.version.desc())).all()
        return tuple(
            SavedConclusion(row.version, from_json(json.loads(row.value), Conclusion), row.saved) for row in rows
        )

    def concluded(self) -> list[str]:
        """Return the ids of all cases, of all owners, with a saved conclusion, the oldest first."""
        wanted = select(reviews.c.job).where(reviews.c.subject == CONCLUSION, reviews.c.version == 1)
        with self.store.transaction() as connection:
            return list(connection.scalars(wanted.order_by(reviews.c.saved, reviews.c.job)))

    def conclusions(self, case_ids: Collection[str]) -> dict[str, Conclusion]:
        """Return the conclusions of those of the cases that have one."""
        wanted = select(reviews.c.job, reviews.c.value).where(
            reviews.c.job.in_(case_ids), reviews.c.subject == CONCLUSION
        )
        with self.store.transaction() as connection:
            rows = connection.execute(wanted.order_by(reviews.c.version)).all()
        return {row.job: from_json(json.loads(row.value), Conclusion) for row in rows}

    def _add(self, connection: Connection, case_id: str, owner: str, subject: str, value: object, version: int) -> None:
        row = {"job": case_id, "subject": subject, "version": version, "value": json.dumps(value), "owner": owner}
        connection.execute(reviews.insert().values(row | {"saved": self.store.clock()}))


def _newest(connection: Connection, case_id: str) -> dict[str, Row[Any]]:
    """Return the last version of each subject of a case."""
    rows = connection.execute(select(reviews).where(reviews.c.job == case_id).order_by(reviews.c.version))
    return {row.subject: row for row in rows}


def _version(connection: Connection, case_id: str, subject: str) -> int:
    """Return the number of a subject's last version, 0 if it has none; others wait to write until this is done."""
    # PostgreSQL has many writers: of two that read the same number one would break the primary key.
    connection.execute(select(jobs.c.id).where(jobs.c.id == case_id).with_for_update())
    wanted = select(func.max(reviews.c.version)).where(reviews.c.job == case_id, reviews.c.subject == subject)
    return connection.scalar(wanted) or 0
