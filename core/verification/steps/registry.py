"""The steps that a recipe file may name."""

from __future__ import annotations

from typing import Any

from core.verification.steps.answering import AnswerQuestions, RewriteAnswers, Summarise
from core.verification.steps.asking import AskOfAnswers, AskOfPassages
from core.verification.steps.control import Repeat, UnlessDecided
from core.verification.steps.gathering import (
    AnswerJointly,
    KeepClosestPairs,
    QuoteForQuestions,
    QuotePassages,
)
from core.verification.steps.judging import FilterBySimilarity, PredictVeracity
from core.verification.steps.querying import (
    AskQuestions,
    DropSimilarQuestions,
    ImagineAnswers,
    ImagineArticles,
    QueryClaim,
    WriteQueries,
)
from core.verification.steps.retrieving import Diversify, GroupSentences, Retrieve

STEPS: dict[str, type[Any]] = {
    step.__name__: step
    for step in (
        QueryClaim,
        AskQuestions,
        DropSimilarQuestions,
        WriteQueries,
        ImagineAnswers,
        ImagineArticles,
        Retrieve,
        GroupSentences,
        Diversify,
        QuoteForQuestions,
        AskOfPassages,
        QuotePassages,
        AnswerQuestions,
        AnswerJointly,
        Summarise,
        AskOfAnswers,
        RewriteAnswers,
        KeepClosestPairs,
        FilterBySimilarity,
        PredictVeracity,
        UnlessDecided,
        Repeat,
    )
}
"""By name, in the order in which they mostly come. An adapter is a setting of any step, not one of its own."""
