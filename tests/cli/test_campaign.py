"""Campaigns, invitations, backup and restore on the command line."""

import json
from functools import partial
from pathlib import Path

import pytest

from core.agreement.ratings import read_ratings
from core.campaigns.access import Role, roles_of
from core.campaigns.command_work import open_as_organiser
from core.campaigns.organising import all_campaigns, load_campaign
from core.campaigns.planning.rating_form import Form
from core.campaigns.planning.scales import RELEVANCE
from core.campaigns.rating import open_item, submit_item
from core.campaigns.redeeming import redeem
from tests.campaigns.builders import ANNA, Desk
from tests.cli.conftest import Command

ASSETS = Path(__file__).resolve().parents[2] / "assets"
GOLD, CAREFUL, HASTY = (str(ASSETS / "scoring" / f"{name}.json") for name in ("gold", "careful", "hasty"))
EXAMPLE = str(ASSETS / "agreement" / "ratings.csv")

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def failing(command: Command) -> Command:
    """Run a command that must fail with exit status 2 and return its sentence."""
    return partial(command, status=2)


def created(command: Command, *more: str) -> dict[str, object]:
    words = ("campaign", "create", "--title", "Pilot", "--submission", CAREFUL, HASTY, "--gold", GOLD)
    return json.loads(command(*words, "--controls", "0", *more, "--json"))


def test_a_campaign_from_submissions_to_its_ratings(command: Command, tmp_path: Path) -> None:
    assert command("campaign", "list").startswith("There are no campaigns")
    made = created(command, "--sample", "4", "--seed", "3")
    assert [row["system"] for row in made["items"]].count("careful") == 2
    assert made["seed"] == 3
    link = command("invite", "--campaign", "Pilot", "--name", "Anna", "--team", "Hasty", "--url", "https://x.example/")
    assert link.startswith("https://x.example/rate?invite=")
    store, owner = open_as_organiser()
    redeem(store, link.splitlines()[0].partition("=")[2], ANNA)
    desk = Desk(store, str(made["campaign"]))
    for _ in range(2):  # the two of her own team's system are not hers
        desk.rate(ANNA, seconds=0.0)
    assert open_item(store, desk.campaign, ANNA) is None
    shown = json.loads(command("campaign", "show", "Pilot", "--json"))
    assert (shown["submitted"], shown["wanted"], shown["raters"][0]["submitted"]) == (2, 4, 2)
    assert [row["Question"] for row in shown["agreement"]][:2] == ["Major errors", "Verdict"]
    assert "2 of 4 ratings" in (text := command("campaign", "show", "Pilot"))
    assert "Agreement of the raters" in text
    out = tmp_path / "ratings.csv"
    command("campaign", "export", "Pilot", "--out", str(out))
    assert len(read_ratings("r", out.read_bytes()).responses) == 2
    assert "Anna" not in out.read_text()
    assert len(json.loads(command("campaign", "export", "Pilot", "--format", "label-studio"))) == 2
    assert len(json.loads(command("campaign", "export", "Pilot", "--format", "argilla"))) == 2
    assert command("campaign", "export", "Pilot", "--format", "label-studio-interface").startswith("<View>")
    assert len(command("campaign", "export", "Pilot", "--format", "items").splitlines()) == 4
    assert len(command("campaign", "export", "Pilot", "--format", "jsonl").splitlines()) == 2
    assert load_campaign(store, desk.campaign, owner).plan.seed == 3


def test_states_by_the_beginning_of_an_id(command: Command, failing: Command) -> None:
    first = str(created(command)["campaign"])
    created(command)
    assert "paused" in command("campaign", "pause", first[:8])
    states = {row["id"]: row["state"] for row in json.loads(command("campaign", "list", "--json"))}
    assert sorted(states.values()) == ["open", "paused"]
    assert states[first] == "paused"
    command("campaign", "close", first)
    command("campaign", "open", first)
    assert "open" in next(line for line in command("campaign", "list").splitlines() if first in line)
    assert failing("campaign", "close", "Pilot").startswith("campaign: Several campaigns")
    assert "named ''" in failing("campaign", "close", "")


