"""Finished ratings into a campaign: what fits is kept once, everything else is accounted for."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.agreement.rating_formats import read_time
from core.agreement.ratings import MajorError, RatingImport, read_ratings
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.exchange.rating_exports import ratings_csv, ratings_jsonl
from core.campaigns.inviting import invited_raters
from core.campaigns.organising import all_campaigns, create_campaign
from core.campaigns.results import campaign_ratings
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, SECRETS, Desk, desk, plan

ROWS = """Timestamp,Email Address,Team,id,claim,major errors,Label,Comment,relevance,semantic_coverage
2024-08-29 00:02:05.842,ann@a.example,T,claim-0,Claim 0 is true.,no major errors,a. supported,Odd item,4,2
8/30/2024 10:00:00,bob@a.example,U,claim-0,Claim 0 is true.,no major errors,b. refuted,,3,
yesterday,bob@a.example,U,claim-1,Claim 1 is true.,"Yes, the evidence is ENTIRELY EMPTY",,,,
2024-08-29 09:00:00,ann@a.example,T,claim-0,Claim 0 is true.,no major errors,a. supported,,5,5
2024-08-29 09:30:00,ann@a.example,T,claim-77,Another,no major errors,a. supported,,5,5
2024-08-29 09:40:00,ann@a.example,T,claim-2,Quite different words here,no major errors,a. supported,,5,5
"""


@pytest.fixture
def there(tmp_path: Path) -> Desk:
    return desk(Store(f"sqlite:///{tmp_path / 'v.db'}", clock=lambda: 1_800_000_000.0))


def read(text: str = ROWS) -> RatingImport:
    return read_ratings("r.csv", text.encode())


def test_every_row_is_kept_or_accounted_for_in_either_database(made_database_url: str) -> None:
    there = desk(Store(made_database_url))
    found = read()
    done = import_ratings(there.store, there.campaign, ORGANISER, found)
    assert done.kept == 3
    assert [one.row for one in done.skipped] == [5, 6, 7]
    assert all(name in one.reason for name, one in zip(("R01", "claim-77", "claim-2"), done.skipped, strict=True))
    assert done.kept + len(done.skipped) == len(found.responses)
    assert [note.startswith("1 response") for note in done.notes] == [True]  # the one of "yesterday"
    first, second, third = campaign_ratings(there.store, there.campaign, ORGANISER).responses
    assert (first.rater, first.team, first.verdict, first.comment) == ("R01", "T", Label.SUPPORTED, "Odd item")
    assert first.ratings == {"relevance": 4, "semantic_coverage": 2}
    assert first.timestamp == "2024-08-29 00:02:05.842"
    assert (second.rater, second.ratings, second.timestamp) == ("R02", {"relevance": 3}, "2024-08-30 10:00:00.000")
    assert (third.error, third.verdict) == (MajorError.EMPTY, None)


def test_more_ratings_than_an_item_needs_do_not_count_towards_the_campaign(made_database_url: str) -> None:
    there = desk(Store(made_database_url), plan(each=1))
    assert import_ratings(there.store, there.campaign, ORGANISER, read()).kept == 3  # two of them of claim-0
    (line,) = all_campaigns(there.store, ORGANISER)
    assert (line.submitted, line.wanted) == (2, line.items)


def test_a_file_that_has_grown_can_be_imported_again(there: Desk) -> None:
    import_ratings(there.store, there.campaign, ORGANISER, read())
    more = ROWS + "2024-09-01 00:00:00,ann@a.example,T,claim-3,,no major errors,a. supported,,1,1\n"
    # The rows come in another order: pseudonyms given in order of appearance are then others.
    header, *rows = more.splitlines()
    done = import_ratings(there.store, there.campaign, ORGANISER, read("\n".join([header, *reversed(rows)])))
    assert done.kept == 1
    assert done.raters == {"R01": "R01", "R02": "R02"}
    last = campaign_ratings(there.store, there.campaign, ORGANISER).responses[-1]
    assert (last.item, last.rater) == ("claim-3", "R01")
    assert len(invited_raters(there.store, there.campaign, ORGANISER)) == 2


def test_raters_who_were_invited_keep_their_pseudonyms(there: Desk) -> None:
    there.join(ANNA)
    there.rate(ANNA)
    done = import_ratings(there.store, there.campaign, ORGANISER, read())
    assert done.raters == {"R01": "R02", "R02": "R03"}
    assert "R01 is now R02" in done.notes[0]
    there.join(BERT)
    names = [one.pseudonym for one in invited_raters(there.store, there.campaign, ORGANISER)]
    assert names == ["R01", "R02", "R03", "R04"]
    there.rate(BERT)


@pytest.mark.parametrize(("name", "export"), [("r.csv", ratings_csv), ("r.jsonl", ratings_jsonl)])
def test_our_own_exports_go_from_one_campaign_to_another(there: Desk, name: str, export: object) -> None:
    import_ratings(there.store, there.campaign, ORGANISER, read())
    before = campaign_ratings(there.store, there.campaign, ORGANISER)
    other = create_campaign(there.store, ORGANISER, plan())
    done = import_ratings(there.store, other, ORGANISER, read_ratings(name, export(before).encode()))
    assert (done.kept, done.skipped, done.notes) == (3, (), ())
    assert campaign_ratings(there.store, other, ORGANISER).responses == before.responses
    again = import_ratings(there.store, other, ORGANISER, before)
    assert (again.kept, len(again.skipped)) == (0, 3)


def test_a_file_about_other_items_is_refused_whole(there: Desk) -> None:
    strange = read(ROWS.replace("claim-", "other-"))
    with pytest.raises(BadInput, match=r"claim-0.* other-0"):
        import_ratings(there.store, there.campaign, ORGANISER, strange)
    assert invited_raters(there.store, there.campaign, ORGANISER) == ()


def test_only_organisers_may_import(there: Desk) -> None:
    there.join(ANNA)
    with pytest.raises(Denied) as refused:
        import_ratings(there.store, there.campaign, ANNA, read())
    assert not any(secret in str(refused.value) for secret in SECRETS)


def test_answers_that_the_form_does_not_take_are_counted(there: Desk) -> None:
    found = read()
    first = replace(found.responses[0], ratings={"relevance": 9, "coherence": 3}, support="x" * 20_001)
    strange = replace(found, responses=(first,), scales=(*found.scales, "coherence"))
    done = import_ratings(there.store, there.campaign, ORGANISER, strange)
    assert done.kept == 1
    assert all(name in note for name, note in zip(("coherence", "relevance", "support"), done.notes, strict=True))
    (one,) = campaign_ratings(there.store, there.campaign, ORGANISER).responses
    assert (one.ratings, one.support) == ({}, "")


@pytest.mark.parametrize(
    ("other", "first", "second"),
    [
        ("25/07/2024 10:00", "2024-08-03 10:00:00.000", "2024-07-25 10:00:00.000"),
        ("07/25/2024 10:00:00", "2024-03-08 10:00:00.000", "2024-07-25 10:00:00.000"),
        ("2024-07-25 10:00", "2024-03-08 10:00:00.000", "2024-07-25 10:00:00.000"),
    ],
)
def test_a_file_writes_all_its_dates_in_one_way(there: Desk, other: str, first: str, second: str) -> None:
    rows = f"""Timestamp,Rater,id,relevance
03/08/2024 10:00:00,R01,claim-0,4
{other},R01,claim-1,4
"""
    import_ratings(there.store, there.campaign, ORGANISER, read(rows))
    times = [one.timestamp for one in campaign_ratings(there.store, there.campaign, ORGANISER).responses]
    assert times == [first, second]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02", 86_400.0),
        ("1970-01-01 00:00:01.5", 1.5),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1/2/1970 0:00:10", 86_410.0),
        ("1970/01/01 1:00:00 PM", 46_800.0),
        ("", None),
        ("soon", None),
    ],
)
def test_written_times(text: str, seconds: float | None) -> None:
    assert read_time(text) == seconds
