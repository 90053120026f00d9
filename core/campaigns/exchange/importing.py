"""Import finished ratings into a campaign: fitting ones become submitted ratings, all others are accounted for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select

from core.agreement.rating_formats import read_time, time_formats
from core.agreement.ratings import RatingImport, Response, Unused
from core.campaigns.adjudication import answers_of
from core.campaigns.assignment_store import lock
from core.campaigns.organising import load_campaign
from core.campaigns.planning.form_questions import MAX_TEXT, Answer
from core.campaigns.planning.plans import CampaignItem
from core.campaigns.planning.rating_form import COMMENT, SUPPORT, Form, checked_answer
from core.campaigns.planning.sources import items_rated
from core.campaigns.redeeming import free_pseudonym
from core.campaigns.types import Campaign
from core.errors import BadInput
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import answer_history, answers, assignments, people, raters
from core.wording import counted


@dataclass(frozen=True)
class ImportedRatings:
    """The result of importing a file's responses: `kept` + len(`skipped`) is the number kept by the file's own report.

    `raters` gives each rater's pseudonym in the campaign. `notes` are sentences, such as on missing times.
    """

    kept: int
    skipped: tuple[Unused, ...]
    raters: dict[str, str]
    notes: tuple[str, ...]


def import_ratings(store: Store, campaign: str, owner: str, found: RatingImport) -> ImportedRatings:
    """Add finished ratings to a campaign as submitted ones, in the order of the file; all or none.

    A response that is there already (same item, same time) is skipped and its rater is then known. So a file can be
    imported again when it has grown. Other raters get their pseudonym, or the next free one. Raises Denied unless the
    owner is an organiser, BadInput if not a single response belongs to the campaign's items.
    """
    there = load_campaign(store, campaign, owner)
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        formats = time_formats([response.timestamp for response in found.responses])
        adding = _Adding(connection, there, store.clock(), formats)
        adding.look()
        for response in found.responses:
            adding.know(response)
        for response in found.responses:
            adding.add(response)
        adding.write()
        if not adding.fitting:
            raise BadInput(_nothing_fits(there.plan.items, found.responses))
    return ImportedRatings(adding.kept, tuple(adding.skipped), adding.names, tuple(adding.notes(found)))


@dataclass
class _Adding:
    """The state of one import. `names` is file rater → pseudonym, `ids` pseudonym → the rater's id."""

    connection: Connection
    campaign: Campaign
    now: float
    formats: Sequence[str]
    names: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    rated: dict[tuple[str, str], float | None] = field(default_factory=dict)
    known: dict[str, list[CampaignItem]] = field(default_factory=dict)
    position: int = 0
    kept: int = 0
    fitting: int = 0
    undated: int = 0
    skipped: list[Unused] = field(default_factory=list)
    work: list[dict[str, Any]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def look(self) -> None:
        """Read the raters and ratings that are there."""
        here = self.campaign.id
        for item in self.campaign.plan.items:
            self.known.setdefault(item.item, []).append(item)
        mine = select(raters.c.pseudonym, raters.c.id).where(raters.c.campaign == here)
        self.ids = {row.pseudonym: row.id for row in self.connection.execute(mine)}
        names = {rater: pseudonym for pseudonym, rater in self.ids.items()}
        for row in self.connection.execute(select(assignments).where(assignments.c.campaign == here)):
            self.rated[row.item, names[row.rater]] = row.submitted
        newest = select(func.max(assignments.c.position)).where(assignments.c.campaign == here)
        self.position = self.connection.scalar(newest) or 0

    def know(self, response: Response) -> None:
        """Recognise a rater by a response that is there already."""
        moment = read_time(response.timestamp, self.formats)
        items = self._items(response)
        if moment is None or len(items) != 1:
            return
        item = items[0].id
        same = [name for (rated, name), time in self.rated.items() if rated == item and _same(time, moment)]
        if len(same) == 1:
            self.names.setdefault(response.rater, same[0])

    def add(self, response: Response) -> None:
        """Store one response, or note why not."""
        items = self._items(response)
        if len(items) != 1:
            reason = "is of several systems, and the row names none" if items else "is not in the campaign"
            self.skipped.append(Unused(response.row, f"item {response.item[:40]} {reason}"))
            return
        self.fitting += 1
        item = items[0]
        moment = read_time(response.timestamp, self.formats)
        pseudonym = self._rater(response)
        if (item.id, pseudonym) in self.rated:
            known = _same(self.rated[item.id, pseudonym], moment)
            reason = "is in the campaign already" if known else f"{pseudonym} has another rating of this item already"
            self.skipped.append(Unused(response.row, reason))
            return
        self.undated += moment is None
        self.rated[item.id, pseudonym] = moment
        self._store(item, pseudonym, response, self.now if moment is None else moment)
        self.kept += 1

    def write(self) -> None:
        """Write the new ratings."""
        for table, rows in ((assignments, self.work), (answers, self.values), (answer_history, self.values)):
            if rows:
                self.connection.execute(table.insert(), rows)

    def notes(self, found: RatingImport) -> Iterable[str]:
        renamed = {name: pseudonym for name, pseudonym in self.names.items() if name != pseudonym}
        if renamed:
            yield "Pseudonyms that others have: " + ", ".join(f"{a} is now {b}" for a, b in renamed.items()) + "."
        if self.undated:
            yield f"{counted(self.undated, 'response')} without a time that can be read: counted as submitted now."
        absent = [scale for scale in found.scales if scale not in self.campaign.plan.form.titles]
        if absent:
            yield f"The campaign's form has no scale {', '.join(absent)}: its ratings were not imported."
        for scale, count in (+self.dropped).items():
            answers = counted(count, "answer")
            yield f"No answer that the form takes, or too long a text: {answers} to {scale}, not imported."

    def _items(self, response: Response) -> list[CampaignItem]:
        return items_rated(self.known.get(response.item, ()), response)

    def _rater(self, response: Response) -> str:
        if response.rater not in self.names:
            self.names[response.rater] = self._new_rater(response)
        return self.names[response.rater]

    def _new_rater(self, response: Response) -> str:
        wanted = response.rater[:12]
        free = wanted and wanted not in self.ids
        pseudonym = wanted if free else free_pseudonym(self.connection, self.campaign.id)
        rater = self.ids[pseudonym] = new_id()
        row = {"id": rater, "campaign": self.campaign.id, "pseudonym": pseudonym, "team": response.team}
        self.connection.execute(raters.insert().values(row | {"created": self.now}))
        # The file's addresses were replaced as it was read; nobody can sign in as this rater.
        nobody = {"rater": rater, "campaign": self.campaign.id, "name": "", "address": ""}
        self.connection.execute(people.insert().values(nobody))
        return pseudonym

    def _store(self, item: CampaignItem, pseudonym: str, response: Response, moment: float) -> None:
        self.position += 1
        key: dict[str, Any] = {"campaign": self.campaign.id, "item": item.id, "rater": self.ids[pseudonym]}
        times = {"opened": moment, "touched": moment, "submitted": moment, "seconds": 0.0}
        self.work.append(key | times | {"position": self.position})
        for question, value in self._answers(response, self.campaign.plan.form.bound(item.systems)).items():
            row = {"question": question, "value": json.dumps(value), "saved": moment, "version": 1}
            self.values.append(key | row)

    def _answers(self, response: Response, form: Form) -> dict[str, Answer]:
        given: dict[str, Answer] = {}
        for question, value in answers_of(response).items():
            try:
                given[question] = checked_answer(form, question, value)
            except BadInput:
                self.dropped[question] += question in form.titles
        for question, text in ((SUPPORT, response.support), (COMMENT, response.comment)):
            if len(text) > MAX_TEXT:
                self.dropped[question] += 1
            elif text and question in form.titles:
                given[question] = checked_answer(form, question, text)
        return given


def _same(first: float | None, second: float | None) -> bool:
    """Tell whether two times are the same, as far as files write them (milliseconds)."""
    return first is not None and second is not None and abs(first - second) < 0.0015


def _nothing_fits(items: Sequence[CampaignItem], responses: Sequence[Response]) -> str:
    given = ", ".join(sorted({response.item for response in responses})[:3]) or "no responses"
    known = ", ".join(sorted({item.item for item in items})[:3])
    return f"No rating is about an item of this campaign: it has items such as {known}, the file has {given}."
