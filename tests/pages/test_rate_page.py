from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.agreement.ratings import MajorError
from core.campaigns.access import command_line
from core.campaigns.inviting import invite_anyone, invite_rater, invited_raters
from core.campaigns.organising import create_campaign, set_state
from core.campaigns.planning.options import CampaignOptions, words_of
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import INTRODUCTION, STANDARD, Form, questions
from core.campaigns.planning.scales import COVERAGE, EARLIER, RELEVANCE
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.campaigns.types import CampaignState
from core.errors import BadInput, StoreError
from core.storage.store import Store
from core.types import Label
from pages.rate import panel
from pages.rate import panel_exchange as exchange
from pages.rate.evidence import evidence_view
from pages.rate.panel_data import option, steps
from pages.rate.panel_exchange import Exchange, entries, hear
from pages.ui.app_state import AppState
from tests.pages.desks import ANNA, BERT, HOSTILE, by_role, html_of, keys, read, told, visit

SECRETS = ("hidden-system", "hidden-item", "hidden-team", "hidden-stratum", "hidden-score", "Supported")
REFERENCE = "what astronauts said"


def item(number: int, *, control: bool = False) -> CampaignItem:
    return CampaignItem(
        item=f"hidden-item-{number}",
        claim=f"Claim {number}: it can be seen",
        evidence=(EvidencePair(f"A question {HOSTILE}", f"An answer {HOSTILE}", "javascript:alert(1)", HOSTILE),),
        system="hidden-system",
        team="hidden-team",
        about={"speaker": "Jane Doe", "date": "2020-05-01"},
        predicted=Label.CONFLICTING,
        gold=Label.SUPPORTED,
        reference=(EvidencePair("And the reference?", REFERENCE),),
        control=control,
        control_key=ControlKey(verdict=Label.SUPPORTED) if control else None,
        stratum="hidden-stratum",
        scores={"hidden-score": 0.5},
    )


def invited(store: Store, *, items: int = 2, form: Form = STANDARD) -> tuple[Store, str, str]:
    """Return the ratings, a campaign and a rater's token."""
    organiser = command_line(store)
    rated = tuple(item(number, control=number == items) for number in range(1, items + 1))
    campaign = create_campaign(store, organiser, CampaignPlan("Snapshot 1", rated, form, 0, 9, items, 1))
    return store, campaign, invite_rater(store, campaign, organiser, "Anna", "anna@example.org", "", days=1)


@pytest.fixture
def rating(tmp_path: Path) -> tuple[Store, str, str]:
    """Return the ratings, a campaign in which Anna is a rater, and her first item."""
    store, campaign, token = invited(Store(f"sqlite:///{tmp_path / 'v.db'}"))
    redeem(store, token, ANNA)
    return store, campaign, first_item(store, campaign)


def first_item(store: Store, campaign: str) -> str:
    found = open_item(store, campaign, ANNA)
    assert found
    return found.id


def answers(store: Store, campaign: str, wanted: str) -> dict[str, object]:
    found = open_item(store, campaign, ANNA, wanted)
    assert found
    return dict(found.answers)


def answer(number: int, at: tuple[Store, str, str], question: str, value: object) -> dict[str, object]:
    _, campaign, wanted = at
    sent = {"number": number, "did": "answer", "campaign": campaign, "item": wanted}
    return sent | {"question": question, "value": value}


def visit_rate(owner: str = ANNA, **query: str) -> AppTest:
    return visit(owner, page="rate", **query)


# What is asked


def test_questions_come_in_the_forms_order_and_name_the_answers_after_which_they_are_asked() -> None:
    form = Form((COVERAGE, *EARLIER, RELEVANCE))
    made = steps(form)
    assert tuple(step["name"] for step in made) == questions(form)
    goes_on = {"error": ["no major errors"]}
    decided = ["Supported", "Refuted", "Conflicting Evidence/Cherrypicking"]
    assert [step["when"] for step in made] == [{}, goes_on, goes_on | {"verdict": decided}, *[goes_on] * 5, {}]
    assert [step["name"] for step in made if step.get("reference")] == ["semantic_coverage"]


