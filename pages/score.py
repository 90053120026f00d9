"""Score: submissions against gold data, a leaderboard with its uncertainty and every item behind it."""

from __future__ import annotations

import json

import streamlit as st

from core.errors import VerideskError
from core.scoring.averitec import LEVELS
from core.scoring.ev2r import RULES
from core.scoring.ev2r_metric import on_the_threshold
from core.scoring.export import board_csv, board_json, board_latex, items_csv
from core.scoring.report import Leaderboard, leaderboard
from core.scoring.runs import Run
from core.scoring.titles import long_title
from pages.shared.entry import through_app
from pages.shared.markup import plain
from pages.shared.notices import notice, quiet, remark
from pages.shared.owner import owner
from pages.shared.score_board import (
    show_board,
    show_breakdown,
    show_confusion,
    show_intervals,
    show_levels,
    show_ranking,
    show_significance,
)
from pages.shared.score_form import score_form
from pages.shared.score_items import show_items
from pages.shared.score_judging import written_rule
from pages.shared.score_runs import again, fetch_words, runs, show_end, show_live, start

METEOR_LEVELS = {level: f"hungarian-meteor:averitec@{level:g}" for level in LEVELS}


def show_form(who: str) -> None:
    st.caption("Compare fact-checking systems on the same claims: a leaderboard you can publish and defend.")
    wanted = score_form()
    if wanted is None:
        return
    try:
        st.query_params["run"] = start(wanted, who)
    except VerideskError as error:
        notice(str(error))
    else:
        st.rerun()


def show_report(run: Run) -> None:
    board = leaderboard(run.reports, ranking_score(run))
    show_board(board)
    show_signature(board)
    retry(run)
    downloads(run, board)
    by_group, verdicts, differences, charts, claims = st.tabs(
        ["By type and verdict", "Verdicts", "Differences", "Charts", "Claims"]
    )
    with by_group:
        show_breakdown(board)
    with verdicts:
        for standing in board.standings:
            st.markdown(f"**{plain(standing.report.name)}**")
            show_confusion(standing.report)
    with differences:
        show_significance(board)
    with charts:
        show_intervals(board)
        show_levels(board, METEOR_LEVELS)
        show_rules(run)
    with claims:
        show_items(run, board)


def show_rules(run: Run) -> None:
    """Show the Ev²R leaderboard under the three published rules, and the claims on which they part."""
    if not any(report.mains.get("ev2r") for report in run.reports):
        return
    st.markdown("**AVeriTeC score under the three published rules**, from the same recalls")
    for column, rule in zip(st.columns(len(RULES)), RULES, strict=True):
        board = leaderboard(run.reports, f"ev2r:averitec{rule}")
        with column:
            st.markdown(plain(f"recall {written_rule(rule)}"))
            show_ranking(board)
    for report in run.reports:
        ids = on_the_threshold(report.items)
        quiet(
            f"{report.name}: recall is exactly 0.5 for {len(ids)} claims" + (f": {', '.join(ids[:30])}" if ids else "")
        )


def ranking_score(run: Run) -> str:
    """Let the reader choose what to rank by; the first metric's own score comes first."""
    report = run.reports[0]
    names = [*report.mains.values(), *(item.metric for item in report.items)]
    metrics = list(dict.fromkeys(names))
    return st.selectbox("Ranked by", metrics, format_func=long_title, key="score-rank")


def retry(run: Run) -> None:
    """Offer to ask again what could not be judged."""
    unscored = {item.claim_id for report in run.reports for item in report.items if item.reason and item.value is None}
    if unscored and run.reports[0].mains.keys() & {"ev2r", "answers"}:
        st.button(
            f"Ask again about {len(unscored)} unscored claims", icon=":material/refresh:", on_click=again, args=(run,)
        )


def show_signature(board: Leaderboard) -> None:
    score = board.standings[0].report.score(board.metric)
    signature = score.signature if score else ""
    st.code(signature, language=None, wrap_lines=True)
    if signature.startswith("hungarian-meteor") and ("untrained" in signature or "syn:none" in signature):
        remark(
            "Punkt's tables or WordNet are not on this machine, so these scores differ a little from the shared "
            "task's: about +0.0004 without Punkt, more without synonyms. Install Debian's wordnet-base, set "
            "NLTK_DATA, or fetch them."
        )
        if st.button("Fetch Punkt and WordNet", help="From NLTK's data index on GitHub into Veridesk's folder."):
            fetch_words()


def downloads(run: Run, board: Leaderboard) -> None:
    row = st.container(horizontal=True)
    row.download_button("Leaderboard (CSV)", board_csv(board), "leaderboard.csv", "text/csv")
    row.download_button("Leaderboard (LaTeX)", board_latex(board), "leaderboard.tex", "text/x-tex")
    everything = json.dumps(board_json([board], run.reports), ensure_ascii=False, indent=1)
    row.download_button("All scores (JSON)", everything, "scores.json", "application/json")
    row.download_button("All items (CSV)", items_csv(run.reports), "items.csv", "text/csv")


through_app()
st.title("Score submissions")
who = owner()
if who is None:
    st.skeleton(height=320)
    st.stop()
assert who is not None  # st.stop does not return
run_id = st.query_params.get("run")
run = runs().find(run_id, who) if run_id else None
if run is None:
    if run_id:
        quiet("That scoring run is not here any more: the server was started again, or it was another browser's.")
    show_form(who)
else:
    if run.ended and st.button("Score other files", icon=":material/arrow_back:"):
        st.query_params.clear()
        st.rerun()
    if not run.ended:
        show_live(run)
    elif run.state == "done":
        show_report(run)
    else:
        show_end(run)
