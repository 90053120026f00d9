"""Links for many: a list of names at once, and one link for whoever comes, known by another service's id."""

import pytest

from core.campaigns.inviting import (
    Person,
    invite_anyone,
    invite_raters,
    invited_raters,
    open_links,
    read_people,
    revoke_rater,
    withdraw_link,
)
from core.campaigns.rating import my_campaigns
from core.campaigns.redeeming import redeem
from core.errors import BadInput, Denied
from core.storage.store import Store
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk

CARA = "c" * 64


@pytest.fixture
def spring(made_database_url: str) -> Desk:
    return desk(Store(made_database_url))


def test_pasted_names_become_links_all_or_none(spring: Desk) -> None:
    people = read_people("Anna Ardal, anna@a.example, Team One\n\nBert Berg; bert@b.example\nCara\tcara@c.example\n")
    assert people[1] == Person("Bert Berg", "bert@b.example")
    made = invite_raters(spring.store, spring.campaign, ORGANISER, people, days=3)
    assert [(one.person.name, one.pseudonym) for one in made] == [
        ("Anna Ardal", "R01"),
        ("Bert Berg", "R02"),
        ("Cara", "R03"),
    ]
    assert redeem(spring.store, made[1].token, BERT).campaign == spring.campaign
    with pytest.raises(BadInput, match=r"BERT@b\.example .* R02"):
        invite_raters(spring.store, spring.campaign, ORGANISER, read_people("Dora\nB., BERT@b.example"), days=3)
    assert len(invited_raters(spring.store, spring.campaign, ORGANISER)) == 3


@pytest.mark.parametrize(("text", "words"), [("", "one per line"), (", a@b.example", "Line 1"), ("a,b,c,d", "Line 1")])
def test_lines_that_name_nobody_are_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_people(text)


@pytest.mark.parametrize(
    ("line", "name", "address"),
    [
        ("Okafor, Ada", "Okafor, Ada", ""),
        ("Okafor, Ada, ada@c.example", "Okafor, Ada", "ada@c.example"),
        ("Okafor, Ada; ada@c.example", "Okafor, Ada", "ada@c.example"),
        ("Ada Okafor, ada@c.example, Team Three", "Ada Okafor", "ada@c.example"),
    ],
)
def test_a_surname_with_a_comma_is_one_name(line: str, name: str, address: str) -> None:
    (person,) = read_people(line)
    assert (person.name, person.address) == (name, address)


def test_one_link_makes_a_rater_of_each_who_comes(spring: Desk) -> None:
    token = invite_anyone(spring.store, spring.campaign, ORGANISER, days=3)
    for owner, external in ((ANNA, "5f1a"), (BERT, "5f1b"), (CARA, "5f1a"), (ANNA, "5f1a")):
        redeem(spring.store, token, owner, external)
    found = invited_raters(spring.store, spring.campaign, ORGANISER)
    assert [(one.pseudonym, one.external, one.name) for one in found] == [("R01", "5f1a", ""), ("R02", "5f1b", "")]
    assert [my_campaigns(spring.store, owner)[0].id for owner in (ANNA, CARA)] == [spring.campaign] * 2


def test_without_an_id_each_browser_is_a_rater_once(spring: Desk) -> None:
    token = invite_anyone(spring.store, spring.campaign, ORGANISER, days=3)
    for owner in (ANNA, ANNA, BERT):
        redeem(spring.store, token, owner)
    assert len(invited_raters(spring.store, spring.campaign, ORGANISER)) == 2


def test_who_was_revoked_does_not_come_back_by_the_open_link(spring: Desk) -> None:
    token = invite_anyone(spring.store, spring.campaign, ORGANISER, days=3)
    redeem(spring.store, token, ANNA, "5f1a")
    (rater,) = invited_raters(spring.store, spring.campaign, ORGANISER)
    revoke_rater(spring.store, spring.campaign, ORGANISER, rater.id)
    with pytest.raises(Denied, match="ended your access"):
        redeem(spring.store, token, ANNA, "5f1a")


def test_the_open_link_is_listed_as_what_it_is_and_withdrawn_whole(spring: Desk) -> None:
    token = invite_anyone(spring.store, spring.campaign, ORGANISER, days=3)
    redeem(spring.store, token, ANNA, "5f1a")
    (link,) = open_links(spring.store, ORGANISER)
    assert ("anybody" in link.whom, link.opened) == (True, 1)
    withdraw_link(spring.store, ORGANISER, link.name)
    assert my_campaigns(spring.store, ANNA) == ()
    with pytest.raises(Denied, match="withdrawn"):
        redeem(spring.store, token, BERT)
