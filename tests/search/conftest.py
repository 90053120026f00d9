"""What the tests of search share: a site, and the tools to search it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.search import asking
from core.search.finding import Tools
from core.search.sender import Sender, anywhere
from core.search.snapshots import Snapshots
from tests.search.consents import ANYTHING
from tests.search.servers import PATIENCE_SECONDS
from tests.search.site import Site, running


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site()) as (one,):
        yield one


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """Tools that may go to loopback: tests have no other network. They are patient with a busy machine."""
    monkeypatch.setattr(asking, "SLOW_SECONDS", PATIENCE_SECONDS)
    sender = Sender(ANYTHING, "desk@example.org", anywhere, seconds=PATIENCE_SECONDS)
    return Tools(Snapshots(tmp_path / "snapshots"), sender, pause=0.0)
