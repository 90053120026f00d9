"""Declare the commands of an organiser: `veridesk campaign ACTION` and `veridesk invite`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later
from core.actions.fields import (
    BadField,
    Between,
    Choices,
    FromFile,
    Help,
    InputFile,
    Nothing,
    OptionName,
    Place,
    Writes,
)
from core.annotations import GoldClaim, Submission
from core.averitec.averitec import parse_gold, parse_submission
from core.campaigns.planning.options import languages
from core.campaigns.planning.scales import COVERAGE, EARLIER, RELEVANCE
from core.records import parse_text
from core.scoring.judge_settings import JudgeSettings
from core.scoring.registry import EVIDENCE_ITEMS, evidence_name

ONE = Annotated[str, Place("CAMPAIGN"), Help("its id, the beginning of it, or its title")]
A_TEXT = Annotated[str, FromFile(parse_text), Help("a text that raters read, in UTF-8")]
SCALES = {scale.name: scale for scale in (COVERAGE, RELEVANCE, *EARLIER)}
RATINGS = ("csv", "jsonl", "label-studio", "label-studio-interface", "argilla", "dictionary")
STUDY = "study-zip"
SOURCES = ("submission", "items", "ratings")
STATES = (
    ("open", "open", "raters' answers are taken"),
    ("pause", "paused", "raters' answers are refused"),
    ("close", "closed", "raters' answers are refused"),
)
ADDRESS = "http://localhost:8501"


@dataclass(frozen=True, kw_only=True)
class CreateCampaign:
    """Draw items and create a campaign, open for raters."""

    title: Annotated[str, Help("its name for organisers")]
    submission: Annotated[
        tuple[Submission, ...], FromFile(parse_submission), Help("systems' predictions, with --gold")
    ] = ()
    items: Annotated[InputFile | None, FromFile(InputFile), Help("items: our JSON lines, or a CSV with claims")] = None
    ratings: Annotated[InputFile | None, FromFile(InputFile), Help("the items that finished ratings are about")] = None
    gold: Annotated[
        list[GoldClaim], FromFile(parse_gold), Help("gold annotations of the submissions, for controls too")
    ] = field(default_factory=list)
    scores: Annotated[tuple[InputFile, ...], FromFile(InputFile), Help("scores by id and system")] = ()
    sample: Annotated[int | None, Between(1, 100_000), Help("how many items to draw; all, if left out")] = None
    by: Annotated[str, OptionName(metavar="METRIC"), Help("draw evenly over high and low values of this score")] = ""
    seed: Annotated[int, Between(0, 2**32 - 1), Help("of the draw and of the raters' orders")] = 0
    controls: Annotated[int | None, Between(0, 10_000), Help("make N control items from --gold (5 with --gold)")] = None
    control_key: Annotated[
        InputFile | None, FromFile(InputFile), Help("CSV of id and label: these items are controls")
    ] = None
    scale: Annotated[
        tuple[str, ...], Choices(tuple(SCALES)), Help("a scale to rate by (semantic_coverage, relevance)")
    ] = ()
    form: Annotated[
        InputFile | None, FromFile(InputFile), Help("a form of your own in TOML, or JSON as `campaign` keeps it")
    ] = None
    language: Annotated[str, Choices(languages()), Help("of the raters' page (en, or the form's)")] = ""
    introduction: A_TEXT = ""
    guidelines: A_TEXT = ""
    examples: A_TEXT = ""
    label_first: Annotated[bool, Help("show predicted label and reference from the start, as in the paper")] = False
    practice: Annotated[int, Between(0, 100), Help("practice items from --gold")] = 0
    pass_mark: Annotated[int, Between(0, 100), Help("practice items that must be right")] = 0
    completion_code: Annotated[str, Help("shown to raters who have rated everything")] = ""
    completion_url: Annotated[str, Help("where they are sent back to")] = ""
    ratings_per_item: Annotated[int, Between(1, 1000), Help("how many people rate an item")] = 1
    items_per_rater: Annotated[int, Between(1, 10_000), Help("controls included")] = 35
    controls_per_rater: Annotated[int | None, Between(0, 10_000), Help("(5, or as many as there are)")] = None

    def __post_init__(self) -> None:
        if sum(bool(getattr(self, name)) for name in SOURCES) != 1:
            raise BadField("submission", "Give the items with one of --submission, --items and --ratings.")
        if self.submission and not self.gold:
            raise BadField("gold", "Submissions need --gold: raters compare with its reference evidence.")
        if self.controls and not self.gold:
            raise BadField("controls", "--controls makes control items from annotated claims: give them with --gold.")


@dataclass(frozen=True)
class OneCampaign:
    """Name a campaign."""

    campaign: ONE


@dataclass(frozen=True)
class ExportCampaign:
    """Write its ratings, by pseudonym, or its items."""

    campaign: ONE
    format: Annotated[
        str,
        Choices((*RATINGS, "items", "win-rates", STUDY)),
        Help("items have gold and keys, the dictionary explains columns. A study is everything, for import-study"),
    ] = "csv"
    out: Annotated[Path | None, Writes(), Help("standard output if left out")] = None

    def __post_init__(self) -> None:
        if self.format == STUDY and not self.out:
            raise BadField("out", "A study is a file of its own: say with --out where it goes.")


@dataclass(frozen=True)
class ImportRatings:
    """Add finished ratings: a form's export, or our CSV or JSONL."""

    campaign: ONE
    file: Annotated[InputFile, Place("FILE"), FromFile(InputFile), Help("the ratings")]


