"""The Models page in a real browser, with a hub on this machine: a download watched, cancelled and resumed."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local_hub import LocalHub, local_hub, writer_gguf

playwright = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
NAME = "phi-4-Q4_K.gguf"
CONTENT = writer_gguf(3_000_000)
CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    lfs = {"oid": hashlib.sha256(CONTENT).hexdigest(), "size": len(CONTENT)}
    with local_hub(files={NAME: CONTENT}, pace=threading.Event()) as running:
        running.listing = [{"type": "file", "path": NAME, "size": len(CONTENT), "lfs": lfs}]
        yield running


@pytest.fixture
def address(hub: LocalHub, tmp_path: Path) -> Iterator[str]:
    """Run the app as the README says, on a free port, and return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "VERIDESK_HOME": str(tmp_path), "VERIDESK_HUB": hub.url}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)


def wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer in 30 seconds")


@pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium at /usr/bin/chromium")
@pytest.mark.parametrize("width", [1280, 400])
def test_a_download_is_watched_cancelled_and_resumed(hub: LocalHub, address: str, tmp_path: Path, width: int) -> None:
    with playwright.sync_playwright() as run:
        browser = run.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.set_default_timeout(30_000)
        page.goto(f"{address}/models")  # on a server that nobody has visited: still by way of app.py
        page.get_by_text("In use for new cases").wait_for()
        assert page.get_by_test_id("stSidebarNavLink").filter(has_text="Verify").count() == 1
        page.get_by_role("button", name="Show its files").click()
        page.get_by_role("button", name="Download 3.0 MB").click()
        page.get_by_text("65.5 kB of 3.0 MB").wait_for()
        page.get_by_role("button", name="Cancel").click()
        assert hub.pace is not None
        hub.pace.set()
        page.get_by_text("Cancelled, what has arrived is kept").wait_for()
        page.reload()
        page.get_by_role("button", name="Resume").click()
        page.get_by_text("Here, and its SHA-256 is right").wait_for()
        page.get_by_role("button", name="Use", exact=True).click()
        page.get_by_text("Not measured yet").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        browser.close()
    assert (tmp_path / "models" / NAME).read_bytes() == CONTENT
    assert hub.ranges_asked()[-1].startswith("bytes=")
