"""How long a search takes by pages and hosts, whose sites wait 300 ms: `python -m tests.benchmarks.search_pages`."""

import tempfile
import time
from pathlib import Path

from core.search.finding import Tools, search
from core.search.search_plan import SearchPlan
from core.search.sender import Sender, anywhere
from core.search.snapshots import Snapshots
from tests.search.consents import ANYTHING
from tests.search.site import Site, article, running
from tests.search.test_crawl import CLAIM, listed

DELAY, PAUSE = 0.3, 1.0
SHAPES = ((10, 5), (40, 20), (160, 80))


def measure(pages: int, hosts: int) -> float:
    """Return the seconds in which so many pages of so many hosts are found, read and extracted."""
    sites = [Site(f"127.0.0.{2 + number}", delay=DELAY) for number in range(hosts)]
    with tempfile.TemporaryDirectory() as folder, running(*sites), running(Site()) as (index,):
        each = pages // hosts
        urls = [
            site.page(f"/{n}", article(f"The bridge {n} of {site.base}") * 3) for n in range(each) for site in sites
        ]
        tools = Tools(Snapshots(Path(folder)), Sender(ANYTHING, allowed=anywhere), PAUSE)
        search(CLAIM, SearchPlan(("warm",)), [listed(index, index.page("/warm", article("The bridge")))], tools)
        started = time.perf_counter()
        documents, _ = search(CLAIM, SearchPlan(("bridge",), pages), [listed(index, *urls, name="all")], tools)
        assert len(documents) == pages
        return time.perf_counter() - started


def main() -> None:
    print(f"{'pages':>6} {'hosts':>6} {'seconds':>8}")
    for pages, hosts in SHAPES:
        print(f"{pages:6} {hosts:6} {measure(pages, hosts):8.1f}")


if __name__ == "__main__":
    main()
