"""Scoring runs on the page: started, watched, cancelled."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.scoring.answers import AnswerScores
from core.scoring.ev2r_metric import Ev2r
from core.scoring.judgements import Judgements
from core.scoring.metrics import HungarianMeteor, Metric, Verdicts
from core.scoring.runs import Job, Run, Runs, nothing
from core.scoring.soft_coverage import SoftCoverage
from core.settings import settings
from pages.shared.markup import plain
from pages.shared.notices import notice, remark
from pages.shared.score_form import Wanted
from pages.shared.score_judging import Judging, Model


@st.cache_resource(show_spinner=False, max_entries=1, on_release=Runs.close)
def runs() -> Runs:
    """Return the scoring runs of this server."""
    return Runs()


def start(wanted: Wanted, owner: str) -> str:
    """Start a run and return its id. Raises BadInput if the owner has one at work."""
    model = Model(wanted.judging.model) if wanted.judging else None

    def open_metrics() -> Sequence[Metric]:
        return [open_metric(name, wanted.judging, model) for name in wanted.metrics]

    close = model.close if model else nothing
    return runs().start(owner, Job(wanted.gold, wanted.submissions, open_metrics, close))


def open_metric(name: str, judging: Judging | None, model: Model | None) -> Metric:
    """Open one metric with what it needs; called in the run's thread."""
    if name == "hungarian-meteor":
        from core.engines.words import find_words

        return HungarianMeteor(find_words())
    if name == "soft-coverage":
        from core.engines.dense import load_encoder

        return SoftCoverage(load_encoder())
    if judging and model and name in ("ev2r", "answers"):
        return open_judged(name, judging, model)
    return Verdicts()


def open_judged(name: str, judging: Judging, model: Model) -> Metric:
    """Open a metric that asks a judge, whose judgements are kept."""
    kept = Judgements(settings().home / "judgements.db")
    if name == "answers":
        return AnswerScores(model.open(), kept)
    seeds = tuple(range(judging.repeat))
    return Ev2r(model.open(), kept, judging.way, judging.rule, seeds, judging.precision)


@st.fragment(run_every=1.0)
def show_live(run: Run) -> None:
    """Show how far a run is; the whole page is drawn anew once it has ended."""
    if run.ended:
        st.rerun()
    if run.state == "waiting":
        remark("Waiting: another scoring run comes first.")
    else:
        names = [submission.name for submission in run.job.submissions]
        place = names.index(run.doing) + 1 if run.doing in names else 0
        share = run.done / run.total if run.total else 0.0
        words = f"System {place} of {len(names)}: {plain(run.doing)}, {run.done} of {run.total} claims"
        st.progress(share, text=words if run.doing else "Loading what the scores need")
    if st.button("Cancel", icon=":material/stop_circle:"):
        runs().cancel(run.id, run.owner)


def show_end(run: Run) -> None:
    """Show a run that came to no scores."""
    if run.state == "failed":
        notice(run.message)
    else:
        remark("This run was cancelled. Judgements that were made are kept: scoring again goes on from them.")


def again(run: Run) -> None:
    """Start the same run once more: what was judged is kept, so only failed judgements are asked again."""
    st.query_params["run"] = runs().start(run.owner, run.job)


def fetch_words() -> None:
    """Fetch Punkt and WordNet over the network, because the user asked for it; say what did not come."""
    from core.engines.words import fetch_language_data

    with st.spinner("Fetching Punkt and WordNet (11 MB) …"):
        absent = fetch_language_data()
    if absent:
        notice(f"{' and '.join(absent)} could not be fetched: is this computer connected to the internet?")
    else:
        remark("They are here now: score again to use them.")
