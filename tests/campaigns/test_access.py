import pytest
from sqlalchemy import select

from core.campaigns import access
from core.campaigns.access import Grounds, Role, reached_locally, roles_of
from core.campaigns.inviting import invite_rater, invited_raters, open_links, renew_link, withdraw_link
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign
from core.campaigns.redeeming import Redeemed, redeem
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.storage.tables import invitations, members
from tests.campaigns.builders import ANNA, BERT, ORGANISER, desk, plan
from tests.fakes import Clock

CARA = "c" * 64
DAY = 86_400.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(made_database_url: str, clock: Clock) -> Store:
    return Store(made_database_url, clock=clock)


def test_a_visitor_is_a_journalist_and_nothing_else(store: Store) -> None:
    assert roles_of(store, ANNA) == {Role.JOURNALIST}
    with pytest.raises(Denied, match="Only an organiser"):
        all_campaigns(store, ANNA)


def test_on_a_single_machine_everyone_is_organiser_until_one_is_invited(store: Store) -> None:
    assert roles_of(store, ANNA, local=True) == {Role.JOURNALIST, Role.ORGANISER}
    campaign = create_campaign(store, ANNA, plan())
    redeem(store, access.invite_organiser(store, days=1), BERT)
    with pytest.raises(Denied):  # at once, before any page has asked for the role
        load_campaign(store, campaign, ANNA)
    assert roles_of(store, ANNA, local=True) == {Role.JOURNALIST}
    assert roles_of(store, BERT, local=True) == {Role.JOURNALIST, Role.ORGANISER}
    assert load_campaign(store, campaign, BERT).plan.title == "Spring campaign"


def test_who_was_organiser_locally_is_none_where_the_server_is_not_local(store: Store) -> None:
    roles_of(store, ANNA, local=True)
    assert roles_of(store, ANNA, local=False) == {Role.JOURNALIST}
    with pytest.raises(Denied):
        create_campaign(store, ANNA, plan())


def test_a_listed_address_is_organiser_as_long_as_it_is_listed(store: Store) -> None:
    listed = ["Editor@Example.org"]
    assert Role.ORGANISER in roles_of(store, ANNA, email="editor@example.org", organisers=listed)
    assert Role.ORGANISER not in roles_of(store, BERT, email="other@example.org", organisers=listed)
    assert Role.ORGANISER not in roles_of(store, CARA, email="", organisers=["", "x@example.org"])
    assert Role.ORGANISER not in roles_of(store, ANNA, email="editor@example.org", organisers=[])
    with pytest.raises(Denied):
        all_campaigns(store, ANNA)


def test_an_invited_organiser_stays_one_whatever_the_list_and_the_machine(store: Store) -> None:
    assert redeem(store, access.invite_organiser(store, days=1), ANNA) == Redeemed(Role.ORGANISER, "")
    assert Role.ORGANISER in roles_of(store, ANNA)
    assert Role.ORGANISER in roles_of(store, ANNA, email="a@example.org", organisers=["b@example.org"])


def test_an_annotators_link_is_the_person_on_every_device(store: Store) -> None:
    campaign = desk(store, plan(4))
    token = invite_rater(campaign.store, campaign.campaign, ORGANISER, "Anna", "anna@example.org", "", days=7)
    assert redeem(store, token, ANNA) == Redeemed(Role.ANNOTATOR, campaign.campaign)
    assert redeem(store, token, ANNA) == redeem(store, token, BERT)
    assert campaign.open(ANNA).id == campaign.open(BERT).id
    assert roles_of(store, BERT) == {Role.JOURNALIST, Role.ANNOTATOR}
    with pytest.raises(Denied):
        load_campaign(campaign.store, campaign.campaign, BERT)


def test_only_the_hash_of_a_link_is_stored(store: Store) -> None:
    token = access.invite_organiser(store, days=1)
    assert len(token) == 43  # 32 random bytes in base64
    with store.transaction() as connection:
        (row,) = connection.execute(select(invitations)).all()
    assert token not in repr(row)
    assert row.token_hash == access.token_hash(token)
    assert access.invite_organiser(store, days=1) != token


