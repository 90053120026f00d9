"""The configuration of nginx in docs/open_net.md, run as it is written there, before a real server."""

import asyncio
import http.client
import re
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from core.files import ROOT
from tests.browser.conftest import serving
from tests.search.servers import free_port
from tests.waiting import until

NAME = "fact.example.org"
MEGABYTE = 2**20


@contextmanager
def proxy(folder: Path, backend: str) -> Iterator[int]:
    """Run nginx with the guide's text before a server, with ports and folders of the test; yield the port of HTTPS."""
    guide = (ROOT / "docs" / "open_net.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```nginx\n(.*?)```", guide, re.DOTALL)
    plain, secure = free_port(), free_port()
    for here, there in (
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443", f"listen 127.0.0.1:{secure}"),
        ("/etc/ssl/veridesk", str(folder)),
        ("http://127.0.0.1:8501", backend),
    ):
        assert here in written
        written = written.replace(here, there)
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    key = ["-keyout", folder / "key.pem", "-out", folder / "fullchain.pem"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, *key], check=True)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; events {{}}\nhttp {{ access_log off;\n{temporary}{written}}}\n"
    )
    server = subprocess.Popen(["nginx", "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"])
    try:
        until(lambda: server.poll() is not None or answers(folder, secure))
        assert server.poll() is None, (folder / "error.log").read_text()
        yield secure
    finally:
        server.terminate()
        server.wait()


def trust(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "fullchain.pem"))


class Named(http.client.HTTPSConnection):
    """A connection to this machine whose certificate must have the guide's name."""

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._context.wrap_socket(self.sock, server_hostname=NAME)  # type: ignore[attr-defined]


def request(folder: Path, port: int, method: str, path: str, size: int = 0) -> http.client.HTTPResponse:
    connection = Named("127.0.0.1", port, context=trust(folder), timeout=300)
    connection.request(method, path, headers={"Host": NAME, "Content-Length": str(size)})
    return connection.getresponse()


def answers(folder: Path, port: int) -> bool:
    try:
        return bool(request(folder, port, "GET", "/_stcore/health").status)
    except OSError:
        return False


async def first_answer(folder: Path, port: int) -> str:
    """Open a page over a websocket, as a browser at the guide's name does; return the kind of the first answer."""
    async with connect(
        f"wss://{NAME}/_stcore/stream",
        host="127.0.0.1",
        port=port,
        ssl=trust(folder),
        subprotocols=["streamlit"],  # type: ignore[list-item]
        origin=f"https://{NAME}",  # type: ignore[arg-type]
        max_size=None,
        open_timeout=300,
        ping_interval=None,
    ) as socket:
        ask = BackMsg()
        ask.rerun_script.page_name = "history"
        await socket.send(ask.SerializeToString())
        said = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 300))  # type: ignore[arg-type]
        return str(said.WhichOneof("type"))


@pytest.mark.slow
def test_the_guides_proxy_serves_pages_websockets_and_bounds_uploads(tmp_path: Path) -> None:
    if which("nginx") is None:
        pytest.skip("nginx is not installed here: apt-get install nginx")
    with serving(tmp_path) as (address, _), proxy(tmp_path, address) as port:
        page = request(tmp_path, port, "GET", "/")
        assert page.status == 200
        assert page.headers["Strict-Transport-Security"]
        assert asyncio.run(first_answer(tmp_path, port))
        assert request(tmp_path, port, "PUT", "/_stcore/upload_file/a/b", 56 * MEGABYTE).status == 413
