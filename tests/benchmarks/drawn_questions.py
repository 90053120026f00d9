"""Draw questions that head passages, for people who read each beside its claim and passage.

    python -m tests.benchmarks.drawn_questions [--cases FOLDER] [--count 200] [--seed 0] [--out FILE]

The cases are those that `python -m tests.benchmarks.questions --out FOLDER` keeps for seed 0, and the 150 claims
of `tests.benchmarks.claims_on_documents`, each checked on the 15 documents of its half; they are kept in FOLDER too.
FILE gets a JSON object a line, without any judgement: n, claim, passage and question.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from core.cli.common.terminal import with_progress
from core.interfaces import Models, RunContext
from core.llm.caching import CachingAdaptableModel, CallCache
from core.retrieval.caching import CachingEncoder
from core.training.annotated_cases import index_of
from core.training.fit_questions import before_asking
from core.verification.opening import open_models
from core.verification.receipt import case_from_json, case_to_json
from core.verification.steps.asking import AskOfPassages
from tests.benchmarks.claims_on_documents import written_claims

PUBLIC, OWN = "*, with our adapter, seed 0.json", "own, {}.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=Path("/tmp/veridesk-questions"), metavar="FOLDER")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("questions-drawn.jsonl"), metavar="FILE")
    args = parser.parse_args()
    keep_own_cases(args.cases)
    rows = [
        row for path in sorted({*args.cases.glob(PUBLIC), *args.cases.glob(OWN.format("*"))}) for row in rows_of(path)
    ]
    drawn = random.Random(args.seed).sample(rows, min(args.count, len(rows)))
    lines = [json.dumps({"n": number, **row}, ensure_ascii=False) for number, row in enumerate(drawn, start=1)]
    args.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(drawn)} of {len(rows)} passages with a question: {args.out}")
    return 0


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Yield claim, passage and question of each passage under a question."""
    case = case_from_json(json.loads(path.read_text(encoding="utf-8")))
    for pair in case.evidence:
        if pair.heading:
            yield {"claim": case.claim.text, "passage": " ".join(pair.answer.split()), "question": pair.heading}


def keep_own_cases(folder: Path) -> None:
    """Write the case of each claim on our own documents into a folder, unless it is there."""
    models = open_models("bundled")
    encoder = CachingEncoder(models.encoder)
    llm = CachingAdaptableModel(models.llm, CallCache(folder / "own-calls.sqlite"))
    for part in "ab":
        claims = written_claims(part)
        kept = Models(encoder, llm, models.judge)
        context = RunContext(kept, index_of(list(dict.fromkeys(one.document for one in claims)), kept))
        for one in with_progress(claims, f"claims on documents, {part}"):
            path = folder / OWN.format(one.claim.id)
            if not path.exists():
                path.write_text(json.dumps(case_to_json(AskOfPassages()(before_asking(one.claim, context), context))))


if __name__ == "__main__":
    sys.exit(main())
