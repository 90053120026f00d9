"""The draw: even over systems and halves, the same for the same seed, blind to the order of files."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.ratings import MajorError
from core.annotations import GoldAnswer, GoldClaim, GoldQuestion
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair, checked_plan
from core.campaigns.planning.sampling import (
    Stratum,
    even_shares,
    gold_controls,
    in_drawing_order,
    strata,
    stratified_sample,
)
from core.errors import BadInput
from core.types import Claim, Label


def item(number: int, system: str = "A", **changes: object) -> CampaignItem:
    made = CampaignItem(str(number), f"Claim {number}", (EvidencePair("q", "a"),), system)
    return replace(made, **changes)


def scored(count: int, system: str) -> list[CampaignItem]:
    return [item(n, system, scores={"m": n / 100}) for n in range(count)]


def test_three_systems_two_halves_twelve_items() -> None:
    pool = [*scored(10, "A"), *scored(7, "B"), *scored(30, "C")]
    drawn = stratified_sample(pool, n=12, seed=5, metric="m")
    assert Counter(one.stratum for one in drawn) == {
        f"{system} · {half}": 2 for system in "ABC" for half in ("low", "high")
    }
    lows = [one for one in drawn if one.stratum == "A · low"]
    assert all(int(one.item) < 5 for one in lows)
    # Seven items: three low ones, four high ones.
    assert strata(pool, drawn, seed=5, metric="m")[2:4] == (Stratum("B", "high", 4, 2), Stratum("B", "low", 3, 2))


def test_a_small_system_gives_all_it_has_and_the_others_more() -> None:
    drawn = stratified_sample([*scored(2, "A"), *scored(50, "B"), *scored(50, "C")], n=20, seed=1, metric="m")
    counts = Counter(one.system for one in drawn)
    assert counts == {"A": 2, "B": 9, "C": 9}


def test_controls_are_never_drawn_and_unscored_items_are_a_group_of_their_own() -> None:
    control = item(99, control=True, control_key=ControlKey())
    pool = [control, *scored(4, "A"), item(50), item(51)]
    drawn = stratified_sample(pool, n=3, seed=0, metric="m")
    assert sorted(one.stratum for one in drawn) == ["A · high", "A · low", "A · unscored"]
    assert len(stratified_sample(pool, n=100, seed=0, metric="m")) == 6


def test_a_sample_that_cannot_be_drawn() -> None:
    with pytest.raises(BadInput, match="at least one item"):
        stratified_sample(scored(3, "A"), n=0, seed=0)
    with pytest.raises(BadInput, match="bleu"):
        stratified_sample(scored(3, "A"), n=2, seed=0, metric="bleu")


pools = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from("ABCD"), st.none() | st.floats(0, 1)),
    max_size=40,
    unique_by=lambda one: one[:2],
).map(
    lambda rows: [item(number, system, scores={} if score is None else {"m": score}) for number, system, score in rows]
)


@given(pools, st.integers(1, 50), st.integers(0, 9), st.randoms())
def test_laws_of_the_draw(pool: list[CampaignItem], n: int, seed: int, chance: object) -> None:
    metric = "m" if any(one.scores for one in pool) else ""
    drawn = stratified_sample(pool, n=n, seed=seed, metric=metric)
    keys = [one.key for one in drawn]
    assert len(keys) == len(set(keys)) == min(n, len(pool))
    assert set(keys) <= {one.key for one in pool}
    # Nobody has two fewer than another and still something left.
    have, got = Counter(one.system for one in pool), Counter(one.system for one in drawn)
    assert all(got[a] + 1 >= got[b] or got[a] == have[a] for a in have for b in have)
    for system in have:
        groups = [g for g in strata(pool, drawn, seed=seed, metric=metric) if g.system == system]
        assert all(a.drawn + 1 >= b.drawn or a.drawn == a.available for a in groups for b in groups)
    shuffled = list(pool)
    chance.shuffle(shuffled)
    assert stratified_sample(shuffled, n=n, seed=seed, metric=metric) == drawn


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 20), max_size=6), st.integers(0, 100), st.integers())
def test_shares_are_even_and_use_everything(sizes: dict[str, int], n: int, seed: int) -> None:
    shares = even_shares(sizes, n, seed=seed)
    assert sum(shares.values()) == min(n, sum(sizes.values()))
    assert all(0 <= shares[name] <= sizes[name] for name in sizes)
    assert all(shares[a] + 1 >= shares[b] or shares[a] == sizes[a] for a in sizes for b in sizes)


def test_another_seed_draws_others() -> None:
    pool = scored(60, "A")
    draws = {tuple(one.item for one in stratified_sample(pool, n=10, seed=seed)) for seed in range(8)}
    assert len(draws) == 8


def test_the_draw_of_a_seed_stays_what_it_is() -> None:
    """A campaign's seed is written down: it must draw the same items in ten years."""
    assert [one.item for one in in_drawing_order(scored(6, "A"), 2024)] == ["4", "0", "1", "2", "3", "5"]


