"""The form of Score: files, metrics, and errors in the files before scoring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from core.annotations import GoldClaim, Problem, Submission
from core.averitec.answer_files import AnswerRecord, answer_problems
from core.averitec.checking import all_problems
from core.errors import VerideskError
from core.scoring.cases import without_answers
from core.scoring.judging import Judging
from core.scoring.leaderboard import distinct_names
from core.scoring.leaderboard_tables import problem_table
from core.scoring.open_metrics import Opening
from core.scoring.registry import JUDGED, MEANINGS, METRICS
from core.scoring.score import ANSWERS, DEFAULT_METRICS, OFFERED, SCORES, GoldFile, ScoreRequest, SystemFile
from core.scoring.work import AnswersJob, Job, ScoringJob
from core.wording import counted, numbered_names
from pages.score.cases import offer_cases
from pages.score.leaderboard_view import show_meanings
from pages.score.score_files import Answers, example_gold, example_systems
from pages.ui.action_form import ActionForm
from pages.ui.app_state import app_state
from pages.ui.judging_fields import form_of, judging_fields
from pages.ui.markup import plain
from pages.ui.metric_choice import offer_parameters
from pages.ui.notices import notice, quiet
from pages.ui.tables import show_table

MAX_PROBLEMS = 50
Read = TypeVar("Read")


@dataclass
class Files:
    """The readable files: annotated claims with submissions, or a key with answers."""

    gold: list[GoldClaim] = field(default_factory=list)
    key: list[AnswerRecord] = field(default_factory=list)
    submissions: list[Submission] = field(default_factory=list)
    answers: Answers = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        return bool(self.gold and self.submissions) or bool(self.answers)


def score_form(who: str) -> Job | None:
    """Show the form; return the request after the press of the button."""
    store, form = app_state().store, form_of(ScoreRequest, "score")
    form.restore(store, who)
    files = _files(form, who)
    metrics = _metrics(form, files)
    ev2r = "ev2r" in metrics
    judged = JUDGED & set(metrics)
    opening = Opening(metrics, judging_fields(form, recall=ev2r, verdicts=ev2r) if judged else Judging())
    form.keep(store, who)
    show_problems(files)
    row = st.container(horizontal=True)
    pressed = row.button(
        "Score", type="primary", icon=":material/leaderboard:", disabled=not files.ready, key="score-start"
    )
    if row.button(
        "Score the example", help="Six made-up claims and two made-up systems, to see a result.", key="score-example"
    ):
        names = metrics if files.gold or not files.answers else ()
        opening = Opening(names or DEFAULT_METRICS, opening.judging)
        return ScoringJob(tuple(example_gold().claims), example_systems(), opening)
    if not files.ready:
        quiet("Add a gold file and at least one submission. Claims are matched by id. Nothing leaves this computer.")
    return _job(files, opening) if pressed else None


def _files(form: ActionForm[ScoreRequest], who: str) -> Files:
    left, right = st.columns(2)
    gold: GoldFile | None = form.draw("gold", left)
    systems: Sequence[SystemFile] = form.draw("submission", right)
    if gold and gold.key:
        answers = list(_read(form, systems, lambda file: file.answers))
        names = numbered_names(name for name, _ in answers)
        return Files(key=gold.key, answers=dict(zip(names, (read for _, read in answers), strict=True)))
    submissions = [read for _, read in _read(form, systems, lambda file: file.submission)]
    claims = gold.claims if gold else []
    cases = offer_cases(who, claims, without_gold=not (gold or systems or "gold" in form.wrong))
    return Files(claims, submissions=distinct_names([*submissions, *cases.submissions]), answers=cases.answers)


def _read(
    form: ActionForm[ScoreRequest], systems: Sequence[SystemFile], read: Callable[[SystemFile], Read]
) -> Iterator[tuple[str, Read]]:
    """Yield the name and the content of each readable file; the errors of others are beside their field."""
    for file in systems:
        try:
            yield file.system, read(file)
        except VerideskError as error:
            form.blame("submission", str(error))


def _metrics(form: ActionForm[ScoreRequest], files: Files) -> tuple[str, ...]:
    if files.answers or files.key:
        quiet("A language model judges the answers for correctness and faithfulness.")
        return (ANSWERS,)
    chosen: tuple[str, ...] = form.draw(
        "metric", help="; ".join(f"{title}: {METRICS[name].summary}" for name, title in OFFERED.items())
    )
    offer_parameters(SCORES, form.draft.field("metric"))
    show_meanings(MEANINGS)
    return chosen


def _job(files: Files, opening: Opening) -> Job | None:
    if not opening.names:
        notice("Choose at least one score.")
        return None
    job: Job
    if files.answers:
        key = tuple(files.key) or without_answers(files.answers.values())
        given = {name: one for name, one in files.answers.items() if not _refused(answer_problems(one, key))}
        job = AnswersJob(key, given, opening)
    else:
        accepted = tuple(s for s in files.submissions if not _refused(all_problems(s, files.gold)))
        job = ScoringJob(tuple(files.gold), accepted, opening)
    if not job.parts:
        notice("No submission can be scored: correct the errors in the table first.")
        return None
    return job


def _refused(problems: Sequence[Problem]) -> bool:
    return any(problem.fatal for problem in problems)


def show_problems(files: Files) -> None:
    """Show a table of remarks on the files before scoring."""
    found: list[tuple[str, Problem]] = []
    for submission in files.submissions:
        problems = all_problems(submission, files.gold) if files.gold else submission.problems
        found += [(submission.name, problem) for problem in problems]
    for name, given in files.answers.items():
        found += [(name, problem) for problem in answer_problems(given, files.key)] if files.key else []
    counts = [f"{plain(s.name)} ({counted(len(s.predictions), 'claim')})" for s in files.submissions]
    counts += [f"{plain(name)} ({counted(len(given), 'answer')})" for name, given in files.answers.items()]
    if not counts:
        return
    refused = sorted({name for name, problem in found if problem.fatal})
    summary = f"Read: {', '.join(counts)}. " + (counted(len(found), "remark") if found else "Nothing to remark")
    summary += f"; not scored: {', '.join(map(plain, refused))}." if refused else "."
    if not found:
        st.markdown(summary)
        return
    with st.expander(summary, expanded=bool(refused)):
        show_problem_rows(found)


def show_problem_rows(found: Sequence[tuple[str, Problem]]) -> None:
    """Show the first problems, beginning with those that prevent scoring; downloads list all."""
    with st.container(key="vd-problems"):
        show_table(problem_table(found), rows=MAX_PROBLEMS)
