"""Whether a search reads the page that answers: `python -m tests.benchmarks.search_queries [--words] [--held-out]`.

40 claims on a wiki of 865 pages (`tests/search/wiki_pages.py`) that Debian's MediaWiki serves, or 20 later ones on a
wiki of their own. `--words` ranks titles by words alone. With an address in VERIDESK_TEST_WIKI the wiki that runs there
is asked.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from core.search.finding import Tools, search
from core.search.rounds import first_queries
from core.search.search_plan import QUERIES, SearchPlan
from core.search.search_request import consent_to
from core.search.sender import Sender, anywhere
from core.search.snapshots import Snapshots
from core.search.sources import open_source
from core.search_report import Reason
from tests.search.servers import mediawiki
from tests.search.wiki_pages import CLAIMS, HELD_OUT, LATER, WikiClaim, pages

PAGES = 10


@dataclass(frozen=True)
class Hunted:
    """One claim's search: whether the page that answers was found, read, and as of before the claim; its queries."""

    one: WikiClaim
    found: bool
    read: bool
    before: bool
    queries: tuple[str, ...]
    seconds: float


def hunt(one: WikiClaim, address: str, folder: Path, encoder: Encoder | None) -> Hunted:
    """Search for one claim as `verify --search` does without a person."""
    source = open_source(f"mediawiki={address}")
    first = first_queries(one.claim)
    plan = SearchPlan(first, PAGES, QUERIES - len(first))
    sender = Sender(consent_to([source], first, PAGES, later=plan.later), allowed=anywhere)
    began = time.perf_counter()
    documents, report = search(one.claim, plan, [source], Tools(Snapshots(folder), sender, encoder=encoder))
    seconds = time.perf_counter() - began
    answer = [document for document in documents if title_of(document.url) == one.title]
    found = bool(answer) or any(title_of(item.url) == one.title for item in report.left_out)
    before = all(LATER not in document.text for document in documents)
    asked = tuple(item.query for item in report.searches if item.status != Reason.NOT_SENT)
    return Hunted(one, found, bool(answer), before, asked, seconds)


def title_of(url: str) -> str:
    return parse_qs(urlsplit(url).query).get("title", [""])[0].replace("_", " ")


@contextmanager
def wiki(claims: Sequence[WikiClaim]) -> Iterator[str]:
    """Run the wiki of these claims, unless one runs already."""
    if address := os.environ.get("VERIDESK_TEST_WIKI"):
        yield address
        return
    with tempfile.TemporaryDirectory() as folder, mediawiki(Path(folder), pages(claims)) as address:
        yield address


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", action="store_true", help="rank titles by words alone")
    parser.add_argument("--held-out", action="store_true", help="claims that were written after the queries")
    args = parser.parse_args()
    encoder, claims = None if args.words else load_encoder(), HELD_OUT if args.held_out else CLAIMS
    with tempfile.TemporaryDirectory() as folder, wiki(claims) as address:
        hunted = [hunt(one, address, Path(folder), encoder) for one in claims]
    for one in hunted:
        state = "read " if one.read else "found" if one.found else "-    "
        print(f"{state} {len(one.queries)} {one.seconds:5.1f} s  {one.one.text}\n      {' | '.join(one.queries)}")
    count, queries = len(hunted), [len(one.queries) for one in hunted]
    print(f"{count} claims: answer found {sum(one.found for one in hunted)}, read {sum(one.read for one in hunted)}")
    print(f"revision from before the claim: {sum(one.before for one in hunted)} of {count}")
    print(f"queries a claim: {sum(queries) / count:.1f}, most {max(queries)}")
    print(f"seconds per claim: {sum(one.seconds for one in hunted) / count:.1f}")


if __name__ == "__main__":
    main()