def test_finished_ratings_become_a_campaign(command: Command, failing: Command) -> None:
    scales = ("--scale", "semantic_coverage", "--scale", "relevance")
    command("campaign", "create", "--title", "Done", "--ratings", EXAMPLE, "--controls-per-rater", "0", *scales)
    said = command("campaign", "import", "Done", EXAMPLE)
    found = read_ratings("r", Path(EXAMPLE).read_bytes())
    assert f"{found.report.read} rows read, {found.report.kept} kept." in said
    again = json.loads(command("campaign", "import", "Done", EXAMPLE, "--json"))
    assert again["kept"] == 0
    assert len(again["unused"]) == found.report.read
    assert "cannot be read" in failing("campaign", "import", "Done", "absent.csv")


def test_scores_are_kept_with_the_items(command: Command) -> None:
    made = created(command)
    assert "12 items scored" in command("campaign", "score", "Pilot", "--metric", "hungarian-meteor")
    store, owner = open_as_organiser()
    items = load_campaign(store, str(made["campaign"]), owner).plan.items
    assert all(set(item.scores) == {"hungarian-meteor:q", "hungarian-meteor:q+a"} for item in items)


def test_controls_by_key_and_a_form_of_ones_own(command: Command, failing: Command, tmp_path: Path) -> None:
    items = tmp_path / "items.csv"
    items.write_text("id,claim,system,bleu\n1,One,X,0.1\n2,Two,X,0.9\n3,Three,X,0.5\n")
    key = tmp_path / "key.csv"
    key.write_text("id,label\n2,Refuted\n")
    form = tmp_path / "form.json"
    form.write_text(Form((RELEVANCE,)).to_json())
    words = ("campaign", "create", "--title", "T", "--items", str(items), "--by", "bleu", "--control-key", str(key))
    command(*words, "--form", str(form))
    store, owner = open_as_organiser()
    plan = load_campaign(store, all_campaigns(store, owner)[0].id, owner).plan
    assert sorted((item.item, item.control) for item in plan.items) == [("1", False), ("2", True), ("3", False)]
    assert (plan.form, plan.controls_per_rater) == (Form((RELEVANCE,)), 1)
    form.write_bytes(b"\xff")
    assert "is not in UTF-8" in failing(*words, "--form", str(form))


def test_a_pairwise_form_from_submissions_to_win_rates_and_agreement(
    command: Command, failing: Command, tmp_path: Path
) -> None:
    form = tmp_path / "form.toml"
    form.write_text('kind = "pairwise"\n[[questions]]\nname = "better"\ntitle = "Better"\nquestion = "Which?"\n')
    made = created(command, "--form", str(form), "--language", "de", "--sample", "3")
    assert [row["system"] for row in made["items"]] == ["careful | hasty"] * 3
    store, _ = open_as_organiser()
    desk = Desk(store, str(made["campaign"]))
    link = command("invite", "--campaign", "Pilot", "--name", "Anna")
    redeem(store, link.splitlines()[0].partition("invite=")[2], ANNA)
    found = desk.open(ANNA)
    assert found.form.language == "de"
    desk.save(found.id, ANNA, better="tie")
    submit_item(store, desk.campaign, found.id, ANNA, 1.0)
    shown = json.loads(command("campaign", "show", "Pilot", "--json"))
    assert [(row["System"], row["Ties"], row["Win rate"]) for row in shown["systems"]] == [
        ("careful", 1, 0.5),
        ("hasty", 1, 0.5),
    ]
    assert (
        command("campaign", "export", "Pilot", "--format", "win-rates").splitlines()[1] == "Better,careful,1,0,1,0,0.5"
    )
    command("campaign", "export", "Pilot", "--out", str(tmp_path / "r.csv"))
    raters = json.loads(command("agreement", "--ratings", str(tmp_path / "r.csv"), "--json"))
    assert raters["alphas"]["better"]["level"] == "nominal"
    assert "Better" in command("agreement", "--ratings", str(tmp_path / "r.csv"))
    form.write_text('kind = "best-worst"\n[[questions]]\nname = "better"\ntitle = "Better"\nquestion = "Which?"\n')
    words = ("--title", "T", "--submission", CAREFUL, HASTY, "--gold", GOLD, "--form", str(form))
    assert "4 systems" in failing("campaign", "create", *words)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--submission", CAREFUL), "need --gold"),
        (("--submission", CAREFUL, "--gold", GOLD, "--controls", "0", "--by", "bleu"), "No item has a bleu score"),
        (("--ratings", EXAMPLE, "--controls", "2"), "give them with --gold"),
    ],
)
def test_campaigns_that_cannot_be_made(failing: Command, words: tuple[str, ...], says: str) -> None:
    assert says in failing("campaign", "create", "--title", "T", *words)


