"""The app as its users run it: a server of its own with a fresh home, and a real browser."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Request, expect, sync_playwright

from core.settings import settings
from pages.ui.claim_form.claim_draft import DOORS
from pages.ui.claim_form.evidence_fields import DOOR
from tests.browser.axe import fetch_axe
from tests.search.servers import free_port
from tests.search.site import Site, reply, running

ROOT = Path(__file__).resolve().parents[2]
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
NETWORK = str(Path(__file__).parent / "network")
PATIENCE = 300_000
"""Milliseconds that a busy machine may take for anything: a claim takes ten seconds, a click one."""

OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let no limit of a whole test end it before one of its waits."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(1800))


@pytest.fixture(scope="session", autouse=True)
def network_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Have every Python process of these tests write down what it sends elsewhere (see network/sitecustomize.py)."""
    log = tmp_path_factory.mktemp("network") / "log"
    log.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIDESK_TEST_NETWORK", str(log))
        patch.setenv("PYTHONPATH", NETWORK, prepend=os.pathsep)
        yield log
        assert log.read_text(encoding="utf-8") == ""


@pytest.fixture(autouse=True)
def nothing_leaves_the_machine(network_log: Path) -> Iterator[None]:
    """Check after each test that no server connected to, or looked up, anything outside loopback."""
    yield
    left = network_log.read_text(encoding="utf-8")
    network_log.write_text("", encoding="utf-8")
    assert left == ""


@contextmanager
def served(home: Path, *, hub: str = "") -> Iterator[str]:
    """Run the app with this home and yield its address; what it printed is shown if it does not start."""
    with serving(home, VERIDESK_HUB=hub) as (address, _):
        yield address


@contextmanager
def serving(home: Path, *, port: int = 0, **variables: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """As `served`, with further environment variables; yield the address and the process, which may be killed."""
    port = port or free_port()
    tests_home = settings().home
    link_copies(tests_home, home)
    environment = {**os.environ, "VERIDESK_HOME": str(home)}
    environment.pop("VERIDESK_DATABASE", None)
    log = home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=ROOT, env=environment | variables, stdout=output, stderr=output)
    try:
        wait_for_health(port, server, log)
        yield f"http://127.0.0.1:{port}", server
    finally:
        server.kill()  # it would let each of its threads end first, which takes seconds
        server.wait()
        link_copies(home, tests_home)


def link_copies(home: Path, other: Path) -> None:
    """Give another home the unpacked weights of this one: to make them anew takes each server seconds."""
    for copy in home.glob("expanded/*.gguf"):
        (other / "expanded").mkdir(exist_ok=True)
        with suppress(FileExistsError):
            os.link(copy, other / "expanded" / copy.name)


def wait_for_health(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    while server.poll() is None:  # the limit is the test's own
        try:
            with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the app did not start: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core."""
    return fetch_axe(tmp_path_factory.mktemp("axe"))


@pytest.fixture(scope="module")  # Playwright keeps an event loop running, which tests after it must not meet
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def app_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of `app`."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def app(app_home: Path, engine: Site) -> Iterator[str]:
    """The address of one server, which searches `engine`, for all tests that need no other settings."""
    with serving(app_home, VERIDESK_SEARCH=f"searxng={engine.base}") as (address, _):
        yield address


@pytest.fixture(scope="session")
def engine() -> Iterator[Site]:
    """A SearXNG that finds nothing, and notes what it is asked."""
    with running(Site()) as (site,):
        site.otherwise = reply(200, json.dumps({"results": []}), {"Content-Type": "application/json"})
        yield site


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open an address in a browser context of its own, and check at the end that no request left the machine."""
    contexts = []
    strangers: list[str] = []

    def open_it(address: str, *, width: int = 1280, same_as: Page | None = None) -> Page:
        if same_as is None:
            contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
            contexts[-1].on("request", lambda request: note(request.url))
        page = (same_as.context if same_as else contexts[-1]).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        return page

    def note(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            strangers.append(url)

    yield open_it
    for context in contexts:
        context.close()
    assert strangers == []


IDLE = """() => {
  const idle = document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning";
  window.idleSince = idle ? window.idleSince ?? Date.now() : null;
  return idle && Date.now() - window.idleSince >= 1000;
}"""


def settle(page: Page) -> None:
    """Wait for a second in which the app runs nothing. The page need not show a short run."""
    page.evaluate("window.idleSince = null")
    page.wait_for_function(IDLE, polling=100)


def upload(page: Page, *files: Path | FilePayload, nth: int = 0) -> None:
    """Choose files for the page's nth uploader, and wait for the run that has them to end.

    Streamlit clears its queue when a run begins, and with it the address that a file chosen in that moment waits for.
    So the files are chosen after a second without a run, and again if none of them was asked for.
    """
    asked: list[Request] = []
    sent: list[Request] = []
    for event, noted in (("request", asked), ("requestfinished", sent)):
        page.on(event, partial(note_upload, noted))  # type: ignore[call-overload]
    while not asked:
        settle(page)
        page.locator("input[type=file]").nth(nth).set_input_files(list(files))
        for _ in range(300):
            if asked:
                break
            page.wait_for_timeout(100)
    while len(sent) < len(files):
        page.wait_for_timeout(100)
    settle(page)


def note_upload(noted: list[Request], request: Request) -> None:
    if request.method == "PUT" and "/upload_file/" in request.url:
        noted.append(request)


def keyed(page: Page, key: str) -> Locator:
    """Return the element with this Streamlit key. Streamlit shows a key in the page as a class."""
    return page.locator(f".st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}")


def field(page: Page, key: str) -> Locator:
    """Return the field of this key, into which one types."""
    return keyed(page, key).locator("input, textarea").first


def look_in(page: Page, place: str) -> None:
    """Open the door on Verify that leads to a place of evidence, and choose the place behind it."""
    door = next(name for name, places in DOORS.items() if place in places)
    keyed(page, DOOR).locator("label").filter(has_text=door).click()
    if len(DOORS[door]) > 1:
        page.get_by_role("radio", name=place, exact=True).click()


def read_download(page: Page, button: str) -> dict[str, object]:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    content: dict[str, object] = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    return content
