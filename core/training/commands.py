"""Declare the targets of `veridesk fit`: each fits a model that decides, or measures one, on annotated claims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, Later
from core.actions.fields import BadField, Between, Help, OptionName, Reads, Writes

DIR, PATH = OptionName(metavar="DIR"), OptionName(metavar="PATH")
SETS = Annotated[Path, DIR, Reads(), Help("the folder of the sets to learn from")]
FIRST = Annotated[int, Between(1, 10_000_000), Help("only the first N claims of each file")]
MODEL = Annotated[str, Reads(), Help("'bundled', a .gguf file, or http://server/v1#model")]
SEED = Annotated[int, Help("the same seed gives the same weights")]
RUN = Annotated[Path | None, Writes(folder=True), Help("where checkpoints are kept (default: TARGET-run)")]
OUT = Annotated[Path | None, Writes(), Help("where the weights go (default: assets/TARGET)")]
CLAIMS = Annotated[Path, Reads(), Help("annotated claims to fit on")]
MEASURED = Annotated[Path, Reads(), Help("annotated claims to measure on")]
STORES = Annotated[tuple[str, ...], PATH, Reads(), Help("documents to search for the claims to fit on")]
MEASURED_STORES = Annotated[tuple[str, ...], PATH, Reads(), Help("documents to search for the claims to measure on")]


@dataclass(frozen=True, kw_only=True)
class FitReader:
    """Fit the weights that read a passage and a claim together (hours; goes on after a kill)."""

    data: SETS
    base: Annotated[Path | None, DIR, Reads(), Help("the reader that goes on learning (default: Veridesk's)")] = None
    learn_pairs: Annotated[int, Between(320, 10_000_000), Help("pairs to learn from")] = 250_000
    seed: SEED = 0
    run_folder: RUN = None
    out: OUT = None


@dataclass(frozen=True, kw_only=True)
class FitStance:
    """Fit the classifier of a passage's stance on the claim."""

    data: SETS
    train: CLAIMS
    train_store: STORES
    test: MEASURED
    test_store: MEASURED_STORES
    pairs: Annotated[int | None, Between(1, 1000), Help("measure on N pairs of each kind (default: 60)")] = None


@dataclass(frozen=True, kw_only=True)
class FitSimilarity:
    """Fit the cosine under which the encoder finds not enough evidence."""

    train: CLAIMS
    train_store: STORES
    first: FIRST = 1000
    model: MODEL = "bundled"
    searched: Annotated[int | None, Between(1, 10_000_000), Help("search evidence for the first N claims only")] = None
    from_history: Annotated[bool, Help("also on the cases of the history that somebody gave their own verdict")] = False


@dataclass(frozen=True, kw_only=True)
class FitVerdict(FitSimilarity):
    """Fit the classifier of the evidence check; the wording is fitted on all claims."""

    test: MEASURED
    test_store: MEASURED_STORES


@dataclass(frozen=True)
class MeasureSentences:
    """Fit nothing: measure whether a model may make sentences readable alone."""

    model: MODEL = "bundled"
    bundled_card: Annotated[bool, Help("keep the card in assets/ and not for this user alone")] = False


@dataclass(frozen=True, kw_only=True)
class FitQuestions:
    """Fit an adapter with which the model asks questions of passages (needs peft and gguf).

    With `data` the adapter is the one that comes with the program; it is measured only with `test`.
    """

    data: SETS | None = None
    train: CLAIMS | None = None
    test: MEASURED | None = None
    test_store: MEASURED_STORES = ()
    first: FIRST = 1000
    model: MODEL = "bundled"
    examples: Annotated[int | None, Between(8, 100_000), Help("learn from N examples (default: a quarter of them)")] = (
        None
    )
    adapter: Annotated[Path | None, Reads(), Help("train nothing, measure this adapter")] = None
    seed: SEED = 0
    run_folder: RUN = None
    out: OUT = None

    def __post_init__(self) -> None:
        lacking = [name for name in ("train", "test", "test_store") if not getattr(self, name)]
        if lacking and not self.data:
            raise BadField(lacking[0], "Give annotated claims and documents to search for them, or --data.")


@dataclass(frozen=True, kw_only=True)
class FitQuestionJudge:
    """Fit the judge of questions: well formed, answered by the passage, about the claim."""

    data: SETS
    seed: SEED = 0
    out: OUT = None


@dataclass(frozen=True, kw_only=True)
class FitWorthiness:
    """Fit the ranking of a speech's sentences by whether they are worth checking."""

    data: SETS
    out: OUT = None


judges = Later("core.training.judges_command")
FIT = (
    Action("reader", FitReader, Later("core.training.reader_command").learn, json=None, unit="batches"),
    Action("stance", FitStance, Later("core.training.stance_command").fit, json=None),
    Action("verdict", FitVerdict, judges.fit_verdict, json=None),
    Action("similarity", FitSimilarity, judges.fit_similarity, json=None),
    Action("sentences", MeasureSentences, Later("core.training.measure_rewriting").measure_sentences, json=None),
    Action("questions", FitQuestions, Later("core.training.questions_command").fit, json=None),
    Action("question-judge", FitQuestionJudge, Later("core.training.fit_question_judge").fit_judge, json=None),
    Action("worthiness", FitWorthiness, Later("core.training.fit_worthiness").fit_ranking, json=None),
)
