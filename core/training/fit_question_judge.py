"""Fit the judge of questions to questions that people wrote or judged, and to ones that a program spoiled."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.actions.action import ActionContext
from core.files import write_whole
from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from core.statistics.logistic import Logistic, fit_logistic
from core.training.commands import FitQuestionJudge
from core.training.question_figures import TEMPLATES
from core.training.question_sets import (
    LICENCE,
    SOURCES,
    AnsweredQuestion,
    RatedQuestion,
    answered_questions,
    asking_examples,
    damaged,
    judged_questions,
    misasked,
    misnamed,
    names_in,
    unanswerable_questions,
)
from core.verification.question_focus import best_words, content_terms
from core.verification.question_judge import (
    ANSWER_NAMES,
    CLAIM_NAMES,
    FORM_NAMES,
    JUDGE,
    DraftQuestion,
    Floats,
    QuestionJudge,
    answer_rows,
    claim_rows,
    form_rows,
    judge_json,
    vector_names,
    vectors_of,
)

PENALTIES = (0.02, 0.02, 0.1)
"""Of the three regressions: scikit-learn's C."""

KEPT = (0.8, 0.8, 0.9)
"""The shares of good questions, held out or not, that the least probabilities let pass."""

FORM_ROWS, ANSWER_ROWS, CLAIM_ROWS = 9000, 7000, 3000
"""How many rows of people's each regression is fitted to, at most."""


@dataclass
class Rows:
    """Drafts with their class (1: good), and whether each is held out; `kinds` name where they come from."""

    drafts: list[DraftQuestion] = field(default_factory=list)
    good: list[int] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, draft: DraftQuestion, *, good: bool, held: bool, kind: str) -> None:
        self.drafts.append(draft)
        self.good.append(int(good))
        self.held.append(held)
        self.kinds.append(kind)


def fit_judge(request: FitQuestionJudge, context: ActionContext) -> str:
    """Fit the judge to the sets, keep it, and return its figures on held-out questions."""
    seed, command = request.seed, context.command
    judge = fit_question_judge(request.data, load_encoder(), seed=seed, command=command, report=context.tell)
    path = request.out or JUDGE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, judge_json(judge))
    lines = []
    for name, least in zip(HEADS, judge.least, strict=True):
        lines.append(f"{name}, least probability {least}:")
        lines += [f"  {figure}: {value}" for figure, value in judge.measured[name].items()]
    return "\n".join([*lines, str(path)])


def fit_question_judge(
    folder: Path, encoder: Encoder, *, seed: int, command: str, report: Callable[[str], None]
) -> QuestionJudge:
    """Return the judge fitted to the sets in a folder, with its figures on their held-out rows."""
    chance = random.Random(seed)
    answered, judged = answered_questions(folder), judged_questions(folder)
    chance.shuffle(answered)
    chance.shuffle(judged)
    tables = (
        (form_examples(judged, answered, chance), form_rows, FORM_NAMES, True),
        (answer_examples(answered, judged, unanswerable_questions(folder), chance), answer_rows, ANSWER_NAMES, True),
        (claim_examples(answered, chance, seed=seed), claim_rows, CLAIM_NAMES, False),
    )
    heads: list[Logistic] = []
    least: list[float] = []
    measured: dict[str, dict[str, float]] = {}
    for (rows, features, names, vectors), penalty, kept in zip(tables, PENALTIES, KEPT, strict=True):
        report(f"{len(rows.drafts):,} questions")
        table = features(rows.drafts, vectors_of(rows.drafts, encoder))
        every = (*names, *vector_names(table.shape[1] - len(names))) if vectors else names
        head, held, good = fit_head(rows, table, every, penalty)
        shares = head.of_rows(table)[:, 1]
        heads.append(head)
        least.append(round(float(np.quantile(shares[held & good], 1 - kept)), 3))
        measured[HEADS[len(heads) - 1]] = head_figures(rows, shares, least[-1])
    well_formed, answered_by, about_claim = heads
    return QuestionJudge(
        encoder=encoder.identity.digest,
        well_formed=well_formed,
        answered=answered_by,
        about_claim=about_claim,
        least=(least[0], least[1], least[2]),
        measured=measured,
        licence=LICENCE,
        sources=SOURCES,
        command=command,
    )


HEADS = ("well_formed", "answered", "about_claim")