@dataclass(frozen=True)
class ImportStudy:
    """Make a campaign of a study's export."""

    file: Annotated[InputFile, Place("FILE"), FromFile(InputFile), Help("the study")]


@dataclass(frozen=True)
class ExcludeRater:
    """Leave a rater's answers out of all figures; the items go to others."""

    campaign: ONE
    rater: Annotated[str, Place("RATER"), Help("the rater's pseudonym")]
    item: Annotated[str | None, OptionName(metavar="ID"), Help("one item's id in its files; else everything")] = None
    reason: Annotated[str, Help("kept with the study; an exclusion needs one")] = ""


@dataclass(frozen=True, kw_only=True)
class ScoreCampaign(JudgeSettings):
    """Score its items, to be compared with the ratings."""

    campaign: ONE
    metric: Annotated[tuple[str, ...], Choices(EVIDENCE_ITEMS, evidence_name), Help("a score to compute")]
    fetch_words: Annotated[bool, Help("first fetch NLTK's Punkt and WordNet")] = False


@dataclass(frozen=True, kw_only=True)
class Invite:
    """Make a personal link for an organiser or a rater, list the links, withdraw one."""

    organiser: Annotated[bool, Help("its user may plan campaigns and see all ratings; local mode ends then")] = False
    campaign: Annotated[str, Help("id, its beginning or title: a link for one new rater")] = ""
    links: Annotated[bool, Help("list the links that are open or gave somebody a role")] = False
    revoke: Annotated[
        str | None,
        OptionName(metavar="LINK"),
        Help("name of a link in that list, or its beginning: withdraw it, and the role it gave"),
    ] = None
    names: Annotated[
        str, FromFile(parse_text), Help("one link per line: a name, then an address and a team after commas")
    ] = ""
    anyone: Annotated[bool, Help("one link that makes a rater of each who opens it (by PROLIFIC_PID)")] = False
    name: Annotated[str, Help("the rater's name, kept in a table of its own that exports leave out")] = ""
    address: Annotated[str, Help("the rater's address, kept likewise; nothing is sent")] = ""
    team: Annotated[str, Help("the rater's team; they do not get its systems")] = ""
    days: Annotated[float, Between(0, 3650), Help("how long the link is good")] = 30.0
    url: Annotated[str, Help("where the app is reached")] = ADDRESS

    def __post_init__(self) -> None:
        if [self.organiser, bool(self.campaign), self.links, self.revoke is not None].count(True) != 1:
            raise BadField("organiser", "Say one of --organiser, --campaign, --links and --revoke.")


work = Later("core.campaigns.command_work")
CAMPAIGN = (
    Action(
        "list", Nothing, work.list_campaigns, json_help="the list", summary="List the campaigns and how far they came."
    ),
    Action("create", CreateCampaign, work.create, json_help="the drawn items"),
    Action(
        "show", OneCampaign, work.show, work.progress_words, work.progress_tables, work.progress_values,
        summary="Show raters, time, controls and straight-lining.",
    ),
    Action("export", ExportCampaign, work.export, json=None),
    Action("import", ImportRatings, work.import_file, json_help="the unused rows"),
    Action("import-study", ImportStudy, work.import_study, json=None),
    Action("exclude", ExcludeRater, partial(work.exclude, True), json=None),
    Action("include", ExcludeRater, partial(work.exclude, False), json=None, summary="Take back an exclusion."),
    Action("score", ScoreCampaign, work.score, json=None, unit="items"),
    *(
        Action(name, OneCampaign, partial(work.set_to, state), json=None, summary=f"Make it {state}: {words}.")
        for name, state, words in STATES
    ),
)  # fmt: skip
INVITE = Action("invite", Invite, work.invite, json_help="the link or the list")
