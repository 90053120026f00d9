"""A form of one's own: its TOML, which mistakes it names, and its answers through campaign, exports and agreement."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.agreement.analysis import rater_agreement
from core.agreement.own_questions import own_question, span_overlap
from core.agreement.ratings import read_ratings
from core.agreement.recipes import RECIPES
from core.campaigns.comparing import win_rates
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.exchange.rating_exports import ratings_csv, ratings_jsonl
from core.campaigns.exchange.study import create_from_study, study_of
from core.campaigns.exchange.study_files import read_study, to_zip
from core.campaigns.organising import load_campaign
from core.campaigns.planning.comparisons import comparison_items
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import Form, FormKind
from core.campaigns.progress import control_keys, controls_answered
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.reliability import raters_agreement
from core.campaigns.results import campaign_ratings
from core.errors import BadInput
from core.storage.store import Store
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk, plan

CARLA = "c" * 64


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'v.db'}")


OWN = """
[[questions]]
name = "clarity"
title = "Clarity"
question = "How clear is it?"
answer = "scale"
low = 1
high = 7
ends = ["Not at all", "Entirely"]
measure = "interval"

[[questions]]
name = "tone"
title = "Tone"
question = "How does it sound?"
labels = ["neutral", "loaded, \\"quoted\\""]

[[questions]]
name = "harm"
title = "Harm"
question = "How harmful is the claim?"
labels = ["low", "medium", "high"]
measure = "ordinal"

[[questions]]
name = "why"
title = "Why"
question = "Why?"
answer = "text"

