"""30 teams submit on the page before one deadline, to a server that is killed: is each submission there once?

    python -m tests.benchmarks.deadline --teams 30 --claims 2215 --minutes 5

Each team has a session of the real page, without a browser: it uploads, submits, and looks at its list until all are
scored. One whose server was killed looks first, as a person does, and submits again only a file that is not there.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select
from websockets.exceptions import WebSocketException

from core.averitec.averitec import parse_gold
from core.campaigns.access import command_line, invite_organiser
from core.campaigns.redeeming import redeem
from core.storage.store import Store
from core.storage.tables import jobs, task_scores
from core.tasks.shared_task import DAY, TaskPhase, TaskPlan
from core.tasks.task_store import create_task
from core.tasks.teams import invite_team
from pages.ui.owner import hashed
from tests.browser.conftest import serving
from tests.load.page_session import PageSession
from tests.load.test_deadline import gold_rows, names, submission
from tests.postgres import cluster, programs
from tests.search.servers import free_port

LOOK_SECONDS = 2.0
"""How often a team looks at its page again."""
BROKEN = (OSError, WebSocketException, TimeoutError)
"""A server that was killed, or that is starting."""


@dataclass
class Server:
    """The app's server; `kill` ends it without warning, and `start` starts another one at the same port."""

    home: Path
    url: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] = field(init=False)
    running: ExitStack = field(default_factory=ExitStack)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        began = serving(self.home, port=self.port, VERIDESK_DATABASE=self.url)
        _, self.process = self.running.enter_context(began)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL

    def megabytes(self) -> float:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0.0
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024 if "VmRSS:" in status else 0.0


@dataclass
class TeamPage:
    """One team's page: seconds until its list had the file, seconds of each further look, and broken connections."""

    number: int
    browser: str
    task: str
    address: str
    seconds: float = 0.0
    looks: list[float] = field(default_factory=list)
    broken: int = 0
    refused: str = ""

    @property
    def file(self) -> str:
        return f"team{self.number}.json"

    async def submit(self, content: bytes, wait: float, scored: asyncio.Event) -> None:
        """Submit once after `wait` seconds, and look at the page until all teams are scored."""
        await asyncio.sleep(wait)
        begun, tab = time.monotonic(), f"task-tab-{self.task}"
        while not (scored.is_set() or self.refused):
            try:
                async with PageSession(self.address, "tasks", self.browser, f"task={self.task}") as page:
                    await page.set(tab, string_value="Submissions")
                    if self.file not in page.html:
                        await page.set(tab, string_value="Submit")
                        await page.upload(f"task-file-{self.task}-0", self.file, content)
                        await page.press("task-submit")
                    if self.file not in page.html:
                        self.refused = page.html[-1000:]
                    self.seconds = self.seconds or time.monotonic() - begun
                    await self.look(page, scored)
            except LookupError as error:
                self.refused = str(error)
            except BROKEN:
                self.broken += 1
                await asyncio.sleep(LOOK_SECONDS)

    async def look(self, page: PageSession, scored: asyncio.Event) -> None:
        while not (scored.is_set() or self.refused):
            await asyncio.sleep(LOOK_SECONDS)
            begun = time.monotonic()
            await page.run()
            self.looks.append(time.monotonic() - begun)


@dataclass
class Deadline:
    """The outcome: teams, files kept by name, scores, states of scorings, memory by second."""

    teams: list[TeamPage]
    kept: Counter[str]
    scores: int
    states: Counter[str]
    memory: list[float]
    scored_seconds: float


async def rush(home: Path, url: str, *, teams: int, claims: int, seconds: float, kill_after: int) -> Deadline:
    """Let teams submit within `seconds`; kill the server once `kill_after` submissions are in the database."""
    store, rows = Store(url), gold_rows(claims)
    now, me = store.clock(), command_line(store)
    redeem(store, invite_organiser(store, days=1), me)  # from now on a visitor without a link is nobody
    plan = TaskPlan("Deadline", (TaskPhase("Test", now - 1, now + DAY, now + DAY),), metrics=("verdict",))
    task = create_task(store, me, plan, parse_gold("gold.json", json.dumps(rows).encode()))
    server, scored, memory = Server(home, url), asyncio.Event(), list[float]()
    pages = [TeamPage(number, f"{number + 1:064x}", task, server.address) for number in range(teams)]
    for one in pages:
        redeem(store, invite_team(store, task, me, f"Team {one.number}", days=1), hashed("browser", one.browser))

    async def watch() -> None:
        while not scored.is_set():
            memory.append(server.megabytes())
            await asyncio.sleep(1.0)

    async def kill() -> None:
        while len(names(store)) < kill_after:
            await asyncio.sleep(0.01)
        server.kill()
        await asyncio.to_thread(server.start)

    async def wait() -> float:
        while len(names(store)) + sum(bool(one.refused) for one in pages) < teams:
            await asyncio.sleep(0.1)
        begun = time.monotonic()
        while scores(store) < len(names(store)):
            await asyncio.sleep(0.1)
        scored.set()
        return time.monotonic() - begun

    chance = random.Random(3)
    with server.running:
        server.start()
        work = [one.submit(submission(rows, one.number), chance.uniform(0, seconds), scored) for one in pages]
        *_, took = await asyncio.gather(watch(), kill(), *work, wait())
    with store.transaction() as connection:
        states = Counter(str(state) for state in connection.scalars(select(jobs.c.state)))
    return Deadline(pages, Counter(names(store)), scores(store), states, memory, took)


def scores(store: Store) -> int:
    with store.transaction() as connection:
        return connection.scalar(select(func.count()).select_from(task_scores)) or 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--claims", type=int, default=2215)
    parser.add_argument("--minutes", type=float, default=5.0)
    given = parser.parse_args()
    programs_folder = programs()
    if programs_folder is None:
        raise SystemExit("PostgreSQL is not installed here: apt-get install postgresql")
    size = {"teams": given.teams, "claims": given.claims, "seconds": 60 * given.minutes, "kill_after": given.teams // 2}
    with cluster(programs_folder, durable=True) as database, tempfile.TemporaryDirectory() as folder_of_home:
        outcome = asyncio.run(rush(Path(folder_of_home), database.new_database(), **size))
    took, looks = [one.seconds for one in outcome.teams], [one for team in outcome.teams for one in team.looks]
    broken, refused = sum(one.broken for one in outcome.teams), sum(bool(one.refused) for one in outcome.teams)
    print(f"kept: {sum(outcome.kept.values())}, twice: {sum(n > 1 for n in outcome.kept.values())}")
    print(f"refused: {refused}, connections lost with the server: {broken}, scorings: {dict(outcome.states)}")
    print(f"seconds to confirmed: {statistics.median(took):.1f} (median), {max(took):.1f} (maximum)")
    print(f"seconds of a look at the page: {statistics.median(looks):.1f} (median), {max(looks):.1f} (maximum)")
    print(f"all scored {outcome.scored_seconds:.0f} s after the last submission was kept")
    print("memory (MB), every 10 s:", " ".join(f"{one:.0f}" for one in outcome.memory[::10]))
