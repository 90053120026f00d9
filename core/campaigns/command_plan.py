"""Make the plan of a new campaign of its request: the items and their draw, the controls, the form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.agreement.ratings import read_ratings
from core.agreement.scored_items import read_control_key, read_scored_items
from core.campaigns.commands import SCALES, CreateCampaign
from core.campaigns.planning.comparisons import comparison_items
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.own_form import read_form
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey
from core.campaigns.planning.rating_form import STANDARD, Form
from core.campaigns.planning.sampling import gold_controls, practice_items, stratified_sample
from core.campaigns.planning.sources import (
    Items,
    as_controls,
    items_from_import,
    items_from_submissions,
    items_from_table,
    scores_of_files,
)
from core.records import parse_json, parse_text
from core.scoring.leaderboard import distinct_names


def plan_of(request: CreateCampaign) -> tuple[CampaignPlan, tuple[str, ...]]:
    """Return the plan of a request, and the unusable parts of its files."""
    source, form = _source(request), _form(request)
    compared = comparison_items(source.items, form.kind)
    items = compared.items
    if request.control_key:
        keys = read_control_key(*request.control_key)
        items = as_controls(items, {item: ControlKey(verdict=label) for item, label in keys.items()})
    wanted = request.sample or max(1, sum(not item.control for item in items))
    drawn = stratified_sample(items, n=wanted, seed=request.seed, metric=request.by)
    controls = (*(item for item in items if item.control), *_made_controls(request, form, drawn))
    each = min(5, len(controls)) if request.controls_per_rater is None else request.controls_per_rater
    without = (*drawn, *controls)
    plan = CampaignPlan(
        title=request.title,
        items=without,
        form=form,
        seed=request.seed,
        ratings_per_item=request.ratings_per_item,
        items_per_rater=request.items_per_rater,
        controls_per_rater=each,
        practice=practice_items(request.gold, n=request.practice, seed=request.seed, without=without),
        options=CampaignOptions(
            label_first=request.label_first,
            pass_mark=request.pass_mark,
            completion_code=request.completion_code,
            completion_url=request.completion_url,
            introduction=request.introduction.strip(),
            guidelines=request.guidelines.strip(),
            examples=request.examples.strip(),
        ),
    )
    return plan, (*source.notes, *compared.notes)


def _source(request: CreateCampaign) -> Items:
    scored = read_scored_items(request.scores) if request.scores else None
    if request.items:
        return items_from_table(*request.items)
    if request.ratings:
        return items_from_import(read_ratings(*request.ratings), scored)
    scores, ranks = scores_of_files(scored) if scored else ({}, {})
    return items_from_submissions(distinct_names(request.submission), request.gold, scores, ranks=ranks)


def _made_controls(request: CreateCampaign, form: Form, drawn: Sequence[CampaignItem]) -> tuple[CampaignItem, ...]:
    wanted = request.controls
    if wanted is None:
        wanted = 0 if request.control_key or not request.gold or form.own else 5
    return gold_controls(request.gold, n=wanted, seed=request.seed, without=drawn) if wanted else ()


def _form(request: CreateCampaign) -> Form:
    form = Form(tuple(SCALES[name] for name in dict.fromkeys(request.scale))) if request.scale else STANDARD
    if request.form:
        name, text = request.form.name, parse_text(*request.form)
        if name.lower().endswith(".toml"):
            form = read_form(name, text)
        else:
            parse_json(name, text)
            form = Form.from_json(text)
    return replace(form, language=request.language) if request.language else form
