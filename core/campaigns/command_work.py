"""Do the commands of an organiser (commands.py) in the database that is set, as its organiser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from core.actions.action import ActionContext, Said
from core.actions.fields import Nothing
from core.agreement.ratings import RatingImport, read_ratings
from core.campaigns.access import command_line, invite_organiser, is_loopback, local_mode_has_ended
from core.campaigns.command_plan import plan_of
from core.campaigns.commands import (
    STUDY,
    CreateCampaign,
    ExcludeRater,
    ExportCampaign,
    ImportRatings,
    ImportStudy,
    Invite,
    OneCampaign,
    ScoreCampaign,
)
from core.campaigns.comparing import keep_scores, scores_for, win_rates
from core.campaigns.exchange.dictionary import dictionary_csv
from core.campaigns.exchange.importing import import_ratings
from core.campaigns.exchange.rating_exports import (
    argilla,
    label_studio,
    label_studio_interface,
    ratings_csv,
    ratings_jsonl,
)
from core.campaigns.exchange.study import create_from_study, study_of
from core.campaigns.exchange.study_files import read_study, to_zip
from core.campaigns.excluding import set_excluded
from core.campaigns.inviting import invite_anyone, invite_rater, invite_raters, open_links, read_people, withdraw_link
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign, set_state
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.progress import SECONDS_A_MINUTE, CampaignProgress, RaterProgress
from core.campaigns.progress_tables import progress_of, rater_table
from core.campaigns.reliability import raters_agreement, signs_of_carelessness
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import Campaign, CampaignState
from core.errors import BadInput
from core.files import write_whole
from core.scoring.metrics.hungarian_meteor import meteor_signature
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.open_metrics import Opening
from core.scoring.work import doubt_of_words, fetch_words, monitored
from core.settings import settings
from core.storage.store import Store
from core.tabular.exports import csv_text, to_csv, to_text
from core.tabular.table import Column, Table
from core.wording import counted

EXPORTS: Mapping[str, Callable[[RatingImport], str]] = {
    "csv": ratings_csv,
    "jsonl": ratings_jsonl,
    "label-studio": label_studio,
    "label-studio-interface": label_studio_interface,
    "argilla": argilla,
    "dictionary": lambda ratings: dictionary_csv(ratings.scales, ratings.own),
}
NAMES = {"inter-rater": "agreement", "win-rates": "systems"}
"""The tables' keys in JSON."""


@dataclass(frozen=True)
class CampaignDesk:
    """The database as its organiser on the command line, and a campaign."""

    store: Store
    owner: str
    id: str = ""

    @property
    def found(self) -> Campaign:
        return load_campaign(self.store, self.id, self.owner)

    def ratings(self, *, excluded_too: bool = False) -> RatingImport:
        return campaign_ratings(self.store, self.id, self.owner, excluded_too=excluded_too)


def open_as_organiser() -> tuple[Store, str]:
    """Return the database that is set, and the owner that the command line acts as: an organiser."""
    store = Store(settings().database_url)
    return store, command_line(store)


def open_desk(name: str | None = None) -> CampaignDesk:
    """Open the database as an organiser, and find the campaign of an id, the beginning of one, or a title.

    Raises BadInput if it is not exactly one.
    """
    store, owner = open_as_organiser()
    if name is None:
        return CampaignDesk(store, owner)
    lines = all_campaigns(store, owner)
    exact = [line.id for line in lines if name in (line.id, line.title)]
    found = exact or [line.id for line in lines if name and line.id.startswith(name)]
    if len(found) != 1:
        several = "Several campaigns are" if found else "No campaign is"
        raise BadInput(f"{several} named {name!r}: `python -m core campaign list` shows their ids.")
    return CampaignDesk(store, owner, found[0])


def list_campaigns(request: Nothing, context: ActionContext) -> Said:
    desk = open_desk()
    lines = all_campaigns(desk.store, desk.owner)
    rows = tuple((line.id, line.title, line.state, f"{line.submitted} of {line.wanted}") for line in lines)
    columns = tuple(Column(title) for title in ("Id", "Title", "State", "Ratings"))
    none = "There are no campaigns yet: `python -m core campaign create` makes one."
    return Said(
        to_text(Table("campaigns", "Campaigns", columns, rows)) if rows else none, [vars(line) for line in lines]
    )


