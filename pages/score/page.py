"""Score submissions against gold data, and show a leaderboard with uncertainty and every item."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.errors import VerideskError
from core.jobs.types import State, Status
from core.scoring.leaderboard import Leaderboard, SystemReport, leaderboard, metric_faults, nothing_judged, ranked_by
from core.scoring.leaderboard_tables import items_table, unscored_table
from core.scoring.metrics.answers import NEVER_ASKED
from core.scoring.metrics.hungarian_meteor import equals_shared_task
from core.scoring.registry import long_title
from core.scoring.score_job import Run, board_json, once_more
from core.scoring.work import AnswersJob, ScoringJob, Stressed, StressJob
from core.tabular.exports import to_csv
from core.wording import counted
from pages.score.answers import show_answers
from pages.score.items import show_items
from pages.score.kept_runs import shared_run, show_earlier, show_two
from pages.score.leaderboard_view import (
    show_board,
    show_breakdown,
    show_charts,
    show_rules,
    show_significance,
    show_usage,
    show_verdicts,
)
from pages.score.score_form import score_form
from pages.score.stress import show_stress, stress_form
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.file_button import file_button
from pages.ui.kept import name_and_share
from pages.ui.make_once import start_once
from pages.ui.markup import readable
from pages.ui.notices import attempt_button, notice, notices, quiet, remark, troubles
from pages.ui.owner import visitor
from pages.ui.scoring_runs import opened, reports_of, show_live
from pages.ui.tables import show_table

Tabs = dict[str, Callable[[], None]]  # the contents of a tab, by its title
STRESS = "Stress-test metrics"
TASKS = ("Score systems", STRESS)


def show_form(who: str) -> None:
    st.caption("Compare fact-checking systems on the same claims: a leaderboard you can publish and defend.")
    task = st.segmented_control(
        "Task", TASKS, default=TASKS[0], required=True, key="score-task", label_visibility="collapsed"
    )
    job = stress_form(who) if task == STRESS else score_form(who)
    if job is None:
        return
    try:
        st.query_params["run"] = start_once(app_state().runs, who, job)
    except VerideskError as error:
        notice(str(error))
    else:
        st.rerun()


def show_result(run: Run, *, mine: bool = True) -> None:
    job = run.request
    if isinstance(job, StressJob) and isinstance(run.result, Stressed):
        show_stress(job, run.result)
        return
    reports = reports_of(run)
    if failure := nothing_judged(reports):
        notice(failure)
        if mine:
            retry(run)
        return
    board = leaderboard(reports, ranking_score(reports[0]))
    show_board(board)
    if faults := metric_faults(reports):
        notices(faults)
    show_usage(reports)
    say_what_differs(board)
    if mine:
        retry(run)
    downloads(reports, board)
    tabs = claim_tabs(job, board) if isinstance(job, ScoringJob) else {}
    if isinstance(job, AnswersJob):
        tabs["Answers"] = partial(show_answers, job, board)
    tabs |= {"Differences": partial(show_significance, board), "Charts": partial(show_charts, board)}
    for tab, draw in zip(st.tabs(list(tabs)), tabs.values(), strict=True):
        with tab:
            draw()


def claim_tabs(job: ScoringJob, board: Leaderboard) -> Tabs:
    """Return the tabs for submissions of claims: breakdowns, verdicts, Ev²R's rules, claims."""
    reports = [standing.report for standing in board.standings]
    rules = {"Rules": partial(show_rules, reports)} if reports[0].mains.get("ev2r") else {}
    return {
        "By type and verdict": partial(show_breakdown, board),
        "Verdicts": partial(show_verdicts, board),
        **rules,
        "Claims": partial(show_items, job, board),
    }


def ranking_score(report: SystemReport) -> str:
    """Let the reader choose the ranking score: first a judge's scores, then those of the first metric."""
    names = [*ranked_by(report), *(item.metric for item in report.items)]
    metrics = list(dict.fromkeys(names))
    return st.selectbox("Ranked by", metrics, format_func=long_title, key="score-rank")


