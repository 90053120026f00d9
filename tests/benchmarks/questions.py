"""Whether the questions are worth asking: with the filter and without it, from the same first tries.

    python -m tests.benchmarks.questions [--claims 50] [--seeds 0,1,2] [--adapter FILE] [--out FOLDER] [--table]

Public development claims, drawn at random, are searched in all public stores and the haystack as the default recipe
does. A seed draws the further tries; the first one is the likeliest and so always the same. With an adapter (see
`python -m core fit questions`) the questions that it writes are measured as well. Every claim that is done is kept in
FOLDER, so a run that was stopped goes on where it was; --table prints what is there. What counts as generic, repeated
and nearest is said in core/training/question_figures.py.
"""

import json
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import read_gold
from core.cli.common.action_command import on_terminal
from core.documents.knowledge_store import read_store
from core.interfaces import Encoder, Models, RunContext
from core.llm.caching import CachingAdaptableModel, CallCache
from core.retrieval.caching import CachingEncoder
from core.retrieval.chunking import passages
from core.retrieval.dense import load_encoder
from core.retrieval.index import Index
from core.training.fit_questions import asking_alone, asking_with, before_asking
from core.training.question_figures import HEADS, question_figures
from core.types import Case
from core.verification.opening import open_models
from core.verification.questions import cards
from core.verification.receipt import case_from_json, case_to_json
from core.verification.steps.asking import Asking, AskOfPassages, first_question, focuses
from core.verification.steps.gathering import quote
from tests.benchmarks.measuring import AVERITEC, parser_of

FIRST = "every first try"

Asker = Callable[[Case, RunContext], Case]


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=int, default=50)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--adapter", type=Path, metavar="FILE")
    parser.add_argument("--without-adapter", action="store_true", help="measure the model alone, with examples, too")
    parser.add_argument("--out", type=Path, default=Path("/tmp/veridesk-questions"), metavar="FOLDER")
    parser.add_argument("--table", action="store_true", help="ask nothing: print the table of what is in FOLDER")
    args = parser.parse_args()
    gold = random.Random(0).sample(read_gold(AVERITEC / "dev_public.json"), args.claims)
    args.out.mkdir(parents=True, exist_ok=True)
    if not args.table:
        ask_all(gold, askers(args.seeds, args.adapter, alone=args.without_adapter), args.out)
    print(table(gold, askers(args.seeds, args.adapter, alone=args.without_adapter), args.out))
    return 0


def askers(seeds: str, adapter: Path | None, *, alone: bool) -> dict[str, Asker]:
    """Return what is measured, by the names of the table's lines."""
    every: dict[str, Asker] = {FIRST: unfiltered}
    steps = {
        "with our adapter": AskOfPassages(),
        **({"without an adapter": asking_alone()} if alone else {}),
        **({"adapter": asking_with(adapter)} if adapter else {}),
    }
    for name, step in steps.items():
        for seed in map(int, seeds.split(",")):
            every[f"{name}, seed {seed}"] = lambda case, context, step=step, seed=seed: step(
                case, replace(context, seed=seed)
            )
    return every


def ask_all(gold: Sequence[GoldClaim], asking: dict[str, Asker], folder: Path) -> None:
    """Write the questions to every claim in every way, claim by claim."""
    models = open_models("bundled")
    stores = (AVERITEC / "knowledge_store", AVERITEC / "haystack.jsonl")
    documents = [document for store in stores for document in read_store(store)]
    encoder = CachingEncoder(models.encoder)
    index = Index([passage for document in documents for passage in passages(document)], encoder)
    llm = CachingAdaptableModel(models.llm, CallCache(folder / "calls.sqlite"))
    context = RunContext(Models(encoder, llm, models.judge), index)
    for one in on_terminal("").each(gold, "claims"):
        found = kept(folder, one, "found", lambda one=one: before_asking(one.claim, context))
        for name, asker in asking.items():
            kept(folder, one, name, lambda asker=asker, found=found: asker(found, context))


def kept(folder: Path, gold: GoldClaim, name: str, work: Callable[[], Case]) -> Case:
    """Return the case that is in the folder under a name, or what `work` returns, which is then there."""
    path = folder / f"{gold.claim.id}, {name}.json"
    if not path.exists():
        path.write_text(json.dumps(case_to_json(work())))
    return case_from_json(json.loads(path.read_text()))


def unfiltered(case: Case, context: RunContext) -> Case:
    """Return the case with the likeliest question to each passage, whatever it is."""
    asking = Asking(case, context, longest=AskOfPassages.longest, again=0)
    completions = tuple(asking.write(focuses(case, [hit.passage for hit in case.hits])))
    questions = (first_question(one.text) for one in completions)
    evidence = tuple(quote(question, hit.passage) for question, hit in zip(questions, case.hits, strict=True))
    return replace(case, evidence=evidence, completions=completions)


def table(gold: Sequence[GoldClaim], asking: Iterable[str], folder: Path) -> str:
    """Return a line for each way of asking, over the claims that were asked in every way; the questions go to files."""
    names = list(asking)
    done = [one for one in gold if all((folder / f"{one.claim.id}, {name}.json").exists() for name in names)]
    encoder = CachingEncoder(load_encoder())
    lines = [HEADS, tuple("---" for _ in HEADS), *(line_of(name, done, folder, encoder) for name in names)]
    return "\n".join([f"{len(done)} claims", *(f"| {' | '.join(cells)} |" for cells in lines)])


def line_of(name: str, gold: Sequence[GoldClaim], folder: Path, encoder: Encoder) -> tuple[str, ...]:
    cases = [case_from_json(json.loads((folder / f"{one.claim.id}, {name}.json").read_text())) for one in gold]
    shown = [(case.claim.text, *(f"    {card.question}" for card in cards(case.evidence))) for case in cases]
    (folder / f"{name}.txt").write_text("\n".join(text for texts in shown for text in texts))
    return question_figures(cases, gold, encoder, sharing=name != FIRST).cells(name)


if __name__ == "__main__":
    sys.exit(main())
