"""Consent: a person was shown the requests and agreed that they leave this machine. Without it nothing is sent."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from core.errors import BadInput
from core.wording import counted


@dataclass(frozen=True)
class Consent:
    """The data that leave this machine, as a person is shown them.

    `queries` are sent word for word, by place. `most` is the number of later queries for a place, of a build or
    of a search in rounds. `pages` is the number of pages that are then read, on any site;
    `addresses` are read by name. With `named`, only these pages are read.
    """

    queries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    addresses: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Say whether anything leaves this machine."""
        return any(self.queries.values()) or any(self.most.values()) or bool(self.addresses or self.pages)

    @property
    def digest(self) -> str:
        """The SHA-256 of the canonical JSON of all this; "" where nothing leaves this machine."""
        written = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(written.encode()).hexdigest() if self else ""

    @property
    def words(self) -> str:
        """All this in a few words."""
        parts = [
            self.queries_words,
            f"requests for up to {counted(self.pages, 'page')}" if self.pages else "",
            f"requests for {counted(len(self.addresses), 'web address', 'web addresses')}" if self.addresses else "",
        ]
        places = ", ".join(place for place, asked in (self.queries | self.most).items() if asked)
        return " and ".join(part for part in parts if part) + (f" ({places})" if places else "")

    @property
    def queries_words(self) -> str:
        """How many queries are sent: "3 queries", or "up to 8 queries" where later ones may follow; "" for none."""
        shown = len({query for asked in self.queries.values() for query in asked})
        most = shown + sum(self.most.values())
        return f"{'up to ' if most > shown else ''}{counted(most, 'query', 'queries')}" if most else ""

    def check(self, given: str) -> None:
        """Raise NotAgreed unless `given` is the digest of just this, or nothing leaves this machine."""
        if self and given != self.digest:
            raise NotAgreed(
                f"Nothing was sent, because nobody has agreed to send {self.words}. Ask for it again, and first read "
                "the list of requests."
            )


class NotAgreed(BadInput):
    """Something would be sent that the person was not shown."""
