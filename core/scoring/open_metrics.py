"""Open the metrics of a run with their models, and close these at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.interfaces import LanguageModel
from core.llm.caching import CallCache
from core.scoring.judging import Judging
from core.scoring.metrics.answers import AnswerScores, open_answer_scores
from core.scoring.metrics.metric import Metric
from core.scoring.metrics.own import OwnMetric
from core.scoring.registry import registered
from core.scoring.usage import Usage
from core.settings import settings


@dataclass
class Opening:
    """The metrics of one run by name, and the cost of its judge. To be opened, used and closed by one thread."""

    names: Sequence[str]
    judging: Judging = field(default_factory=Judging)
    judge: LanguageModel | None = field(default=None, init=False)
    kept: CallCache | None = field(default=None, init=False)
    spent: Usage = field(default_factory=Usage, init=False)
    own: list[OwnMetric] = field(default_factory=list, init=False, compare=False)

    def metrics(self) -> list[Metric]:
        """Return the metrics; a name given twice counts once.

        Raises ModelError if a model cannot be opened, BadInput for an unknown metric.
        """
        opened = [registered(name).open(self) for name in dict.fromkeys(self.names)]
        self.own += [one for one in opened if isinstance(one, OwnMetric)]
        return opened

    def answer_scores(self) -> AnswerScores:
        """Return the answer scores by the judge. Raises ModelError if it cannot be opened."""
        return open_answer_scores(self)

    def llm(self) -> LanguageModel:
        """Return the judge, loaded once; a server must keep the model of its first answer."""
        from core.llm.backends import open_model
        from core.llm.server import ServerModel
        from core.models.choice import parse_choice

        if self.judge is None:
            self.judge = open_model(parse_choice(self.judging.model))
            if isinstance(self.judge, ServerModel):
                self.judge.hold_to_one()
        return self.judge

    def judgements(self) -> CallCache:
        """Return the judges' earlier answers, on this machine."""
        if self.kept is None:
            self.kept = CallCache(settings().home / "judgements.db", no_cache=self.judging.no_cache)
        return self.kept

    def again(self) -> Opening:
        """Return an opening that judges the unjudged questions again, with another seed."""
        return Opening(self.names, replace(self.judging, attempt=self.judging.attempt + 1, no_cache=False))

    def close(self) -> None:
        """Close the judge, its memory, and the processes of the judge and of own metrics."""
        for one in self.own:
            one.close()
        if self.judge:
            self.judge.close()
        if self.kept:
            self.kept.close()
        self.judge, self.kept = None, None