[[questions]]
name = "proof"
title = "Proof"
question = "Which sentences decide?"
answer = "spans"
required = false
"""
PAIRWISE = """
kind = "pairwise"
[[questions]]
name = "better"
title = "Better evidence"
question = "Which evidence is better?"
"""
BEST_WORST = PAIRWISE.replace("pairwise", "best-worst")
QUESTION = '[[questions]]\nname = "tone"\ntitle = "Tone"\nquestion = "How?"\n'


def systems(*names: str, claims: int = 2) -> list[CampaignItem]:
    return [
        CampaignItem(
            f"claim-{number}",
            f"Claim {number} is true.",
            (EvidencePair("Is it?", f"Answer of {name}."),),
            system=name,
            team=f"team {name}",
        )
        for number in range(claims)
        for name in names
    ]


def compared(store: Store, form: Form, *names: str) -> Desk:
    items = comparison_items(systems(*names), form.kind).items
    return desk(store, CampaignPlan("Compared", items, form, 3, 3, len(items), 0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no question"),
        (QUESTION, "'tone' needs two labels"),
        (QUESTION + 'labels = ["a", "b"]\n' + QUESTION + 'labels = ["a", "b"]', "Two questions are named 'tone'"),
        (QUESTION + f"labels = {[str(n) for n in range(500)]}", "'tone' has 500 labels; the limit is 50"),
        (QUESTION + 'labels = ["a", "a"]', "'tone' has the label 'a' twice"),
        (QUESTION + 'labels = ["a", "b ] c"]', "'tone' cannot have the label"),
        (QUESTION + 'lables = ["a"]', "'tone' has the unknown key 'lables'"),
        ("size = 3\n" + QUESTION, "The form has the unknown key 'size'"),
        (QUESTION + 'answer = "slider"', "'tone': answer is one of scale"),
        (QUESTION + 'answer = "scale"\nlow = 7\nhigh = 1', "a scale cannot go from 7 to 1"),
        (QUESTION + 'answer = "scale"\nlow = -1\nhigh = 100', "'tone' needs a scale"),
        (QUESTION + 'answer = "scale"\nends = ["low"]', "ends has 1 texts"),
        (QUESTION + 'answer = "text"\nlabels = ["a", "b"]', "labels belongs to no question"),
        (QUESTION + 'labels = ["a", 3]', "labels must be a list of texts"),
        (QUESTION + 'required = "yes"', "required must be true or false"),
        (QUESTION.replace('"tone"', '"system"') + 'labels = ["a", "b"]', "cannot be named 'system'"),
        (QUESTION.replace('"tone"', "3") + 'labels = ["a", "b"]', "Question 1: name must be a text"),
        ("questions = 3", r"begin each with a line \[\[questions\]\]"),
        ('kind = "ranking"\n' + QUESTION, "kind is one of rating, pairwise, best-worst"),
        ('kind = "pairwise"\n' + QUESTION + 'labels = ["a", "b"]\nanswer = "labels"', 'with answer = "choice"'),
        ('language = "xx"\n' + QUESTION + 'labels = ["a", "b"]', "no language 'xx'"),
        (OWN + "#" * 60_000, "characters; the limit is 50,000"),
        (QUESTION + 'answer = "choice"', "'tone': answer is one of scale, labels, text, spans"),
        ("[[", "is not TOML"),
    ],
)
def test_a_form_that_cannot_be_asked_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_form("form.toml", text)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"measure": "choice"}, "choice measures no answer of the kind labels"),
        ({"answer": "choice", "measure": "choice"}, "a rating form takes no answer of the kind choice"),
        ({"options": [{"value": "a", "words": "a"}]}, "needs two labels"),
        ({"answer": "scale", "measure": "ordinal"}, "cannot be read"),
        ({"options": 3}, "cannot be read"),
    ],
)
def test_a_kept_form_that_somebody_changed_is_refused(change: dict[str, object], says: str) -> None:
    row = json.loads(read_form("form.toml", QUESTION + 'labels = ["a", "b"]').to_json())
    row["questions"][0] |= change
    with pytest.raises(BadInput, match=says):
        Form.from_json(json.dumps(row))


@pytest.mark.parametrize("text", [OWN, PAIRWISE, BEST_WORST])
def test_a_form_reads_back_as_it_was(text: str) -> None:
    form = read_form("form.toml", text)
    assert Form.from_json(form.to_json()) == form


def test_a_columns_title_describes_its_question() -> None:
    for question in read_form("form.toml", OWN).own:
        assert own_question(question.exported().title) == question.exported()
    assert own_question("Comment [text") is None


@pytest.fixture
def own(store: Store) -> Desk:
    """A campaign with a form of its own that two raters have answered: two items and a control each."""
    key = ControlKey(scales={"clarity": (6, 7)}, own={"harm": "low"})
    control = replace(plan(1, controls=1).items[1], control_key=key)
    items = (*plan(2).items, control)
    there = desk(store, CampaignPlan("Own", items, read_form("form.toml", OWN), 7, 3, 3, 1))
    for owner, clarity in ((ANNA, 7), (BERT, 5)):
        there.join(owner)
        for _ in range(3):
            found = there.open(owner)
            # Both mark all of the answer in half of the items, and only Anna in the other one.
            proof = "1:0-9" if owner == ANNA or found.claim == "Claim 1 is true." else ""
            given = {"clarity": clarity, "tone": 'loaded, "quoted"', "harm": "low", "why": "Because.", "proof": proof}
            there.save(found.id, owner, **given)
            submit_item(store, there.campaign, found.id, owner, 1.0)
    return there


def test_answers_outside_the_form_are_refused(own: Desk) -> None:
    own.join(CARLA)
    found = own.open(CARLA)
    for question, value, says in (
        ("clarity", 8, "from 1 to 7"),
        ("tone", "loud", "one of neutral"),
        ("proof", "1:0-9000", "no place 1:0-9000"),
        ("proof", "9:0-1", "no place 9:0-1"),
        ("proof", "everything", "places in the evidence"),
        ("verdict", "Supported", "no question 'verdict'"),
    ):
        with pytest.raises(BadInput, match=says):
            save_answer(own.store, own.campaign, found.id, CARLA, question, value)
    with pytest.raises(BadInput, match=r"Clarity, Tone, Harm\."):
        submit_item(own.store, own.campaign, found.id, CARLA, 1.0)


@pytest.mark.parametrize(("name", "export"), [("r.csv", ratings_csv), ("r.jsonl", ratings_jsonl)])
def test_an_export_reads_back_as_it_was_and_gives_the_same_agreement(own: Desk, name: str, export: object) -> None:
    there = campaign_ratings(own.store, own.campaign, ORGANISER)
    found = read_ratings(name, export(there).encode())  # type: ignore[operator]
    facts = [(one.item, one.rater, one.ratings, one.own, one.control) for one in found.responses]
    assert facts == [(one.item, one.rater, one.ratings, one.own, one.control) for one in there.responses]
    assert (found.own, found.report.ignored_columns) == (there.own, ())
    alphas = rater_agreement(found, "", RECIPES["default"], {}).alphas
    assert {name: alpha.level for name, alpha in alphas.items()} == {
        "clarity": "interval",
        "tone": "nominal",
        "harm": "ordinal",
    }
    table = raters_agreement(own.store, ORGANISER, load_campaign(own.store, own.campaign, ORGANISER))
    assert [(row[0], row[1]) for row in table.rows[:1]] == [("Clarity", alphas["clarity"].value)]
    assert "0.50 of marked characters" in str(table.rows[3][4])


def test_a_study_comes_back_and_finished_ratings_go_in(own: Desk) -> None:
    study = study_of(own.store, own.campaign, ORGANISER)
    again = create_from_study(own.store, ORGANISER, read_study("study.zip", to_zip(study)))
    assert study_of(own.store, again, ORGANISER) == study
    found = read_ratings("r.csv", ratings_csv(campaign_ratings(own.store, own.campaign, ORGANISER)).encode())
    empty = desk(own.store, load_campaign(own.store, own.campaign, ORGANISER).plan)
    assert import_ratings(own.store, empty.campaign, ORGANISER, found).kept == 6
    first, second = (campaign_ratings(own.store, one, ORGANISER).responses for one in (own.campaign, empty.campaign))
    assert {(one.item, one.rater, one.ratings["clarity"]) for one in first} == {
        (one.item, one.rater, one.ratings["clarity"]) for one in second
    }


def test_controls_are_checked_by_the_forms_own_questions(own: Desk) -> None:
    items = load_campaign(own.store, own.campaign, ORGANISER).plan.items
    ratings = campaign_ratings(own.store, own.campaign, ORGANISER)
    found = controls_answered(ratings.responses, control_keys(items))
    assert [(one.answered, one.correct) for one in found] == [(1, 1), (1, 0)]


def test_a_key_that_no_answer_matches_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="shared task's questions"):
        desk(store, plan(1, controls=1, form=read_form("form.toml", OWN)))


def test_overlap_counts_characters() -> None:
    assert span_overlap(["1:0-10", "1:5-15"]) == pytest.approx(5 / 15)
    assert span_overlap(["", ""]) == 1.0
    assert span_overlap(["1:0-10"]) is None


def test_comparisons_are_every_pair_of_a_claims_systems() -> None:
    found = comparison_items([*systems("a", "b", "c"), *systems("d", claims=1)], FormKind.PAIRWISE)
    assert sorted({item.system for item in found.items}) == ["a | b", "a | c", "a | d", "b | c", "b | d", "c | d"]
    assert [pair.system for pair in found.items[0].evidence] == ["a", "b"]
    with pytest.raises(BadInput, match="evidence of 4 systems"):
        comparison_items(systems("a", "b"), FormKind.BEST_WORST)


def test_letters_are_in_a_new_order_for_each_rater_and_answers_are_kept_by_system(store: Store) -> None:
    there = compared(store, read_form("form.toml", PAIRWISE), "alpha", "beta")
    orders = set()
    for owner in (ANNA, BERT, CARLA):
        there.join(owner)
        for _ in range(2):
            found = there.open(owner)
            assert [one.value for one in found.form.own[0].options] == ["A", "B", "tie"]
            order = [side[0].system for side in found.sides]
            assert order == [side[0].system for side in there.open(owner, found.id).sides]
            orders.add(tuple(order))
            there.save(found.id, owner, better="AB"[order.index("beta")])
            assert there.open(owner, found.id).answers == {"better": "AB"[order.index("beta")]}
            submit_item(store, there.campaign, found.id, owner, 1.0)
    assert orders == {("alpha", "beta"), ("beta", "alpha")}
    ratings = campaign_ratings(store, there.campaign, ORGANISER)
    assert {(one.system, (one.own or {})["better"]) for one in ratings.responses} == {("alpha | beta", "beta")}
    table = win_rates(read_form("form.toml", PAIRWISE), ratings)
    assert table.rows == (("Better evidence", "beta", 6, 6, 0, 0, 1.0), ("Better evidence", "alpha", 6, 0, 0, 6, 0.0))
    found = read_ratings("r.csv", ratings_csv(ratings).encode())
    assert rater_agreement(found, "", RECIPES["default"], {}).alphas["better"].level == "nominal"
    study = study_of(store, there.campaign, ORGANISER)
    again = create_from_study(store, ORGANISER, read_study("study.zip", to_zip(study)))
    assert campaign_ratings(store, again, ORGANISER).responses == ratings.responses
    empty = desk(store, load_campaign(store, there.campaign, ORGANISER).plan)
    assert import_ratings(store, empty.campaign, ORGANISER, found).kept == 6
    with pytest.raises(BadInput, match="A, B, tie"):
        there.save(load_campaign(store, there.campaign, ORGANISER).plan.items[0].id, ANNA, better="beta")


MARKED = (
    PAIRWISE
    + """
