"""A campaign's items, with everything that raters see and everything that they must not."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cattrs.gen import make_dict_unstructure_fn, override

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import MajorError
from core.campaigns.planning.form_questions import FARTHEST, Answer, AnswerKind
from core.campaigns.planning.options import CampaignOptions, checked_options
from core.campaigns.planning.rating_form import ERROR, HIGHEST, LOWEST, STANDARD, VERDICT, Form, FormKind, checked_form
from core.dataclass_json import new_converter
from core.errors import BadInput, reason_of
from core.types import Label


@dataclass(frozen=True)
class EvidencePair:
    """One question-answer pair as raters read it, predicted or of the reference; `question` may be empty.

    `system` is "" but where an item has the evidence of several systems.
    """

    question: str
    answer: str
    url: str = ""
    scraped_text: str = ""
    system: str = ""


@dataclass(frozen=True)
class ControlKey:
    """The right answers to a control item; None, or a missing key of `scales`, is not checked.

    `scales` gives, by scale, the lowest and the highest rating that count as right. `own` gives the right answers to
    other questions of a form of one's own. The right choice is a system, or "tie".
    """

    error: MajorError | None = None
    verdict: Label | None = None
    scales: dict[str, tuple[int, int]] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)

    def wrong(self, answers: Mapping[str, Answer]) -> tuple[str, ...]:
        """Return the questions that are answered otherwise than the key says; one without an answer is."""
        if self.error is not None and answers.get(ERROR) != self.error:
            return (ERROR,)
        if answers.get(ERROR, MajorError.NONE) != MajorError.NONE:
            # A major error that the key does not ask for leaves its other questions unanswered.
            return () if self.error is not None or not (self.verdict or self.scales) else (ERROR,)
        verdict = (VERDICT,) if self.verdict is not None and answers.get(VERDICT) != self.verdict else ()
        return (
            *verdict,
            *(name for name, (low, high) in self.scales.items() if not low <= _number(answers.get(name)) <= high),
            *(name for name, right in self.own.items() if answers.get(name) != right),
        )

    @staticmethod
    def from_json(row: Mapping[str, Any]) -> ControlKey:
        """Return the key of a JSON object. Raises BadInput if it holds something else."""
        try:
            return ControlKey(
                MajorError(row["error"]) if row.get("error") else None,
                Label(row["verdict"]) if row.get("verdict") else None,
                {str(name): _range(both) for name, both in dict(row.get("scales") or {}).items()},
                {str(name): _str(right) for name, right in dict(row.get("own") or {}).items()},
            )
        except (ValueError, TypeError, OverflowError) as error:
            raise BadInput(f"A control item's key cannot be read ({reason_of(error)}).") from error


@dataclass(frozen=True)
class CampaignItem:
    """One system's evidence for one claim. `id` is empty until the campaign is created.

    Files of scores know it by `item` and `system`. With the evidence of several systems, `system` names all of them,
    with `BETWEEN_SYSTEMS` between, and so does `team`. `team` made the system: that team's raters do not get it.
    `rank` is the system's place on a leaderboard, from 1. `about` may have "speaker", "date" and "source". `stratum`
    names the group that it was drawn from, `scores` are by metric. Only controls have a `control_key`.
    """

    item: str
    claim: str
    evidence: tuple[EvidencePair, ...]
    system: str = ""
    team: str = ""
    rank: int | None = None
    about: dict[str, str] = field(default_factory=dict)
    predicted: Label | None = None
    gold: Label | None = None
    reference: tuple[EvidencePair, ...] = ()
    control: bool = False
    control_key: ControlKey | None = None
    stratum: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    id: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The item's key in files: its id there, and the system."""
        return self.item, self.system

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of an item that compares evidence, in the order of their names."""
        return tuple(self.system.split(BETWEEN_SYSTEMS))

    @staticmethod
    def from_json(row: Mapping[str, Any]) -> CampaignItem:
        """Return the item of a JSON object, without its id. Raises BadInput if a field holds something else."""
        try:
            return CampaignItem(
                item=_str(row["item"]),
                claim=_str(row["claim"]),
                evidence=_pairs(row["evidence"]),
                system=_str(row.get("system", "")),
                team=_str(row.get("team", "")),
                rank=int(row["rank"]) if row.get("rank") is not None else None,
                about={str(k): str(v) for k, v in dict(row.get("about") or {}).items()},
                predicted=Label(row["predicted"]) if row.get("predicted") else None,
                gold=Label(row["gold"]) if row.get("gold") else None,
                reference=_pairs(row.get("reference") or ()),
                control=row.get("control", False) is True,
                control_key=ControlKey.from_json(dict(row["control_key"])) if row.get("control_key") else None,
                stratum=_str(row.get("stratum", "")),
                scores=_scores(dict(row.get("scores") or {})),
            )
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise BadInput(f"Item {str(row.get('item', ''))[:40]!r} cannot be read ({reason_of(error)}).") from error


@dataclass(frozen=True)
class CampaignPlan:
    """Everything that a campaign is created from. `seed` drew its items and orders them for each rater.

    The defaults are the shared task's: each rater gets 35 items, 5 of them controls. `practice` items are first, in
    their order. Each rater reads the answers of their keys, and they count nowhere.
    """

    title: str
    items: tuple[CampaignItem, ...]
    form: Form = STANDARD
    seed: int = 0
    ratings_per_item: int = 1
    items_per_rater: int = 35
    controls_per_rater: int = 5
    practice: tuple[CampaignItem, ...] = ()
    options: CampaignOptions = field(default_factory=CampaignOptions)


def checked_plan(plan: CampaignPlan) -> CampaignPlan:
    """Return the plan if a campaign can be made of it. Raises BadInput with the fault and the way out."""
    checked_form(plan.form)
    if not plan.title.strip():
        raise BadInput("A campaign needs a title.")
    if not any(not item.control for item in plan.items):
        raise BadInput("A campaign needs at least one item that is no control.")
    if plan.ratings_per_item < 1 or plan.items_per_rater < 1 or plan.controls_per_rater < 0:
        raise BadInput("Ratings per item and items per rater must be at least 1, controls per rater at least 0.")
    if plan.controls_per_rater >= plan.items_per_rater:
        raise BadInput(f"Of {plan.items_per_rater} items per rater, fewer than {plan.items_per_rater} can be controls.")
    controls = sum(item.control for item in plan.items)
    if plan.controls_per_rater > controls:
        raise BadInput(
            f"Each rater should get {plan.controls_per_rater} control items, but there are {controls}: add some or "
            "ask for fewer."
        )
    _refuse_duplicates(plan.items)
    _refuse_shared_ids(plan.items)
    _check_practice(plan)
    for item in plan.items:
        _check_item(item)
    for item in (*plan.items, *plan.practice):
        _check_fit(item, plan.form)
    return plan


PLAIN = new_converter()
"""Writes items as JSON. Keys that only own forms need are left out if empty."""
_FILLED = override(omit_if_default=True)
PLAIN.register_unstructure_hook(EvidencePair, make_dict_unstructure_fn(EvidencePair, PLAIN, system=_FILLED))
PLAIN.register_unstructure_hook(ControlKey, make_dict_unstructure_fn(ControlKey, PLAIN, own=_FILLED))


def pairs_from_json(text: str) -> tuple[EvidencePair, ...]:
    """Return the evidence that the database keeps as a list of objects."""
    return tuple(EvidencePair(**pair) for pair in json.loads(text))


def _refuse_duplicates(items: Iterable[CampaignItem]) -> None:
    # Two claims under one id do occur: in finished ratings with a mistyped id.
    for (item, system, _), count in Counter((*item.key, item.claim) for item in items).items():
        if count > 1:
            where = f"item {item}" + (f" of system {system}" if system else "")
            raise BadInput(f"The campaign has {where} {count} times: keep one.")


def _check_practice(plan: CampaignPlan) -> None:
    checked_options(plan.options, len(plan.practice))
    taken = {item.claim for item in plan.items}
    for item in plan.practice:
        _check_item(item)
        if not item.control or item.control_key == ControlKey():
            raise BadInput(f"Practice item {item.item} needs a key: raters read the right answers.")
        if item.claim in taken:
            raise BadInput(f"The claim of practice item {item.item} is also to be rated: leave one of them out.")


def _refuse_shared_ids(items: Iterable[CampaignItem]) -> None:
    """Control items are left out of figures by id, so that no other item may have theirs."""
    ids: dict[bool, set[str]] = {True: set(), False: set()}
    for item in items:
        ids[item.control].add(item.item)
    for shared in sorted(ids[True] & ids[False])[:1]:
        raise BadInput(f"Item {shared} is a control of one system and none of another: make all or none of them one.")


def _check_item(item: CampaignItem) -> None:
    if not item.item.strip() or not item.claim.strip():
        raise BadInput(f"Every item needs an id and a claim; one has {item.item[:40]!r} and {item.claim[:40]!r}.")
    # The databases' integers end there.
    if item.rank is not None and abs(item.rank) >= 2**31:
        raise BadInput(f"Item {item.item}: its rank is no place on a leaderboard (1, 2, 3 …).")
    if item.control != (item.control_key is not None):
        raise BadInput(f"Item {item.item}: a control item needs a key with the right answers, and no other has one.")


def _check_fit(item: CampaignItem, form: Form) -> None:
    """Raise BadInput if the form cannot ask about an item, or if no answer can match its key."""
    if form.kind is not FormKind.RATING:
        there = {pair.system for pair in item.evidence}
        if len(set(item.systems)) != form.kind.systems or not there <= set(item.systems):
            raise BadInput(f"Item {item.item}: a {form.kind} form compares {form.kind.systems} systems' evidence.")
    key = item.control_key
    if key is None:
        return
    if form.own and (key.error is not None or key.verdict is not None):
        raise BadInput(f"Item {item.item}: its key is about the shared task's questions. Give `own` and `scales`.")
    for name, (low, high) in key.scales.items():
        numbers = [int(one.value) for one in form.question(name).options] if form.own else [LOWEST, HIGHEST]
        if not numbers or not numbers[0] <= low <= high <= numbers[-1]:
            raise BadInput(f"Item {item.item}: the key of {name} has {low} to {high}, which is no range of its scale.")
    asked = form.bound(item.systems)
    for name, right in key.own.items():
        if asked.question(name).answer is AnswerKind.SCALE or asked.question(name).checked(right) != right:
            raise BadInput(f"Item {item.item}: the form does not take the key's answer to {name}.")


def _range(both: Any) -> tuple[int, int]:
    low, high = (int(end) for end in both)
    if not -FARTHEST <= low <= high <= FARTHEST:
        raise ValueError(f"{low} to {high} is no range of a scale")
    return low, high


def _number(answer: Answer | None) -> float:
    return answer if isinstance(answer, int) else math.nan


def _pairs(rows: Any) -> tuple[EvidencePair, ...]:
    return tuple(EvidencePair(**{str(name): _str(value) for name, value in dict(row).items()}) for row in rows)


def _scores(row: dict[Any, Any]) -> dict[str, float]:
    scores = {str(name): float(value) for name, value in row.items()}
    for name, value in scores.items():
        if not math.isfinite(value):
            raise ValueError(f"the {name} score is no finite number")
    return scores


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {str(value)[:40]!r}")
    return value
