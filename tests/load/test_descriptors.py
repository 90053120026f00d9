"""Open files of a server whose visitors have gone: they go with them, and a network that was away loses nothing."""

import asyncio
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from tests.benchmarks.long_life import visits
from tests.browser.conftest import serving
from tests.waiting import until

VISITS, KEPT_SECONDS = 60, 5
SPARE = 15
"""Files that a server may hold more than after its first visits: the database, kept connections."""


@pytest.mark.slow
def test_open_files_go_with_the_visitors(tmp_path: Path) -> None:
    with serving(tmp_path, STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL=str(KEPT_SECONDS)) as (address, server):
        process = psutil.Process(server.pid)
        # A new server's first runs may only name the pages. A later one opens its state and starts the model's process.
        until(lambda: asyncio.run(visits(address, [""])) or process.children(), seconds=600)
        time.sleep(2 * KEPT_SECONDS)
        before = process.num_fds()
        asyncio.run(visits(address, ["history"] * VISITS))
        until(lambda: process.num_fds() <= before + SPARE, seconds=600)


async def connected(address: str, *known: str) -> str:
    """Connect, as the session of a known id where one is given; return the id of the session that answers."""
    url = f"{address.replace('http', 'ws')}/_stcore/stream"
    names = ["streamlit", *(["none", *known] if known else [])]
    asked: Any = {"subprotocols": names, "origin": address, "max_size": None}
    async with connect(url, open_timeout=300, ping_interval=None, **asked) as socket:
        ask = BackMsg()
        ask.rerun_script.page_name = "history"
        await socket.send(ask.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 120))  # type: ignore[arg-type]
            if said.WhichOneof("type") == "new_session":
                return said.new_session.initialize.session_id


@pytest.mark.slow
def test_a_connection_that_broke_finds_its_session_again(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _):
        first = asyncio.run(connected(address))
        assert asyncio.run(connected(address, first)) == first


@pytest.mark.slow
def test_a_session_ends_some_time_after_its_connection(tmp_path: Path) -> None:
    with serving(tmp_path, STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="1") as (address, _):
        first = asyncio.run(connected(address))
        until(lambda: time.sleep(2) or asyncio.run(connected(address, first)) != first, seconds=600)
