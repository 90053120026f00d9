"""A knowledge store of any size for a public claim, enlarged by real sentences recombined. Seeded.

    python -m tests.benchmarks.recombined FILE [--claim 0] [--documents 593] [--tokens 2500000]

The official stores (about 593 readable documents and 2.5 million tokens a claim) cannot be had everywhere. One of that
size is made of ../shared/data: the claim's own public documents as they are; every other public document and the
haystack, each passage once; and beyond that, sentences of those drawn at random. Where the data is absent, the bundled
examples' sentences serve in their place, so that times can be measured anywhere.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from core.documents.examples import examples
from core.documents.knowledge_store import read_store
from core.retrieval.chunking import sentence_spans
from core.types import Document
from tests.benchmarks.measuring import AVERITEC, parser_of

DOCUMENTS = 593
TOKENS = 2_500_000
SENTENCES_A_LINE = (1, 2, 2, 3, 4)  # the lines of a web page: headings, short and longer paragraphs
OWN = "https://own.invalid/"
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Source:
    """A claim, the texts of its own documents, and the texts that everything else is made of."""

    claim: str
    own: tuple[str, ...]
    others: tuple[str, ...]


def source(claim: int) -> Source:
    """Return what a store is made of; `claim` is the number of a public claim, or of an example."""
    if not AVERITEC.exists():
        made = examples()
        chosen = made[claim % len(made)]
        others = chain.from_iterable(item.documents for item in made if item is not chosen)
        return Source(chosen.claim.text, texts(chosen.documents), texts(others))
    claims = [record["claim"] for record in json.loads((AVERITEC / "dev_public.json").read_text())]
    stores = [read_store(AVERITEC / "knowledge_store" / f"{number}.json") for number in range(len(claims))]
    own = dict.fromkeys(texts(stores[claim]))
    everything = dict.fromkeys(texts(chain(*stores, read_store(AVERITEC / "haystack.jsonl"))))
    return Source(claims[claim], tuple(own), tuple(text for text in everything if text not in own))


def texts(documents: Sequence[Document] | Iterator[Document]) -> tuple[str, ...]:
    return tuple(document.text for document in documents)


def count_tokens(text: str) -> int:
    """Return the number of words and punctuation marks."""
    return len(_TOKEN.findall(text))


def write_store(file: Path, made_of: Source, *, documents: int = DOCUMENTS, tokens: int = TOKENS, seed: int = 0) -> int:
    """Write a store of about that size and return its number of tokens. The claim's own documents come last."""
    draw = random.Random(seed)
    others = max(documents - len(made_of.own), 1)
    budget = tokens - sum(map(count_tokens, made_of.own))
    lines = _lines(made_of.others, draw)
    written = 0
    with file.open("w", encoding="utf-8") as out:
        for number in range(others):
            body = []
            while written < budget * (number + 1) / others:
                body.append(next(lines))
                written += count_tokens(body[-1])
            out.write(json.dumps({"url": f"https://other.invalid/{number}", "url2text": body}) + "\n")
        for number, text in enumerate(made_of.own):
            out.write(json.dumps({"url": f"{OWN}{number}", "url2text": text.split("\n")}) + "\n")
    return written + tokens - budget


def _lines(passages: Sequence[str], draw: random.Random) -> Iterator[str]:
    """Yield each passage once in some order, and then, without end, lines of sentences of any of them."""
    yield from draw.sample(passages, len(passages))
    sentences = [text[start:end] for text in passages for start, end in sentence_spans(text)]
    while True:
        yield " ".join(draw.choices(sentences, k=draw.choice(SENTENCES_A_LINE)))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--claim", type=int, default=0)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    arguments = parser.parse_args()
    made_of = source(arguments.claim)
    written = write_store(arguments.file, made_of, documents=arguments.documents, tokens=arguments.tokens)
    print(f"{arguments.file}: {arguments.documents:,} documents, {written:,} tokens, for the claim: {made_of.claim}")


if __name__ == "__main__":
    main()
