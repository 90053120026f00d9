"""How often a text is taken for what it is: 200 texts by kind, and the share of real claims that are remarked on.

python -m tests.benchmarks.claim_intake [--claims ../shared/data/averitec/dev_public.json]
"""

from collections import Counter
from pathlib import Path

from core.averitec.averitec import read_gold
from core.verification.claim_intake import ClaimKind, read_claim
from tests.benchmarks.measuring import parser_of

TEXTS = Path(__file__).parents[1] / "verification" / "data" / "claim_kinds.tsv"


def labelled_texts() -> list[tuple[ClaimKind, str]]:
    """Return the texts written for this measurement, each with what it is."""
    rows = (line.split("\t", 1) for line in TEXTS.read_text(encoding="utf-8").splitlines())
    return [(ClaimKind(kind), text.replace("\\n", "\n")) for kind, text in rows]


def confusion() -> Counter[tuple[ClaimKind, ClaimKind]]:
    """Return how many texts of each kind were taken for which."""
    return Counter((kind, read_claim(text).kind) for kind, text in labelled_texts())


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--claims", type=Path, help="gold claims, of which most should pass without a remark")
    arguments = parser.parse_args()
    counts = confusion()
    for kind in ClaimKind:
        total = sum(count for (true, _), count in counts.items() if true is kind)
        others = ", ".join(f"{count} {got}" for (true, got), count in counts.items() if true is kind is not got)
        print(f"{kind:20} {counts[kind, kind]:3} of {total:3}   {others}")
    print(f"{'all':20} {sum(counts[kind, kind] for kind in ClaimKind):3} of {sum(counts.values()):3}")
    if arguments.claims:
        kinds = Counter(read_claim(gold.claim.text).kind for gold in read_gold(arguments.claims))
        print("real claims: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
