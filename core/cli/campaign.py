"""`python -m core campaign ACTION`: rating campaigns for an organiser without a browser."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import closing

from core.actions.fields import Choices
from core.agreement.ratings import RatingImport, read_ratings
from core.campaigns.agreement_table import raters_agreement
from core.campaigns.comparing import keep_scores, scores_for
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
from core.campaigns.exchange.study_files import WRITERS, read_study
from core.campaigns.excluding import set_excluded
from core.campaigns.inviting import invited_raters
from core.campaigns.organising import all_campaigns, create_campaign, load_campaign, set_state
from core.campaigns.planning.sources import items_jsonl
from core.campaigns.practice import practised
from core.campaigns.progress import progress
from core.campaigns.results import all_assigned, campaign_ratings
from core.campaigns.types import CampaignState
from core.campaigns.win_rates import win_rates
from core.cli.common.action_command import add_fields, chosen, on_terminal, request_of
from core.cli.common.campaign_plan import add_plan_arguments, plan_of
from core.cli.common.campaign_progress import progress_json, progress_text
from core.cli.common.campaigns import campaign_named, open_as_organiser
from core.cli.common.paths import input_path, not_empty, output_file
from core.errors import BadInput
from core.files import write_whole
from core.records import read_bytes
from core.scoring.judge_settings import JudgeSettings
from core.scoring.metrics.hungarian_meteor import meteor_signature
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.open_metrics import Opening
from core.scoring.registry import EVIDENCE_ITEMS, evidence_name
from core.scoring.score import doubt_of_words, fetch_words
from core.scoring.work import monitored
from core.storage.store import Store
from core.tabular.exports import to_csv, to_text
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
ITEMS, WIN_RATES = "items", "win-rates"
STUDIES = {f"study-{name}": write for name, write in WRITERS.items()}
EXCLUSIONS = {
    "exclude": "leave a rater's answers out of all figures; the items go to others",
    "include": "take back an exclusion",
}
STATES = {"open": CampaignState.OPEN, "pause": CampaignState.PAUSED, "close": CampaignState.CLOSED}
EVIDENCE_METRICS = Choices(EVIDENCE_ITEMS, evidence_name)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list the campaigns and how far they came")
    listing.set_defaults(act=list_campaigns)
    creation = actions.add_parser("create", help="draw items and create a campaign, open for raters")
    add_plan_arguments(creation)
    creation.set_defaults(act=create)
    shown = _on_campaign(actions, "show", "show raters, time, controls and straight-lining", show)
    export = _on_campaign(actions, "export", "write its ratings, by pseudonym, or its items", export_campaign)
    export.add_argument(
        "--format",
        choices=(*EXPORTS, ITEMS, WIN_RATES, *STUDIES),
        default="csv",
        help="items have gold and keys, the dictionary explains columns. A study is everything, for import-study (csv)",
    )
    export.add_argument("--out", type=output_file, metavar="FILE", help="standard output if left out")
    imported = _on_campaign(
        actions, "import", "add finished ratings: a form's export, or our CSV or JSONL", import_file
    )
    imported.add_argument("file", type=input_path, metavar="FILE")
    study = actions.add_parser("import-study", help="make a campaign of a study's export")
    study.add_argument("file", type=input_path, metavar="FILE")
    study.set_defaults(act=import_study)
    for name, words in EXCLUSIONS.items():
        one = _on_campaign(actions, name, words, exclude)
        one.add_argument("rater", metavar="RATER", help="the rater's pseudonym")
        one.add_argument("--item", type=not_empty, metavar="ID", help="one item's id in its files; else everything")
        excluding = name == "exclude"
        one.add_argument("--reason", required=excluding, default="", help="kept with the study")
    scored = _on_campaign(actions, "score", "score its items, to be compared with the ratings", score)
    scored.add_argument("--metric", action="append", **chosen(EVIDENCE_METRICS), required=True, help="may be repeated")
    scored.add_argument("--fetch-words", action="store_true", help="first fetch NLTK's Punkt and WordNet")
    add_fields(scored, JudgeSettings)
    for name in STATES:
        _on_campaign(actions, name, f"{name} it: raters' answers are {'taken' if name == 'open' else 'refused'}", state)
    for one in (listing, creation, shown, imported):
        one.add_argument("--json", action="store_true", help="print JSON")


def _on_campaign(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    act: Callable[[Store, str, argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.add_argument("campaign", metavar="CAMPAIGN", help="its id, the beginning of it, or its title")
    parser.set_defaults(act=act)
    return parser


def run(args: argparse.Namespace) -> int:
    store, owner = open_as_organiser()
    if "campaign" in args:
        args.campaign = campaign_named(store, owner, args.campaign)
    act: Callable[[Store, str, argparse.Namespace], int] = args.act
    return act(store, owner, args)


def list_campaigns(store: Store, owner: str, args: argparse.Namespace) -> int:
    lines = all_campaigns(store, owner)
    if args.json:
        print(json.dumps([vars(line) for line in lines], ensure_ascii=False, indent=1))
    elif lines:
        rows = tuple((line.id, line.title, line.state, f"{line.submitted} of {line.wanted}") for line in lines)
        columns = tuple(Column(title) for title in ("Id", "Title", "State", "Ratings"))
        print(to_text(Table("campaigns", "Campaigns", columns, rows)))
    else:
        print("There are no campaigns yet: `python -m core campaign create` makes one.")
    return 0


def create(store: Store, owner: str, args: argparse.Namespace) -> int:
    plan, notes = plan_of(args)
    campaign = create_campaign(store, owner, plan)
    for note in notes:
        print(note, file=sys.stderr)
    controls = sum(item.control for item in plan.items)
    if args.json:
        drawn = [{"item": i.item, "system": i.system, "stratum": i.stratum, "control": i.control} for i in plan.items]
        print(json.dumps({"campaign": campaign, "seed": plan.seed, "items": drawn}, ensure_ascii=False, indent=1))
    else:
        numbers = f"{counted(len(plan.items) - controls, 'item')}, {counted(controls, 'control')}"
        print(f"{campaign}: {numbers}, drawn with seed {plan.seed}.")
    return 0


def show(store: Store, owner: str, args: argparse.Namespace) -> int:
    campaign = load_campaign(store, args.campaign, owner)
    people = invited_raters(store, args.campaign, owner)
    assigned = all_assigned(store, args.campaign, owner)
    ratings = campaign_ratings(store, args.campaign, owner, excluded_too=True)
    now = progress(campaign.plan, people, assigned, ratings, practised(store, args.campaign, owner))
    agreement = raters_agreement(store, owner, campaign)
    counted_only = campaign_ratings(store, args.campaign, owner)
    tables = [agreement, *filter(None, [win_rates(campaign.plan.form, counted_only)])]
    print(progress_json(now, tables) if args.json else progress_text(campaign.plan.title, now, tables))
    return 0


def export_campaign(store: Store, owner: str, args: argparse.Namespace) -> int:
    if args.format in STUDIES:
        if not args.out:
            raise BadInput("A study is a file of its own: say with --out where it goes.")
        write_whole(args.out, STUDIES[args.format](study_of(store, args.campaign, owner)))
        return 0
    if args.format == WIN_RATES:
        form = load_campaign(store, args.campaign, owner).plan.form
        compared = win_rates(form, campaign_ratings(store, args.campaign, owner))
        if compared is None:
            raise BadInput("This campaign compares no systems: its form is of the kind rating.")
        text = to_csv(compared)
    elif args.format == ITEMS:
        text = items_jsonl(load_campaign(store, args.campaign, owner).plan.items)
    else:
        text = EXPORTS[args.format](campaign_ratings(store, args.campaign, owner))
    if args.out:
        write_whole(args.out, text)
    else:
        print(text, end="")
    return 0


def import_file(store: Store, owner: str, args: argparse.Namespace) -> int:
    found = read_ratings(args.file.name, read_bytes(args.file))
    done = import_ratings(store, args.campaign, owner, found)
    unused = [*found.report.skipped, *found.report.unused_answers, *done.skipped]
    if args.json:
        rows = [{"row": one.row, "reason": one.reason} for one in unused]
        print(json.dumps({"read": found.report.read, "kept": done.kept, "unused": rows, "notes": list(done.notes)}))
        return 0
    print(f"{counted(found.report.read, 'row')} read, {done.kept} kept.")
    for one in unused:
        print(f"Row {one.row}: {one.reason}.")
    for note in (*found.report.notes, *done.notes):
        print(note)
    return 0


def import_study(store: Store, owner: str, args: argparse.Namespace) -> int:
    campaign = create_from_study(store, owner, read_study(args.file.name, read_bytes(args.file)))
    print(f"{campaign}: the study of {args.file.name}. Nobody has a link to it.")
    return 0


def exclude(store: Store, owner: str, args: argparse.Namespace) -> int:
    plan = load_campaign(store, args.campaign, owner).plan
    known = [item.id for item in plan.items if item.item == args.item]
    if args.item and len(known) != 1:
        raise BadInput(f"{len(known)} items of this campaign have the id {args.item}: use the page to choose one.")
    excluded = args.action == "exclude"
    set_excluded(store, args.campaign, owner, args.rater, args.reason, item="".join(known), excluded=excluded)
    print(f"{args.rater} is {'excluded' if excluded else 'taken back in'}: {args.item or 'everything'}.")
    return 0


def score(store: Store, owner: str, args: argparse.Namespace) -> int:
    items = load_campaign(store, args.campaign, owner).plan.items
    context = on_terminal("items")
    if args.fetch_words:
        fetch_words(context.tell)
    context.begin("campaign")
    with closing(Opening(args.metric, request_of(args, JudgeSettings).judging)) as opening:
        metrics = opening.metrics()
        for metric in metrics:
            if isinstance(metric, HungarianMeteor) and (doubt := doubt_of_words(meteor_signature(metric.language))):
                context.tell(doubt)
        scores = scores_for(items, metrics, monitored(context))
    keep_scores(store, args.campaign, owner, scores)
    unscored = sum(not item.control and item.id not in scores for item in items)
    without = f"; {unscored} have none, for want of reference evidence or of a usable judgement" if unscored else ""
    print(f"{counted(len(scores), 'item')} scored{without}.")
    return 0


def state(store: Store, owner: str, args: argparse.Namespace) -> int:
    set_state(store, args.campaign, owner, STATES[args.action])
    print(f"The campaign is now {STATES[args.action]}.")
    return 0