def test_an_organisers_link(command: Command, failing: Command) -> None:
    link = json.loads(command("invite", "--organiser", "--days", "2", "--json"))["link"]
    assert link.startswith("http://localhost:8501/campaigns?invite=")
    store, _ = open_as_organiser()
    assert Role.ORGANISER not in roles_of(store, ANNA)
    redeem(store, link.partition("=")[2], ANNA)
    assert Role.ORGANISER in roles_of(store, ANNA)
    assert "more than 0" in failing("invite", "--organiser", "--days", "0")


def test_links_are_listed_and_withdrawn(command: Command, failing: Command) -> None:
    assert command("invite", "--links").startswith("No link is open")
    token = json.loads(command("invite", "--organiser", "--json"))["link"].partition("=")[2]
    store, _ = open_as_organiser()
    redeem(store, token, ANNA)
    (link,) = json.loads(command("invite", "--links", "--json"))
    name = link["name"][:12]
    shown = command("invite", "--links")
    assert f"{name}  an organiser" in shown
    assert token not in shown
    said = command("invite", "--revoke", name)
    assert "1 browser lost" in said
    assert "every visitor" in said
    assert Role.ORGANISER not in roles_of(store, ANNA)
    assert f"'{name}'" in failing("invite", "--revoke", name)


def test_backup_and_restore(
    command: Command, failing: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(command)
    before = command("campaign", "list", "--json")
    file = str(tmp_path / "b.zip")
    rows = json.loads(command("backup", file, "--json"))["rows"]
    assert (rows["campaigns"], rows["campaign_items"]) == (1, 12)
    assert "exists already" in failing("backup", file)
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "other"))
    assert "rows restored" in command("restore", file)
    assert command("campaign", "list", "--json") == before
    assert "--replace" in failing("restore", file)
    assert json.loads(command("restore", file, "--replace", "--json"))["rows"] == rows


def test_a_study_goes_out_and_in_and_raters_are_excluded(command: Command, tmp_path: Path) -> None:
    scales = ["--scale", "semantic_coverage", "--scale", "relevance"]
    command("campaign", "create", "--title", "Done", "--ratings", EXAMPLE, "--controls-per-rater", "0", *scales)
    command("campaign", "import", "Done", EXAMPLE)
    done = str(json.loads(command("campaign", "list", "--json"))[0]["id"])
    assert command("campaign", "exclude", done, "R01", "--reason", "r", "--item", "", status=2)  # not everything
    assert command("campaign", "exclude", done, "R01", "--reason", "Too fast.") == "R01 is excluded: everything.\n"
    out = tmp_path / "study.zip"
    command("campaign", "export", done, "--format", "study-zip", "--out", str(out))
    again = command("campaign", "import-study", str(out)).partition(":")[0]
    assert command("campaign", "export", again) == command("campaign", "export", done)
    assert command("campaign", "show", again) == command("campaign", "show", done)
    excluded = command("campaign", "export", done)
    command("campaign", "include", done, "R01", "--reason", "They had a good reason.")
    assert len(command("campaign", "export", done)) > len(excluded)


def test_many_are_invited_at_once(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scales = ["--scale", "relevance", "--ratings", EXAMPLE, "--controls-per-rater", "0"]
    command("campaign", "create", "--title", "Pilot", *scales)
    (tmp_path / "names.txt").write_text("Anna, a@a.example\nBert\n", encoding="utf-8")
    lines = command("invite", "--campaign", "Pilot", "--names", str(tmp_path / "names.txt")).splitlines()
    assert [line.split(",")[:2] for line in lines] == [["Name", "Rater"], ["Anna", "R01"], ["Bert", "R02"]]
    assert "everybody" in command("invite", "--campaign", "Pilot", "--anyone")
    (tmp_path / "more.txt").write_text("Cleo\n", encoding="utf-8")
    made = json.loads(command("invite", "--campaign", "Pilot", "--names", str(tmp_path / "more.txt"), "--json"))
    assert [(one["name"], one["days"]) for one in made] == [("Cleo", 30.0)]
    assert "invite=" in made[0]["link"]
