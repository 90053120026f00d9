"""The progress of a campaign: by rater and by item, how long a rating takes, and how carefully people rate."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from core.agreement.raters import ControlAccuracy, Straightness, answers_in_order, straightness
from core.agreement.ratings import RatingImport, Response
from core.campaigns.adjudication import answers_of
from core.campaigns.assignment import ItemKind, Rater, own_team
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey
from core.campaigns.types import Assigned, InvitedRater, Practice
from core.wording import counted

SECONDS_A_MINUTE = 60.0


@dataclass(frozen=True)
class RaterProgress:
    """One rater's work. `opened` counts the items that were begun, the submitted ones included.

    `minutes` is the median of the submitted ratings, None without a known time. `timed` counts those with one.
    `touched` is the time of the rater's last action, in seconds since 1970. `controls` and `straight` are None before
    there are answers, `practice` where the campaign has no practice items.
    """

    rater: str
    team: str
    opened: int
    submitted: int
    minutes: float | None
    touched: float | None
    controls: ControlAccuracy | None
    straight: Straightness | None
    timed: int = 0
    practice: Practice | None = None

    @property
    def uniform_share(self) -> float | None:
        """The share of items with one and the same value on all scales."""
        return self.straight.uniform / self.straight.n if self.straight and self.straight.n else None


@dataclass(frozen=True)
class ItemProgress:
    """One item's ratings; `submitted` leaves out excluded ones. `wanted` is 0 for controls."""

    item: CampaignItem
    opened: int
    submitted: int
    wanted: int


@dataclass(frozen=True)
class CampaignProgress:
    """A campaign's work. `submitted` of `wanted` ratings are there, counting no item more than it needs.

    `raters_left` counts the raters who can still give a missing rating. `words` is the median length of an item.
    """

    raters: tuple[RaterProgress, ...]
    items: tuple[ItemProgress, ...]
    submitted: int
    wanted: int
    minutes: float | None
    raters_left: int = 0
    words: float = 0.0

    @property
    def nobody_left(self) -> str:
        """A sentence on ratings that are missing where no rater is left to give them; else ""."""
        missing = self.wanted - self.submitted
        if not missing or self.raters_left:
            return ""
        return f"{counted(missing, 'rating is', 'ratings are')} missing and no rater is left: invite one."


def typical_words(plan: CampaignPlan) -> float:
    """Return the median of the words in an item's claim, questions and answers; 0 without items."""
    lengths = (
        len(one.claim.split()) + sum(len(pair.question.split()) + len(pair.answer.split()) for pair in one.evidence)
        for one in plan.items
    )
    return float(statistics.median([*lengths] or [0]))


def progress(
    plan: CampaignPlan,
    raters: Sequence[InvitedRater],
    assigned: Sequence[Assigned],
    ratings: RatingImport,
    practised: Mapping[str, Practice] | None = None,
) -> CampaignProgress:
    """Return a campaign's progress from its raters, assignments, submitted ratings and, by rater, practice items."""
    items = tuple(_item_progress(plan, assigned))
    keys = control_keys(plan.items)
    controls = {one.rater: one for one in controls_answered(ratings.responses, keys)}
    straight = {one.rater: one for one in straightness(answers_in_order(ratings.responses, ratings.scales))}
    by_rater: dict[str, list[Assigned]] = {rater.pseudonym: [] for rater in raters}
    for one in assigned:
        by_rater.setdefault(one.rater, []).append(one)
    return CampaignProgress(
        tuple(
            replace(
                _rater_progress(rater, by_rater[rater.pseudonym], controls, straight),
                practice=(practised or {}).get(rater.pseudonym),
            )
            for rater in raters
        ),
        items,
        submitted=sum(min(one.submitted, one.wanted) for one in items),
        wanted=sum(one.wanted for one in items),
        minutes=median_minutes(assigned),
        words=typical_words(plan),
        raters_left=sum(_can_go_on(plan, items, rater, by_rater[rater.pseudonym], practised) for rater in raters),
    )