def create(request: CreateCampaign, context: ActionContext) -> Said:
    desk, (plan, notes) = open_desk(), plan_of(request)
    campaign = create_campaign(desk.store, desk.owner, plan)
    for note in notes:
        context.tell(note)
    controls = sum(item.control for item in plan.items)
    numbers = f"{counted(len(plan.items) - controls, 'item')}, {counted(controls, 'control')}"
    drawn = [{"item": i.item, "system": i.system, "stratum": i.stratum, "control": i.control} for i in plan.items]
    return Said(
        f"{campaign}: {numbers}, drawn with seed {plan.seed}.",
        {"campaign": campaign, "seed": plan.seed, "items": drawn},
    )


@dataclass(frozen=True)
class ShownCampaign:
    """A campaign's title, its progress, and how far raters agree, with the systems compared if any were."""

    title: str
    now: CampaignProgress
    compared: Sequence[Table]


def show(request: OneCampaign, context: ActionContext) -> ShownCampaign:
    desk = open_desk(request.campaign)
    store, owner, campaign = desk.store, desk.owner, desk.found
    now = progress_of(store, owner, campaign, all_assigned(store, campaign.id, owner))
    rates = win_rates(campaign.plan.form, desk.ratings())
    return ShownCampaign(
        campaign.plan.title, now, [raters_agreement(store, owner, campaign), *([rates] if rates else [])]
    )


def progress_words(shown: ShownCampaign) -> str:
    """Return the figures, and the signs of carelessness."""
    now = shown.now
    seconds = "" if now.minutes is None else f", {now.minutes * SECONDS_A_MINUTE:.0f} seconds each (median)"
    head = f"{shown.title}: {now.submitted} of {now.wanted} ratings{seconds}. {now.nobody_left}".rstrip()
    signs = [(one.rater, "; ".join(signs_of_carelessness(one, now.minutes, now.words))) for one in now.raters]
    nobody = [] if now.raters else ["Nobody is invited yet."]
    return "\n".join([head, *nobody, *(f"{rater}: {sign}." for rater, sign in signs if sign)])


def progress_tables(shown: ShownCampaign) -> list[Table]:
    return [rater_table(shown.now), *shown.compared] if shown.now.raters else []


def progress_values(shown: ShownCampaign) -> dict[str, Any]:
    now, tables = shown.now, {NAMES[table.name]: _records(table) for table in shown.compared}
    figures = {name: getattr(now, name) for name in ("submitted", "wanted", "minutes", "nobody_left")}
    return figures | {"raters": [_rater_row(one, now) for one in now.raters]} | tables


def _records(table: Table) -> list[dict[str, object]]:
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, row, strict=True)) for row in table.rows]


def _rater_row(one: RaterProgress, now: CampaignProgress) -> dict[str, object]:
    controls = one.controls
    return {
        "rater": one.rater,
        "team": one.team,
        "opened": one.opened,
        "submitted": one.submitted,
        "minutes": one.minutes,
        "controls_answered": controls.answered if controls else 0,
        "controls_correct": controls.correct if controls else 0,
        "uniform_share": one.uniform_share,
        "practice": one.practice and asdict(one.practice),
        "signs": signs_of_carelessness(one, now.minutes, now.words),
    }


def export(request: ExportCampaign, context: ActionContext) -> str:
    """Return the text, or write it to the file that is named."""
    found = exported(open_desk(request.campaign), request.format)
    if request.out is None:
        return str(found).rstrip("\n")
    write_whole(request.out, found)
    return ""


def exported(desk: CampaignDesk, form: str) -> str | bytes:
    """Return a campaign in a form of export. Raises BadInput for a form that it does not have."""
    if form == STUDY:
        return to_zip(study_of(desk.store, desk.id, desk.owner))
    if form == "items":
        return items_jsonl(desk.found.plan.items)
    if form != "win-rates":
        return EXPORTS[form](desk.ratings())
    compared = win_rates(desk.found.plan.form, desk.ratings())
    if compared is None:
        raise BadInput("This campaign compares no systems: its form is of the kind rating.")
    return to_csv(compared)


def import_file(request: ImportRatings, context: ActionContext) -> Said:
    desk, found = open_desk(request.campaign), read_ratings(*request.file)
    done = import_ratings(desk.store, desk.id, desk.owner, found)
    read, notes = found.report.read, list(done.notes)
    unused = [*found.report.skipped, *found.report.unused_answers, *done.skipped]
    lines = [f"{counted(read, 'row')} read, {done.kept} kept.", *(f"Row {one.row}: {one.reason}." for one in unused)]
    rows = [{"row": one.row, "reason": one.reason} for one in unused]
    return Said(
        "\n".join([*lines, *found.report.notes, *notes]),
        {"read": read, "kept": done.kept, "unused": rows, "notes": notes},
    )


