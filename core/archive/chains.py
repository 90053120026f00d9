"""The versions of one address in the order of their days, and the place of a new text among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from core.archive.types import NewDocument


@dataclass
class ChainVersion:
    """A version in its chain. Days are ordinals: `published` and `since` are 0 if unknown, `until` is None if open.

    `new` is the document of a version that is not in the database yet.
    """

    number: int
    digest: str
    published: int
    seen: int
    since: int = 0
    until: int | None = None
    new: NewDocument | None = None


@dataclass
class Chain:
    """All versions of an address. `changed` holds known ones with new days, `gone` the deleted ones."""

    standing: list[ChainVersion] = field(default_factory=list)
    changed: dict[int, ChainVersion] = field(default_factory=dict)
    gone: list[int] = field(default_factory=list)

    def take(self, new: NewDocument, number: int, *, today: date, replace: bool) -> bool:
        """Put a text at its place; return whether it is a new version.

        A text of a known address without a day begins at its own new date, or else `today`.
        """
        document = new.document
        published = document.published.toordinal() if document.published else 0
        one = ChainVersion(number, document.digest, published, self._seen(new, published, today), new=new)
        if replace and self.standing:
            if [each.digest for each in self.standing] == [one.digest]:
                return False
            first = self.standing[0]
            self.gone += [each.number for each in self.standing if not each.new]
            one.published, one.seen, self.standing = one.published or first.published, first.seen, []
        at = sum(each.seen <= one.seen for each in self.standing)
        if at and self.standing[at - 1].digest == one.digest:
            if at == len(self.standing):
                self._reopen(self.standing[-1])
            return False
        if at < len(self.standing) and self.standing[at].digest == one.digest:
            first = self.standing[at]  # the same text, seen earlier
            first.seen = one.seen
            if not first.new:
                self.changed[first.number] = first
            self._date()
            return False
        self.standing.insert(at, one)
        self._date()
        return True

    def _seen(self, new: NewDocument, published: int, today: date) -> int:
        if new.seen:
            return new.seen.toordinal()
        known = {each.published for each in self.standing}
        return published if published and published not in known else today.toordinal()

    def _reopen(self, last: ChainVersion) -> None:
        """Open the last text again, after its file was gone."""
        if last.until is not None and not last.new:
            last.until, self.changed[last.number] = None, last

    def _date(self) -> None:
        for at, one in enumerate(self.standing):
            since = one.seen if at else one.published
            days = (one.until, self.standing[at + 1].seen if at + 1 < len(self.standing) else None)
            until = min((day for day in days if day is not None), default=None)  # it may have been gone before
            if (since, until) != (one.since, one.until) and not one.new:
                self.changed[one.number] = one
            one.since, one.until = since, until
