"""Whether the questions are worth asking: with the filter and without it, from the same first tries.

    python -m tests.benchmarks.questions [--claims 50] [--seeds 0,1,2] [--cache FILE] [--show FILE]

Public development claims, drawn at random, are searched in all public stores and the haystack as the default recipe
does. A seed draws the further tries; the first one is the likeliest and so always the same. Generic is judged apart
from the filter, by vectors: a question nearer to one of TEMPLATES, which fit any text, than to its claim and its
passage. A question is repeated where one before it has its words, or a cosine of .9 with it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.cli.common.question_figures import HEADS, judged, question_figures
from core.cli.common.terminal import watched
from core.documents.knowledge_store import read_store
from core.interfaces import Engines
from core.llm.caching import CachingAdaptableModel, CallCache
from core.llm.prompts import cut
from core.retrieval.caching import CachingEncoder
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.types import Case
from core.verification.recipes.catalogue import DEFAULT, RECIPES
from core.verification.steps.asking import Asking, AskOfPassages, first_question
from core.verification.steps.gathering import quote
from core.verification.steps.judging import PredictVeracity
from core.verification.workbench import Workbench, open_workbench

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"

Asker = Callable[[Case, Engines], Case]


@dataclass(frozen=True)
class Bench:
    """What questions are asked with. `found` are the cases as the default recipe's search leaves them."""

    gold: Sequence[GoldClaim]
    found: Sequence[Case]
    engines: Engines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=50)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/veridesk-questions.sqlite"), help="what was written")
    parser.add_argument("--show", type=Path, help="write every question that was kept into this file")
    args = parser.parse_args()
    bench = open_bench(open_workbench("bundled"), args.claims, args.cache)
    print(line(HEADS), line("---" for _ in HEADS), sep="\n")
    print(line(figures("every first try", unfiltered, bench)), flush=True)
    for seed in map(int, args.seeds.split(",")):
        seeded = replace(bench, engines=replace(bench.engines, seed=seed))
        print(line(figures(f"filtered, seed {seed}", AskOfPassages(), seeded, args.show)), flush=True)
    return 0


def open_bench(workbench: Workbench, claims: int, cache: Path) -> Bench:
    gold = random.Random(0).sample(read_gold(DATA / "dev_public.json"), claims)
    stores = (DATA / "knowledge_store", DATA / "haystack.jsonl")
    documents = [document for store in stores for document in read_store(store)]
    encoder = CachingEncoder(workbench.encoder)
    index = Index([passage for document in documents for passage in passages(document)], encoder)
    llm = CachingAdaptableModel(workbench.llm, CallCache(cache))
    engines = Engines(index, encoder, llm, workbench.judge)
    return Bench(gold, [searched(one, engines) for one in gold], engines)


def searched(gold: GoldClaim, engines: Engines) -> Case:
    case = Case(gold.claim)
    for step in RECIPES[DEFAULT].steps:
        if not isinstance(step, AskOfPassages | PredictVeracity):
            case = step(case, engines)
    return case


def unfiltered(case: Case, engines: Engines) -> Case:
    """Return the case with the likeliest question to each passage, whatever it is."""
    step = AskOfPassages()
    asking = Asking(case, engines, longest=step.longest, again=0)
    texts = [cut(" ".join(hit.passage.text.split()), engines.llm, tokens=step.passage_tokens) for hit in case.hits]
    completions = tuple(map(asking.write, texts))
    questions = (first_question(one.text) for one in completions)
    evidence = tuple(quote(question, hit.passage) for question, hit in zip(questions, case.hits, strict=True))
    return replace(case, evidence=evidence, completions=completions)


def figures(name: str, asker: Asker, bench: Bench, show: Path | None = None) -> tuple[str, ...]:
    """Return a line of the table."""
    encoder = bench.engines.encoder
    asked = [asker(case, bench.engines) for case in watched(bench.found, name)]
    if show:
        shown = [(case.claim.text, *(f"    {one.text}" for one in judged(case, encoder))) for case in asked]
        show.write_text("\n".join(text for texts in shown for text in texts))
    return question_figures(asked, bench.gold, encoder, sharing=asker is not unfiltered).cells(name)


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