def gold(number: int, label: Label = Label.REFUTED, words: str = "") -> GoldClaim:
    answer = GoldAnswer(words or f"Answer {number}.", url="https://a.example")
    return GoldClaim(Claim(f"Claim {number}", id=str(number)), label, (GoldQuestion(f"Question {number}?", (answer,)),))


def test_controls_alternate_between_own_and_foreign_evidence() -> None:
    claims = [gold(n) for n in range(6)]
    made = gold_controls(claims, n=4, seed=0, without=[item(2), item(3)])
    assert len({one.item for one in made}) == 4
    assert {one.item for one in made} == {f"control-{n}" for n in (0, 1, 4, 5)}
    own, foreign = made[0], made[1]
    number = own.item.removeprefix("control-")
    assert own.evidence == (EvidencePair(f"Question {number}?", f"Answer {number}.", "https://a.example"),)
    assert own.control_key == ControlKey(
        MajorError.NONE, Label.REFUTED, {"semantic_coverage": (4, 5), "relevance": (4, 5)}
    )
    assert foreign.evidence != foreign.reference
    assert foreign.control_key == ControlKey(MajorError.IRRELEVANT)
    checked_plan(CampaignPlan("t", (item(2), item(3), *made), controls_per_rater=4))


def test_foreign_evidence_is_the_one_that_shares_fewest_words() -> None:
    claims = [
        gold(0, words="masks restrict breathing"),
        gold(1, words="masks restrict breathing badly"),
        gold(2, words="a bridge closed early"),
    ]
    foreign = [
        one for one in gold_controls(claims, n=2, seed=0) if one.control_key == ControlKey(MajorError.IRRELEVANT)
    ]
    expected = {"control-0": "a bridge closed early", "control-1": "a bridge closed early"}
    for one in foreign:
        assert one.item == "control-2" or one.evidence[0].answer == expected[one.item]


def test_only_clear_verdicts_make_controls() -> None:
    with pytest.raises(BadInput, match="there are 0"):
        gold_controls([gold(0, Label.CONFLICTING), gold(1, Label.NOT_ENOUGH_EVIDENCE)], n=1, seed=0)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"title": " "}, "needs a title"),
        ({"items": ()}, "no control"),
        ({"ratings_per_item": 0}, "at least 1"),
        ({"controls_per_rater": 35}, "fewer than 35"),
        ({"controls_per_rater": 2}, "but there are 1"),
        ({"items": (item(1), item(1))}, "item 1 of system A 2 times"),
        ({"items": (item(1), item(1, "B", control=True, control_key=ControlKey()))}, "make all or none"),
        ({"items": (item(1, control=True), item(2))}, "needs a key"),
        ({"items": (item(1, control_key=ControlKey()),)}, "no other has one"),
        ({"items": (item(1, claim=""),)}, "an id and a claim"),
        ({"items": (item(1, rank=10**400),)}, "its rank"),
    ],
)
def test_plans_that_cannot_be_made(changes: dict[str, object], says: str) -> None:
    control = item(9, control=True, control_key=ControlKey())
    plan = CampaignPlan("Title", (item(1), control), controls_per_rater=0 if "items" in changes else 1)
    checked_plan(CampaignPlan("Title", (item(1), control), controls_per_rater=1))
    with pytest.raises(BadInput, match=says):
        checked_plan(replace(plan, **changes))


def test_two_claims_under_one_id_are_allowed() -> None:
    checked_plan(CampaignPlan("t", (item(1), item(1, claim="Another claim")), controls_per_rater=0))
