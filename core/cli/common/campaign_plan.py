"""The plan of a new campaign from command-line arguments: where items come from, the draw, controls, scales."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.agreement.ratings import read_ratings
from core.agreement.scored_items import read_control_key, read_scored_items
from core.annotations import GoldClaim
from core.averitec.averitec import read_gold, read_submission
from core.campaigns.planning.comparisons import comparison_items
from core.campaigns.planning.languages import languages
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey
from core.campaigns.planning.rating_form import STANDARD, Form
from core.campaigns.planning.sampling import gold_controls, practice_items, stratified_sample
from core.campaigns.planning.scales import EARLIER
from core.campaigns.planning.sources import (
    Items,
    as_controls,
    items_from_import,
    items_from_submissions,
    items_from_table,
    scores_of_files,
)
from core.cli.common.numbers import seed, whole
from core.cli.common.paths import input_path
from core.errors import BadInput
from core.records import parse_json, read_bytes, read_text
from core.scoring.leaderboard import distinct_names

TEXTS = ("introduction", "guidelines", "examples")
KNOWN = {scale.name: scale for scale in (*STANDARD.scales, *EARLIER)}


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a plan; the defaults are the shared task's."""
    parser.add_argument("--title", required=True)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--submission", type=input_path, nargs="+", metavar="FILE", help="systems' predictions, with --gold"
    )
    source.add_argument("--items", type=input_path, metavar="FILE", help="items: our JSON lines, or a CSV with claims")
    source.add_argument("--ratings", type=input_path, metavar="FILE", help="the items that finished ratings are about")
    parser.add_argument(
        "--gold", type=input_path, metavar="FILE", help="gold annotations of the submissions, for controls too"
    )
    parser.add_argument(
        "--scores", type=input_path, nargs="+", default=[], metavar="FILE", help="scores by id and system"
    )
    parser.add_argument(
        "--sample", type=whole(1, 100_000), metavar="N", help="how many items to draw; all, if left out"
    )
    parser.add_argument("--by", default="", metavar="METRIC", help="draw evenly over high and low values of this score")
    parser.add_argument("--seed", type=seed, default=0, help="of the draw and of the raters' orders (0)")
    parser.add_argument(
        "--controls", type=whole(0, 10_000), metavar="N", help="make N control items from --gold (5 with --gold)"
    )
    parser.add_argument(
        "--control-key", type=input_path, metavar="FILE", help="CSV of id and label: these items are controls"
    )
    parser.add_argument(
        "--scale", action="append", choices=KNOWN, help="may be repeated (semantic_coverage, relevance)"
    )
    parser.add_argument(
        "--form", type=input_path, metavar="FILE", help="a form of your own in TOML, or JSON as `campaign` keeps it"
    )
    parser.add_argument("--language", choices=languages(), help="of the raters' page (en, or the form's)")
    for name in TEXTS:
        parser.add_argument(
            f"--{name}", type=input_path, metavar="FILE", help=f"{name} that raters read, as text in UTF-8"
        )
    parser.add_argument(
        "--label-first", action="store_true", help="show predicted label and reference from the start, as in the paper"
    )
    parser.add_argument("--practice", type=whole(0, 100), default=0, metavar="N", help="practice items from --gold (0)")
    parser.add_argument("--pass-mark", type=whole(0, 100), default=0, metavar="N", help="of which must be right (0)")
    parser.add_argument("--completion-code", default="", help="shown to whoever has rated everything")
    parser.add_argument("--completion-url", default="", help="where they are sent back to")
    parser.add_argument("--ratings-per-item", type=whole(1, 1000), default=1, metavar="N", help="(1)")
    parser.add_argument(
        "--items-per-rater", type=whole(1, 10_000), default=35, metavar="N", help="controls included (35)"
    )
    parser.add_argument("--controls-per-rater", type=whole(0, 10_000), metavar="N", help="(5, or as many as there are)")


def plan_of(args: argparse.Namespace) -> tuple[CampaignPlan, tuple[str, ...]]:
    """Return the plan of the arguments, and the unusable parts of the files."""
    gold = read_gold(args.gold) if args.gold else []
    source = _source(args, gold)
    form = _form(args)
    compared = comparison_items(source.items, form.kind)
    items = as_controls(compared.items, _keys(args.control_key)) if args.control_key else compared.items
    wanted = args.sample or max(1, sum(not item.control for item in items))
    drawn = stratified_sample(items, n=wanted, seed=args.seed, metric=args.by)
    controls = (*(item for item in items if item.control), *_made_controls(args, form, gold, drawn))
    each = min(5, len(controls)) if args.controls_per_rater is None else args.controls_per_rater
    plan = CampaignPlan(
        title=args.title,
        items=(*drawn, *controls),
        form=form,
        seed=args.seed,
        ratings_per_item=args.ratings_per_item,
        items_per_rater=args.items_per_rater,
        controls_per_rater=each,
        practice=practice_items(gold, n=args.practice, seed=args.seed, without=(*drawn, *controls)),
        options=_options(args),
    )
    return plan, (*source.notes, *compared.notes)


def _options(args: argparse.Namespace) -> CampaignOptions:
    texts = {name: read_text(path).strip() for name in TEXTS if (path := getattr(args, name))}
    return CampaignOptions(
        label_first=args.label_first,
        pass_mark=args.pass_mark,
        completion_code=args.completion_code,
        completion_url=args.completion_url,
        **texts,
    )


def _source(args: argparse.Namespace, gold: Sequence[GoldClaim]) -> Items:
    scored = read_scored_items([(path.name, read_bytes(path)) for path in args.scores]) if args.scores else None
    if args.items:
        return items_from_table(args.items.name, read_bytes(args.items))
    if args.ratings:
        return items_from_import(read_ratings(args.ratings.name, read_bytes(args.ratings)), scored)
    if not gold:
        raise BadInput("Submissions need --gold: raters compare with its reference evidence.")
    submissions = distinct_names([read_submission(path) for path in args.submission])
    scores, ranks = scores_of_files(scored) if scored else ({}, {})
    return items_from_submissions(submissions, gold, scores, ranks=ranks)


def _made_controls(
    args: argparse.Namespace, form: Form, gold: Sequence[GoldClaim], drawn: Sequence[CampaignItem]
) -> tuple[CampaignItem, ...]:
    wanted = args.controls
    if wanted is None:
        wanted = 0 if args.control_key or not gold or form.own else 5
    if wanted and not gold:
        raise BadInput("--controls makes control items from annotated claims: give them with --gold.")
    return gold_controls(gold, n=wanted, seed=args.seed, without=drawn) if wanted else ()


def _keys(path: Path) -> Mapping[str, ControlKey]:
    return {item: ControlKey(verdict=label) for item, label in read_control_key(path.name, read_bytes(path)).items()}


def _form(args: argparse.Namespace) -> Form:
    form = Form(tuple(KNOWN[name] for name in dict.fromkeys(args.scale))) if args.scale else STANDARD
    if args.form:
        text = read_text(args.form)
        if args.form.suffix.lower() == ".toml":
            form = read_form(args.form.name, text)
        else:
            parse_json(args.form.name, text)
            form = Form.from_json(text)
    return replace(form, language=args.language) if args.language else form
