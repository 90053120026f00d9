"""Teams sign up, are approved, accept terms, and get their links."""

import pytest

from core.actions.fields import BadField
from core.campaigns.access import Role, roles_of
from core.campaigns.redeeming import redeem
from core.errors import BadInput, Denied
from core.tasks.submitting import submit
from core.tasks.task_store import change_task, load_task
from core.tasks.teams import (
    accept_terms,
    approve_team,
    close_sign_up,
    invite_teams,
    mark_baseline,
    new_links,
    open_sign_up,
    read_teams,
    sign_up,
    sign_up_page,
    task_teams_of,
    withdraw_team,
)
from tests.tasks.conftest import ANNA, BERT, STRANGER, Organised

CARA = "d" * 64


def terms(here: Organised, words: str) -> None:
    change_task(here.store, here.task, here.organiser, name="AVeriTeC", description="", terms=words, price=None)


def test_from_a_sign_up_to_the_task(desk: Organised) -> None:
    terms(desk, "Be fair.")
    at = desk.store, desk.task, desk.organiser
    token = open_sign_up(*at)
    assert sign_up_page(desk.store, token, CARA).team is None
    for name, address, words, field in (
        ("", "c@x.example", "Be fair.", "name"),
        ("\u200b", "c@x.example", "Be fair.", "name"),
        ("anna's\u200b", "c@x.example", "Be fair.", "name"),
        ("Cara's", "c", "Be fair.", "address"),
        ("Cara's", f"c@{'x' * 200}", "Be fair.", "address"),
        ("Cara's", "c@x.example", "", "terms"),
    ):
        with pytest.raises(BadField) as refused:
            sign_up(desk.store, token, CARA, name, address, terms=words)
        assert refused.value.field == field
    sign_up(desk.store, token, CARA, "Cara's", "c@x.example", terms="Be fair.")
    with pytest.raises(BadInput, match="already"):
        sign_up(desk.store, token, CARA, "Cara's second", "c@x.example", terms="Be fair.")
    waiting = task_teams_of(*at)[0]
    assert (waiting.name, waiting.waits, waiting.address) == ("Cara's", True, "c@x.example")
    with pytest.raises(Denied):
        load_task(desk.store, desk.task, CARA)
    assert Role.TEAM not in roles_of(desk.store, CARA)
    approve_team(*at, waiting.id)
    team = load_task(desk.store, desk.task, CARA).team
    assert (team.id, team.terms) == (waiting.id, "Be fair.")
    submit(desk.store, desk.task, CARA, "f", desk.checked(CARA))
    close_sign_up(*at)
    for known in (token, "", "guess"):
        with pytest.raises(Denied):
            sign_up_page(desk.store, known, STRANGER)


def test_a_refused_team_stays_out(here: Organised) -> None:
    at = here.store, here.task, here.organiser
    token = open_sign_up(*at)
    sign_up(here.store, token, CARA, "Cara's", "c@x.example", terms="")
    withdraw_team(*at, task_teams_of(*at)[0].id)
    team = sign_up_page(here.store, token, CARA).team
    assert team.revoked
    assert "Cara's" not in {link.team for link in new_links(*at, days=1)}
    assert open_sign_up(*at) != token
    with pytest.raises(Denied):
        sign_up_page(here.store, token, CARA)


def test_an_invited_team_accepts_the_terms_and_again_after_a_change(here: Organised) -> None:
    terms(here, "Be fair.")
    with pytest.raises(BadInput, match="accepted the task's terms"):
        submit(here.store, here.task, ANNA, "f", here.checked())
    with pytest.raises(BadField):
        accept_terms(here.store, here.task, ANNA, "Be unfair.")
    accept_terms(here.store, here.task, ANNA, "Be fair.")
    submit(here.store, here.task, ANNA, "f", here.checked())
    terms(here, "Be very fair.")
    with pytest.raises(BadInput, match="accepted the task's terms"):
        submit(here.store, here.task, ANNA, "f", here.checked())
    with pytest.raises(Denied):
        accept_terms(here.store, here.task, STRANGER, "Be very fair.")


def test_links_for_many_teams_are_made_at_once_or_not_at_all(here: Organised) -> None:
    at = here.store, here.task, here.organiser
    read = read_teams("Team One, one@x.example\n\nTwo, Inc.\n")
    assert read == (("Team One", "one@x.example"), ("Two, Inc.", ""))
    links = invite_teams(*at, read, days=3)
    redeem(here.store, links[1].token, STRANGER)
    with pytest.raises(BadField):
        invite_teams(*at, [("Three", ""), ("two, inc.", "")], days=3)
    assert "Three" not in {team.name for team in task_teams_of(*at)}
    again = {link.team: link for link in new_links(*at, days=3)}
    assert again.keys() == {"Anna's", "Bert's", "Team One", "Two, Inc."}
    with pytest.raises(Denied):
        redeem(here.store, links[0].token, CARA)
    assert load_task(here.store, here.task, STRANGER).team is not None, "nobody loses access"
    with pytest.raises(BadField):
        read_teams(" ")


def test_only_an_organiser_may_and_only_in_the_teams_own_task(here: Organised) -> None:
    team = task_teams_of(here.store, here.task, here.organiser)[0].id
    for owner, task in ((ANNA, here.task), (BERT, here.task), (here.organiser, "another")):
        for deed in (approve_team, withdraw_team, lambda *at: mark_baseline(*at, baseline=True)):
            with pytest.raises(Denied):
                deed(here.store, task, owner, team)
        for opened in (open_sign_up, close_sign_up, lambda *at: new_links(*at, days=1)):
            with pytest.raises(Denied):
                opened(here.store, task, owner)
