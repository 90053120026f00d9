"""An evidence package: made in one home, opened in another without a network; and packages of strangers."""

import gzip
import hashlib
import io
import json
import os
import re
import socket
import struct
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from warcio.archiveiterator import ArchiveIterator

from core.__main__ import main
from core.dataclass_json import to_json
from core.documents import web
from core.documents.examples import examples
from core.errors import BadInput
from core.search.search_plan import SearchOrder, SearchPlan
from core.search.sender import anywhere
from core.verification.package import container, unpacking
from core.verification.package.container import (
    DIGEST,
    INDEX,
    PACKAGE,
    RECEIPT,
    REQUIRED,
    WARC,
    open_package,
    write_package,
)
from core.verification.package.signing import SigningKey, signing_key
from core.verification.package.writing import sort_key
from tests.search.servers import missing
from tests.search.site import Site, article, running

EVEREST = next(example for example in examples() if example.id == "everest")
NOW = datetime(2026, 11, 23, 22, 0, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]


def keys(folder: Path, name: str = "key") -> tuple[Path, Path]:
    """Write a new private key and its public one."""
    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}-public.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


def no_network(*_: object) -> None:
    raise AssertionError("something was sent")


@pytest.mark.slow
@pytest.mark.usefixtures("open_already")
def test_a_package_opens_in_another_home_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "first"))
    monkeypatch.setattr(web, "fetch_answers", partial(web.fetch_answers, allowed=anywhere))
    own, store, package = tmp_path / "notes.txt", tmp_path / "store.jsonl", tmp_path / "case.wacz"
    private, public = keys(tmp_path)
    texts = [document.text for document in EVEREST.documents]
    own.write_text(texts[0])
    store.write_text("".join(f"{json.dumps({'url': f'u{n}', 'url2text': [one]})}\n" for n, one in enumerate(texts)))
    with running(Site()) as (site,):
        page = site.page("/everest", article("Mount Everest", day="2020-01-02"))
        given = ["--file", str(own), "--store", str(store), "--url", page, "--url", f"{site.base}/none"]
        asked = ["verify", EVEREST.claim.text, "--no-questions", "--package", str(package), "--key", str(private)]
        assert main([*asked, *given]) == 0, capsys.readouterr().err
    own.unlink()
    store.unlink()
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "second"))
    monkeypatch.setattr(socket.socket, "connect", no_network)
    capsys.readouterr()
    assert main(["check", str(package), "--key", str(public)]) == 0
    assert "Signed with the key" in capsys.readouterr().out
    assert main(["replay", str(package)]) == 0
    assert capsys.readouterr().out.startswith("It came out the")
    assert not (tmp_path / "second" / "snapshots").exists()  # a stranger's pages are not kept
    its_index_finds_each_page(package, page)


def its_index_finds_each_page(package: Path, page: str) -> None:
    with zipfile.ZipFile(package) as archive:
        assert archive.testzip() is None
        listed = json.loads(archive.read(PACKAGE))
        assert (listed["profile"], listed["wacz_version"]) == ("data-package", "1.1.1")
        for one in listed["resources"]:
            content = archive.read(one["path"])
            assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
            assert one["bytes"] == len(content)
            assert one["path"].count("/") == 1  # `wacz validate` takes a part's name to be its last two parts
        digest = json.loads(archive.read(DIGEST))
        assert digest["hash"] == f"sha256:{hashlib.sha256(archive.read(PACKAGE)).hexdigest()}"
        pages = [json.loads(line) for line in archive.read(container.PAGES).decode().splitlines()]
        assert pages[0]["format"] == "json-pages-1.0"
        receipt = json.loads(archive.read(RECEIPT))
        warc, index = archive.read(WARC), archive.read(INDEX).decode().splitlines()
    read = receipt["case"]["fetched"]
    assert [bool(one["problem"]) for one in read] == [False, True]
    assert listed["mainPageUrl"] == pages[1]["url"]
    found = {}
    for line in index:
        key, stamp, entry = line.split(" ", 2)
        place = json.loads(entry)
        record = next(iter(ArchiveIterator(BytesIO(warc[int(place["offset"]) :][: int(place["length"])]))))
        assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]
        assert sort_key(place["url"]) == key
        found[place["url"]] = (stamp, record.content_stream().read())
    assert index == sorted(index)
    assert {one["url"] for one in pages[1:]} == found.keys()
    assert found[page][0] == read[0]["read"][:19].translate(str.maketrans("", "", "-:T"))
    assert EVEREST.documents[0].text.strip().encode() in found["https://veridesk.invalid/documents/1-notes.txt"][1]


