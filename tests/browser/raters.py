"""A rating campaign on a server of its own, with marks planted wherever a rater must not look."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, Response, WebSocket, expect
from sqlalchemy import ScalarSelect, func, select, update

from core.agreement.ratings import MajorError
from core.campaigns.access import command_line
from core.campaigns.inviting import invite_rater
from core.campaigns.organising import create_campaign
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import Form
from core.campaigns.planning.scales import COVERAGE, EARLIER, RELEVANCE
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.storage.store import Store
from core.storage.tables import answers, assignments, campaign_items, raters
from core.types import Label
from tests.browser.conftest import served

ALL_SCALES = Form((COVERAGE, *EARLIER, RELEVANCE))
SECRETS = (
    "SecretGold",
    "SecretKey",
    "SecretSystem",
    "SecretScore",
    "SecretStratum",
    "SecretItem",
    "SecretTeam",
    "SecretComment",
    "SecretName",
    "SecretAddress",
)
OTHER = "b" * 64
PREDICTED = "SecretPredicted"
REFERENCE = "SecretReference"
HOSTILE = "</p><script>document.title = 'taken'</script><img src=http://evil.example/x onerror=alert(1)> **bold** $x$"


@dataclass(frozen=True)
class Campaign:
    """A campaign in the database at `url`, served at `address`."""

    address: str
    url: str
    id: str

    @property
    def store(self) -> Store:
        return Store(self.url)

    def link(self) -> str:
        """Return the path of a new rater's invitation."""
        store = self.store
        who = (command_line(store), "SecretName", f"SecretAddress{time.time_ns()}", "SecretTeam2")
        token = invite_rater(store, self.id, *who, days=1)
        return f"{self.address}/rate?invite={token}"

    def answers(self) -> dict[str, dict[str, object]]:
        """Return the answers of the rater invited last, by claim and question."""
        wanted = (
            select(campaign_items.c.claim, answers.c.question, answers.c.value)
            .join(campaign_items, campaign_items.c.id == answers.c.item)
            .where(answers.c.rater == invited_last())
        )
        found: dict[str, dict[str, object]] = {}
        with self.store.transaction() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.claim, {})[row.question] = json.loads(row.value)
        return found

    def seconds(self) -> list[float]:
        """Return the time that the rater invited last spent on each item, in seconds."""
        wanted = select(assignments.c.seconds).where(assignments.c.rater == invited_last())
        with self.store.transaction() as connection:
            return list(connection.scalars(wanted.order_by(assignments.c.position)))


def invited_last() -> ScalarSelect[str]:
    return select(raters.c.id).order_by(raters.c.created.desc()).limit(1).scalar_subquery()


def pair(number: int) -> EvidencePair:
    answer = f"Answer {number}: nobody on the Moon has seen it. {HOSTILE}"
    scraped = f"Scraped text {number}. {HOSTILE} " * 30
    return EvidencePair(f"Question {number}: can it be seen?", answer, f"https://www.example.org/{number}", scraped)


def item(number: int, *, control: bool = False) -> CampaignItem:
    return CampaignItem(
        item=f"SecretItem{number}",
        claim=f"Claim {number}: the wall can be seen from the Moon",
        evidence=tuple(pair(place) for place in range(1, 4)),
        system="SecretSystem",
        team="SecretTeam",
        about={"speaker": "Jane Doe", "date": "2020-05-01"},
        predicted=Label.REFUTED,
        gold=Label.SUPPORTED,
        reference=(EvidencePair("What do astronauts say?", f"{REFERENCE}{number}: it is too narrow."),),
        control=control,
        control_key=ControlKey(error=MajorError.NONE, scales={"relevance": (4, 5)}) if control else None,
        stratum="SecretStratum",
        scores={"SecretScore": 0.25},
    )


