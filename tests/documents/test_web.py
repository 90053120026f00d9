import gzip
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from core.documents.web import Limits, fetch, fetch_all
from core.errors import BadInput, Cancelled
from core.http.fetching import Visit, get, target
from core.http.public_addresses import Address, is_public, resolve
from core.types import Document
from tests.files import docx, packed, pdf

Respond = Callable[[BaseHTTPRequestHandler], None]
ARTICLE = (
    b"<!DOCTYPE html><html><head><title>Bridge opens</title></head><body><nav>Home Sport</nav><article>"
    b"<p>The bridge over the river was opened on Monday. It is 300 metres long and made of steel.</p>"
    b"<p>The mayor cut a ribbon, and two thousand people walked across it in the first hour.</p>"
    b"<p>The old bridge, which a flood had carried away five years before, was never rebuilt.</p>"
    b"</article></body></html>"
)


def anywhere(address: Address) -> bool:
    return True


class Site:
    """A web server of the test's own: `pages` gives each path a function that answers."""

    def __init__(self) -> None:
        self.pages: dict[str, Respond] = {}
        self.requests: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.requests.append((self.headers["Host"], self.path))
                self.close_connection = True
                site.pages[self.path](self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def page(self, path: str, body: bytes, kind: str = "text/html", **headers: str) -> str:
        """Serve `body` at `path` and return its address."""
        self.pages[path] = answer(200, body, {"Content-Type": kind, **headers})
        return self.url(path)


def answer(status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> Respond:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()
    site.thread.join()


def here(url: str, **limits: Any) -> Document:
    return fetch(url, allowed=anywhere, limits=Limits(**limits))


def refusal(url: str, *, allowed: Callable[[Address], bool] = anywhere, **limits: Any) -> str:
    with pytest.raises(BadInput) as caught:
        fetch(url, allowed=allowed, limits=Limits(**limits))
    assert str(caught.value).endswith(".")
    return str(caught.value)


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        """0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
        192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1
        255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
        64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 fc00::1 fd12:3456::1 fe80::1
        fe80::1%eth0 fec0::1 ff02::1 4000::1""".split(),
    )
    def test_not_public(self, address: str) -> None:
        assert not is_public(ip_address(address))

    @pytest.mark.parametrize(
        "address",
        """8.8.8.8 1.1.1.1 172.32.0.1 192.169.0.1 2606:4700:4700::1111 2a00:1450::1 ::ffff:8.8.8.8
        64:ff9b::808:808""".split(),
    )
    def test_public(self, address: str) -> None:
        assert is_public(ip_address(address))

    @pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "localhost"])
    def test_the_system_s_spellings_of_loopback_resolve_to_it(self, host: str) -> None:
        addresses = resolve(host, 80, seconds=300)
        assert addresses
        assert all(address.is_loopback for address in addresses)

    def test_a_name_that_takes_too_long_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(3) or [])
        assert resolve("slow.example", 80, seconds=0.1) == []