def test_links_end_are_withdrawn_and_cannot_be_made_up(store: Store, clock: Clock) -> None:
    token = access.invite_organiser(store, days=2)
    with pytest.raises(Denied, match="not known here"):
        redeem(store, token[:-1], ANNA)
    clock.now += 2 * DAY - 1
    redeem(store, token, ANNA)
    clock.now += 1
    with pytest.raises(Denied, match="3 January 1970"):
        redeem(store, token, BERT)
    assert Role.ORGANISER in roles_of(store, ANNA)  # who has opened it in time stays in
    fresh = access.invite_organiser(store, days=1)
    redeem(store, fresh, BERT)
    withdraw_link(store, ANNA, access.token_hash(fresh))
    assert roles_of(store, BERT) == {Role.JOURNALIST}
    with pytest.raises(Denied, match="withdrawn"):
        redeem(store, fresh, CARA)


def test_links_are_listed_without_secrets_and_withdrawn_with_their_role(store: Store, clock: Clock) -> None:
    owner = access.command_line(store)
    campaign = create_campaign(store, owner, plan())
    leaked, forgotten = (access.invite_organiser(store, days=2) for _ in range(2))
    redeem(store, leaked, ANNA)
    clock.now += 1
    redeem(store, invite_rater(store, campaign, owner, "Dora", "", "", days=1), BERT)
    renew_link(store, campaign, owner, invited_raters(store, campaign, owner)[0].id, days=1)
    clock.now += 3 * DAY  # the links have ended; the roles that two of them gave have not
    first, second = open_links(store, owner)
    assert (first.name, first.whom, first.opened) == (access.token_hash(leaked), "an organiser", 1)
    assert (second.whom.startswith("Dora"), second.opened) == (True, 1)
    assert not any(token in repr((first, second)) for token in (leaked, forgotten))
    for name, says in (("", "No link begins with ''"), ("no such", "No link begins with 'no such'")):
        with pytest.raises(BadInput, match=says):
            withdraw_link(store, owner, name)
    withdraw_link(store, owner, first.name[:12])
    assert roles_of(store, ANNA) == {Role.JOURNALIST}
    with pytest.raises(Denied, match="withdrawn"):
        redeem(store, leaked, CARA)
    withdraw_link(store, owner, second.name)
    assert roles_of(store, BERT) == {Role.JOURNALIST}
    assert open_links(store, owner) == ()
    with pytest.raises(Denied):
        open_links(store, ANNA)


@pytest.mark.parametrize("days", [0, -1, 367, float("nan"), float("inf")])
def test_a_link_is_good_for_a_year_at_most(store: Store, days: float) -> None:
    with pytest.raises(BadInput, match="at most 366 days"):
        access.invite_organiser(store, days=days)


def test_the_command_line_is_an_organiser_that_no_browser_can_be(store: Store) -> None:
    owner = access.command_line(store)
    create_campaign(store, owner, plan())
    assert len(owner) != 64  # what browsers and signed-in people are known by
    assert Role.ORGANISER in roles_of(store, ANNA, local=True)  # it is no organiser's invitation
    with store.transaction() as connection:
        grounds = select(members.c.grounds).where(members.c.owner == owner)
        assert connection.scalar(grounds) == Grounds.COMMAND


@pytest.mark.parametrize(
    ("address", "headers", "local"),
    [
        ("127.0.0.1", {"Host": "127.0.0.1:8501"}, True),
        ("localhost", {"Host": "localhost:8501"}, True),
        ("::1", {"Host": "[::1]:8501"}, True),
        ("127.0.0.1", {}, True),
        ("", {"Host": "localhost:8501"}, False),
        ("0.0.0.0", {"Host": "localhost:8501"}, False),
        ("192.168.0.7", {"Host": "192.168.0.7:8501"}, False),
        ("127.0.0.1", {"Host": "desk.example.org"}, False),
        ("127.0.0.1", {"Host": "127.0.0.1.example.org:80"}, False),
        ("127.0.0.1", {"Host": "localhost:8501", "X-Forwarded-For": "203.0.113.5"}, False),
        ("127.0.0.1", {"Host": "localhost:8501", "FORWARDED": "for=203.0.113.5"}, False),
    ],
)
def test_local_is_what_only_this_machine_reaches_without_a_proxy(
    address: str, headers: dict[str, str], local: bool
) -> None:
    assert reached_locally(address, headers) is local
