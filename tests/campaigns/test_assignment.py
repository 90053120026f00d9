import random
from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.campaigns.assignment import (
    Assignment,
    Item,
    ItemKind,
    Quota,
    Rater,
    Snapshot,
    control_positions,
    kinds,
    live_ratings,
    next_item,
    own_team,
    share,
    superfluous,
)

HOUR = 3600.0


def items(*systems: str, controls: int = 0) -> tuple[Item, ...]:
    """One item for each name, made by the team of that name, and controls after them."""
    rated = [Item(name, name, False, f"i{place}", place) for place, name in enumerate(systems)]
    return (*rated, *(Item("gold", "", True, f"c{n}", len(systems) + n) for n in range(controls)))


TEN_EACH = Quota(1, 10, 0)


def snapshot(*given: Item, raters: tuple[Rater, ...], quota: Quota = TEN_EACH, seed: int = 7) -> Snapshot:
    return Snapshot(given, raters, (), quota, seed, now=0.0, stalled_seconds=HOUR)


def taken(before: Snapshot, rater: Rater, *, submitted: bool = True) -> Snapshot:
    """Let the rater take the next item, and hand it in unless they stall."""
    item = next_item(before, rater)
    assert item is not None
    return replace(before, assignments=(*before.assignments, Assignment(item, rater.id, before.now, submitted)))


def worked(before: Snapshot, turns: list[Rater]) -> Snapshot:
    """Let raters take and hand in items in this order; who finds nothing goes."""
    for rater in turns:
        item = next_item(before, rater)
        if item:
            before = replace(before, assignments=(*before.assignments, Assignment(item, rater.id, before.now, True)))
    return before


ANNA, BERT, CARA = Rater("a", "R01", "A"), Rater("b", "R02", "B"), Rater("c", "R03", "")


def test_a_team_is_known_by_its_system_and_whatever_its_capitals() -> None:
    assert own_team(ItemKind("Papelo", "", False), Rater("r", "R01", " PAPELO "))
    assert own_team(ItemKind("run 3", "CTU  AIC", False), Rater("r", "R01", "ctu aic"))
    assert not own_team(ItemKind("", "", False), Rater("r", "R01", ""))


def test_what_a_withdrawn_rater_had_open_is_free_at_once_and_what_they_submitted_is_not() -> None:
    gone = replace(ANNA, active=False)
    raters = (gone, BERT)
    open_one = taken(snapshot(*items("x"), raters=(ANNA, BERT)), ANNA, submitted=False)
    assert next_item(replace(open_one, raters=raters), BERT) == "i0"
    done = taken(snapshot(*items("x"), raters=(ANNA, BERT)), ANNA)
    assert next_item(replace(done, raters=raters), BERT) is None


def test_an_item_left_lying_is_superfluous_only_once_others_rated_it() -> None:
    here = taken(snapshot(*items("x"), raters=(ANNA, BERT)), ANNA, submitted=False)
    (assignment,) = here.assignments
    later = replace(here, now=2 * HOUR)
    assert not superfluous(assignment, later)
    assert superfluous(assignment, taken(later, BERT))


def test_of_equally_wanted_items_a_rater_gets_each_system_in_turn() -> None:
    here = snapshot(*items("x", "x", "x", "y", "y", "y"), raters=(CARA,))
    by_id = {item.id: item.system for item in here.items}
    for _ in range(6):
        here = taken(here, CARA)
    order = [by_id[assignment.item] for assignment in here.assignments]
    assert [set(order[start : start + 2]) for start in (0, 2, 4)] == [{"x", "y"}] * 3


def test_who_may_rate_anything_takes_first_what_others_may_not() -> None:
    # Bert and Cara have four turns for the four items of A; if Cara took one of B's, an item of A would be left over.
    raters = (ANNA, BERT, CARA)
    for seed in range(10):
        here = snapshot(*items("A", "A", "A", "A", "B", "B"), raters=raters, quota=Quota(1, 2, 0), seed=seed)
        here = worked(here, [CARA, CARA, ANNA, ANNA, BERT, BERT])
        assert len({assignment.item for assignment in here.assignments}) == 6


