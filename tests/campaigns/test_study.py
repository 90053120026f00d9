"""A study that was exported and imported is the same study: every table, every figure, in each of the formats."""

import csv
import io
import zipfile
from dataclasses import replace

import pytest

from core.agreement.ratings import MajorError
from core.campaigns.exchange.dictionary import TABLES, ColumnKind
from core.campaigns.exchange.study import create_from_study, study_of
from core.campaigns.exchange.study_files import read_study, to_zip
from core.campaigns.excluding import exclusion_history, set_excluded
from core.campaigns.organising import load_campaign
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.rating import save_answer, submit_item
from core.campaigns.reliability import inter_rater_agreement
from core.campaigns.results import adjudicate, all_assigned, campaign_ratings
from core.errors import BadInput, Denied
from core.storage.store import Store
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk, item, plan
from tests.fakes import Clock

HARD = "=1+1 'quoted' _x000D_ \r\n tab\there \x0b 漢字 😀 “x”, \";\""


@pytest.fixture(scope="module")
def done(kept_database_url: str) -> Desk:
    """A campaign with everything: practice, controls, changes, remarks, an exclusion, an adjudication, odd texts.

    No test changes it: what is taken in becomes a campaign of its own.
    """
    clock = Clock()
    wanted = replace(
        plan(6, controls=1, each=2),
        practice=(replace(item(9, control=True), item="practice-9"),),
        options=CampaignOptions(guidelines=HARD, pass_mark=1),
    )
    first = replace(wanted.items[0], claim=HARD + "x" * 70_000)
    there = desk(Store(kept_database_url, clock=clock), replace(wanted, items=(first, *wanted.items[1:])))
    for number, (who, rating) in enumerate(((ANNA, 4), (BERT, 5))):
        there.join(who, address=f"secret{number}@a.example")
        for place in range(8):
            clock.now += 1 / 3 + place
            opened = there.open(who)
            clock.now += 10  # no answer takes longer than its item was open
            save_answer(there.store, there.campaign, opened.id, who, "error", MajorError.NONE, 0.1 + place)
            save_answer(there.store, there.campaign, opened.id, who, "verdict", Label.SUPPORTED, 2 / 3)
            there.save(opened.id, who, semantic_coverage=1 + place % 5, relevance=rating, comment=HARD)
            submit_item(there.store, there.campaign, opened.id, who, 0.7)
    rated = [one.item for one in all_assigned(there.store, there.campaign, ORGANISER) if one.rater == "R02"]
    set_excluded(there.store, there.campaign, ORGANISER, "R02", "Too fast.", item=rated[0])
    adjudicate(there.store, there.campaign, rated[1], ORGANISER, "verdict", Label.REFUTED, HARD)
    return there


def test_what_was_exported_comes_back_to_the_last_digit(done: Desk) -> None:
    before = study_of(done.store, done.campaign, ORGANISER)
    again = create_from_study(done.store, ORGANISER, read_study("study.zip", to_zip(before)))
    assert study_of(done.store, again, ORGANISER) == before
    old, new = (load_campaign(done.store, one, ORGANISER).plan for one in (done.campaign, again))
    for excluded_too in (False, True):
        first, second = (
            campaign_ratings(done.store, one, ORGANISER, excluded_too=excluded_too) for one in (done.campaign, again)
        )
        assert first.responses == second.responses
        assert len(first.responses) == (14 if excluded_too else 13)
        assert inter_rater_agreement(old.items, first) == inter_rater_agreement(new.items, second)
    assert [(one.rater, one.reason) for one in exclusion_history(done.store, again, ORGANISER)] == [
        ("R02", "Too fast.")
    ]


def test_no_file_has_a_name_an_address_or_an_owner(done: Desk) -> None:
    study = study_of(done.store, done.campaign, ORGANISER)
    with zipfile.ZipFile(io.BytesIO(to_zip(study))) as archive:
        texts = [archive.read(name) for name in archive.namelist()]
    assert len(texts) > len(TABLES)
    for text in texts:
        assert b"secret0@" not in text
        assert b"A Name" not in text
        assert ORGANISER.encode() not in text


def test_every_column_is_in_the_dictionary_and_no_cell_is_computed(done: Desk) -> None:
    study = study_of(done.store, done.campaign, ORGANISER)
    assert {name: set(rows[0]) for name, rows in study.items()} == {
        name: {field.name for field in fields} for name, fields in TABLES.items()
    }
    with zipfile.ZipFile(io.BytesIO(to_zip(study))) as archive:
        tables = {name: list(csv.reader(io.StringIO(archive.read(name).decode()))) for name in archive.namelist()}
    known = {(row[0], row[1]) for row in tables["data_dictionary.csv"]}
    assert {(name, field.name) for name, columns in TABLES.items() for field in columns} < known
    cells = [cell for rows in tables.values() for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    wide = [dict(zip(tables["ratings_wide.csv"][0], row, strict=True)) for row in tables["ratings_wide.csv"][1:]]
    (out,) = [row for row in wide if row["excluded"]]
    assert (out["excluded"], out["counted"], out["rater"]) == ("Too fast.", "False", "R02")
    assert {row["gold"] for row in wide} == {"Conflicting Evidence/Cherrypicking"}
    assert float(wide[0]["seconds verdict"]) == 2 / 3


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("ratings", {"rater": "R77"}, "lacks 'R77'"),
        ("answers", {"value": "9", "question": "relevance"}, "1 to 5"),
        ("adjudications", {"value": "{"}, "adjudications, row"),
        ("ratings", {"seconds": float("inf")}, "no finite number"),
        ("campaign", {"state": "lost"}, "'lost' is not a valid"),
        ("items", {"claim": "\x00"}, "character of no script"),
    ],
)
def test_what_was_changed_by_hand_is_refused_whole(
    done: Desk, table: str, change: dict[str, object], words: str
) -> None:
    study = study_of(done.store, done.campaign, ORGANISER)
    changed = {**study, table: [{**study[table][0], **change}, *study[table][1:]]}
    with pytest.raises(BadInput, match=words):
        create_from_study(done.store, ORGANISER, read_study("s.zip", to_zip(changed)))
    for content, reason in ((b"{}", "not a zip file"), (zipped("campaign.csv"), "it has no 'adjudications'")):
        with pytest.raises(BadInput, match=reason):
            read_study("s.zip", content)


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "")
    return file.getvalue()


def test_only_an_organiser_takes_a_study_out_or_in(done: Desk) -> None:
    with pytest.raises(Denied):
        study_of(done.store, done.campaign, ANNA)
    with pytest.raises(Denied):
        create_from_study(done.store, ANNA, study_of(done.store, done.campaign, ORGANISER))


def test_kinds_are_as_the_database_has_them(done: Desk) -> None:
    for name, rows in study_of(done.store, done.campaign, ORGANISER).items():
        for field in TABLES[name]:
            kinds = {type(row[field.name]) for row in rows if row[field.name] is not None}
            wanted = {ColumnKind.TEXT: {str}, ColumnKind.JSON: {str}, ColumnKind.WHOLE: {int}, ColumnKind.TRUTH: {bool}}
            assert kinds <= wanted.get(field.kind, {float}), (name, field.name)
