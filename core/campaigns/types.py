"""A rater's and an organiser's view of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.campaigns.planning.form_questions import Answer
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.plans import CampaignPlan, EvidencePair
from core.campaigns.planning.rating_form import Form


class CampaignState(StrEnum):
    """Whether raters may work. A paused campaign goes on later; a closed one can be opened again."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


# For raters.


@dataclass(frozen=True)
class Practice:
    """A rater's qualification: `done` of `total` practice items are submitted, `right` of them as their keys say."""

    done: int
    total: int
    right: int
    pass_mark: int

    @property
    def failed(self) -> bool:
        """Whether all are submitted and too few of them right: there is no second try."""
        return self.done == self.total and self.right < self.pass_mark


@dataclass(frozen=True)
class Feedback:
    """Feedback on a practice item: a question, the rater's answer and the right one."""

    question: str
    given: str
    expected: str
    right: bool


@dataclass(frozen=True)
class MyCampaign:
    """A campaign as its rater sees it; `done` of `total` items are submitted.

    `seconds` is the median that the rater took for an item, None before the first.
    """

    id: str
    title: str
    state: CampaignState
    done: int
    total: int
    practice: Practice
    options: CampaignOptions
    form: Form
    seconds: float | None = None


@dataclass(frozen=True)
class ItemLine:
    """One of a rater's items; `answered` counts the questions with an answer."""

    id: str
    position: int
    claim: str
    submitted: bool
    answered: int


@dataclass(frozen=True)
class RatingItem:
    """A rater's view of an item; nothing else of it reaches the browser.

    `position` counts from 1. `reference` is empty until question 2 is answered. It stays empty if no scale needs it or
    the evidence has a major error. `predicted` is "" until question 2 is answered. `saved` is when the last answer
    was, in seconds since 1970; `seconds` the time spent so far. `form` has the scales that are asked of this item. A
    practice item's positions are among the practice items; once it is submitted, `feedback` has the right answers.
    Where evidence is compared, `sides` has that of each system, in the order that the rater sees.
    """

    id: str
    position: int
    total: int
    done: int
    claim: str
    about: dict[str, str]
    evidence: tuple[EvidencePair, ...]
    reference: tuple[EvidencePair, ...]
    predicted: str
    answers: dict[str, Answer]
    saved: float | None
    seconds: float
    submitted: bool
    form: Form
    practice: bool = False
    feedback: tuple[Feedback, ...] = ()
    label_first: bool = False
    sides: tuple[tuple[EvidencePair, ...], ...] = ()


# For organisers.


@dataclass(frozen=True)
class CampaignLine:
    """One campaign of the list. `items` leaves out the controls; `wanted` = items × ratings per item; `submitted`
    counts those done.
    """

    id: str
    title: str
    state: CampaignState
    created: float
    items: int
    controls: int
    raters: int
    submitted: int
    wanted: int


@dataclass(frozen=True)
class Campaign:
    """A campaign with its plan; the plan's items have their ids."""

    id: str
    plan: CampaignPlan
    state: CampaignState
    created: float


@dataclass(frozen=True)
class InvitedRater:
    """A rater as the organiser sees them, the only place with name, address and `external` id.

    `expires` is when the newest link ends (None: all were withdrawn), `joined` whether one was opened in some
    browser.
    """

    id: str
    pseudonym: str
    team: str
    name: str
    address: str
    created: float
    expires: float | None
    joined: bool
    revoked: bool
    external: str = ""


@dataclass(frozen=True)
class Link:
    """An invitation that can still be opened, or that somebody has a role by. `name` is no secret and opens nothing.

    `whom` describes its owner. `campaign` is the id of a campaign or task ("" for an organiser), `rater` a rater's id
    or "". `opened` counts the browsers and accounts that have its role.
    """

    name: str
    whom: str
    campaign: str
    rater: str
    created: float
    expires: float
    opened: int


@dataclass(frozen=True)
class Assigned:
    """One item in one rater's hands. `item` is the item's id in the campaign, `rater` a pseudonym.

    Times are in seconds since 1970; `seconds` is the time spent; `submitted` is None until it is. `counted` is false of
    items excluded or not judged.
    """

    item: str
    rater: str
    position: int
    opened: float
    touched: float
    submitted: float | None
    seconds: float
    counted: bool = True


@dataclass(frozen=True)
class Adjudication:
    """An organiser's decision on a disagreement; `item` is the item's id in the campaign."""

    item: str
    question: str
    value: Answer
    reason: str
    saved: float


@dataclass(frozen=True)
class Remark:
    """A rater's flag (`question` "flag") or "cannot_judge", with the reason in their words."""

    item: str
    question: str
    text: str
    saved: float


@dataclass(frozen=True)
class Exclusion:
    """One decision of the history: a rater's answers were left out of all figures, or taken back in.

    `rater` is a pseudonym, `item` the item's id in the campaign, "" for everything that the rater gave.
    """

    rater: str
    item: str
    excluded: bool
    reason: str
    saved: float
