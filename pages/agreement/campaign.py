"""Take the ratings of a campaign of this server, and compute scores of its items."""

from __future__ import annotations

import streamlit as st

from core.actions.fields import Choices
from core.campaigns.adjudication import settled
from core.campaigns.comparing import as_submission, control_verdicts, keep_scores, scored_items, scores_by_item
from core.campaigns.organising import all_campaigns, load_campaign
from core.campaigns.progress import control_keys, controls_answered
from core.campaigns.results import adjudicated, campaign_ratings
from core.campaigns.types import Campaign, CampaignLine
from core.errors import VerideskError
from core.jobs.types import State, Status
from core.scoring.judging import Judging
from core.scoring.leaderboard import metric_faults
from core.scoring.open_metrics import Opening
from core.scoring.registry import EVIDENCE_ITEMS, evidence_name, name_in_words
from core.scoring.work import ScoringJob
from core.storage.store import Store
from core.wording import counted
from pages.agreement.agreement_files import Loaded, keep
from pages.ui.app_state import app_state
from pages.ui.judging_fields import judge_form, judging_fields
from pages.ui.make_once import start_once
from pages.ui.markup import readable
from pages.ui.metric_choice import metric_pills
from pages.ui.notices import notice, notices, quiet, remark
from pages.ui.scoring_runs import opened, reports_of, show_live

EVERY, SETTLED = "Every rating", "One answer per item"
MEDIAN, WITH_EXCLUDED = "One median per item", "Excluded ratings too"
RATINGS = {
    EVERY: "All submitted ratings, each rater's separately.",
    SETTLED: "The adjudicated answer, else the answer of most of an item's raters. Items with neither are left out.",
    MEDIAN: f"Like “{SETTLED}”, but each scale gets its median (of an even number, the lower of the middle two).",
    WITH_EXCLUDED: "Every rating, including those of excluded raters, to compare the figures with and without them.",
}


def campaign_form(store: Store, who: str) -> None:
    """Ask for a campaign, compute scores of its items on request, and keep both for this session."""
    lines = {line.id: line for line in all_campaigns(store, who)}
    if not lines:
        remark("There is no campaign yet. Plan one on the page Campaigns, or compare files.")
        return
    wanted = st.query_params.get("campaign", "")
    run = _run(store, who, lines[wanted]) if wanted in lines else None
    chosen = st.selectbox(
        "Campaign",
        list(lines),
        index=list(lines).index(wanted) if wanted in lines else 0,
        format_func=lambda one: _named(lines[one]),
        key="agreement-campaign",
    )
    if run and chosen == wanted:
        show_live(run.id, who)
        return
    campaign = load_campaign(store, chosen, who)
    _say_what_is_there(campaign, lines[chosen])
    given = st.radio(
        "Ratings",
        list(RATINGS),
        captions=list(RATINGS.values()),
        key="agreement-settled",
    )
    names, judging = _score_fields(campaign)
    row = st.container(horizontal=True)
    # A name of its own: a visitor who presses it early must see which study it shows.
    raters = not _metrics(campaign)
    compare, key = ("Compare raters", "agreement-raters") if raters else ("Compare", "agreement-compare")
    if row.button(compare, type="primary", disabled=not lines[chosen].submitted, key=key):
        _load(store, who, campaign, given)
    if row.button("Compute scores", disabled=not names, icon=":material/calculate:", key="agreement-compute"):
        _start(who, campaign, names, judging)


def _named(line: CampaignLine) -> str:
    return f"{readable(line.title)} ({counted(line.submitted, 'rating')})"


def _metrics(campaign: Campaign) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for item in campaign.plan.items if not item.control for name in item.scores))


def _say_what_is_there(campaign: Campaign, line: CampaignLine) -> None:
    words = f"{counted(line.items, 'item')} with {counted(line.submitted, 'rating')}. "
    if not line.submitted:
        words += "There is nothing to compare before the first rating is submitted. "
    names = ", ".join(name_in_words(name) for name in _metrics(campaign))
    quiet(readable(words + (f"Scores: {names}." if names else "The items have no scores yet.")))


def _score_fields(campaign: Campaign) -> tuple[list[str], Judging]:
    comparable, _ = as_submission(campaign.plan.items)
    if not comparable:
        quiet("No item has reference evidence, so none can be scored here.")
        return [], Judging()
    names = metric_pills(
        "Scores to compute",
        Choices(EVIDENCE_ITEMS, evidence_name),
        "agreement-scores-wanted",
        help="Scores compare an item's predicted evidence with its reference evidence. Ev²R needs a language model "
        "and takes minutes or hours; the others take seconds.",
    )
    return names, judging_fields(judge_form(), recall=True) if "ev2r" in names else Judging()


def _start(who: str, campaign: Campaign, names: list[str], judging: Judging) -> None:
    gold, submission = as_submission(campaign.plan.items, name=campaign.plan.title)
    try:
        run = start_once(app_state().runs, who, ScoringJob(gold, (submission,), Opening(names, judging)))
    except VerideskError as error:
        notice(str(error))
        return
    st.query_params.from_dict({"campaign": campaign.id, "run": run})
    st.rerun()


def _run(store: Store, who: str, of: CampaignLine) -> Status | None:
    """Return the running job of the campaign in the address, which may differ from the chosen campaign.

    Keep the scores of an ended job, and remove the job from the address.
    """
    run = app_state().runs.status(st.query_params.get("run", ""), who)
    if run is None or run.state.live:
        return run
    st.query_params.pop("run", None)
    if run.state is State.DONE:
        reports = reports_of(opened(run))
        scores = scores_by_item(item for report in reports for item in report.items)
        if faults := metric_faults(reports):
            notices(faults)
        keep_scores(store, of.id, who, scores)
        remark(f"{of.title}: {counted(len(scores), 'item')} scored.")
        st.session_state["agreement-scores-wanted"] = []
    elif run.state is State.FAILED:
        notice(run.error)
    else:
        remark("The scoring was stopped. Finished judgements are kept.")
    return None


def _load(store: Store, who: str, campaign: Campaign, given: str) -> None:
    ratings = campaign_ratings(store, campaign.id, who)
    everything = campaign_ratings(store, campaign.id, who, excluded_too=True)
    excluded = len(everything.responses) > len(ratings.responses)
    ratings = everything if given == WITH_EXCLUDED else ratings
    controls = controls_answered(ratings.responses, control_keys(campaign.plan.items))
    if given in (SETTLED, MEDIAN):
        decided = adjudicated(store, campaign.id, who)
        ratings = settled(campaign.plan.items, ratings, decided, median=given == MEDIAN)
    keep(
        Loaded(
            ratings,
            scored_items(campaign),
            control_verdicts(campaign),
            campaign.plan.title,
            campaign=campaign.id,
            controls_answered=controls,
            with_excluded=everything if excluded and given == EVERY else None,
        )
    )
    st.rerun()
