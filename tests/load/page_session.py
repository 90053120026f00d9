"""A browser session without a browser: a websocket that runs a page, sets its widgets and uploads files."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE_SECONDS = 900.0


@dataclass
class PageSession:
    """A session at a page with a query, of the browser with a key; used as a context.

    `elements` are those of its last run, by place. Methods raise OSError or WebSocketException without a server.
    """

    address: str
    page: str
    browser: str
    query: str = ""
    socket: ClientConnection = field(init=False)
    session: str = ""
    states: dict[str, WidgetState] = field(default_factory=dict)
    elements: dict[tuple[int, ...], Any] = field(default_factory=dict)
    kept: dict[str, ForwardMsg] = field(default_factory=dict)

    async def __aenter__(self) -> PageSession:
        url = f"{self.address.replace('http', 'ws')}/_stcore/stream"
        as_browsers: dict[str, Any] = {"subprotocols": ["streamlit"], "origin": self.address}
        self.socket = await connect(
            url, max_size=None, open_timeout=PATIENCE_SECONDS, ping_interval=None, **as_browsers
        )
        await self.run()
        await self.set("browser", json_value=json.dumps({"key": self.browser}))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.socket.close()

    def find(self, key: str) -> tuple[str, Any] | None:
        """Return the id and the element of a widget by its key, None if the page does not show it."""
        written = re.compile(rf'"(\$\$ID-\w+-{re.escape(key)})"')
        for one in self.elements.values():
            if found := written.search(str(one)):
                return found[1], one.new_element
        return None

    @property
    def html(self) -> str:
        return "".join(one.new_element.html.body for one in self.elements.values())

    async def set(self, key: str, **value: Any) -> None:
        """Give a widget a value, which it keeps, and run the page. Raises LookupError if it is not shown."""
        found = self.find(key)
        if found is None:
            raise LookupError(f"{key} is not to be used here: {self.html[-1000:]}")
        self.states[found[0]] = WidgetState(id=found[0], **value)
        await self.run()

    async def press(self, key: str) -> None:
        """Click a button and run the page. Raises LookupError if it is not shown, or disabled."""
        found = self.find(key)
        if found is None or found[1].button.disabled:
            raise LookupError(f"{key} is not to be used here: {self.html[-1000:]}")
        await self.run(WidgetState(id=found[0], trigger_value=True))

    async def upload(self, key: str, name: str, content: bytes) -> None:
        """Upload a file as a browser does, and run the page."""
        ask = BackMsg()
        ask.file_urls_request.request_id = name
        ask.file_urls_request.file_names.append(name)
        ask.file_urls_request.session_id = self.session
        await self.socket.send(ask.SerializeToString())
        while (said := await self.heard()).WhichOneof("type") != "file_urls_response":
            pass
        (urls,) = said.file_urls_response.file_urls
        await asyncio.to_thread(self._put, urls.upload_url, {"file": (name, content)})
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
        await self.set(key, file_uploader_state_value={"uploaded_file_info": [info]})

    def _put(self, url: str, files: dict[str, tuple[str, bytes]]) -> None:
        with requests.Session() as browser:
            browser.get(f"{self.address}/_stcore/health", timeout=PATIENCE_SECONDS)  # sets the cookie against forgery
            token = {"X-Xsrftoken": browser.cookies["_streamlit_xsrf"]}
            browser.put(self.address + url, files=files, headers=token, timeout=PATIENCE_SECONDS).raise_for_status()

    async def run(self, *clicked: WidgetState) -> None:
        """Run the page with the values of its widgets, and wait until it is drawn."""
        ask = BackMsg()
        ask.rerun_script.page_name, ask.rerun_script.query_string = self.page, self.query
        ask.rerun_script.widget_states.widgets.extend([*self.states.values(), *clicked])
        await self.socket.send(ask.SerializeToString())
        while True:
            said = await self.heard()
            kind = said.WhichOneof("type")
            if kind == "new_session":
                self.session = said.new_session.initialize.session_id
                self.elements.clear()
            elif kind == "delta":
                self.elements[tuple(said.metadata.delta_path)] = said.delta
            elif kind == "page_info_changed":
                self.query = said.page_info_changed.query_string
            elif kind == "script_finished" and said.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return

    async def heard(self) -> ForwardMsg:
        """Return the next message; a long one that was sent before is sent as its hash."""
        said = ForwardMsg.FromString(await asyncio.wait_for(self.socket.recv(), PATIENCE_SECONDS))  # type: ignore[arg-type]
        if said.WhichOneof("type") == "ref_hash":
            known = ForwardMsg()
            known.CopyFrom(self.kept[said.ref_hash])
            known.metadata.CopyFrom(said.metadata)
            return known
        if said.hash:
            self.kept[said.hash] = said
        return said