def retry(run: Run) -> None:
    """List the questions without a judgement, and offer to judge them again."""
    reports = reports_of(run)
    if not reports[0].mains.keys() & {"ev2r", "answers"}:
        return
    table = unscored_table(reports)
    if not table.rows:
        return
    items = {row[:2] for row in table.rows}
    with st.expander(f"{counted(len(items), 'item')} only partly scored, and not counted as 0", expanded=True):
        if any(row[-1] not in NEVER_ASKED for row in table.rows):
            attempt_button("Ask again", ask_again, run, icon="refresh", help=AGAIN, key="score-ask-again")
        show_table(table)


def ask_again(run: Run) -> None:
    app_state().runs.resume(run.status, once_more(run.request))


AGAIN = "Judges only the missing ones again, with another seed. The others stay."


def say_what_differs(board: Leaderboard) -> None:
    """Warn if these scores cannot equal the shared task's."""
    score = board.standings[0].report.score(board.metric)
    signature = score.signature if score else ""
    if signature.startswith("hungarian-meteor") and not equals_shared_task(signature):
        remark(
            "Punkt or WordNet is missing on this machine. So these scores differ slightly from the shared task's: "
            "about +0.0004 without Punkt, more without synonyms. Install Debian's wordnet-base, set "
            "NLTK_DATA, or fetch them."
        )
        if st.button(
            "Fetch Punkt and WordNet",
            help="Downloads them from NLTK's data index on GitHub into Veridesk's folder.",
            key="score-fetch-words",
        ):
            fetch_words()


def downloads(reports: Sequence[SystemReport], board: Leaderboard) -> None:
    row = st.container(horizontal=True)
    file_button(
        "All scores (JSON)",
        lambda: json.dumps(board_json([board], reports), ensure_ascii=False, indent=1),
        "scores.json",
        place=row,
        key="score-board-json",
    )
    file_button("All items (CSV)", lambda: to_csv(items_table(reports)), "items.csv", place=row, key="score-items-csv")


def show_end(run: Status) -> None:
    """Show a run without scores, and offer to resume it."""
    if run.state is State.FAILED:
        notice(run.error)
    elif run.state is State.INTERRUPTED:
        remark("The server stopped during this run. Finished judgements are kept.")
    else:
        remark("This run was cancelled. Finished judgements are kept.")
    attempt_button("Go on", app_state().runs.resume, run, type="primary", icon="play_arrow", key="score-resume")


def fetch_words() -> None:
    """Fetch Punkt and WordNet over the network, on the user's request; report failed files."""
    from core.scoring.metrics.words import fetch_language_data

    with st.spinner("Fetching Punkt and WordNet (11 MB) …"):
        absent = fetch_language_data()
    if absent:
        notice(f"{' and '.join(absent)} could not be fetched: is this computer connected to the internet?")
    else:
        remark("Both are installed now: score again to use them.")


def show_run(run: Status) -> None:
    """Show one of the reader's runs, in any state."""
    if run.state.live:
        show_live(run.id, run.owner)
        return
    with st.container(horizontal=True):
        st.button("Score other files", icon=":material/arrow_back:", on_click=st.query_params.clear, key="score-other")
        if run.state is State.DONE:
            what = "this run's scores and items"
            name_and_share(app_state().runs, run, one="run", what=what, page="score")
    quiet(readable(run.title))
    if run.state is State.DONE:
        show_result(opened(run))
    else:
        show_end(run)


def show_page(who: str) -> None:
    asked = st.query_params
    troubles()
    if token := asked.get("shared"):
        if shared := shared_run(token):
            show_result(shared, mine=False)
        return
    if "left" in asked and "right" in asked:
        show_two(who, asked["left"], asked["right"])
        return
    run_id = asked.get("run")
    run = app_state().runs.status(run_id, who) if run_id else None
    if run is not None:
        show_run(run)
        return
    if run_id:
        quiet("This scoring run is not in this browser. It was deleted, or it belongs to someone else.")
    show_form(who)
    show_earlier(who)


through_app()
st.title("Score submissions")
try:
    show_page(visitor())
except VerideskError as error:
    notice(str(error))
