"""The Models page in a real browser, with a hub on this machine: a download watched, cancelled and resumed."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, served
from tests.models.local_hub import LocalHub, local_hub, model_gguf

pytestmark = pytest.mark.slow
NAME = "phi-4-Q4_K.gguf"
CONTENT = model_gguf(3_000_000)
NOTE_HEADINGS = """
window.seen = [];
new MutationObserver(() => window.seen.push(document.querySelector("[data-testid=stMain] h1")?.innerText ?? ""))
  .observe(document, { childList: true, subtree: true });
"""


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    lfs = {"oid": hashlib.sha256(CONTENT).hexdigest(), "size": len(CONTENT)}
    with local_hub(files={NAME: CONTENT}, pace=threading.Event()) as running:
        running.listing = [{"type": "file", "path": NAME, "size": len(CONTENT), "lfs": lfs}]
        yield running


def test_a_download_is_watched_cancelled_and_resumed(hub: LocalHub, open_page: OpenPage, tmp_path: Path) -> None:
    with served(tmp_path, hub=hub.url) as address:
        page = open_page("about:blank", width=400)
        page.add_init_script(NOTE_HEADINGS)
        page.goto(f"{address}/models")  # on a server nobody has visited: still by way of app.py
        page.get_by_role("region", name="Model in use").wait_for()
        expect(page.get_by_test_id("stSidebarNavLink").filter(has_text="Verify")).to_have_count(1)
        assert set(filter(None, page.evaluate("window.seen"))) == {"Models"}
        page.get_by_role("button", name="Show its files").click()
        page.get_by_role("button", name="Download 3.0 MB").click()
        page.get_by_text("65.5 kB of 3.0 MB").wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("Being cancelled").wait_for()
        hub.pace.set()
        page.get_by_role("button", name="Discard").wait_for()
        page.reload()
        page.get_by_role("button", name="Resume").click()
        page.get_by_role("button", name="Dismiss").wait_for()
        page.get_by_role("button", name="Use", exact=True).click()
        expect(page.get_by_role("region", name="Model in use")).to_contain_text(NAME.removesuffix(".gguf"))
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert (tmp_path / "models" / NAME).read_bytes() == CONTENT
    assert hub.ranges_asked()[-1].startswith("bytes=")