def test_controls_come_one_in_each_stretch_and_all_raters_get_some() -> None:
    # The shared task's: 35 items, 5 of them controls, so one in each 7.
    raters = tuple(Rater(f"r{n}", f"R{n:02}", "") for n in range(10))
    here = snapshot(*items(*["x"] * 200, controls=5), raters=raters, quota=Quota(2, 35, 5))
    here = worked(here, [rater for _ in range(35) for rater in raters])
    seen = Counter(assignment.item for assignment in here.assignments if assignment.item.startswith("c"))
    assert sum(seen.values()) == 10 * 5
    assert set(seen.values()) == {10}  # evenly over the five controls
    places = set()
    for rater in raters:
        mine = [assignment.item for assignment in here.assignments if assignment.rater == rater.id]
        at = [place for place, item in enumerate(mine) if item.startswith("c")]
        assert [place // 7 for place in at] == [0, 1, 2, 3, 4]
        places.add(tuple(at))
    assert len(places) > 5  # no two raters could tell each other where they are


def test_where_few_items_are_the_controls_are_still_spread_over_them() -> None:
    here = snapshot(*items("x", "x", "x", controls=2), raters=(CARA,), quota=Quota(1, 35, 5))
    assert share(kinds(here.items), CARA, here.quota) == (3, 2)
    here = worked(here, [CARA] * 9)
    assert sorted(assignment.item for assignment in here.assignments) == ["c0", "c1", "i0", "i1", "i2"]


def test_a_rater_who_comes_when_nothing_is_left_gets_no_control_either() -> None:
    here = snapshot(*items("x", controls=3), raters=(ANNA, CARA), quota=Quota(1, 4, 3))
    here = worked(here, [ANNA] * 4)
    assert len(here.assignments) == 4
    assert next_item(here, CARA) is None


def test_the_campaign_of_the_paper_ends_with_every_item_rated() -> None:
    # Six teams and two volunteers rate 30 items each besides their controls; one system's team does not rate.
    systems = ["CTU", "HerO", "Yellow", "OldJoe", "SANCTUARY", "Fathom", "HUMANE"]
    pool = items(*[systems[n % 7] for n in range(240)], controls=5)
    raters = tuple(Rater(f"r{n}", f"R{n:02}", (*systems[:6], "", "")[n]) for n in range(8))
    for seed in range(2):
        chance = random.Random(seed)
        # One after the other: the hardest case.
        turns = [rater for rater in chance.sample(raters, 8) for _ in range(35)]
        if seed % 2:
            chance.shuffle(turns)
        here = worked(snapshot(*pool, raters=raters, quota=Quota(1, 35, 5), seed=seed), turns)
        rated = Counter(assignment.item for assignment in here.assignments if assignment.item.startswith("i"))
        assert (len(rated), set(rated.values())) == (240, {1})


@given(
    systems=st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=12),
    teams=st.lists(st.sampled_from(["A", "B", "C", ""]), min_size=1, max_size=6),
    turns=st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.sampled_from([0.0, 60.0, 2 * HOUR])), max_size=60),
    wanted=st.integers(1, 3),
    controls=st.integers(0, 3),
    seed=st.integers(0, 2**31),
)
def test_laws_of_assignment(
    systems: list[str], teams: list[str], turns: list[tuple[int, bool, float]], wanted: int, controls: int, seed: int
) -> None:
    """Whoever comes, goes and stalls: never one's own team, never twice, never beyond what is wanted or due."""
    raters = tuple(Rater(f"r{n}", f"R{n:02}", team) for n, team in enumerate(teams))
    here = snapshot(*items(*systems, controls=controls), raters=raters, quota=Quota(wanted, 8, controls), seed=seed)
    by_id = {item.id: item for item in here.items}
    for who, hands_in, pause in turns:
        rater = raters[who % len(raters)]
        here = replace(here, now=here.now + pause)
        before = live_ratings(here)
        item = next_item(here, rater)
        assert item == next_item(here, rater)
        mine = {assignment.item for assignment in here.assignments if assignment.rater == rater.id}
        if item is None:
            continue
        assert item not in mine
        assert not own_team(by_id[item], rater)
        assert len(mine) < 8
        if not by_id[item].control:
            assert before[item] < wanted
            open_to_them = [i for i in here.items if not i.control and i.id not in mine and not own_team(i, rater)]
            assert before[item] == min(before[i.id] for i in open_to_them)
        here = replace(here, assignments=(*here.assignments, Assignment(item, rater.id, here.now, hands_in)))
    mine_controls = Counter(assignment.rater for assignment in here.assignments if by_id[assignment.item].control)
    assert all(number <= controls for number in mine_controls.values())


@settings(max_examples=4)
@given(seed=st.integers(0, 2**31), wanted=st.integers(1, 3), stalls=st.floats(0.0, 0.5))
def test_raters_who_come_go_and_stall_leave_every_item_with_its_ratings(seed: int, wanted: int, stalls: float) -> None:
    """Some raters stop for good in the middle of an item; those who stay rate all that is left, and no more."""
    chance = random.Random(seed)
    teams = ["A", "B", "C", "D", "", ""]
    raters = tuple(Rater(f"r{n}", f"R{n:02}", chance.choice(teams)) for n in range(12))
    stay = (*(Rater(f"s{n}", f"S{n:02}", team) for n, team in enumerate(teams)),)
    here = snapshot(
        *items(*[chance.choice("ABCD") for _ in range(30)], controls=3),
        raters=(*raters, *stay),
        quota=Quota(wanted, 200, 3),
        seed=seed,
    )
    gone: set[str] = set()
    for _ in range(120):
        here = replace(here, now=here.now + chance.choice([30.0, 300.0, 2000.0]))
        rater = chance.choice(raters)
        item = None if rater.id in gone else next_item(here, rater)
        if item is not None:
            stalled = chance.random() < stalls
            gone |= {rater.id} if stalled else set()
            here = replace(here, assignments=(*here.assignments, Assignment(item, rater.id, here.now, not stalled)))
    here = worked(replace(here, now=here.now + HOUR), [rater for rater in stay for _ in range(200)])
    rated = Counter(
        assignment.item for assignment in here.assignments if assignment.submitted and assignment.item.startswith("i")
    )
    assert {item.id: rated[item.id] for item in here.items if not item.control} == {
        item.id: wanted for item in here.items if not item.control
    }


@given(items_=st.integers(1, 60), controls=st.integers(0, 20), seed=st.integers(0, 1000))
def test_control_positions_lie_one_in_each_equal_stretch(items_: int, controls: int, seed: int) -> None:
    found = control_positions(ANNA, items_, controls, seed=seed)
    assert len(found) == controls == len(set(found))
    length = items_ + controls
    for number, place in enumerate(found):
        assert round(number * length / controls) < place <= round((number + 1) * length / controls)