def test_answers_have_one_key_each_and_the_shared_tasks_words() -> None:
    error, verdict, _, coverage, *_ = steps(STANDARD)
    assert [option["key"] for option in error["options"]] == ["1", "2", "3", "4"]
    assert error["options"][3]["value"] == MajorError.NONE
    assert [option["words"] for option in verdict["options"]][2] == "c. not enough information"
    assert [option["value"] for option in coverage["options"]] == [1, 2, 3, 4, 5]
    assert coverage["options"][1]["words"] == COVERAGE.descriptions[1]


def test_the_tenth_answer_has_the_key_0_and_no_later_one_has_any() -> None:
    assert [option(place, "", "")["key"] for place in (9, 10, 11)] == ["9", "0", ""]


def test_the_key_of_a_number_is_the_number_and_no_two_have_one() -> None:
    table = '[[questions]]\nname = "n"\ntitle = "N"\nquestion = "?"\nanswer = "scale"\nlow = -1\nhigh = 10\n'
    (made, _) = steps(read_form("form.toml", table))
    keys = {option["value"]: option["key"] for option in made["options"]}
    assert keys == {-1: "", 10: "", **{number: str(number) for number in range(10)}}


def test_a_scale_of_many_points_is_a_slider_without_keys() -> None:
    table = '[[questions]]\nname = "n"\ntitle = "N"\nquestion = "?"\nanswer = "scale"\nlow = 0\nhigh = 100\n'
    (made, _) = steps(read_form("form.toml", table + 'ends = ["bad", "good"]'))
    assert (made["kind"], made["options"]) == ("slider", [])
    assert [(end["value"], end["words"]) for end in made["ends"]] == [(0, "bad"), (100, "good")]


def test_sentences_are_marked_by_their_side_and_pair() -> None:
    form = read_form("form.toml", '[[questions]]\nname = "n"\ntitle = "N"\nquestion = "?"\nanswer = "spans"\n')
    pairs = [EvidencePair("", "One. Two."), EvidencePair("", "Three.")]
    kinds: list[list[list[EvidencePair]]] = [[pairs], [pairs[:1], pairs[1:]]]
    found = [[(one["mark"], one["value"]) for one in steps(form, sides)[0]["options"]] for sides in kinds]
    assert found == [
        [("1", "1:0-4"), ("1", "1:5-9"), ("2", "2:0-6")],
        [("A1", "1:0-4"), ("A1", "1:5-9"), ("B1", "2:0-6")],
    ]


# What the browser sends


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "answer",
        {"number": 1},
        [1],
        [{"number": True, "did": "on"}],
        [{"number": 1.5, "did": "on"}],
        [{"number": 1, "did": "delete"}],
        [{"number": 1, "did": ["on"]}],
        [{"number": 1, "did": "on", "item": 3}],
        [{"number": n, "did": "on"} for n in range(501)],
    ],
)
def test_what_no_panel_sends_is_refused(sent: object) -> None:
    with pytest.raises(BadInput):
        entries(sent)


@pytest.mark.parametrize(("sent", "seconds"), [(2.5, 2.5), (-3, 0.0), ("9", 0.0), (True, 0.0), (float("inf"), 0.0)])
def test_a_time_is_a_finite_number_of_seconds_from_zero(sent: object, seconds: float) -> None:
    assert entries([{"number": 1, "did": "seconds", "seconds": sent}])[0].seconds == seconds


def test_answers_are_saved_in_the_order_in_which_they_were_given(rating: tuple[Store, str, str]) -> None:
    known = Exchange()
    sent = [answer(3, rating, "relevance", 4), answer(1, rating, "error", "no major errors")]
    hear(known, rating[0], ANNA, [*sent, answer(2, rating, "relevance", 2)])
    assert answers(*rating) == {"error": "no major errors", "relevance": 4}
    assert known.news() == {"handled": [1, 2, 3], "trouble": "", "turn": 1}
    assert known.redraw