@pytest.mark.slow
def test_the_search_of_a_wiki_is_replayed_from_its_package_where_there_is_no_network(
    wiki: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if absent := missing("unshare"):
        pytest.skip(f"not installed here: {absent}")
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    package = tmp_path / "case.wacz"
    claim = "The Springfield Bridge over the Lee is made of wood."
    asked = ["verify", claim, "--date", "2020-10-31", "--search", f"mediawiki={wiki}", "--yes"]
    assert main([*asked, "--no-questions", "--package", str(package)]) == 0, capsys.readouterr().err
    environment = {**os.environ, "VERIDESK_HOME": str(tmp_path / "elsewhere")}
    command = ["unshare", "-rn", sys.executable, "-m", "core", "replay", str(package)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("It came out the")
    with zipfile.ZipFile(package) as archive:
        warc, receipt = archive.read(WARC), json.loads(archive.read(RECEIPT))
    report = receipt["case"]["search"]
    assert report["began"] <= report["origins"][0]["read"]
    kinds = [record.rec_type for record in ArchiveIterator(BytesIO(warc))]
    assert kinds.count("request") == kinds.count("response") == len(report["origins"])


def made(path: Path, key: SigningKey | None = None, **parts: bytes) -> Path:
    """Write a package of parts without a case in them."""
    filled = {name: f"the content of {name}".encode() for name in REQUIRED if name not in (PACKAGE, DIGEST)}
    with path.open("wb") as file:
        write_package(file, filled | parts, {"title": "A claim"}, NOW, key)
    return path


@pytest.mark.parametrize("name", REQUIRED)
def test_a_changed_byte_is_noticed_and_its_part_named(name: str, tmp_path: Path) -> None:
    private, _ = keys(tmp_path)
    path = made(tmp_path / "x.wacz", signing_key(private.read_bytes(), "key"))
    whole, (start, size) = path.read_bytes(), open_package(path).places[name]
    for at in {*range(start, start + size, max(1, size // 40)), start + size - 1}:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(BadInput, match=re.escape(name)):
            open_package(path)


def test_each_byte_of_the_zip_itself_counts(tmp_path: Path) -> None:
    path = made(tmp_path / "x.wacz")
    whole, places = path.read_bytes(), open_package(path).places
    inside = {at for start, size in places.values() for at in range(start, start + size)}
    for at in [at for at in range(len(whole)) if at not in inside][::7]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(BadInput):
            open_package(path)
    for other in (b"x" + whole, whole + b"x", whole[:-1], whole[: len(whole) // 2], b"", b"PK", b"no package"):
        path.write_bytes(other)
        with pytest.raises(BadInput, match="package"):
            open_package(path)


def rezipped(path: Path, *members: tuple[str, bytes], kind: int = zipfile.ZIP_STORED) -> Path:
    """Write a ZIP as other programs do."""
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


ALL = tuple((name, b"x") for name in REQUIRED)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "kind", "said"),
    [
        ((*ALL, ("../../etc/passwd", b"x")), zipfile.ZIP_STORED, "../../etc/passwd"),
        ((*ALL, ("/etc/passwd", b"x")), zipfile.ZIP_STORED, "/etc/passwd"),
        ((*ALL, ("stores/1000.jsonl", b"x")), zipfile.ZIP_STORED, "stores/1000.jsonl"),
        ((*ALL, (RECEIPT, b"y")), zipfile.ZIP_STORED, f"two parts named {RECEIPT}"),
        (ALL[1:], zipfile.ZIP_STORED, f"lacks {REQUIRED[0]}"),
        (((WARC, b"0" * 10_000_000), *ALL[1:]), zipfile.ZIP_DEFLATED, f"{WARC} is packed"),
        (ALL, zipfile.ZIP_STORED, "was changed"),
        (tuple((f"stores/{n}.jsonl", b"") for n in range(2000)), zipfile.ZIP_STORED, "2000 parts"),
    ],
    ids=["up", "root", "number", "twice", "missing", "bomb", "digests", "many"],
)
def test_a_stranger_s_package_is_refused_in_a_sentence(
    members: tuple[tuple[str, bytes], ...], kind: int, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        open_package(rezipped(tmp_path / "x.wacz", *members, kind=kind))


def test_a_part_that_says_it_is_huge_takes_no_memory(tmp_path: Path) -> None:
    path = rezipped(tmp_path / "x.wacz", *ALL)
    whole = path.read_bytes()
    at = whole.index(b"PK\1\2") + 20
    path.write_bytes(whole[:at] + struct.pack("<2L", 0xFFFFFFF0, 0xFFFFFFF0) + whole[at + 8 :])
    with pytest.raises(BadInput, match="larger than itself"):
        open_package(path)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({RECEIPT: b"\xff"}, "not in UTF-8"),
        ({RECEIPT: b"[]"}, "no receipt"),
        ({RECEIPT: b"{}", WARC: b"no gzip"}, "not packed with gzip"),
        ({RECEIPT: b"{}", WARC: gzip.compress(b"0" * 3_000_000)}, "the most that is unpacked"),
        ({RECEIPT: b"{}", WARC: gzip.compress(b"no warc")}, "broken"),
        ({RECEIPT: b"{}", WARC: b""}, "not a receipt"),
        ({RECEIPT: b'{"case": ' + b"[" * 100_000}, "nested"),
    ],
    ids=["bytes", "list", "no gzip", "gzip bomb", "no warc", "empty", "nested"],
)
def test_a_package_with_right_digests_and_wrong_contents_is_refused(
    parts: dict[str, bytes],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 2_000_000)
    path = made(tmp_path / "x.wacz", **parts)
    assert main(["replay", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.usefixtures("open_already")
def test_a_stranger_chooses_neither_files_nor_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    written = tmp_path / "receipt.json"
    assert main(["verify", "", "--example", "everest", "--no-questions", "--receipt", str(written)]) == 0
    receipt = json.loads(written.read_text())
    monkeypatch.setattr(socket.socket, "connect", no_network)
    for theirs, lacking in (
        ({"stores": ["/etc/hostname"]}, "stores/0.jsonl"),
        ({"urls": ["http://127.0.0.1/theirs"]}, "lacks pages"),
        ({"search": to_json(SearchOrder(("wikipedia",), SearchPlan(("their query",))))}, "report of its search"),
    ):
        changed = {**receipt, "request": receipt["request"] | theirs}
        path = made(tmp_path / "x.wacz", **{RECEIPT: json.dumps(changed).encode(), WARC: b""})
        capsys.readouterr()
        assert main(["replay", str(path), "--yes"]) == 2
        assert lacking in capsys.readouterr().err


def test_a_signature_is_of_one_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    private, public = keys(tmp_path)
    _, other = keys(tmp_path, "other")
    signed = made(tmp_path / "signed.wacz", signing_key(private.read_bytes(), "key"))
    plain = made(tmp_path / "plain.wacz")
    assert main(["check", str(signed), "--key", str(public)]) == 0
    assert main(["check", str(plain)]) == 0
    assert "Nobody signed it" in capsys.readouterr().out
    for path, key in ((signed, other), (plain, public), (signed, private)):
        assert main(["check", str(path), "--key", str(key)]) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_only_a_key_that_can_sign_is_taken(tmp_path: Path) -> None:
    locked = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )
    for content, said in ((locked, "password"), (b"", "no private key"), (b"-----BEGIN", "no private key")):
        with pytest.raises(BadInput, match=said):
            signing_key(content, "key.pem")