def import_study(request: ImportStudy, context: ActionContext) -> str:
    desk = open_desk()
    campaign = create_from_study(desk.store, desk.owner, read_study(*request.file))
    return f"{campaign}: the study of {request.file.name}. Nobody has a link to it."


def exclude(excluded: bool, request: ExcludeRater, context: ActionContext) -> str:
    desk, item = open_desk(request.campaign), request.item
    known = [one.id for one in desk.found.plan.items if one.item == item]
    if item is not None and len(known) != 1:
        raise BadInput(f"{len(known)} items of this campaign have the id {item}: use the page to choose one.")
    at = desk.store, desk.id, desk.owner
    set_excluded(*at, request.rater, request.reason, item="".join(known), excluded=excluded)
    return f"{request.rater} is {'excluded' if excluded else 'taken back in'}: {item or 'everything'}."


def score(request: ScoreCampaign, context: ActionContext) -> str:
    desk = open_desk(request.campaign)
    items = desk.found.plan.items
    if request.fetch_words:
        fetch_words(context.tell)
    context.begin("campaign")
    with closing(Opening(request.metric, request.judging)) as opening:
        metrics = opening.metrics()
        for metric in metrics:
            if isinstance(metric, HungarianMeteor) and (doubt := doubt_of_words(meteor_signature(metric.language))):
                context.tell(doubt)
        scores = scores_for(items, metrics, monitored(context))
    keep_scores(desk.store, desk.id, desk.owner, scores)
    unscored = sum(not item.control and item.id not in scores for item in items)
    without = f"; {unscored} have none, for want of reference evidence or of a usable judgement" if unscored else ""
    return f"{counted(len(scores), 'item')} scored{without}."


def set_to(state: str, request: OneCampaign, context: ActionContext) -> str:
    desk = open_desk(request.campaign)
    set_state(desk.store, desk.id, desk.owner, CampaignState(state))
    return f"The campaign is now {state}."


def invite(request: Invite, context: ActionContext) -> Said:
    """Make links, list them, or withdraw one."""
    desk = open_desk(request.campaign or None)
    if request.links:
        return listed_links(desk)
    if request.revoke is not None:
        return withdrawn(desk, request.revoke)
    if is_loopback(urlsplit(request.url).hostname or ""):
        context.tell(f"{request.url} is this machine alone: say with --url where others reach the app.")
    if request.names and request.campaign:
        return many_links(desk, request)
    if request.organiser:
        page, token = "campaigns", invite_organiser(desk.store, days=request.days)
    elif request.anyone:
        page, token = "rate", invite_anyone(desk.store, desk.id, desk.owner, days=request.days)
    else:
        whom = request.name, request.address, request.team
        page, token = "rate", invite_rater(desk.store, desk.id, desk.owner, *whom, days=request.days)
    link, opens = link_to(request.url, page, token), "one person on any of their devices"
    opens = "everybody who opens it" if request.anyone else opens
    said = f"{link}\nGood for {request.days:g} days, for {opens}. It is not shown again."
    return Said(said, {"link": link, "days": request.days})


def many_links(desk: CampaignDesk, request: Invite) -> Said:
    """Return a link for each of the people in a file, as CSV and as a list."""
    made = invite_raters(desk.store, desk.id, desk.owner, read_people(request.names), days=request.days)
    rows = [[one.person.name, one.pseudonym, link_to(request.url, "rate", one.token)] for one in made]
    people = [{"name": name, "rater": rater, "link": link, "days": request.days} for name, rater, link in rows]
    return Said(csv_text(["Name", "Rater", "Link"], rows).rstrip("\n"), people)


def link_to(url: str, page: str, token: str) -> str:
    return f"{url.rstrip('/')}/{page}?{urlencode({'invite': token})}"


def listed_links(desk: CampaignDesk) -> Said:
    links = open_links(desk.store, desk.owner)
    rows = tuple((one.name[:12], one.whom, _day(one.created), _day(one.expires), one.opened) for one in links)
    columns = (*(Column(title) for title in ("Link", "Of", "Made", "Ends")), Column("Opened by", 0))
    none = "No link is open: `python -m core invite --organiser` makes one."
    return Said(to_text(Table("links", "Open links", columns, rows)) if rows else none, [vars(link) for link in links])


def withdrawn(desk: CampaignDesk, name: str) -> Said:
    link = withdraw_link(desk.store, desk.owner, name)
    said = f"The link of {link.whom} is withdrawn; {counted(link.opened, 'browser')} lost the role that it gave."
    if not link.campaign and not local_mode_has_ended(desk.store):
        said += "\nNo organiser has a link now: on a single machine without sign-in, every visitor is one again."
    return Said(said, vars(link))


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
