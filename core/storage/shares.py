"""Create links to a job's result, open to anybody with the link until the owner withdraws it."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import delete, select

from core.storage.store import Store
from core.storage.tables import jobs, shares


@dataclass(frozen=True)
class Shared:
    """The job behind a link, and its owner."""

    job_id: str
    owner: str


class Shares:
    """The links of a server. Every method raises StoreError as `Store` does."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def make(self, job_id: str, owner: str) -> str | None:
        """Return the secret of a new link to the owner's job, 256 random bits; None for another owner's job."""
        token = secrets.token_urlsafe(32)
        row = {"token_hash": _hash(token), "job": job_id, "owner": owner, "created": self.store.clock()}
        with self.store.transaction(writing=True) as connection:
            if connection.scalar(select(jobs.c.owner).where(jobs.c.id == job_id)) != owner:
                return None
            connection.execute(shares.insert().values(row))
        return token

    def find(self, token: str) -> Shared | None:
        """Return the target of a link; None if withdrawn or unknown."""
        wanted = select(shares.c.job, shares.c.owner).where(shares.c.token_hash == _hash(token))
        with self.store.transaction() as connection:
            row = connection.execute(wanted).one_or_none()
        return Shared(row.job, row.owner) if row else None

    def count(self, job_id: str, owner: str) -> int:
        """Return the number of links to the owner's job."""
        wanted = select(shares.c.token_hash).where(shares.c.job == job_id, shares.c.owner == owner)
        with self.store.transaction() as connection:
            return len(connection.execute(wanted).all())

    def withdraw(self, job_id: str, owner: str) -> None:
        """Delete all links to the owner's job."""
        with self.store.transaction() as connection:
            connection.execute(delete(shares).where(shares.c.job == job_id, shares.c.owner == owner))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
