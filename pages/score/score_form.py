"""The form of Score: files, metrics, and errors in the files before scoring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from core.annotations import GoldClaim, Problem, Submission
from core.averitec.answer_files import AnswerRecord, answer_problems
from core.scoring.cases import without_answers
from core.scoring.judging import Judging
from core.scoring.leaderboard import all_problems, distinct_names
from core.scoring.leaderboard_tables import problem_table
from core.scoring.open_metrics import Opening
from core.scoring.registry import JUDGED, MEANINGS, METRICS, TITLES
from core.scoring.work import AnswersJob, Job, ScoringJob
from core.wording import counted
from pages.score.cases import offer_cases
from pages.score.leaderboard_view import show_meanings
from pages.score.score_files import Answers, example_gold, example_systems, read_answers, read_gold, read_submissions
from pages.ui.judging_fields import judging_fields
from pages.ui.markup import plain
from pages.ui.notices import notice, notices, quiet
from pages.ui.tables import show_table

READY = {**TITLES, "answers": "Justifications"}
"""The available metrics by name; the first chosen one ranks the systems."""

DEFAULT = ("hungarian-meteor", "verdict")
MAX_PROBLEMS = 50


@dataclass
class Files:
    """The files: annotated claims with submissions, or a key with answers; and errors of unreadable files."""

    gold: list[GoldClaim] = field(default_factory=list)
    key: list[AnswerRecord] = field(default_factory=list)
    submissions: list[Submission] = field(default_factory=list)
    answers: Answers = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        return bool(self.gold and self.submissions) or bool(self.answers)


def score_form(who: str) -> Job | None:
    """Show the form; return the request after the press of the button."""
    files = _files(who)
    metrics = _metrics(files)
    ev2r = "ev2r" in metrics
    opening = Opening(metrics, judging_fields(recall=ev2r, verdicts=ev2r) if JUDGED & set(metrics) else Judging())
    if files.troubles:
        notices(files.troubles)
    show_problems(files)
    row = st.container(horizontal=True)
    pressed = row.button(
        "Score", type="primary", icon=":material/leaderboard:", disabled=not files.ready, key="score-start"
    )
    if row.button(
        "Score the example", help="Six made-up claims and two made-up systems, to see a result.", key="score-example"
    ):
        names = metrics if files.gold or not files.answers else DEFAULT
        return ScoringJob(tuple(example_gold()), example_systems(), Opening(names or DEFAULT, opening.judging))
    if not files.ready:
        quiet("Add a gold file and at least one submission. Claims are matched by id. Nothing leaves this computer.")
    return _job(files, opening) if pressed else None


def _files(who: str) -> Files:
    left, right = st.columns(2)
    gold_file = left.file_uploader(
        "Gold annotations",
        key="score-gold",
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV (without claim types). Or questions with "
        "correct answers, in JSON or JSON lines.",
    )
    uploads = right.file_uploader(
        "Submissions",
        accept_multiple_files=True,
        key="score-submissions",
        help="One file per system, in JSON, JSON lines or the leaderboard's CSV, named after the system.",
    )
    files = Files()
    read = read_gold(gold_file, files.troubles) if gold_file else None
    files.gold, files.key = (read.claims, read.key) if read else ([], [])
    if files.key:
        files.answers = read_answers(uploads, files.troubles)
    else:
        files.submissions = read_submissions(uploads, files.troubles)
        cases = offer_cases(who, files.gold, without_gold=gold_file is None and not uploads)
        files.submissions, files.answers = distinct_names([*files.submissions, *cases.submissions]), cases.answers
    return files


def _metrics(files: Files) -> tuple[str, ...]:
    if files.answers or files.key:
        quiet("A language model judges the answers for correctness and faithfulness.")
        return ("answers",)
    chosen = st.pills(
        "Scores",
        list(READY),
        selection_mode="multi",
        default=list(DEFAULT),
        format_func=READY.__getitem__,
        key="score-metrics",
        help="; ".join(f"{READY[name]}: {METRICS[name].summary}" for name in READY),
    )
    show_meanings(MEANINGS)
    return tuple(name for name in READY if name in chosen)


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
