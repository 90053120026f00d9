"""Which verdicts do documents get on their own sentences?

    python -m tests.benchmarks.sentences_of_documents STORES [--first 120] [--list]

STORES is a folder of knowledge stores. Sentences are drawn from their documents, and each is checked on the document
that holds it, by the default recipe without its questions. Every one should be Supported. Questions, forecasts and
opinions are left out: they get no verdict.
"""

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from core.documents.knowledge_store import read_store
from core.interfaces import RunContext
from core.retrieval.chunking import sentence_spans
from core.retrieval.index import Index
from core.training.annotated_cases import found_for, index_of
from core.training.stress_verdict import judged
from core.types import Claim, Document
from core.verification.claim_intake import undecidable
from core.verification.claim_parts import parts_of
from core.verification.opening import open_models
from core.verification.recipes.catalogue import DEFAULT, recipe_named
from core.verification.stance.differences import denies
from core.verification.stance.words import lexicon, words_of
from core.verification.verdict.verdict_words import shown_label
from tests.benchmarks.measuring import parser_of


def _negates(text: str) -> bool:
    return bool({word.lower for word in words_of(text)} & lexicon().negation)


def _has_figures(text: str) -> bool:
    return bool(re.search(r"\d", text))


KINDS: dict[str, tuple[int, Callable[[str], bool]]] = {
    "any sentence": (1, lambda _: True),
    "with figures": (1, _has_figures),
    "with a negation": (1, _negates),
    "that calls something false": (1, denies),
    "of several parts": (1, lambda text: len(parts_of(text)) > 1),
    "two sentences": (2, lambda _: True),
}
"""The kinds of sentences: how many in a row, and which."""


def statements(document: Document, count: int) -> Iterator[str]:
    """Yield the texts of `count` sentences in a row that state something in 5 to 45 words."""
    spans = sentence_spans(document.text)
    for first, last in zip(spans, spans[count - 1 :], strict=False):
        text = document.text[first[0] : last[1]]
        whole = text[0].isupper() and text.endswith(".") and not re.search(r"[?\n]", text)
        if whole and 5 <= len(words_of(text)) <= 45 and not undecidable(text, None):
            yield text


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("stores", type=Path)
    parser.add_argument("--first", type=int, default=120, help="how many sentences of each kind")
    parser.add_argument("--list", action="store_true", help="print each sentence that is not Supported")
    args = parser.parse_args()
    documents = list(itertools.chain.from_iterable(read_store(path) for path in sorted(args.stores.glob("*.json*"))))
    models = open_models("bundled")
    context, recipe = RunContext(models, Index([], models.encoder)), recipe_named(DEFAULT)
    for kind, (count, fits) in KINDS.items():
        drawn = dict.fromkeys((text, one) for one in documents for text in statements(one, count) if fits(text))
        counts = Counter[str]()
        for text, document in random.Random(1).sample(list(drawn), min(args.first, len(drawn))):
            here = replace(context, retriever=index_of([document], models))
            case = found_for(Claim(text), recipe, here)
            label = shown_label(judged(case.claim, case.hits, here))
            said = label.value if label else "no verdict"
            counts[said] += 1
            if args.list and said != "Supported":
                print(f"  {said}: {text}")
        print(f"{kind:28} {', '.join(f'{said} {number}' for said, number in counts.most_common())}")


if __name__ == "__main__":
    main()