def _can_go_on(
    plan: CampaignPlan,
    items: Sequence[ItemProgress],
    rater: InvitedRater,
    mine: Sequence[Assigned],
    practised: Mapping[str, Practice] | None,
) -> bool:
    """Tell whether a rater can still give a missing rating: there is an item, and room in their share."""
    practice = (practised or {}).get(rater.pseudonym)
    away = rater.expires is None and not rater.joined  # no link and no browser: imported, or withdrawn
    if rater.revoked or away or (practice and practice.failed):
        return False
    missing = {one.item.id: one.item for one in items if one.submitted < one.wanted}
    begun = {one.item for one in mine}
    if any(one.submitted is None and one.item in missing for one in mine):
        return True
    controls = {one.item.id for one in items if one.item.control}
    room = plan.items_per_rater - plan.controls_per_rater - len(begun - controls)
    asks = Rater(rater.id, rater.pseudonym, rater.team)
    foreign = (not own_team(ItemKind(one.system, one.team, one.control), asks) for one in missing.values())
    return room > 0 and any(fits and key not in begun for fits, key in zip(foreign, missing, strict=True))


def median_minutes(assigned: Iterable[Assigned]) -> float | None:
    """Return the median minutes of the submitted ratings with a measured time (imported ones have none)."""
    seconds = [one.seconds for one in assigned if one.submitted is not None and one.seconds > 0]
    return median(seconds) / SECONDS_A_MINUTE if seconds else None


def control_keys(items: Iterable[CampaignItem]) -> dict[tuple[str, str], ControlKey]:
    """Return the keys of the control items by (item, system)."""
    return {item.key: item.control_key for item in items if item.control_key is not None}


def controls_answered(
    responses: Iterable[Response], keys: Mapping[tuple[str, str], ControlKey]
) -> tuple[ControlAccuracy, ...]:
    """Return each rater's accuracy on the control items; one is right if all that its key checks is.

    A key that checks nothing is left out. Every rater who answered anything gets a line; one without controls has
    `share` None.
    """
    answered: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    raters = set()
    for response in responses:
        raters.add(response.rater)
        key = keys.get((response.item, response.system))
        if key and key != ControlKey():
            answered[response.rater] += 1
            correct[response.rater] += as_key(response, key)
    return tuple(ControlAccuracy(rater, answered[rater], correct[rater]) for rater in sorted(raters))


def as_key(response: Response, key: ControlKey) -> bool:
    """Tell whether a response agrees with the whole key; a missing answer does not."""
    return not key.wrong(answers_of(response))


def _item_progress(plan: CampaignPlan, assigned: Iterable[Assigned]) -> Iterable[ItemProgress]:
    opened: Counter[str] = Counter()
    submitted: Counter[str] = Counter()
    for one in assigned:
        opened[one.item] += 1
        submitted[one.item] += one.submitted is not None and one.counted
    for item in plan.items:
        wanted = 0 if item.control else plan.ratings_per_item
        yield ItemProgress(item, opened[item.id], submitted[item.id], wanted)


def _rater_progress(
    rater: InvitedRater,
    assigned: Sequence[Assigned],
    controls: Mapping[str, ControlAccuracy],
    straight: Mapping[str, Straightness],
) -> RaterProgress:
    return RaterProgress(
        rater=rater.pseudonym,
        team=rater.team,
        opened=len(assigned),
        submitted=sum(one.submitted is not None for one in assigned),
        minutes=median_minutes(assigned),
        touched=max((one.touched for one in assigned), default=None),
        controls=controls.get(rater.pseudonym),
        straight=straight.get(rater.pseudonym),
        timed=sum(one.submitted is not None and one.seconds > 0 for one in assigned),
    )


def practice_in_words(practice: Practice | None) -> str:
    """Return how many practice items were right, and whether that was enough; "–" before any is submitted."""
    if practice is None or not practice.done:
        return "–"
    words = f"{practice.right} of {practice.done}"
    return f"{words}, not qualified" if practice.failed else words
