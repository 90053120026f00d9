"""Open files of a server whose visitors have gone: they go with them, and a network that was away loses nothing."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from tests.benchmarks.long_life import visits
from tests.browser.conftest import serving
from tests.waiting import until

pytestmark = pytest.mark.slow
VISITS, KEPT_SECONDS = 30, 5
SPARE = 15
"""Files that a server may hold more than after its first visits: the database, kept connections."""


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_open_files_and_sessions_go_some_time_after_the_visitors(tmp_path: Path) -> None:
    with serving(tmp_path, STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL=str(KEPT_SECONDS)) as (address, server):
        for _ in range(2):  # a new server's first run only names the pages; the next one loads the models
            asyncio.run(visits(address, [""]))
        time.sleep(2 * KEPT_SECONDS)
        before = open_files(server.pid)
        left = asyncio.run(connected(address))
        asyncio.run(visits(address, ["history"] * VISITS))
        until(lambda: open_files(server.pid) <= before + SPARE, seconds=600)
        until(lambda: asyncio.run(connected(address, left)) != left or time.sleep(2 * KEPT_SECONDS), seconds=600)


async def connected(address: str, *known: str) -> str:
    """Connect, as the session of a known id where one is given; return the id of the session that answers."""
    url = f"{address.replace('http', 'ws')}/_stcore/stream"
    names = ["streamlit", *(["none", *known] if known else [])]
    async with connect(url, subprotocols=names, max_size=None, origin=address) as socket:  # type: ignore[arg-type]
        ask = BackMsg()
        ask.rerun_script.page_name = "history"
        await socket.send(ask.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 120))  # type: ignore[arg-type]
            if said.WhichOneof("type") == "new_session":
                return said.new_session.initialize.session_id


def test_a_connection_that_broke_finds_its_session_again(app: str) -> None:
    first = asyncio.run(connected(app))
    assert asyncio.run(connected(app, first)) == first