def fit_head(
    rows: Rows, table: Floats, names: Sequence[str], penalty: float
) -> tuple[Logistic, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return a regression on the rows that are not held out, which rows are, and which are good."""
    held, good = np.array(rows.held), np.array(rows.good)
    head = fit_logistic(table[~held], good[~held], names, penalty=penalty)
    return head, held, good.astype(bool)


def head_figures(rows: Rows, shares: Floats, least: float) -> dict[str, float]:
    """Return the figures of a regression on held-out rows: AUC, and the share let pass of each kind of rows."""
    from sklearn.metrics import roc_auc_score

    held, good, kinds = np.array(rows.held), np.array(rows.good), np.array(rows.kinds)
    figures = {"rows": float(held.sum()), "auc": round(float(roc_auc_score(good[held], shares[held])), 3)}
    for kind in dict.fromkeys(rows.kinds):
        these = held & (kinds == kind)
        if these.any():
            figures[f"passes: {kind}"] = round(float((shares[these] >= least).mean()), 3)
    return figures


def form_examples(judged: Sequence[RatedQuestion], answered: Sequence[AnsweredQuestion], chance: random.Random) -> Rows:
    """Return questions by their form: judged by people, written by people, and damaged by a program."""
    rows = Rows()
    for one in [one for one in judged if one.reason == "form"][:FORM_ROWS]:
        draft = DraftQuestion(one.question, "")
        rows.add(draft, good=one.good, held=one.held_out, kind="search, well formed" if one.good else "search, not")
    for one in judged:
        if one.reason in ("No error", "disfluent"):
            kind = "quiz, accepted" if one.good else "quiz, disfluent"
            rows.add(DraftQuestion(one.question, ""), good=one.good, held=one.held_out, kind=kind)
    for person in [one for one in answered if one.source == "squad"][: FORM_ROWS // 3]:
        rows.add(DraftQuestion(person.question, ""), good=True, held=person.held_out, kind="SQuAD")
        spoiled = damaged(person.question, chance)
        if spoiled != person.question:
            rows.add(DraftQuestion(spoiled, ""), good=False, held=person.held_out, kind="damaged")
    return rows


def answer_examples(
    answered: Sequence[AnsweredQuestion],
    judged: Sequence[RatedQuestion],
    unanswerable: Sequence[AnsweredQuestion],
    chance: random.Random,
) -> Rows:
    """Return questions beside their passages, and beside others; some with a wrong name, number or question word."""
    rows = Rows()
    chosen = [one for one in answered if one.source == "squad"]
    chosen += [one for one in answered if one.source != "squad"][: ANSWER_ROWS - len(chosen)]
    chance.shuffle(chosen)
    names = names_in(chosen)
    for one, other in pairwise(chosen):
        passage = " ".join(one.passage.split())
        span = one.answer if chance.random() < 0.8 else ""
        rows.add(DraftQuestion(one.question, passage, span), good=True, held=one.held_out, kind=one.source)
        match chance.randrange(5):
            case 0 | 1:
                elsewhere = chance.choice(one.beside) if one.beside else other.passage
                kind, draft = "another passage", DraftQuestion(one.question, elsewhere, best_words("", elsewhere)[0])
            case 2:
                asked = misasked(one.question, chance)
                kind, draft = "another question word", DraftQuestion(asked or "", passage, one.answer)
            case 3:
                named = misnamed(one.question, names, chance)
                kind, draft = "another name or number", DraftQuestion(named or "", passage, one.answer)
            case _:
                general = chance.choice(TEMPLATES)
                kind, draft = "fits any text", DraftQuestion(general, passage, one.answer)
        if draft.question:
            rows.add(draft, good=False, held=one.held_out, kind=kind)
    for one in unanswerable[: ANSWER_ROWS // 4]:
        draft = DraftQuestion(one.question, one.passage, one.answer)
        rows.add(draft, good=False, held=one.held_out, kind="SQuAD, unanswerable")
    for quiz in judged:
        if quiz.passage and quiz.reason != "disfluent":
            kind = "quiz, accepted" if quiz.good else f"quiz, {quiz.reason.replace('_', ' ')}"
            draft = DraftQuestion(quiz.question, quiz.passage, quiz.answer)
            rows.add(draft, good=quiz.good, held=quiz.held_out, kind=kind)
    return rows


def claim_examples(answered: Sequence[AnsweredQuestion], chance: random.Random, *, seed: int) -> Rows:
    """Return questions beside claims of their own paragraph, and beside claims of other texts.

    Half of the other claims share a term with the question.
    """
    rows = Rows()
    beside = {one.question: one.beside for one in answered}
    for held in (False, True):
        examples = asking_examples([one for one in answered if one.held_out == held], seed=seed)[:CLAIM_ROWS]
        for example, other in pairwise(examples):
            near = beside[example.question]
            claim = chance.choice(near) if near and chance.random() < 0.7 else example.claim
            draft = DraftQuestion(example.question, example.passage, example.span, claim)
            rows.add(draft, good=True, held=held, kind="beside it" if claim in near else "its own sentence")
            asked = content_terms(example.question)
            sharing = (one.claim for one in chance.choices(examples, k=50) if content_terms(one.claim) & asked)
            foreign = next(sharing, other.claim) if chance.random() < 0.5 else other.claim
            rows.add(replace(draft, claim=foreign), good=False, held=held, kind="another text")
    return rows
