"""End the sessions of pages that were closed: each owns an event loop, which is three open files."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionInfo, SessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

MAX_KEPT = 128
"""Sessions without a connection that are kept at most; of more the oldest end."""


class Kept(NamedTuple):
    """A session without a connection, and the timer that ends it."""

    session: SessionInfo
    timer: asyncio.TimerHandle


class ClosedSessions(SessionStorage):
    """Keeps sessions without a connection for some seconds, in case the network was only away, and then ends them.

    Streamlit's own storage looks for sessions that are too old only when another one closes. A dropped session waits
    for the garbage collector, and the event loop with it. Every method is called in the server's event loop.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.kept: dict[str, Kept] = {}

    def get(self, session_id: str) -> SessionInfo | None:
        found = self.kept.get(session_id)
        return found.session if found else None

    def save(self, session_info: SessionInfo) -> None:
        name = session_info.session.id
        timer = asyncio.get_running_loop().call_later(self.seconds, self._end, name)
        self.kept[name] = Kept(session_info, timer)
        if len(self.kept) > MAX_KEPT:
            self._end(next(iter(self.kept)))

    def delete(self, session_id: str) -> None:
        self.kept.pop(session_id).timer.cancel()

    def list(self) -> list[SessionInfo]:
        return [one.session for one in self.kept.values()]

    def _end(self, session_id: str) -> None:
        session = self.kept[session_id].session.session
        self.delete(session_id)
        session.shutdown()


def end_closed_sessions(server: Runtime) -> None:
    """Have a server end the sessions of closed pages after the time that its configuration sets."""
    manager = getattr(server, "_session_mgr", None)  # a page that is tested without a server has none
    if isinstance(manager, WebsocketSessionManager):
        manager._session_storage = ClosedSessions(st.get_option("server.disconnectedSessionTTL"))
