"""What it saves to keep what prompts have in common: `python -m tests.benchmarks.prefixes [--claims 10]`.

The same claims go through a recipe twice: as always, and with a model that is made to forget its last prompt before
each new one. Prints prompt tokens, those of them that were evaluated, and seconds; the answers are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.averitec.averitec import read_gold
from core.batch.types import cost_of
from core.interfaces import LanguageModel, ModelIdentity, Models, Stop, never
from core.types import Case, Completion, Message, Prompt
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT
from core.verification.request import Request
from core.verification.runner import investigate

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"


@dataclass(frozen=True)
class Forgetful:
    """A language model that evaluates something else before each prompt, so that nothing of the one before is kept."""

    inner: LanguageModel

    @property
    def identity(self) -> ModelIdentity:
        return self.inner.identity

    def count_tokens(self, text: str) -> int:
        return self.inner.count_tokens(text)

    def generate(self, prompt: Prompt, **options: Any) -> Completion:
        self.forget()
        return self.inner.generate(prompt, **options)

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        self.forget()
        return self.inner.log_likelihoods(prompt, choices, stop=stop)

    def close(self) -> None:
        self.inner.close()

    def forget(self) -> None:
        self.inner.generate((Message("system", "x"), Message("user", "y")), max_tokens=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=10)
    parser.add_argument("--recipes", default=DEFAULT)
    args = parser.parse_args()
    models = open_models("bundled")
    print("| recipe | | prompt tokens | evaluated | kept | seconds writing |")
    print("|---|---|---|---|---|---|")
    for recipe in args.recipes.split(","):
        answers = []
        for how, llm in (("kept", models.llm), ("forgotten", Forgetful(models.llm))):
            cases, seconds = run(recipe, args.claims, replace(models, llm=llm))
            costs = cost_of([completion for case in cases for completion in case.completions])
            read, reused = costs.prompt_tokens, costs.reused_tokens
            print(f"| {recipe} | {how} | {read:,} | {read - reused:,} | {reused:,} | {seconds:.1f} |", flush=True)
            answers.append([[completion.text for completion in case.completions] for case in cases])
        print(f"\n{recipe}: what was written is {'the same' if answers[0] == answers[1] else 'DIFFERENT'}.\n")
    return 0


def run(recipe: str, claims: int, models: Models) -> tuple[list[Case], float]:
    """Return the cases and the seconds that the model took to write."""
    cases, started = [], time.perf_counter()
    for gold in read_gold(DATA / "dev_public.json")[:claims]:
        request = Request(gold.claim, stores=(str(DATA / "knowledge_store" / f"{gold.id}.json"),), recipe=recipe)
        case = investigate(request, models)
        assert isinstance(case, Case), case
        cases.append(case)
    print(f"{recipe}: {time.perf_counter() - started:.1f} s in all", file=sys.stderr)
    return cases, sum(completion.seconds for case in cases for completion in case.completions)


if __name__ == "__main__":
    sys.exit(main())
