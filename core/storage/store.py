"""Give access to the database: transactions, and drafts of forms."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreError
from core.storage.database import connect, sentence, upsert
from core.storage.migrating import migrate
from core.storage.tables import drafts

Json = dict[str, Any]


class Store:
    """The database at an SQLAlchemy URL; it is created, and brought up to date, on opening.

    Every method raises StoreError, with a sentence, where the database cannot be read or written.
    `clock` returns seconds since 1970.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.engine = connect(url)
        # SQLite has one writer at a time, and waiting writers retry ever less often. So threads of one server queue
        # here.
        self.queue = threading.Lock() if self.engine.dialect.name == "sqlite" else nullcontext()
        # Items are assigned one at a time. A thread waiting in the database holds a connection, and 200 raters at once
        # would use them all. So threads of one server wait here.
        self.assigning = threading.Lock()
        with self.transaction(writing=True) as connection:
            migrate(connection, at=clock())

    @contextmanager
    def transaction(self, *, writing: bool = False) -> Iterator[Connection]:
        """Open a transaction; use `writing` if it reads first and then writes."""
        try:
            with (
                self.queue if writing else nullcontext(),
                self.engine.connect().execution_options(writing=writing) as connection,
                connection.begin(),
            ):
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(sentence(error)) from error

    def save_draft(self, owner: str, form: str, content: Json) -> None:
        """Keep the owner's draft of a form, replacing the previous one."""
        with self.transaction() as connection:
            row = {"owner": owner, "form": form, "content": json.dumps(content), "saved": self.clock()}
            upsert(connection, drafts, row)

    def draft(self, owner: str, form: str) -> Json:
        """Return the owner's last draft of a form, or an empty one."""
        wanted = select(drafts.c.content).where(drafts.c.owner == owner, drafts.c.form == form)
        with self.transaction() as connection:
            content = connection.scalar(wanted)
        return dict(json.loads(content)) if content else {}
