"""Every column of every export is in the data dictionary, and exported ratings agree as the live page says."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest

from core.__main__ import main
from core.agreement.ratings import MajorError, read_ratings
from core.campaigns.exchange.dictionary import dictionary_csv
from core.campaigns.exchange.rating_exports import argilla, label_studio, ratings_csv, ratings_jsonl
from core.campaigns.exchange.study import study_of
from core.campaigns.exchange.study_files import to_zip
from core.campaigns.inviting import invited_raters
from core.campaigns.organising import load_campaign
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.practice import practised
from core.campaigns.progress import progress
from core.campaigns.progress_tables import item_table, rater_table
from core.campaigns.rating import save_answer, submit_item
from core.campaigns.reliability import inter_rater_agreement
from core.campaigns.results import all_assigned, campaign_ratings
from core.storage.store import Store
from core.tabular.exports import to_csv
from core.types import Label
from tests.campaigns.builders import ANNA, BERT, ORGANISER, Desk, desk, plan


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two raters of six items and two controls, who agree on the controls and hardly on the rest."""
    there = desk(Store(f"sqlite:///{tmp_path_factory.mktemp('done') / 'v.db'}"), plan(6, controls=2, each=2))
    for number, who in enumerate((ANNA, BERT)):
        there.join(who, address=f"dictionary{number}@a.example")
        for _ in range(8):
            opened = there.open(who)
            items = load_campaign(there.store, there.campaign, ORGANISER).plan.items
            place = next(i for i, one in enumerate(items) if one.id == opened.id)
            save_answer(there.store, there.campaign, opened.id, who, "error", MajorError.NONE, 1)
            save_answer(there.store, there.campaign, opened.id, who, "verdict", Label.SUPPORTED, 1)
            rating = 5 if items[place].control else 1 + (place * (number + 2)) % 5
            there.save(opened.id, who, semantic_coverage=rating, relevance=1 + place % 3)
            submit_item(there.store, there.campaign, opened.id, who, 0.7)
    return there


def test_every_column_of_every_export_is_in_the_dictionary(done: Desk) -> None:
    ratings = campaign_ratings(done.store, done.campaign, ORGANISER)
    found = load_campaign(done.store, done.campaign, ORGANISER)
    study = study_of(done.store, done.campaign, ORGANISER)
    people = invited_raters(done.store, done.campaign, ORGANISER)
    assigned = all_assigned(done.store, done.campaign, ORGANISER)
    now = progress(found.plan, people, assigned, ratings, practised(done.store, done.campaign, ORGANISER))
    known = {(row[0], row[1]) for row in csv.reader(io.StringIO(dictionary_csv(ratings.scales)))}
    columns = {
        "ratings.csv": titles(ratings_csv(ratings)),
        "ratings.jsonl": fields(ratings_jsonl(ratings)),
        "items.jsonl": fields(items_jsonl(found.plan.items)),
        "label-studio.json": list(json.loads(label_studio(ratings))[0]),
        "argilla.json": list(json.loads(argilla(ratings))[0]),
        "raters.csv": titles(to_csv(rater_table(now))),
        "items.csv": titles(to_csv(item_table(now))),
        "data_dictionary": titles(dictionary_csv(ratings.scales)),
    }
    with zipfile.ZipFile(io.BytesIO(to_zip(study))) as archive:
        columns |= {name.removesuffix(".csv"): titles(archive.read(name).decode()) for name in archive.namelist()}
    assert len(columns["ratings_wide"]) == 33
    missing = [(table, name) for table, names in columns.items() for name in names if (table, name) not in known]
    assert missing == []


def titles(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text)))


def fields(lines: str) -> list[str]:
    return sorted({name for line in lines.splitlines() for name in json.loads(line)})


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_exported_ratings_have_the_alpha_of_the_live_page(done: Desk, kind: str, tmp_path, capsys) -> None:
    ratings = campaign_ratings(done.store, done.campaign, ORGANISER)
    items = load_campaign(done.store, done.campaign, ORGANISER).plan.items
    live = {one.question: one.alpha.value for one in inter_rater_agreement(items, ratings)}
    path = tmp_path / f"ratings.{kind}"
    path.write_text(ratings_csv(ratings) if kind == "csv" else ratings_jsonl(ratings), encoding="utf-8")
    assert read_ratings(path.name, path.read_bytes()).responses == tuple(
        replace(one, row=number + (kind == "csv")) for number, one in enumerate(ratings.responses, start=1)
    )
    assert main(["agreement", "--ratings", str(path), "--json"]) == 0
    printed = capsys.readouterr()
    alphas = json.loads(printed.out)["alphas"]
    assert {name: alphas[name]["value"] for name in ("semantic_coverage", "relevance", "verdict")} == {
        name: live[name] for name in ("semantic_coverage", "relevance", "verdict")
    }
    assert "4 responses" in printed.err
    assert main(["agreement", "--ratings", str(path), "--json", "--with-controls"]) == 0
    assert json.loads(capsys.readouterr().out)["alphas"]["semantic_coverage"]["value"] > live["semantic_coverage"]
