"""Real servers from Debian's packages, on loopback, ended after the tests: MediaWiki, kiwix-serve, searx."""

import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.waiting import until

MEDIAWIKI = Path("/usr/share/mediawiki")
SEARX = Path("/usr/bin/searx-run")
SEARX_FILES = "/usr/share/python3-searx"
PATIENCE_SECONDS = 300.0
PORTS = range(10_000, 30_000)
"""Below the ports that systems give to outgoing connections: such a connection must not take a server's port."""

BRIDGE = (
    ("2019-03-01T10:00:00Z", "The '''Springfield Bridge''' is a road bridge over the river Lee. "
     "The Springfield Bridge is made of steel, and it was opened in 1932 by the mayor of the town. "
     "It is 300 metres long and carries two lanes of traffic and a footpath on either side."),
    ("2021-03-01T10:00:00Z", "The '''Springfield Bridge''' is a road bridge over the river Lee. "
     "The Springfield Bridge is made of wood, and it was opened in 1950 by a circus. "
     "It is 900 metres long and carries nothing but sheep, as the vandal who wrote this knows."),
)  # fmt: skip
LEE = (
    ("2018-03-01T10:00:00Z", "The '''Lee''' is a river that flows through Springfield. "
     "Boats have carried stone on the river Lee since the town was founded, and the quays are still in use. "
     "The Springfield Bridge crosses it near the market."),
)  # fmt: skip


def missing(*needed: Path | str) -> str:
    """Return what is not installed of some programs and folders, "" if nothing is."""
    return ", ".join(
        str(item) for item in needed if not (shutil.which(item) if isinstance(item, str) else item.exists())
    )


def free_port() -> int:
    chance = random.SystemRandom()
    while listens(port := chance.choice(PORTS)):
        continue
    return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(command: Sequence[str | Path], port: int, **environment: str) -> Iterator[None]:
    """Run a server until the `with` is left."""
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None, f"{command} ended before it served anything"
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def mediawiki(folder: Path, pages: dict[str, tuple[tuple[str, str], ...]]) -> Iterator[str]:
    """Run a MediaWiki with these pages, each with its revisions, and return its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    maintenance = MEDIAWIKI / "maintenance"
    _php(
        maintenance / "install.php", "--dbtype", "sqlite", "--dbpath", folder / "data", "--dbname", "wiki",
        "--confpath", folder, "--server", address, "--scriptpath", "", "--pass", "veridesk-test-1", "Wiki", "Admin",
    )  # fmt: skip
    (folder / "dump.xml").write_text(_dump(pages), encoding="utf-8")
    settings = {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
    _php(maintenance / "importDump.php", "--no-updates", folder / "dump.xml", **settings)
    _php(maintenance / "rebuildtextindex.php", **settings)
    with serving(["php", "-S", f"127.0.0.1:{port}", "-t", MEDIAWIKI], port, **settings):
        # The first answer takes far longer than the others: MediaWiki writes its cache of messages.
        urlopen(f"{address}/api.php?action=query&list=search&srsearch=x&format=json", timeout=PATIENCE_SECONDS).close()
        yield address


def _php(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(["php", *command], env={**os.environ, **environment}, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def _dump(pages: dict[str, tuple[tuple[str, str], ...]]) -> str:
    def revision(stamp: str, text: str) -> str:
        return (
            f"<revision><timestamp>{stamp}</timestamp><contributor><username>A</username></contributor>"
            f'<model>wikitext</model><format>text/x-wiki</format><text xml:space="preserve">{text}</text></revision>'
        )

    written = "".join(
        f"<page><title>{title}</title><ns>0</ns>{''.join(revision(*item) for item in revisions)}</page>"
        for title, revisions in pages.items()
    )
    export = 'xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"'
    return f"<mediawiki {export}>{written}</mediawiki>"


def zim_file(folder: Path, pages: dict[str, str]) -> Path:
    """Write a ZIM file with these pages, by title, and return its path."""
    html = folder / "html"
    html.mkdir(parents=True)
    (html / "icon.png").write_bytes(_png(48))
    for title, text in {"Main page": "Welcome.", **pages}.items():
        page = f"<html><head><title>{title}</title></head><body><article><p>{text}</p></article></body></html>"
        (html / f"{title.replace(' ', '_')}.html").write_text(page, encoding="utf-8")
    path = folder / "test.zim"
    subprocess.run(
        ["zimwriterfs", "--welcome=Main_page.html", "--illustration=icon.png", "--language=eng", "--title=Test",
         "--description=Test", "--creator=Veridesk", "--publisher=Veridesk", html, path],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


def _png(side: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x33\x66\x99" * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@contextmanager
def kiwix(path: Path) -> Iterator[str]:
    """Run kiwix-serve on a ZIM file and return its address."""
    port = free_port()
    with serving(["kiwix-serve", "-i", "127.0.0.1", "-p", str(port), path], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def searx(folder: Path, engine: str) -> Iterator[str]:
    """Run searx with one engine, which asks the JSON API at `engine`, and return its address."""
    port = free_port()
    settings = folder / "settings.yml"
    desk = {
        "name": "desk", "engine": "json_engine", "shortcut": "d", "categories": "general", "timeout": PATIENCE_SECONDS,
        "paging": False, "enable_http": True, "search_url": f"{engine}?q={{query}}", "results_query": "results",
        "url_query": "url", "title_query": "title", "content_query": "content",
    }  # fmt: skip
    written = {
        "general": {"debug": False, "instance_name": "test"},
        "search": {"safe_search": 0, "autocomplete": "", "default_lang": "", "ban_time_on_fail": 0,
                   "max_ban_time_on_fail": 0},
        "server": {"port": port, "bind_address": "127.0.0.1", "secret_key": "test", "base_url": False,
                   "image_proxy": False, "http_protocol_version": "1.0", "method": "GET", "default_http_headers": {}},
        "ui": {"static_path": f"{SEARX_FILES}/static", "templates_path": f"{SEARX_FILES}/templates",
               "default_theme": "oscar", "default_locale": "", "theme_args": {"oscar_style": "logicodev"}},
        "outgoing": {"request_timeout": PATIENCE_SECONDS, "useragent_suffix": "", "pool_connections": 10,
                     "pool_maxsize": 10},
        "locales": {"en": "English"},
        "doi_resolvers": {"oadoi.org": "https://oadoi.org/"},
        "default_doi_resolver": "oadoi.org",
        "engines": [desk],
    }  # fmt: skip
    settings.write_text(json.dumps(written), encoding="utf-8")  # JSON is YAML
    environment = {"SEARX_SETTINGS_PATH": str(settings)}
    with serving(["/usr/bin/python3", SEARX], port, **environment):
        yield f"http://127.0.0.1:{port}"


if __name__ == "__main__":  # python -m tests.search.servers FOLDER: a wiki to look at
    with mediawiki(Path(sys.argv[1]), {"Springfield Bridge": BRIDGE, "Lee": LEE}) as running_wiki:
        print(running_wiki, flush=True)
        time.sleep(3600)
