"""Hungarian METEOR: the official way beside ours, in one run, equal numbers asserted.

    python -m tests.benchmarks.scoring [--system efc] [--claims 500]

The official way calls NLTK's `single_meteor_score` on `word_tokenize` for every pair and keeps nothing. Ours
is `hungarian_meteor` of core/scoring/metrics. Both figures are CPU seconds of this process (user + system);
what NLTK takes to be imported is paid once by both and shown on its own. Claims beyond the 250 of the public
half repeat them under other ids. Needs ../shared/data and WordNet 3.0.
"""

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.annotations import GoldClaim, Prediction
from core.averitec.averitec import read_gold, read_submission
from core.scoring.items import mean_score
from core.scoring.metrics.hungarian_meteor import gold_strings, hungarian_meteor, predicted_strings
from core.scoring.metrics.wordnet import DEBIAN
from core.scoring.metrics.words import find_words
from tests.benchmarks.measuring import DATA, parser_of


def nltk_folder(folder: Path) -> Path:
    """Return a folder of NLTK data made of Debian's WordNet and the shared Punkt tables."""
    corpus = folder / "corpora" / "wordnet"
    corpus.mkdir(parents=True)
    for path in DEBIAN.iterdir():
        if path.is_file():
            (corpus / path.name).symlink_to(path)
    # NLTK checks that the file has 45 numbered lines; METEOR does not use the names.
    (corpus / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    (folder / "tokenizers").symlink_to(DATA / "nltk_data" / "tokenizers")
    return folder


def official(gold: list[GoldClaim], predictions: dict[str, Prediction]) -> tuple[float, float]:
    """Return mean Hungarian METEOR of questions and of pairs, computed as the official scorer does."""
    from nltk import word_tokenize
    from nltk.translate.meteor_score import single_meteor_score
    from scipy.optimize import linear_sum_assignment

    def score(predicted: tuple[str, ...], references: tuple[str, ...]) -> float:
        values = np.empty((len(predicted), len(references)))
        for i, prediction in enumerate(predicted):
            for j, reference in enumerate(references):
                values[i, j] = single_meteor_score(word_tokenize(reference), word_tokenize(prediction))
        return float(values[linear_sum_assignment(values, maximize=True)].sum() * (1 / float(len(references))))

    questions, pairs = [], []
    for claim in gold:
        predicted, reference = predicted_strings(predictions[claim.id].evidence), gold_strings(claim)
        questions.append(score(predicted.questions, reference.questions))
        pairs.append(score(predicted.pairs, reference.pairs))
    return float(np.mean(questions)), float(np.mean(pairs))


def ours(gold: list[GoldClaim], predictions: dict[str, Prediction], folder: Path) -> tuple[float, float]:
    """Return the same two means from `hungarian_meteor`, its tables loaded from disk."""
    items = hungarian_meteor(gold, predictions, find_words([folder]))
    means = [
        mean_score([i for i in items if i.metric == metric], "").value
        for metric in dict.fromkeys(i.metric for i in items)
    ]
    return means[0] or 0.0, means[1] or 0.0


def enlarge(
    gold: list[GoldClaim], predictions: dict[str, Prediction], claims: int
) -> tuple[list[GoldClaim], dict[str, Prediction]]:
    """Return `claims` claims: the given ones, then the same again under other ids."""
    chosen = [gold[i % len(gold)] for i in range(claims)]
    ids = [f"{i}" for i in range(claims)]
    renamed = [replace(c, claim=replace(c.claim, id=i)) for c, i in zip(chosen, ids, strict=True)]
    return renamed, {i: predictions[c.id] for c, i in zip(chosen, ids, strict=True)}


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--system", default="efc", choices=("hero_baseline", "ctu_aic", "efc"))
    parser.add_argument("--claims", type=int, default=250)
    chosen = parser.parse_args()
    gold, predictions = enlarge(
        read_gold(DATA / "averitec/dev_public.json"),
        read_submission(DATA / f"averitec/submissions/{chosen.system}.csv").by_id,
        chosen.claims,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = nltk_folder(Path(place))
        os.environ["NLTK_DATA"] = str(folder)
        started = time.process_time()
        import nltk  # noqa: F401

        imported = time.process_time()
        own = ours(gold, predictions, folder)
        scored = time.process_time()
        theirs = official(gold, predictions)
        finished = time.process_time()
    assert own == theirs, f"ours {own}, official {theirs}"
    print(f"{chosen.system}, {chosen.claims} claims: Q {own[0]!r}, Q+A {own[1]!r}, equal both ways")
    print(f"import of nltk  {imported - started:8.2f} s CPU")
    print(f"ours            {scored - imported:8.2f} s CPU")
    print(f"official        {finished - scored:8.2f} s CPU, {(finished - scored) / (scored - imported):.1f} times ours")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
