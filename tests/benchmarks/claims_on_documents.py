"""Which verdicts do claims get on the one document each was written about?

    python -m tests.benchmarks.claims_on_documents [--part a|b|c|d|e|f|g] [--together] [--list]
    python -m tests.benchmarks.claims_on_documents --writer w8 [--writer w9] [--documents 14] [--list]

With --together a claim is checked on all documents of its part.

With --writer the claims are those of `assets/claims`. No reader may learn from those of w5, w8 and w9. Else they are
433 older, in `tests/verification/verdict/data/claims_*.json`. Parts a and b are by one writer, part c by two others in
freer words, parts d to g by one each. None of them had read the code. The default recipe runs without its questions.
"Right", "open" and "wrong" are shares of the claims that their document supports or refutes; "silent" is the share of
the other claims on which no side is taken.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.interfaces import RunContext
from core.retrieval.index import Index
from core.training.annotated_cases import found_for, index_of
from core.training.stress_verdict import judged
from core.types import Claim, Document, Label, Verdict
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT, recipe_named
from core.verification.verdict.verdict_words import shown_label
from core.verification.written_claims import read_written
from tests.benchmarks.measuring import parser_of

DATA = Path(__file__).parents[1] / "verification" / "verdict" / "data"
PARTS = "abcdefg"
SIDES = {"supported": Label.SUPPORTED, "refuted": Label.REFUTED}
LABELLED = ("supported", "refuted", "open")
"""The labels, in the order of `core.verification.written_claims.LABELS`."""


@dataclass(frozen=True)
class WrittenClaim:
    """A claim, the document it is about, its label ("supported", "refuted" or "open"), and the kind of difficulty."""

    claim: Claim
    document: Document
    label: str
    kind: str


def written_claims(part: str) -> list[WrittenClaim]:
    """Return the claims of a part, in the order of the file."""
    found = json.loads((DATA / f"claims_{part}.json").read_text(encoding="utf-8"))
    documents = {one["id"]: Document(one["id"], one["text"], one["title"]) for one in found["documents"]}
    return [
        WrittenClaim(
            Claim(one["claim"], one["speaker"] or "", id=one["id"]),
            documents[one["document"]],
            one["label"],
            one["kind"],
        )
        for one in found["claims"]
    ]


def by_writer(writer: str) -> list[WrittenClaim]:
    """Return the claims of a writer of `assets/claims`."""
    return [
        WrittenClaim(Claim(one.claim, id=f"{one.document.url}-{at % 14}"), one.document, LABELLED[one.label], one.kind)
        for at, one in enumerate(read_written((writer,)))
    ]


def on_first(claims: list[WrittenClaim], documents: int | None) -> list[WrittenClaim]:
    """Return the claims on the first documents of a list; all of them for None."""
    kept = list(dict.fromkeys(one.document for one in claims))[:documents]
    return [one for one in claims if one.document in kept]


def verdicts(claims: list[WrittenClaim], *, together: bool = False) -> Iterator[tuple[WrittenClaim, Verdict]]:
    """Yield each claim with the verdict on its document, or on the documents of all these claims."""
    context, recipe = RunContext(models := open_models("bundled"), Index([], models.encoder)), recipe_named(DEFAULT)
    every = list(dict.fromkeys(one.document for one in claims))
    for one in claims:
        read = every if together else [one.document]
        here = replace(context, retriever=index_of(read, models))
        case = found_for(one.claim, recipe, here)
        yield one, judged(case.claim, case.hits, here)


def outcome(label: str, verdict: Verdict) -> str:
    """Return "right", "open" or "wrong" for a claim with a side; "silent" or "spoke" for one without."""
    taken = shown_label(verdict)
    sided = taken in SIDES.values()
    if label not in SIDES:
        return "spoke" if sided else "silent"
    return "right" if taken is SIDES[label] else "wrong" if sided else "open"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--part", choices=tuple(PARTS), help="only these of the claims (default: all)")
    parser.add_argument("--writer", action="append", help="the claims of this writer of assets/claims; may repeat")
    parser.add_argument("--documents", type=int, metavar="N", help="only the claims on the first N documents of a part")
    parser.add_argument("--together", action="store_true", help="check each claim on all documents of its part")
    parser.add_argument("--list", action="store_true", help="print each claim that is not right or silent")
    args = parser.parse_args()
    written = map(by_writer, args.writer) if args.writer else map(written_claims, args.part or PARTS)
    written = (on_first(claims, args.documents) for claims in written)
    found_verdicts = itertools.chain.from_iterable(verdicts(part, together=args.together) for part in written)
    count, kinds = Counter[str](), Counter[tuple[str, str]]()
    for one, verdict in found_verdicts:
        found = outcome(one.label, verdict)
        count[found] += 1
        kinds[one.kind, found] += 1
        if args.list and found not in ("right", "silent"):
            told = "; ".join(f"{stance.stance}: {stance.reason}" for stance in verdict.stances[:2])
            print(f"{found:6} {one.claim.id} {one.kind}: {one.claim.text} | {shown_label(verdict)} | {told}")
    sided, others = count["right"] + count["open"] + count["wrong"], count["silent"] + count["spoke"]
    for name in ("right", "open", "wrong"):
        print(f"{name:7} {count[name]:4} of {sided}  {count[name] / sided:.2f}")
    print(f"silent  {count['silent']:4} of {others}  {count['silent'] / others:.2f}")
    took = count["right"] + count["wrong"] + count["spoke"]
    print(f"of {took} verdicts that take a side {count['right'] / max(1, took):.2f} are right")
    for kind in sorted({name for name, _ in kinds}):
        print(f"  {kind:22}", ", ".join(f"{n} {found}" for (name, found), n in sorted(kinds.items()) if name == kind))


if __name__ == "__main__":
    main()
