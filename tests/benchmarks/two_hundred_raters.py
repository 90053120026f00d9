"""Two hundred raters on one campaign of 10,000 ratings: the last ones are given here, on PostgreSQL.

What a rater waits for is the next item, which is chosen from all ratings that are there, and the saving of an answer.
Raters come one after the other and think before each answer, as people do who read: they do not all press at one
instant.

    python -m tests.benchmarks.two_hundred_raters
"""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from core.agreement.compare import AgreementChoices
from core.agreement.ratings import MajorError
from core.campaigns.comparing import scored_items
from core.campaigns.organising import load_campaign
from core.campaigns.reliability import inter_rater_agreement
from core.campaigns.results import campaign_ratings
from core.storage.store import Store
from core.storage.tables import answers, assignments, members
from core.types import Label
from pages.agreement.agreement_files import Loaded
from pages.agreement.agreement_view import analysis_of
from tests.campaigns.builders import ORGANISER, Desk, desk, plan
from tests.load.test_forty_raters import Rater, Server
from tests.postgres import cluster, programs

RATERS, ITEMS, EACH, LOAD = 200, 2_000, 5, 50


@dataclass(frozen=True)
class Pace:
    """Raters come within `coming` seconds, think up to `thinking` seconds before an answer, and rate `items` items."""

    items: int
    thinking: float
    coming: float


PEOPLE = Pace(2, 20.0, 20.0)


@dataclass(frozen=True)
class Times:
    """What raters waited for, in seconds: for an item, for an answer to be saved; `took` is the whole."""

    opened: list[float]
    saved: list[float]
    took: float

    def __str__(self) -> str:
        return "\n".join(
            f"{what}: {1000 * percentile(times, 0.5):.0f} ms (median), {1000 * percentile(times, 0.95):.0f} ms (95 %), "
            f"{1000 * max(times):.0f} ms (longest) of {len(times):,} in {self.took:.0f} s"
            for what, times in (("next item", self.opened), ("answer saved", self.saved))
        )


def percentile(seconds: list[float], share: float) -> float:
    return sorted(seconds)[int(len(seconds) * share)]


def fill(there: Desk, owners: list[str], given: int) -> None:
    """Write `given` ratings of each rater, as even over the items as the campaign would have them."""
    items = [item.id for item in load_campaign(there.store, there.campaign, ORGANISER).plan.items]
    with there.store.transaction(writing=True) as connection:
        ids = {row.owner: row.rater for row in connection.execute(select(members))}
        now, work, rated = there.store.clock(), [], []
        for number, owner in enumerate(owners):
            for place in range(given):
                item = items[(number * given + place) % len(items)]
                key: dict[str, Any] = {"campaign": there.campaign, "item": item, "rater": ids[owner]}
                times = {"opened": now, "touched": now, "submitted": now, "seconds": 30.0, "position": place + 1}
                work.append(key | times)
                scales = {"semantic_coverage": str(1 + (number + place) % 5), "relevance": str(1 + place % 5)}
                values = {"error": f'"{MajorError.NONE}"', "verdict": f'"{Label.SUPPORTED}"', **scales}
                rated += [
                    key | {"question": question, "value": value, "saved": now, "version": 1}
                    for question, value in values.items()
                ]
        connection.execute(assignments.insert(), work)
        connection.execute(answers.insert(), rated)


@contextmanager
def filled_campaign(pace: Pace) -> Iterator[tuple[Desk, list[str]]]:
    """Yield a campaign on PostgreSQL in which each rater has so many items to go, and the raters."""
    folder = programs()
    if folder is None:
        raise SystemExit("PostgreSQL is not installed here: apt-get install postgresql")
    papers = plan(ITEMS, each=EACH)
    items = tuple(replace(item, scores={"secret metric": n / ITEMS}) for n, item in enumerate(papers.items))
    papers = replace(papers, items=items, items_per_rater=LOAD, controls_per_rater=0)
    with cluster(folder, durable=True) as running:
        there = desk(Store(running.new_database()), papers)
        owners = [f"{number:064}" for number in range(1, RATERS + 1)]
        for owner in owners:
            there.join(owner)
        fill(there, owners, LOAD - pace.items)
        yield there, owners


def come(rater: Rater, pace: Pace) -> None:
    """Come at some moment and rate; when all is rated the page asks for no further item."""
    time.sleep(rater.chance.uniform(0, pace.coming))
    try:
        for _ in range(pace.items):
            rater.rate(rater.ask("open", rater.campaign, rater.owner)["id"])
    except (AssertionError, OSError) as error:
        rater.trouble = f"{type(error).__name__}: {error}"


def rate(there: Desk, owners: list[str], pace: Pace, chance: random.Random) -> Times:
    """Let all raters rate what is left."""
    with closing(Server(there.store.engine.url.render_as_string(hide_password=False))) as server:
        raters = [Rater(owner, there.campaign, server.port, random.Random(chance.random())) for owner in owners]
        for rater in raters:
            rater.thinking_seconds = pace.thinking
        begun = time.perf_counter()
        with ThreadPoolExecutor(RATERS) as pool:
            for working in [pool.submit(come, rater, pace) for rater in raters]:
                working.result()
        took = time.perf_counter() - begun
    assert [rater.trouble for rater in raters if rater.trouble] == []
    assert sum(len(rater.submitted) for rater in raters) == RATERS * pace.items
    opened = [second for rater in raters for second in rater.opened]
    return Times(opened, [second for rater in raters for second in rater.seconds], took)


def agreement_seconds(there: Desk) -> tuple[float, float]:
    """Return how long the raters' agreement on Progress takes, and the first view of the page Agreement."""
    begun = time.perf_counter()
    campaign = load_campaign(there.store, there.campaign, ORGANISER)
    ratings = campaign_ratings(there.store, there.campaign, ORGANISER)
    assert len(ratings.responses) == RATERS * LOAD
    inter_rater_agreement(campaign.plan.items, ratings)
    live = time.perf_counter() - begun
    scored = scored_items(campaign)
    choice = AgreementChoices(scale=ratings.scales[0])
    begun = time.perf_counter()
    analysis_of(Loaded(ratings, scored, {}, campaign.plan.title), choice, ("pooled",))
    return live, time.perf_counter() - begun


if __name__ == "__main__":
    with filled_campaign(PEOPLE) as (filled, everyone):
        print(rate(filled, everyone, PEOPLE, random.Random(0)))
        print("agreement on Progress, page Agreement: {:.1f} s, {:.1f} s".format(*agreement_seconds(filled)))