[[questions]]
name = "proof"
title = "Proof"
question = "Which sentences decide?"
answer = "spans"
"""
)


def test_spans_of_a_comparison_are_kept_by_the_items_numbers(store: Store) -> None:
    """Raters see the sides in different orders, and mark the same sentence under different numbers."""
    there = compared(store, read_form("form.toml", MARKED), "alpha", "beta")
    numbers = set()
    for owner in (ANNA, BERT, CARLA):
        there.join(owner)
        for _ in range(2):
            found = there.open(owner)
            place = [side[0].system for side in found.sides].index("beta") + 1
            numbers.add(place)
            there.save(found.id, owner, better="tie", proof=f"{place}:0-4")
            assert there.open(owner, found.id).answers["proof"] == f"{place}:0-4"
            with pytest.raises(BadInput, match="3:0-4"):
                there.save(found.id, owner, proof="3:0-4")
            submit_item(store, there.campaign, found.id, owner, 1.0)
    assert numbers == {1, 2}
    responses = campaign_ratings(store, there.campaign, ORGANISER).responses
    assert {(one.own or {})["proof"] for one in responses} == {"2:0-4"}


def test_a_team_does_not_compare_its_own_system(store: Store) -> None:
    there = compared(store, read_form("form.toml", PAIRWISE), "alpha", "beta")
    there.join(ANNA, team="Team beta")
    assert open_item(store, there.campaign, ANNA) is None


def test_the_best_is_never_the_worst(store: Store) -> None:
    form = read_form("form.toml", BEST_WORST)
    there = compared(store, form, "a", "b", "c", "d")
    there.join(ANNA)
    found = there.open(ANNA)
    there.save(found.id, ANNA, better_best="A", better_worst="A")
    with pytest.raises(BadInput, match="Better evidence: worst"):
        submit_item(store, there.campaign, found.id, ANNA, 1.0)
    there.save(found.id, ANNA, better_worst="C")
    submit_item(store, there.campaign, found.id, ANNA, 1.0)
    table = win_rates(form, campaign_ratings(store, there.campaign, ORGANISER))
    first, third = found.sides[0][0].system, found.sides[2][0].system
    assert {row[1]: row[-1] for row in table.rows} == dict.fromkeys("abcd", 0.0) | {first: 1.0, third: -1.0}


def test_a_key_names_the_system_and_a_rater_reads_its_letter(store: Store) -> None:
    form = read_form("form.toml", PAIRWISE)
    pairs = comparison_items(systems("alpha", "beta", claims=3), form.kind).items
    keyed = [replace(one, control=True, control_key=ControlKey(own={"better": "alpha"})) for one in pairs[1:]]
    plan = CampaignPlan("Keys", (pairs[0], keyed[0]), form, 3, 1, 2, 1, practice=(keyed[1],))
    there = desk(store, plan)
    there.join(ANNA)
    for place in range(3):
        found = there.open(ANNA)
        letter = "AB"[[side[0].system for side in found.sides].index("alpha")]
        there.save(found.id, ANNA, better=letter)
        submit_item(store, there.campaign, found.id, ANNA, 1.0)
        if place == 0:
            (told,) = there.open(ANNA, found.id).feedback
            assert (told.question, told.given, told.expected, told.right) == ("Better evidence", letter, letter, True)
    ratings = campaign_ratings(store, there.campaign, ORGANISER)
    (found,) = controls_answered(ratings.responses, control_keys(plan.items))
    assert (found.answered, found.correct) == (1, 1)
    table = win_rates(form, ratings)
    assert [row[2] for row in table.rows] == [1, 1]
    wrong = replace(keyed[0], control_key=ControlKey(own={"better": "gamma"}))
    with pytest.raises(BadInput, match="alpha, beta, tie"):
        desk(store, replace(plan, items=(pairs[0], wrong)))
    assert comparison_items([*systems("alpha", "beta"), keyed[0]], form.kind).items[-1] == keyed[0]
