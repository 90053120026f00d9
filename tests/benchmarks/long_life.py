"""A server for a long time: memory, threads and open files while it verifies and shows pages. Draws and prints them.

    python -m tests.benchmarks.long_life --verifications 300 --runs 2000 --out long_life.svg

Each visit is a browser session of its own without a browser: a WebSocket that asks for a page, waits until the page has
run, and is closed. Verifications wait in the server's own queue, as if one of the visitors had sent them.
"""

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any

import altair as alt
import pandas as pd
import vl_convert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from core.documents.examples import examples
from core.jobs.store import JobStore
from core.jobs.types import Listed
from core.storage.store import Store
from core.verification.receipt import request_to_json
from core.verification.request import Request
from tests.benchmarks.measuring import parser_of
from tests.browser.conftest import serving

PAGES = ("", "history", "lab", "rate", "campaigns", "score", "agreement", "batch", "build", "models", "stores")
AT_ONCE = 4
AFTER_SECONDS = (0, 60, 130)
"""When it is looked at again once the last page is closed: Streamlit keeps sessions that have gone for two minutes."""
Row = dict[str, Any]


def measured(pid: int, what: str, done: int) -> Row:
    """Return what a process holds now; memory in MB, its model's process not included."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    held = {"memory (MB)": int(status["VmRSS"].split()[0]) / 1024, "threads": int(status["Threads"])}
    return {"what": what, "done": done, **held, "open files": len(os.listdir(f"/proc/{pid}/fd"))}


async def visit(address: str, page: str) -> None:
    """Open a page in a session of its own and wait until it has run."""
    url = f"{address.replace('http', 'ws')}/_stcore/stream"
    asked: Any = {"subprotocols": ["streamlit"], "origin": address, "max_size": None}
    async with connect(url, open_timeout=300, ping_interval=None, **asked) as socket:
        ask = BackMsg()
        ask.rerun_script.page_name = page
        await socket.send(ask.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 120))  # type: ignore[arg-type]
            if said.WhichOneof("type") == "script_finished":
                return


async def visits(address: str, pages: Sequence[str]) -> None:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(page: str) -> None:
        async with room:
            await visit(address, page)

    await asyncio.gather(*(one(page) for page in pages))


def verify(table: JobStore, count: int, server: Popen[bytes]) -> None:
    """Have the server verify so many claims, and wait until it has."""
    bundled = examples()
    for number in range(count):
        example = bundled[number % len(bundled)]
        asked = Request(example.claim, example=example.id, questions=False, seed=number)
        listed = Listed(example.claim.text, {"recipe": asked.recipe})
        job = table.add("verify", "0" * 64, listed, request_to_json(asked), tries=2)
        while (status := table.status(job, "0" * 64)) and status.state.live:
            assert server.poll() is None, "the server ended"
            time.sleep(0.05)
        assert not status.error, status.error


def live(verifications: int, runs: int, steps: int) -> list[Row]:
    chance = random.Random(0)
    with tempfile.TemporaryDirectory() as home, serving(Path(home)) as (address, server):
        for _ in range(2):  # a new server's first run only names the pages; the next one loads the models
            asyncio.run(visits(address, [""]))
        table = JobStore(Store(f"sqlite:///{home}/veridesk.db"))
        verify(table, 1, server)
        rows = [measured(server.pid, "work", 0)]
        for step in range(1, steps + 1):
            verify(table, verifications // steps, server)
            asyncio.run(visits(address, [chance.choice(PAGES) for _ in range(runs // steps)]))
            rows.append(measured(server.pid, "work", step * (runs + verifications) // steps))
            print(rows[-1], flush=True)
        waited = 0
        for after in AFTER_SECONDS:
            time.sleep(after - waited)
            waited = after
            rows.append(measured(server.pid, f"{after} s after the last page", runs + verifications))
            print(rows[-1], flush=True)
    return rows


def draw(rows: list[Row], path: Path) -> None:
    frame = pd.DataFrame(rows).query("what == 'work'").melt(["what", "done"])
    line = alt.Chart(frame, width=420, height=120).mark_line(point=True)
    chart = line.encode(x=alt.X("done", title="verifications and page runs"), y=alt.Y("value", title=None))
    svg = vl_convert.vegalite_to_svg(chart.facet(row="variable").resolve_scale(y="independent").to_dict())
    path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--verifications", type=int, default=300)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("long_life.svg"))
    given = parser.parse_args()
    draw(live(given.verifications, given.runs, given.steps), given.out)