def test_nobody_answers_for_another(rating: tuple[Store, str, str]) -> None:
    known = Exchange()
    hear(known, rating[0], BERT, [answer(1, rating, "error", "no major errors")])
    assert answers(*rating) == {}
    assert known.trouble.startswith("You are not")


def test_an_answer_that_could_not_be_stored_stays_with_the_browser(
    rating: tuple[Store, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> float:
        raise StoreError("The disk is full.")

    known = Exchange()
    with monkeypatch.context() as broken:
        broken.setattr(exchange, "save_answer", full)
        hear(known, rating[0], ANNA, [answer(1, rating, "relevance", 4)])
    assert known.news() == {"handled": [], "trouble": "The disk is full.", "turn": 1}
    hear(known, rating[0], ANNA, [answer(1, rating, "relevance", 4)])
    assert known.news() == {"handled": [1], "trouble": "", "turn": 2}
    assert answers(*rating) == {"relevance": 4}


def test_what_is_sent_twice_is_done_once(rating: tuple[Store, str, str]) -> None:
    store, campaign, wanted = rating
    known = Exchange()
    store.clock = lambda clock=store.clock: clock() + 100.0  # type: ignore[misc]
    spent = {"number": 1, "did": "seconds", "campaign": campaign, "item": wanted, "seconds": 20.0}
    hear(known, store, ANNA, [spent])
    hear(known, store, ANNA, [spent])
    found = open_item(store, campaign, ANNA, wanted)
    assert found
    assert found.seconds == 20.0


def test_submitting_goes_on_and_back_goes_to_the_item_before(rating: tuple[Store, str, str]) -> None:
    store, campaign, first = rating
    known = Exchange()
    submit = {"number": 2, "did": "submit", "campaign": campaign, "item": first}
    hear(known, store, ANNA, [answer(1, rating, "error", "entirely empty"), submit])
    assert (known.opens, known.trouble) == ("", "")
    second = first_item(store, campaign)
    assert second != first
    hear(known, store, ANNA, [{"number": 3, "did": "back", "campaign": campaign, "item": second}])
    assert known.opens == first


# What is seen


def test_evidence_is_shown_as_text_and_the_reference_only_after_the_verdict(rating: tuple[Store, str, str]) -> None:
    store, campaign, first = rating
    before = open_item(store, campaign, ANNA, first)
    assert before
    seen = evidence_view(before)
    assert "<script" not in seen
    assert "<img" not in seen
    assert 'href="javascript' not in seen
    assert REFERENCE not in seen
    assert "Conflicting" not in seen
    save_answer(store, campaign, first, ANNA, "error", MajorError.NONE)
    save_answer(store, campaign, first, ANNA, "verdict", Label.REFUTED)
    after = open_item(store, campaign, ANNA, first)
    assert after
    assert REFERENCE in evidence_view(after)
    assert "Conflicting" in evidence_view(after)


def test_without_an_invitation_the_page_says_where_one_comes_from(at_desk: AppState) -> None:
    assert len(by_role(visit_rate(), "note")) == 1


def test_an_invitation_leads_to_the_introduction_and_leaves_the_address(at_desk: AppState) -> None:
    _, campaign, token = invited(at_desk.store)
    app = visit_rate(invite=token)
    assert "invite" not in app.query_params
    assert app.query_params["campaign"] == campaign
    assert INTRODUCTION[0] in html_of(app)
    assert "rate-begin" in keys(app)
    assert "0 of 2 " in html_of(app)
    assert token not in html_of(app)


def test_a_link_for_whoever_comes_knows_them_by_the_id_in_the_address(at_desk: AppState) -> None:
    _, campaign, _ = invited(at_desk.store)
    organiser = command_line(at_desk.store)
    token = invite_anyone(at_desk.store, campaign, organiser, days=1)
    app = visit_rate(BERT, invite=token, PROLIFIC_PID="5f1a")
    assert "PROLIFIC_PID" not in app.query_params
    assert [one.external for one in invited_raters(at_desk.store, campaign, organiser) if one.external] == ["5f1a"]


@pytest.mark.parametrize("label_first", [False, True])
def test_label_and_reference_are_there_from_the_start_where_the_campaign_says_so(
    at_desk: AppState, label_first: bool
) -> None:
    organiser = command_line(at_desk.store)
    options = CampaignOptions(label_first=label_first)
    plan = CampaignPlan("As published", (item(1),), STANDARD, 0, 1, 1, 0, options=options)
    campaign = create_campaign(at_desk.store, organiser, plan)
    redeem(at_desk.store, invite_rater(at_desk.store, campaign, organiser, "Anna", "", "", days=1), ANNA)
    html = html_of(visit_rate(campaign=campaign, view="next"))
    assert (REFERENCE in html) is label_first


@pytest.mark.parametrize("token", ["", "x" * 5000])
def test_a_bad_link_is_refused_in_a_sentence(at_desk: AppState, token: str) -> None:
    invited(at_desk.store)
    app = visit_rate(invite=token or "-")
    assert len(by_role(app, "alert")) == 1
    assert "invite" not in app.query_params


def test_an_item_shows_its_claim_and_nothing_that_could_tell(at_desk: AppState) -> None:
    store, campaign, token = invited(at_desk.store)
    redeem(store, token, ANNA)
    app = visit_rate(campaign=campaign, view="next")
    html = html_of(app)
    assert "it can be seen" in html
    assert "Jane Doe" in html
    assert "1 of 2" in html
    assert [secret for secret in SECRETS if secret in html] == ["Supported"]  # the instructions name the four
    assert REFERENCE not in html


def test_another_raters_campaign_and_item_cannot_be_reached_by_address(at_desk: AppState) -> None:
    store, campaign, token = invited(at_desk.store)
    redeem(store, token, ANNA)
    first = first_item(store, campaign)
    app = visit_rate(BERT, campaign=campaign, view="next", item=first)
    assert "answers are kept" in told(app)
    assert "it can be seen" not in html_of(app)
    assert len(by_role(visit_rate(ANNA, campaign=campaign, view="next", item="another"), "alert")) == 1


@pytest.mark.parametrize("state", [CampaignState.PAUSED, CampaignState.CLOSED])
def test_a_campaign_that_takes_no_answers_says_so(at_desk: AppState, state: CampaignState) -> None:
    store, campaign, token = invited(at_desk.store)
    redeem(store, token, ANNA)
    set_state(store, campaign, command_line(store), state)
    app = visit_rate(campaign=campaign, view="next")
    assert read(app, "note") == [words_of("en")[state]]
    assert "it can be seen" not in html_of(app)


def test_who_has_rated_everything_is_thanked_and_may_change_it(at_desk: AppState) -> None:
    store, campaign, token = invited(at_desk.store)
    redeem(store, token, ANNA)
    while found := open_item(store, campaign, ANNA):
        save_answer(store, campaign, found.id, ANNA, "error", MajorError.EMPTY)
        submit_item(store, campaign, found.id, ANNA, 1.0)
    app = visit_rate(campaign=campaign)
    assert " 2" in read(app, "heading")[0]
    assert len(app.main.button) == 2
    assert all(str(button.key).startswith("open-") for button in app.main.button)
    app.main.button[0].click().run()
    assert "1 of 2" in html_of(app)


def test_several_campaigns_are_offered(at_desk: AppState) -> None:
    for _ in range(2):
        store, _, token = invited(at_desk.store)
        redeem(store, token, ANNA)
    app = visit_rate()
    assert [str(button.key)[:5] for button in app.main.button] == ["open-", "open-"]
    app.main.button[0].click().run()
    assert "rate-begin" in keys(app)


def test_a_message_for_a_panel_that_is_gone_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel.st, "session_state", {})
    panel.receive(Store(f"sqlite:///{tmp_path / 'v.db'}"), ANNA)