@contextmanager
def served_campaign(home: Path, *, items: int, controls: int = 1, form: Form = ALL_SCALES) -> Iterator[Campaign]:
    """Serve a campaign as `made_campaign` makes it."""
    url, campaign = made_campaign(home, items=items, controls=controls, form=form)
    with served(home) as address:
        yield Campaign(address, url, campaign)


def made_campaign(home: Path, *, items: int, controls: int = 1, form: Form = ALL_SCALES) -> tuple[str, str]:
    """Return database and id of a campaign in which every rater gets all items; another one has rated all of them."""
    url = f"sqlite:///{home / 'veridesk.db'}"
    store = Store(url)
    rated = tuple(item(number, control=number > items - controls) for number in range(1, items + 1))
    plan = CampaignPlan("A campaign", rated, form, 1, 100, items, controls)
    organiser = command_line(store)
    campaign = create_campaign(store, organiser, plan)
    plant(store, campaign)
    rate_as_another(store, campaign, organiser)
    return url, campaign


def plant(store: Store, campaign: str) -> None:
    """Write marks where the database keeps what no rater may see; a label is one of four, and no mark."""
    of_campaign = update(campaign_items).where(campaign_items.c.campaign == campaign)
    marks = {"gold": "SecretGold", "predicted": PREDICTED + func.substr(campaign_items.c.claim, 7, 1)}
    with store.transaction(writing=True) as connection:
        connection.execute(of_campaign.values(marks))
        connection.execute(
            of_campaign.where(campaign_items.c.control).values(control_key=json.dumps({"note": "SecretKey"}))
        )


def rate_as_another(store: Store, campaign: str, organiser: str) -> None:
    redeem(store, invite_rater(store, campaign, organiser, "SecretName", "SecretAddress", "", days=1), OTHER)
    while found := open_item(store, campaign, OTHER):
        save_answer(store, campaign, found.id, OTHER, "error", MajorError.EMPTY)
        save_answer(store, campaign, found.id, OTHER, "comment", "SecretComment")
        submit_item(store, campaign, found.id, OTHER, 1.0)


class Wire:
    """All that a page was sent: frames of its websockets, and responses."""

    def __init__(self, page: Page) -> None:
        self.frames: list[bytes] = []
        self.responses: list[Response] = []
        self.bodies: dict[Response, bytes] = {}
        page.on("websocket", self.listen)
        page.on("response", lambda response: self.responses.append(response))

    def listen(self, socket: WebSocket) -> None:
        socket.on(
            "framereceived", lambda frame: self.frames.append(frame.encode() if isinstance(frame, str) else frame)
        )

    def has(self, words: str) -> bool:
        bodies = (self.body(response) for response in self.responses if response.ok)
        return any(words.encode() in sent for sent in (*self.frames, *bodies))

    def body(self, response: Response) -> bytes:
        """Return the body, asked of the browser once: all scripts together are some megabytes."""
        if response not in self.bodies:
            self.bodies[response] = response.body()
        return self.bodies[response]


def ratings_in(page: Page, done: int, wanted: int) -> None:
    """Wait until the campaign shown has so many of its ratings."""
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("aria-valuenow", str(done))
    expect(bar).to_have_attribute("aria-valuemax", str(wanted))


def panel(page: Page) -> Locator:
    """Return the panel that asks the questions."""
    return page.get_by_role("region", name="Question", exact=True)


def begin(page: Page) -> None:
    """Go from the campaign's cover to the item that is next."""
    page.get_by_role("button", name="Start").or_(page.get_by_role("button", name="Go on")).first.wait_for()
    page.keyboard.press("Enter")
    panel(page).wait_for()


def at_step(page: Page, step: str) -> None:
    expect(panel(page)).to_have_attribute("data-step", step)


def slow_down(page: Page, times: float) -> None:
    """Let the page's scripts run so many times slower, as on a busy machine."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": times})


def saved(page: Page) -> None:
    """Wait until all that was answered is said to be saved."""
    expect(page.locator(".vd-panel:not([data-waiting]) .vd-status")).to_contain_text("Saved")