class TestRefusedByDefault:
    """What no one may reach through this machine. No test here needs a network, and no server sees a request."""

    @pytest.mark.parametrize(
        "host",
        """127.0.0.1 localhost 10.0.0.1 192.168.0.1 169.254.169.254 0.0.0.0 100.64.0.1 [::1] [::] [::ffff:127.0.0.1]
        [::ffff:a9fe:a9fe] [fd00::1] [fe80::1] [64:ff9b::7f00:1] 2130706433 017700000001 0177.0.0.1 0x7f000001 127.1
        0 ①②⑦.⓪.⓪.① 255.255.255.255""".split(),
    )
    def test_addresses_of_this_machine_and_its_network(self, site: Site, host: str) -> None:
        site.page("/", ARTICLE)
        sentence = refusal(site.url("/", host), allowed=is_public)
        assert "add the file instead." in sentence
        assert site.requests == []

    def test_a_redirect_to_this_machine(self, site: Site) -> None:
        site.pages["/out"] = answer(302, headers={"Location": site.url("/secret", "localhost")})
        site.page("/secret", ARTICLE)
        asked: list[str] = []

        def first_only(address: Address) -> bool:
            asked.append(str(address))
            return len(asked) == 1

        assert "the public internet" in refusal(site.url("/out"), allowed=first_only)
        assert [path for _, path in site.requests] == ["/out"]

    @pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://a.example/", "gopher://a.example", "javascript:x"])
    def test_a_redirect_to_another_scheme(self, site: Site, target: str) -> None:
        site.pages["/out"] = answer(301, headers={"Location": target})
        assert "begin with https://" in refusal(site.url("/out"))

    @pytest.mark.parametrize(
        "url",
        [
            "file:///etc/passwd",
            "ftp://a.example/x",
            "gopher://a.example",
            "data:text/html,x",
            "a.example/page",
            "",
            "x",
        ],
    )
    def test_other_schemes(self, url: str) -> None:
        assert "begin with https://" in refusal(url)

    @pytest.mark.parametrize("url", ["http://user:secret@a.example/", "http://user@a.example/", "http://@127.0.0.1/"])
    def test_names_and_passwords_are_refused_and_not_repeated(self, url: str) -> None:
        sentence = refusal(url)
        assert "user name and password" in sentence
        assert "secret" not in sentence

    @pytest.mark.parametrize(
        "url",
        [
            "http://", "http:///path", "http://[::1", "http://a.example:99999/", "http://a.example:port/",
            "http://a b.example/", "http://a..example/", "http://a.example%00.evil.example/",
            f"http://a.example/{'x' * 5000}", f"http://{'a' * 70}.example/", "http://[fe80::1%25eth0]/",
        ],
    )  # fmt: skip
    def test_what_is_no_address(self, url: str) -> None:
        assert "web address" in refusal(url)

    def test_ports_of_other_services(self) -> None:
        assert "port 25" in refusal("http://a.example:25/")

    def test_the_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A name server that answers with a public address first and with loopback after gains nothing."""
        site.page("/", ARTICLE)
        lookups: list[str] = []
        connected: list[Any] = []

        def rebinding(host: str, port: int, **_: Any) -> list[Any]:
            lookups.append(host)
            address = "93.184.215.14" if len(lookups) == 1 else "127.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        def connect(_: socket.socket, address: tuple[str, int]) -> None:
            connected.append(address)
            raise ConnectionRefusedError(111, "Connection refused")

        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        monkeypatch.setattr(socket.socket, "connect", connect)
        sentence = refusal(site.url("/", "rebinding.example"), allowed=is_public)
        assert "(Connection refused)" in sentence
        assert lookups == ["rebinding.example"]
        assert connected == [("93.184.215.14", site.port)]

    def test_one_private_address_among_public_ones_is_enough_to_refuse(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 80)) for a in ("93.184.215.14", "10.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
        assert "leads to 10.0.0.1" in refusal("http://two.example", allowed=is_public)


class TestPages:
    def test_a_page_becomes_a_document(self, site: Site) -> None:
        url = site.page("/2020/10/31/bridge?a=1", ARTICLE)
        document = here(f"  {url}\n")
        assert document.url == url
        assert document.text.startswith("The bridge over the river was opened on Monday. It is 300 metres long")
        assert document.text.endswith("was never rebuilt.")
        assert document.title == "Bridge opens"
        assert document.published == date(2020, 10, 31)
        assert site.requests == [(f"127.0.0.1:{site.port}", "/2020/10/31/bridge?a=1")]

    def test_the_host_s_name_is_sent_and_the_path_is_quoted(self, site: Site) -> None:
        site.page("/caf%C3%A9%20x?q=%C3%A9", ARTICLE)
        here(site.url("/café x?q=é#part", "localhost"))
        assert site.requests == [(f"localhost:{site.port}", "/caf%C3%A9%20x?q=%C3%A9")]

    def test_redirects_are_followed_and_the_last_address_is_the_document_s(self, site: Site) -> None:
        site.pages["/a"] = answer(301, headers={"Location": "/b"})
        site.pages["/b"] = answer(307, headers={"Location": "c?x=1"})
        url = site.page("/c?x=1", ARTICLE)
        assert here(site.url("/a")).url == url

    def test_redirects_are_counted(self, site: Site) -> None:
        for number in range(4):
            site.pages[f"/{number}"] = answer(302, headers={"Location": f"/{number + 1}"})
        url = site.page("/4", ARTICLE)
        assert here(site.url("/0"), redirects=4).url == url
        assert refusal(site.url("/0"), redirects=3).endswith("more than 3 times.")

    def test_a_redirect_to_what_is_no_address(self, site: Site) -> None:
        site.pages["/"] = answer(302, headers={"Location": "http://[x/"})
        assert refusal(site.url("/")).endswith("an invalid one.")

    def test_a_circle_of_redirects_ends(self, site: Site) -> None:
        site.pages["/"] = answer(302, headers={"Location": "/"})
        assert "5 times" in refusal(site.url("/"))
        assert len(site.requests) == 6

    def test_pdf_word_and_text(self, site: Site) -> None:
        plain = "Caf\u00e9 text."
        assert here(site.page("/a", pdf("Portable."), "application/pdf")).text == "Portable."
        assert here(site.page("/b", pdf("Portable."), "application/octet-stream")).text == "Portable."
        word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        assert here(site.page("/c", docx("Word."), word)).text == "Word."
        assert here(site.page("/d", plain.encode("latin-1"), "text/plain; charset=ISO-8859-1")).text == plain
        assert here(site.page("/e", plain.encode(), "text/plain")).text == plain
        assert here(site.page("/f", ARTICLE, "application/octet-stream")).title == "Bridge opens"

    def test_the_server_s_character_set_is_used(self, site: Site) -> None:
        page = "<html><body><p>Президент заявил об этом.</p></body></html>".encode("cp1251")
        assert here(site.page("/", page, 'text/html; charset="windows-1251"')).text == "Президент заявил об этом."

    @pytest.mark.parametrize("packing", ["gzip", "deflate"])
    def test_packed_answers(self, site: Site, packing: str) -> None:
        body = gzip.compress(ARTICLE) if packing == "gzip" else zlib.compress(ARTICLE)
        assert here(site.page("/", body, Content_Encoding=packing)).title == "Bridge opens"

    def test_chunked_answers(self, site: Site) -> None:
        def respond(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for part in (ARTICLE[:50], ARTICLE[50:]):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            handler.wfile.write(b"0\r\n\r\n")

        site.pages["/"] = respond
        assert here(site.url("/")).title == "Bridge opens"


class TestLimits:
    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            ("image/png", b"\x89PNG\0"), ("video/mp4", b"\0"), ("application/json", b"{}"),
            ("application/zip", packed({})),
            ("application/octet-stream", b"\0\1"), ("text/csv", b"a,b"),
        ],
    )  # fmt: skip
    def test_other_kinds(self, site: Site, kind: str, body: bytes) -> None:
        assert f"/x: this address holds {kind}; web pages, PDF" in refusal(site.page("/x", body, kind))

    def test_size_that_is_announced(self, site: Site) -> None:
        assert "more than 0.001 MB" in refusal(site.page("/", b"x" * 2000), bytes=1000)

    def test_size_that_is_not_announced(self, site: Site) -> None:
        def endless(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.end_headers()
            try:
                for _ in range(10_000):
                    handler.wfile.write(b"x" * 10_000)
            except OSError:
                sent.set()

        sent = threading.Event()
        site.pages["/"] = endless
        assert "more than 1 MB" in refusal(site.url("/"), bytes=1_000_000)
        assert sent.wait(300), "the server could send all of it"

    def test_size_after_unpacking(self, site: Site) -> None:
        bomb = gzip.compress(b"x" * 20_000_000)
        assert len(bomb) < 100_000
        assert "more than 1 MB" in refusal(site.page("/", bomb, Content_Encoding="gzip"), bytes=1_000_000)

    def test_what_follows_the_packed_part_counts(self, site: Site) -> None:
        body = gzip.compress(ARTICLE) + b"x" * 2_000_000
        respond = answer(200, body, {"Content-Type": "text/html", "Content-Encoding": "gzip"})

        def unannounced(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.send_header("Content-Encoding", "gzip")
            handler.end_headers()
            handler.wfile.write(body)

        for site.pages["/"] in (respond, unannounced):
            assert "more than 1 MB" in refusal(site.url("/"), bytes=1_000_000)

    def test_packing_that_nobody_asked_for(self, site: Site) -> None:
        assert "'br'" in refusal(site.page("/", b"x", Content_Encoding="br"))

    def test_packing_that_is_broken(self, site: Site) -> None:
        url = site.page("/", b"no gzip", Content_Encoding="gzip")
        assert "broken or is not" in refusal(url)

    @pytest.mark.parametrize("part", ["head", "body"])
    def test_a_server_that_drips_runs_out_of_time(self, site: Site, part: str) -> None:
        ended = threading.Event()

        def drip(handler: BaseHTTPRequestHandler) -> None:
            if part == "body":
                handler.send_response(200)
                handler.send_header("Content-Type", "text/html")
                handler.end_headers()
            else:
                handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            try:
                while not ended.wait(0.05):
                    handler.wfile.write(b"x")
                    handler.wfile.flush()
            except OSError:
                pass

        site.pages["/"] = drip
        sentence = refusal(site.url("/"), seconds=0.6)
        ended.set()
        assert "0.6 seconds" in sentence

    def test_stop_ends_a_wait(self, site: Site) -> None:
        ended = threading.Event()
        site.pages["/"] = lambda handler: ended.wait(300) and None
        began = time.monotonic()
        with pytest.raises(Cancelled):
            fetch(site.url("/"), stop=lambda: time.monotonic() - began > 0.3, allowed=anywhere)
        ended.set()

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (403, "it does not let programs read this page"),
            (404, "there is no such page"),
            (500, "try again later"),
            (204, "try again later"),
        ],
    )
    def test_other_answers(self, site: Site, status: int, words: str) -> None:
        site.pages["/"] = answer(status, b"" if status == 204 else b"<p>No.</p>")
        sentence = refusal(site.url("/"))
        assert f"the server answered {status}: " in sentence
        assert words in sentence

    def test_an_answer_that_breaks_off(self, site: Site) -> None:
        headers = {"Content-Type": "text/html", "Content-Length": str(len(ARTICLE) + 100)}
        site.pages["/"] = answer(200, ARTICLE, headers)
        assert "before the end" in refusal(site.url("/"))

    def test_a_server_that_does_not_hang_up_is_not_waited_for(self, site: Site) -> None:
        ended = threading.Event()

        def stay(handler: BaseHTTPRequestHandler) -> None:
            answer(200, ARTICLE, {"Content-Type": "text/html"})(handler)
            handler.wfile.flush()
            ended.wait(600)

        site.pages["/"] = stay
        document = here(site.url("/"), seconds=300)
        ended.set()
        assert document.title == "Bridge opens"

    def test_a_page_without_text(self, site: Site) -> None:
        assert "no text was found" in refusal(site.page("/", b"<html><body></body></html>"))

    def test_a_server_that_is_not_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        assert "(Connection refused)" in refusal(f"http://127.0.0.1:{port}/")

    def test_a_server_that_speaks_no_http(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def greet() -> None:
                connection, _ = server.accept()
                connection.sendall(b"220 mail.example ready\r\n")
                connection.close()

            thread = threading.Thread(target=greet)
            thread.start()
            sentence = refusal(f"http://127.0.0.1:{server.getsockname()[1]}/")
            thread.join()
        assert "broken or is not" in sentence or "cannot be reached" in sentence

    def test_a_name_that_does_not_exist(self) -> None:
        assert refusal("https://no-such-name.invalid/") == (
            "https://no-such-name.invalid/: no internet address was found for no-such-name.invalid; "
            "check its spelling, and whether this machine is online."
        )


class TestSeveral:
    def test_order_is_kept_and_each_problem_is_told(self, site: Site) -> None:
        def late(handler: BaseHTTPRequestHandler) -> None:
            time.sleep(0.2)
            answer(200, b"<p>Slow page.</p>", {"Content-Type": "text/html"})(handler)

        site.pages["/slow"] = late
        site.pages["/gone"] = answer(410)
        quick = site.page("/quick", b"<p>Quick page.</p>")
        urls = [site.url("/slow"), site.url("/gone"), "", f" {quick}\n", "ftp://a.example", site.url("/slow")]
        reading = fetch_all(urls, allowed=anywhere)
        assert [document.text for document in reading.documents] == ["Slow page.", "Quick page."], reading.problems
        assert [problem.split(": ")[0] for problem in reading.problems] == [
            site.url("/gone"),
            "ftp://a.example",
        ]
        assert len(site.requests) == 3

    def test_they_are_fetched_side_by_side(self, site: Site) -> None:
        together = threading.Barrier(3, timeout=300)

        def meet(handler: BaseHTTPRequestHandler) -> None:
            together.wait()
            answer(200, b"<p>Met.</p>", {"Content-Type": "text/html"})(handler)

        site.pages.update({f"/{number}": meet for number in range(3)})
        reading = fetch_all([site.url(f"/{number}") for number in range(3)], allowed=anywhere)
        assert len(reading.documents) == 3

    def test_too_many(self) -> None:
        with pytest.raises(BadInput, match="31 web addresses"):
            fetch_all([f"https://a.example/{number}" for number in range(31)])

    def test_none(self) -> None:
        reading = fetch_all([" ", ""])
        assert (reading.documents, reading.problems) == ((), ())

    def test_stop(self, site: Site) -> None:
        url = site.page("/", ARTICLE)
        with pytest.raises(Cancelled):
            fetch_all([url], stop=lambda: True, allowed=anywhere)
        assert site.requests == []

    def test_private_addresses_are_refused_by_default(self, site: Site) -> None:
        reading = fetch_all([site.page("/", ARTICLE)])
        assert reading.documents == ()
        assert "the public internet" in reading.problems[0]


@pytest.mark.skipif(which("openssl") is None, reason="openssl is needed to make a certificate")
class TestSecureConnections:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        """A certificate for pages.example, with its key in the same file."""
        command = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key "
            "-out certificate -subj /CN=pages.example -addext subjectAltName=DNS:pages.example"
        )
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
        both = tmp_path / "both.pem"
        both.write_bytes((tmp_path / "key").read_bytes() + (tmp_path / "certificate").read_bytes())
        return both

    @pytest.fixture
    def secure(self, site: Site, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Site, list[str | None]]:
        """A site over TLS at any name, and the names that clients asked for."""
        names: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.sni_callback = lambda _, name, __: names.append(name)
        site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, port, **_: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
        )
        return site, names

    def test_the_name_is_asked_for_and_checked(
        self, secure: tuple[Site, list[str | None]], certificate: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site, names = secure
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        site.page("/", ARTICLE)
        assert here(f"https://pages.example:{site.port}/").title == "Bridge opens"
        assert names == ["pages.example"]
        assert site.requests == [(f"pages.example:{site.port}", "/")]
        sentence = refusal(f"https://other.example:{site.port}/")
        assert "(Hostname mismatch" in sentence

    def test_a_certificate_that_nobody_vouches_for(self, secure: tuple[Site, list[str | None]]) -> None:
        site, _ = secure
        sentence = refusal(f"https://pages.example:{site.port}/")
        assert "(self-signed certificate)" in sentence
        assert site.requests == []

    def test_a_server_without_tls(self, site: Site) -> None:
        site.page("/", ARTICLE)
        assert "no secure connection" in refusal(site.url("/").replace("http:", "https:"))


def test_a_caller_sends_headers_of_its_own_and_reads_what_stands_behind_an_error(site: Site) -> None:
    heard: list[str] = []

    def refuse(handler: BaseHTTPRequestHandler) -> None:
        heard.extend([handler.headers["User-Agent"], handler.headers["X-Key"]])
        answer(429, b"too many", {"Retry-After": "7"})(handler)

    site.pages["/api"] = refuse
    headers = {"User-Agent": "Desk/1", "X-Key": "k"}
    visit = Visit(site.url("/api"), time.monotonic() + 300, 300, 1000, lambda: False, anywhere, headers, errors=True)
    got = get(target(visit.url), visit)
    assert heard == ["Desk/1", "k"]
    assert (got.status, got.body, got.headers["retry-after"]) == (429, b"too many", "7")


def test_a_header_that_would_add_another_is_not_sent(site: Site) -> None:
    headers = {"X-Key": "k\r\nHost: elsewhere"}
    visit = Visit(site.url("/api"), time.monotonic() + 300, 300, 1000, lambda: False, anywhere, headers)
    with pytest.raises(BadInput):
        get(target(visit.url), visit)
    assert site.requests == []
