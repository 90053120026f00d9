"""What reading a passage is worth, by set, on the held-out pairs of `shared/data/entailment`.

    python -m tests.benchmarks.stance_reader --data ../shared/data/entailment

Beside each other: the claim's words alone, the fine-tuned reader alone, and the reader of stances that serves. "Right",
"open" and "wrong" are shares of the pairs that are for or against; "silent" is the share of the others on which no side
is taken. The fine-tuned reader's threshold is chosen on half of the claims and measured on the other half.
"""

import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.retrieval.dense import load_encoder
from core.statistics.logistic import fit_logistic, softmax
from core.training.entailment import LabelledPair, drawn, halves, read_sets, set_names
from core.training.fit_stance import Pair, read_pairs
from core.training.judge_measures import calibration_error
from core.training.mixture import TIMES, mixed
from core.types import Document, Passage, Stance
from core.verification.stance.cards import embedded_card
from core.verification.stance.classifier import decided
from core.verification.stance.embedded import load_embedded
from core.verification.stance.pair_reader import FITTED, load_pair_reader
from core.verification.written_claims import LABELS
from tests.benchmarks.measuring import parser_of

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Reading = tuple[Floats, Places]
"""The probabilities of the three classes, and the classes that are said in the end."""

NEITHER = LABELS.index("neither")
STANCES = {Stance.FOR: 0, Stance.AGAINST: 1, Stance.ABOUT: NEITHER, Stance.UNRELATED: NEITHER}
MOST_WRONG, LEAST_SILENT = 0.07, 0.85
"""What a threshold must keep: the shares of pairs put on the wrong side, and of neither side left open."""

TAUGHT_CLAIMS = 6000
"""How many claims the baseline that sees no passage learns from."""


@dataclass(frozen=True)
class Outcome:
    """Shares in [0, 1]; NaN where a set has no such pairs."""

    right: float
    open: float
    wrong: float
    silent: float


def outcome(taken: Places, truth: Places) -> Outcome:
    """Return what the sides taken (places in LABELS) come to."""
    sided = truth != NEITHER
    right, left_open = share((taken == truth)[sided]), share((taken == NEITHER)[sided])
    return Outcome(right, left_open, 1 - right - left_open, share((taken == NEITHER)[~sided]))


def share(some: Mask) -> float:
    """Return the share of True; NaN of nothing."""
    return float(some.mean()) if some.size else float("nan")


def taken_at(threshold: float, probabilities: Floats) -> Places:
    """Return the likelier side of each pair where its probability reaches the threshold, else NEITHER."""
    sides = probabilities[:, :NEITHER]
    return np.where(sides.max(axis=1) >= threshold, sides.argmax(axis=1), NEITHER)


def choose(probabilities: Floats, truth: Places) -> float:
    """Return the lowest threshold that keeps to MOST_WRONG and LEAST_SILENT."""
    for threshold in np.arange(0.3, 1.0, 0.01):
        found = outcome(taken_at(threshold, probabilities), truth)
        if found.wrong <= MOST_WRONG and found.silent >= LEAST_SILENT:
            return float(threshold)
    return 1.0


def claim_only(train: Sequence[LabelledPair], dev: Sequence[LabelledPair]) -> Places:
    """Return the labels that the claims' vectors alone suggest."""
    encoder = load_encoder()
    taught = mixed(train, seed=0)[:TAUGHT_CLAIMS]
    vectors = encoder.encode([pair.claim for pair in taught]).astype(np.float64)
    names = [str(place) for place in range(vectors.shape[1])]
    model = fit_logistic(vectors, np.array([pair.label for pair in taught]), names, penalty=0.01)
    rows = encoder.encode([pair.claim for pair in dev]).astype(np.float64)
    return np.asarray(model.of_rows(rows).argmax(axis=1))


def by_stance_reader(dev: Sequence[LabelledPair]) -> Reading:
    """Return the probabilities of the three classes by the reader that serves, and the sides it takes."""
    card, reader = embedded_card(), load_embedded()
    passages = [Passage(Document("e", pair.premise), 0, len(pair.premise)) for pair in dev]
    sides = [Stance.FOR, Stance.AGAINST, Stance.ABOUT]
    pairs = [Pair(pair.source, pair.claim, one, sides[pair.label]) for pair, one in zip(dev, passages, strict=True)]
    reads = read_pairs(pairs, load_encoder(), load_pair_reader())
    rows = reader.probabilities(reads)
    taken = [STANCES[decided(row, card.thresholds)] for row in rows]
    return np.column_stack([rows[:, :2], rows[:, 2:].sum(axis=1)]), np.array(taken)


HEAD = ("accuracy", "right", "open", "wrong", "silent", "ECE")


def line(name: str, some: Mask, truth: Places, alone: Places, readers: Sequence[Reading]) -> str:
    """Return a set's figures as a row of a Markdown table: of the claim alone, then of each reader."""
    words = [name, f"{some.sum()}", f"{(alone[some] == truth[some]).mean():.2f}"]
    for probabilities, taken in readers:
        found = outcome(taken[some], truth[some])
        shares = ((probabilities[some].argmax(axis=1) == truth[some]).mean(), *astuple(found))
        words += ["–" if np.isnan(one) else f"{one:.2f}" for one in shares]
        words += [f"{calibration_error(probabilities[some], truth[some]):.3f}"]
    return "| " + " | ".join(words) + " |"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--weights", type=Path, default=FITTED)
    parser.add_argument("--each", type=int, default=200, help="pairs of each set and label (default: 200)")
    args = parser.parse_args()
    names = [name for name in set_names(args.data) if name in {*TIMES, "fever_symmetric"}]
    train, held = read_sets(args.data, names)
    dev = drawn(held, args.each)
    truth = np.array([pair.label for pair in dev])
    reader = load_pair_reader(args.weights)
    begun = time.perf_counter()
    probabilities = softmax(reader.logits([(pair.premise, pair.claim) for pair in dev]))
    print(f"{len(dev) / (time.perf_counter() - begun):.0f} pairs a second.")
    some = set(halves(dev)[0])
    first = np.array([pair in some for pair in dev])
    threshold = choose(probabilities[first], truth[first])
    print(f"Threshold {threshold:.2f}, of half of the claims; the rows are of the other half.")
    alone = claim_only(train, dev)
    readers = [(probabilities, taken_at(threshold, probabilities)), by_stance_reader(dev)]
    columns = [f"{who}: {one}" for who in ("fine-tuned", "serving") for one in HEAD]
    print("| set | pairs | claim only | " + " | ".join(columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    source = np.array([pair.source for pair in dev])
    for name in sorted(set(source[~first].tolist())):
        print(line(name, (source == name) & ~first, truth, alone, readers))
    print(line("all", ~first, truth, alone, readers))


if __name__ == "__main__":
    main()
