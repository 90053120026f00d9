"""Bad inputs of each kind, made when a test wants them: a name, its bytes, a command, and what must be said.

`{bad}` in a command stands for the file, `{folder}` for its folder, `{bad-journal}` for what it is the journal of.
Every one must end with status 2, a sentence that matches, and no stack trace.
"""

import io
import json
import math
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle, pairwise
from typing import Any

from core.files import ASSETS
from core.verification.receipt import receipt_to_json
from tests.files import docx, packed, pdf
from tests.models.local_hub import gguf
from tests.verification.test_receipt import CASE, ENCODER, REQUEST, WRITER

GOLD = str(ASSETS / "scoring" / "gold.json")
SUBMISSION = str(ASSETS / "scoring" / "careful.json")
RATINGS = str(ASSETS / "agreement" / "ratings.csv")
SCORES = str(ASSETS / "agreement" / "scores.csv")

DOCUMENT = ("verify", "The tower is tall.", "--file", "{bad}")
STORE = ("index", "build", "--store", "{bad}")
CHECK = ("check", "{bad}", "--gold", GOLD)
GOLDEN = ("check", SUBMISSION, "--gold", "{bad}")
CONVERT = ("convert", "{bad}", "{out}.json")
RATE = ("agreement", "--ratings", "{bad}", "--scores", SCORES)
SCORE = ("agreement", "--ratings", RATINGS, "--scores", "{bad}")
KEY = ("agreement", "--ratings", RATINGS, "--scores", SCORES, "--controls", "{bad}")
RECIPE = ("recipes", "{bad}")
REPLAY = ("replay", "{bad}")
REPORT = ("report", "{bad}")
RESTORE = ("restore", "{bad}")
KINDS = ("store", "build", "--claims", GOLD, "--out", "{out}", "--source", "zim=/none", "--yes", "--kinds", "{bad}")
WARC = ("verify", "The tower is tall.", "--yes", "--search", "warc={bad}")
STATS = ("store", "stats", "{folder}")
BATCH = ("batch", "--claims", GOLD, "--stores-extra", SUBMISSION, "--out", "{bad-journal}")
MODEL = ("verify", "The tower is tall.", "--example", "everest", "--model", "{bad}")
ITEMS = ("campaign", "create", "--title", "T", "--items", "{bad}")
FORM = ("campaign", "create", "--title", "T", "--items", SCORES, "--form", "{bad}")


SCALE = b'[{"name": %s, "title": "T", "question": "Q", "descriptions": ["a", "b", "c", "d", "e"]}]'


@dataclass(frozen=True)
class Bad:
    """A bad file. `words` is what the sentence must match."""

    kind: str
    name: str
    make: Callable[[], bytes]
    command: tuple[str, ...]
    words: str

    @property
    def id(self) -> str:
        return f"{self.kind}-{self.name}-{next(one for one, word in pairwise(self.command) if '{' in word).strip('-')}"


def each(kind: str, file: str, command: tuple[str, ...], *rows: tuple[str, bytes, str]) -> Iterator[Bad]:
    """Yield bad files of one kind: the name of each, its content and the words."""
    for name, content, words in rows:
        yield Bad(kind, f"{name}/{file}", partial(bytes, content), command, words)


CONTENT_TYPES = "[Content_Types].xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(sheet: str, **change: bytes) -> bytes:
    """Return an XLSX file whose only sheet is this XML; `change` puts other members in the place of its own."""
    import openpyxl

    whole = io.BytesIO()
    openpyxl.Workbook().save(whole)
    new = io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in old.namelist():
            content = sheet.encode() if member.endswith("sheet1.xml") else old.read(member)
            archive.writestr(member, content)
        for member, content in change.items():
            archive.writestr(member, content)
    return new.getvalue()


def rows(xml: str, dimension: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}">{dimension}<sheetData>{xml}</sheetData></worksheet>'


def cell(place: str, value: str = "1") -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


LAUGHS = (
    '<!DOCTYPE w [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]>"
)
UNDEFINED = rows(f'<row r="1">{cell("A1", "&nowhere;")}</row>')


def encrypted_flag(content: bytes) -> bytes:
    """Say of every member that it is encrypted."""
    changed = bytearray(content)
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (found := changed.find(signature, start)) >= 0:
            changed[found + place] |= 1
            start = found + 4
    return bytes(changed)


def damaged(content: bytes) -> bytes:
    """Change bytes in the middle of the first member that is packed."""
    changed = bytearray(content)
    changed[60:200] = bytes(140)
    return bytes(changed)


def sheets() -> Iterator[Bad]:
    odd = (
        r"is not a readable XLSX workbook|neither CSV nor XLSX|has more than 500,000 rows|unpacks to|is empty"
        r"|more than 2 GB|than 60 seconds"
    )
    made: dict[str, Callable[[], bytes]] = {
        "far-row": lambda: workbook(rows(f'<row r="1">{cell("A1")}</row><row r="1048576">{cell("A1048576")}</row>')),
        "far-column": lambda: workbook(rows(f'<row r="1">{cell("A1")}{cell("XFD1")}</row>')),
        "declared-rows": lambda: workbook(
            rows(f'<row r="1">{cell("A1")}</row>', '<dimension ref="A1:XFD2000000000"/>')
        ),
        "row-of-10-digits": lambda: workbook(
            rows(f'<row r="1">{cell("A1")}</row><row r="2000000000">{cell("A1")}</row>')
        ),
        "broken-xml": lambda: workbook(rows("<row")),
        "no-xml": lambda: workbook("\0\0\0"),
        "undefined-entity": lambda: workbook(UNDEFINED),
        "entities": lambda: workbook(LAUGHS + rows(f'<row r="1">{cell("A1", "&i;")}</row>')),
        "deep-xml": lambda: workbook("<a>" * 100_000),
        "bad-style": lambda: workbook(rows('<row r="1"><c r="A1" s="99999"><v>1</v></c></row>')),
        "bad-number": lambda: workbook(rows('<row r="1"><c r="A1"><v>1e99999x</v></c></row>')),
        "bad-reference": lambda: workbook(rows('<row r="1"><c r="??"><v>1</v></c></row>')),
        "bad-shared-string": lambda: workbook(rows('<row r="1"><c r="A1" t="s"><v>99</v></c></row>')),
        "encrypted": lambda: encrypted_flag(workbook(rows(""))),
        "damaged": lambda: damaged(workbook(rows(""))),
        "cut": lambda: workbook(rows(""))[:900],
        "empty": lambda: workbook(rows("")),
        "no-members": lambda: packed({}),
        "another-zip": lambda: packed({"a.txt": b"a"}),
        "word": lambda: docx("Hello."),
    }
    for (name, make), command in zip(made.items(), cycle((RATE, SCORE)), strict=False):
        yield Bad("xlsx", name, make, command, odd + r"|has no column|needs")


def tables() -> Iterator[Bad]:
    wide = b",".join(b"c%d" % number for number in range(100_000)) + b"\n"
    made: dict[str, tuple[Callable[[], bytes], str]] = {
        "many-columns": (lambda: wide + b",".join([b"1"] * 100_000), "has more than 500,000 rows, 1,000 columns"),
        "many-rows": (lambda: b"id,bleu\n" + b"1,2\n" * 500_001, "has more than 500,000 rows"),
        "million-cells-in-one-row": (lambda: b"id\n" + b"x," * 1_000_000, "has more than 500,000 rows"),
        "nul": (lambda: b"id,\0\n", "neither CSV nor XLSX|has no column"),
        "empty": (lambda: b"", "is empty"),
        "blank": (lambda: b" \n,,,\n", "is empty"),
        "one-word": (lambda: b"hello", "has no column"),
        "no-columns-of-ours": (lambda: b"a,b\n1,2\n", "has no column"),
        "open-quote": (lambda: b'id,bleu\n"1,2\n', "has no column|no |not readable|holds|No rating could be joined"),
        "pdf": (lambda: pdf("Hello."), "has no column|neither"),
        "json": (lambda: b'{"a": 1}', "has no column|has no rating scale"),
        "utf-16-odd": (lambda: b"\xff\xfei\x00d\x00,", "has no column"),
    }
    for (name, (make, words)), command in zip(made.items(), cycle((RATE, SCORE)), strict=False):
        yield Bad("table", name, make, command, words)
    yield Bad("table", "column-twice", lambda: b"id,bleu,bleu\n1,0.5,0.6\n", SCORE, "has two columns 'bleu'")
    yield Bad("table", "label-of-none", lambda: b"id,label\n1,Perhaps\n", KEY, "is none of the four verdicts")
    yield Bad("table", "no-id", lambda: b"label\nRefuted\n", KEY, "has no column 'id'")


def texts() -> Iterator[Bad]:
    """JSON of submissions and gold data."""
    deep, number = b"[" * 100_000, b"9" * 5000
    submitted = b'[{"claim_id": %s, "claim": "x", "pred_label": "Refuted", "evidence": %s}]'
    made: dict[str, tuple[Callable[[], bytes], str]] = {
        "empty": (lambda: b"", "is empty"),
        "blank": (lambda: b" \n", "is empty"),
        "nul": (lambda: b"\0\1\2", "is not a text file"),
        "empty-list": (lambda: b"[]", "holds no records"),
        "deep-list": (lambda: deep, "nested too deeply"),
        "deep-object": (lambda: b'{"a":' * 100_000, "nested too deeply|is not valid JSON"),
        "deep-in-record": (lambda: b'[{"claim_id": 1, "x": ' + deep + b"}]", "nested too deeply"),
        "long-number": (lambda: b'[{"claim_id": ' + number + b"}]", "a number that is too long"),
        "key-twice": (lambda: b'[{"claim_id": 1, "claim_id": 2, "claim": "x"}]', "names 'claim_id' twice"),
        "cut": (lambda: b'[{"claim_id": 1', "is not valid JSON"),
        "number": (lambda: b"[1, 2]", "must be an object"),
        "words": (lambda: b"hello", "must name the columns"),
        "no-id": (lambda: b'[{"pred_label": "Refuted", "evidence": []}]', "neither 'claim_id' nor 'id'|claim"),
        "negative-id": (lambda: submitted % (b"-3", b"[]"), "count from 0"),
        "id-is-a-list": (lambda: submitted % (b"[1]", b"[]"), "claim_id"),
        "evidence-is-a-number": (lambda: submitted % (b"1", b"3"), "evidence"),
        "csv-column-twice": (lambda: b"id,claim,evi,label,label\n1,a,b,Refuted,Supported\n", "two columns 'label'"),
        "csv-ragged": (lambda: b"id,claim,evi,label\n1,2\n", "cells"),
        "csv-open-quote": (lambda: b'id,claim,evi,label\n1,"2,3,4\n', "CSV|cells"),
        "lines-one-broken": (lambda: b'{"claim_id": 1}\n{"claim_id"\n', "line 2|neither|claim"),
        "pdf": (lambda: pdf("Hello."), "must name the columns|not a text"),
        "xlsx": (lambda: workbook(rows("")), "not a text file"),
    }
    for (name, (make, words)), command in zip(made.items(), cycle((CHECK, CONVERT)), strict=False):
        yield Bad("json", name, make, command, words)


def documents() -> Iterator[Bad]:
    attributes = b" ".join(b"a%d=1" % number for number in range(100_000))
    made: dict[str, tuple[str, Callable[[], bytes], str]] = {
        "attributes": ("x.html", lambda: b"<html><body><p " + attributes + b">Text.</p></body></html>", "attributes"),
        "tags": ("x.html", lambda: b"<html><body>" + b"<b>" * 100_000, "larger than"),
        "no-text": ("x.html", lambda: b"<html><body></body></html>", "no text was found"),
        "comment-open": ("x.html", lambda: b"<html><!--" + b"-" * 1_000_000, "no text was found|broken"),
        "too-long": ("x.txt", lambda: b"word " * 5_000_000, "larger than 20 MB"),
        "binary": ("x.txt", lambda: bytes(range(256)) * 10, "is not a text file|not in UTF-8"),
        "latin": ("x.txt", "Café é".encode("latin-1").__add__, "not in UTF-8"),
        "empty": ("x.txt", lambda: b"", "is empty"),
        "markdown-binary": ("x.md", lambda: b"# \0\1", "is not a text file"),
        "pdf-cut": ("x.pdf", lambda: pdf("Hello.")[:200], "broken|no text"),
        "pdf-head-only": ("x.pdf", lambda: b"%PDF-1.4\n", "broken"),
        "pdf-noise": ("x.pdf", lambda: b"%PDF-1.4\n" + bytes(range(256)) * 100, "broken"),
        "pdf-pictures": ("x.pdf", lambda: pdf(""), "no text"),
        "docx-cut": ("x.docx", lambda: docx("Hello.")[:500], "broken"),
        "docx-empty": ("x.docx", lambda: docx(), "no text"),
        "docx-encrypted": ("x.docx", lambda: encrypted_flag(docx("Hello.")), "encrypted"),
        "docx-damaged": ("x.docx", lambda: damaged(docx("Hello.")), "broken"),
        "docx-laughs": (
            "x.docx",
            lambda: packed({CONTENT_TYPES: LAUGHS.encode() + b"<w>&i;</w>", "word/document.xml": b"<a/>"}),
            "broken",
        ),
        "docx-deep": (
            "x.docx",
            lambda: packed({CONTENT_TYPES: b"<a>" * 200_000, "word/document.xml": b"<a/>"}),
            "broken|bomb",
        ),
        "docx-named": ("x.docx", lambda: b"hello", "its content is not"),
        "old-word": ("x.doc", lambda: b"\xd0\xcf\x11\xe0" + b"\0" * 100, "old Word"),
        "rtf-empty": ("x.rtf", lambda: b"{\\rtf1 }", "this RTF file has no text"),
        "gzip": ("x.gz", lambda: b"\x1f\x8b" + b"\0" * 50, "gzip"),
        "zip-bomb": ("x.zip", lambda: packed({"a.txt": b"0" * 150_000_000}), "ZIP bomb"),
        "zip-empty": ("x.zip", lambda: packed({}), "holds no files"),
        "zip-in-zip": ("x.zip", lambda: packed({"a.zip": packed({"b.txt": b"b"})}), "ZIP inside a ZIP"),
        "zip-cut": ("x.zip", lambda: packed({"a.txt": b"a" * 999})[:60], "broken"),
        "zip-many": ("x.zip", lambda: packed({f"{number}.txt": b"a" for number in range(1200)}), "files, more than"),
        "store-broken": ("x.jsonl", lambda: b'{"url": "u", "url2text": ["a"]}\n{', "is not a JSON object"),
        "store-no-text": ("x.jsonl", lambda: b'{"url": "u", "url2text": []}\n', "no document"),
        "store-deep": ("x.jsonl", lambda: b'{"url2text": ' + b"[" * 100_000, "too deeply"),
        "store-number": ("x.jsonl", lambda: b'{"url": "u", "url2text": 3}', "must be a list of sentences"),
        "store-long-number": (
            "x.jsonl",
            lambda: b'{"url": ' + b"9" * 6000 + b', "url2text": []}',
            "number is too long",
        ),
    }
    for name, (file, make, words) in made.items():
        fixed = (lambda: "Café é".encode("latin-1")) if name == "latin" else make
        yield Bad("document", f"{name}/{file}", fixed, DOCUMENT, words)
        if name.startswith("store"):
            yield Bad("store", f"{name}/{file}", fixed, STORE, words)


def others() -> Iterator[Bad]:
    deep, number = b"[" * 100_000, b"9" * 5000
    record = json.dumps({"models": {}, "request": {}, "case": {}}).encode()
    yield from each(
        "recipe", "x.toml", RECIPE,
        ("deep", b"a = " + deep[:40_000], "is not TOML"),
        ("number", b"a = " + number, "is not TOML"),
        ("empty", b"", "needs a 'name'"),
        ("words", b"hello", "is not TOML"),
        ("unknown", b"colour = 'red'", "there is no"),
        ("latin", b"a = '\xe9'", "UTF-8"),
        ("long", b"#" * 10_000_000, "characters"),
        ("dotted", b".".join([b"a"] * 9000) + b" = 1", "there is no|TOML|has"),
        ("steps-number", b"name = 'x'\nsteps = 3", "needs a 'title'"),
    )  # fmt: skip
    yield from each(
        "receipt", "x.json", REPLAY,
        ("deep", deep, "nested too deeply"),
        ("number", b'{"a": ' + number + b"}", "too long"),
        ("empty", b"", "JSON"),
        ("list", b"[]", "no JSON object"),
        ("bare", record, "it has no 'claim'"),
        ("null", b"null", "no JSON object"),
        ("latin", b'{"a": "\xe9"}', "UTF-8"),
        ("lists", b'{"models": [], "request": [], "case": []}', "not a receipt"),
        ("words", b'{"models": {"language_model": 3, "encoder": "x"}, "request": "x", "case": 3}', "not a receipt"),
    )  # fmt: skip
    manifest = {"veridesk_backup": 1, "schema": 1, "created": "x", "rows": {}}
    for name, members, words in (
        ("no-manifest", {"a": b"a"}, "is no backup"),
        ("deep", {"manifest.json": deep}, "is no backup"),
        ("number", {"manifest.json": b'{"veridesk_backup": ' + number + b"}"}, "is no backup"),
        ("list", {"manifest.json": b"[]"}, "is no backup"),
        ("newer", {"manifest.json": json.dumps(manifest | {"schema": 10**9}).encode()}, "newer Veridesk|is no backup"),
        ("infinite", {"manifest.json": json.dumps(manifest).encode().replace(b": 1,", b": 1e999,", 1)}, "is no backup"),
    ):
        yield Bad("backup", f"{name}/x.zip", lambda members=members: packed(members), RESTORE, words)  # type: ignore[misc]
    yield Bad("backup", "words/x.zip", lambda: b"hello", RESTORE, "no whole backup")
    yield from each(
        "model", "x.gguf", MODEL,
        ("empty", b"", "not a GGUF"),
        ("words", b"hello there", "not a GGUF"),
        ("cut", b"GGUF\x03", "could not be loaded"),
        ("version", b"GGUF" + struct.pack("<IQQ", 99, 0, 0), "could not be loaded"),
        ("long-key", b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "could not be loaded"),
        ("many-pairs", b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "could not be loaded"),
        ("no-architecture", gguf({"general.name": "x"}), "could not be loaded"),
        ("embedder", gguf({"general.architecture": "bert"}), "could not be loaded"),
        ("no-context", gguf({"general.architecture": "llama", "llama.context_length": 0}), "could not be loaded"),
        (
            "no-weights",
            gguf({"general.architecture": "llama", "llama.context_length": 64}),
            "cannot be loaded|ended while|load",
        ),
    )  # fmt: skip
    yield from each(
        "form", "x.json", FORM,
        ("deep", deep, "nested too deeply"),
        ("words", b"hello", "JSON"),
        ("latin", b'["\xe9"]', "UTF-8"),
        ("number", number, "too long|scale|number"),
        ("empty-list", b"[]", "scale|question"),
        ("object", b"{}", "scale|form"),
        ("null", b"null", "form cannot be read \\(a value in it is missing or of the wrong kind\\)"),
        ("row-of-nothing", b"[null]", "a value in it is missing or of the wrong kind"),
        ("row-empty", b"[{}]", "form cannot be read \\(it has no 'descriptions'\\)"),
        ("row-few", b'[{"descriptions": []}]', "a value in it is missing or of the wrong kind"),
        ("name-null", SCALE % b"null", "form cannot be read"),
        ("name-list", SCALE % b"[]", "form cannot be read"),
    )  # fmt: skip


ROW = b'{"owner": "a", "form": "f", "content": "{}", "saved": 1.0}\n'


def backup(rows: bytes, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a backup with one table of one row."""
    manifest = {"veridesk_backup": 1, "schema": 1, "created": "x", "rows": {"drafts": 1}}
    return packed({"manifest.json": json.dumps(manifest).encode(), "drafts.jsonl": rows}, method=method)


def cut_short(content: bytes) -> bytes:
    """Change what stands behind the last member's own head."""
    place = content.find(b"drafts.jsonl") + 20
    return content[:place] + b"\xff" * 12 + content[place + 12 :]


def kept() -> Iterator[Bad]:
    """What commands have written themselves, and files that are searched."""
    deep = b"[" * 100_000
    for name, make, words in (
        ("long-row", lambda: backup(b" " * 140_000_000), "a row is longer than"),
        ("lzma", lambda: cut_short(backup(ROW * 50, method=zipfile.ZIP_LZMA)), "no whole backup"),
        ("bz2", lambda: cut_short(backup(ROW * 50, method=zipfile.ZIP_BZIP2)), "cannot be read"),
        ("rows-deep", lambda: backup(deep), "no whole backup"),
        ("list-in-a-row", lambda: backup(ROW.replace(b'"{}"', b"[]")), "no whole backup: drafts"),
        ("rows-missing", lambda: backup(b""), "0 of 1 drafts are there"),
    ):
        yield Bad("backup", f"{name}/x.zip", make, RESTORE, words)
    unkind = "not a file of kinds|in UTF-8|is not TOML"
    yield from each(
        "kinds", "x.toml", KINDS,
        ("deep", b"kind = " + b"[" * 40_000, unkind),
        ("inline", b"kind = " + b"{a=" * 15_000, unkind),
        ("words", b"hello", unkind),
        ("latin", b"kind = '\xe9'", unkind),
        ("number", b"kind = 3", unkind),
    )  # fmt: skip
    head = b"WARC/1.0\r\nWARC-Type: response\r\n"
    for name, content in (
        ("no-head", head + b"Content-Length: 99999999999999\r\n\r\n"),
        ("negative", head + b"Content-Length: -5\r\n\r\nabc"),
        ("no-number", head + b"Content-Length: ten\r\n\r\nabc"),
        ("no-address", head + b"Content-Length: 3\r\n\r\nHTTP/1.0 200 OK\r\n\r\nabc"),
        ("words", b"hello"),
        ("gzip", b"\x1f\x8b" + b"\0" * 50),
        ("json", b'{"a": 1e999}'),
    ):
        yield from each("warc", "x.warc", WARC, (name, content, "WARC file"))
    yield Bad("stats", "deep/0.json", lambda: deep, STATS, "line is not JSON")
    yield Bad("stats", "number/0.json", lambda: b'{"url2text": ' + b"9" * 5000 + b"}", STATS, "line is not JSON")
    for name, line in (("deep", deep), ("settings-deep", b'{"settings": ' + deep), ("words", b"hello")):
        yield from each("journal", "x.json.journal", BATCH, (name, line + b"\n", "no record of a batch"))


def changed(value: object, *place: str | int) -> bytes:
    """Return a receipt with another value at a place."""
    record: Any = receipt_to_json(REQUEST, CASE, WRITER, ENCODER)
    inner = record
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return json.dumps(record).encode()


def receipts() -> Iterator[Bad]:
    """Receipts with one value that no receipt has."""
    request, case, models = "request", "case", "models"
    hit = (case, "hits", 0)
    wrong = "not a receipt of Veridesk: a value in it is of the wrong kind or size"
    made: dict[str, tuple[bytes, str]] = {
        "seed-infinite": (changed(-math.inf, request, "seed").replace(b"-Infinity", b"-1e999"), wrong),
        "seed-nan": (changed(math.nan, request, "seed"), wrong),
        "seed-negative": (changed(-1, request, "seed"), wrong),
        "seed-large": (changed(2**32, request, "seed"), wrong),
        "sentences-none": (changed(0, request, "sentences"), wrong),
        "sentences-many": (changed(10**9, request, "sentences"), wrong),
        "dates-list": (changed([], request, "dates"), wrong),
        "search-words": (changed("wikipedia", request, "search"), wrong),
        "case-list": (changed([], case), wrong),
        "place-negative": (changed(-1, *hit, "passage", "start"), wrong),
        "place-beyond": (changed(10**6, *hit, "passage", "end"), wrong),
        "place-list": (changed([], *hit, "passage", "start"), wrong),
        "score-of-400-digits": (changed(10**400, *hit, "bm25_score"), wrong),
        "no-probabilities": (changed({}, case, "verdict", "probabilities"), wrong),
        "a-label-of-none": (changed({"Perhaps": 1.0}, case, "verdict", "probabilities"), wrong),
        "half-a-letter": (changed("\ud800", case, "verdict", "justification"), "half a character"),
        "no-models": (changed({}, models), "it has no 'language_model'"),
        "no-document": (changed("x" * 10**6, *hit, "passage", "document"), "it has no 'xxxxx"),
        "another-version": (changed(99, case, "version"), "written in format 99"),
    }
    yield from each("receipt", "x.json", REPLAY, *((name, *row) for name, row in made.items()))
    review = json.loads(changed("", request, "model")) | {"review": {"label": []}}
    for name, record in (("review-words", review | {"review": "mine"}), ("review-list", review)):
        yield from each("receipt", "x.json", REPORT, (name, json.dumps(record).encode(), "The review in this receipt"))


def items() -> Iterator[Bad]:
    """Items of a campaign with one value that no item has."""
    for name, change, words in (
        ("evidence-null", {"evidence": None}, "a value in it is missing or of the wrong kind"),
        ("evidence-empty", {"evidence": [{}]}, "a value in it is missing or of the wrong kind|it has no"),
        ("claim-number", {"claim": 3}, "expected a text, got '3'"),
        ("scores-null", {"scores": {"bleu": None}}, "a value in it is missing or of the wrong kind"),
        ("rank-list", {"rank": []}, "a value in it is missing or of the wrong kind"),
    ):
        row = {"item": "1", "claim": "c", "evidence": [{"question": "q", "answer": "a"}], **change}
        yield from each("items", "x.jsonl", ITEMS, (name, json.dumps(row).encode(), words))


def endless() -> Iterator[Bad]:
    """Halves of characters, numbers that are none, names and keys of a megabyte: sentences that end all the same."""
    half, long, start = b'"\\ud800"', b'"' + b"x" * 1_000_000 + b'"', b'[{"claim_id": 0, "claim": "x"'
    for number, (name, content, words) in enumerate((
        ("half-label", start + b', "pred_label": ' + half + b', "evidence": []}]', "half a character"),
        ("half-id", b'[{"claim_id": ' + half + b', "claim": "x"}]', "half a character"),
        ("half-key", start + b", " + half + b": 1}]", "half a character"),
        ("half-line", b'{"claim_id": 0, "claim": ' + half + b"}\n", "line 1 holds half a character"),
        ("day-of-20-digits", start + b', "claim_date": "1-1-' + b"9" * 20 + b'", "evidence": []}]', "dd-mm-yyyy"),
        ("year-of-20-digits", start + b', "claim_date": "' + b"9" * 20 + b'-1-1", "evidence": []}]', "dd-mm-yyyy"),
        ("day-of-a-megabyte", start + b', "claim_date": ' + long + b', "evidence": []}]', "dd-mm-yyyy"),
        ("id-of-a-megabyte", b'[{"claim_id": ' + long + b', "claim": "x", "evidence": []}]', "the limit is 200"),
        ("id-a-long-list", b'[{"claim_id": [' + long + b'], "claim": "x", "evidence": []}]', "number or a word"),
        ("id-of-400-digits", b'[{"claim_id": ' + b"9" * 400 + b', "claim": "x", "evidence": []}]', "the limit is 200"),
        ("key-twice-long", b"[{" + long + b": 1, " + long + b": 2}]", "twice in one object"),
        ("column-long", b"id,claim," + long + b"," + long + b"\n", "two columns"),
    )):  # fmt: skip
        yield Bad("json", name, partial(bytes, content), (CHECK, CONVERT)[number % 2], words)
    yield from each(
        "gold", "x.json", GOLDEN,
        ("half-type", start + b', "label": "Refuted", "claim_types": [' + half + b"]}]", "half a character"),
        ("half-id", b'[{"claim_id": ' + half + b', "claim": "x", "label": "Refuted"}]', "half a character"),
        ("label-long", start + b', "questions": [], "label": ' + long + b"}]", "one of the four verdicts"),
        ("year", start + b', "label": "Refuted", "questions": [], "claim_date": "1-1-' + b"9" * 20 + b'"}]', "mm"),
    )  # fmt: skip
    for name, line in (
        ("dots", "a." * 24_990 + "b = 1"),
        ("dots-and-spaces", "a . " * 12_400 + "b = 1"),
        ("dots-in-a-table", "[" + "a." * 24_900 + "b]"),
        ("dots-inline", "x = {" + "a." * 24_900 + "b = 1}"),
    ):
        for kind, reads in (("recipe", RECIPE), ("kinds", KINDS)):
            yield from each(kind, "x.toml", reads, (name, line.encode(), "line 1 has [0-9,]+ dots"))
    yield Bad("kinds", "long/x.toml", lambda: b"#" * 10_000_000, KINDS, "characters; the limit is 50,000")


def corpus() -> list[Bad]:
    """Return all of them."""
    return [*sheets(), *tables(), *texts(), *documents(), *others(), *kept(), *receipts(), *items(), *endless()]


ODD_PATHS = {
    "missing": ("{tmp}/none", "No such file|no such|not there|there is no|names no model|is no recipe|no recipe"),
    "pipe": ("{tmp}/pipe", "no ordinary file|there is no such|no recipe|names no model"),
    "endless": ("/dev/zero", "no ordinary file|there is no such|no recipe|names no model"),
    "folder": ("{tmp}", "is a folder|Is a directory|holds no|no recipe|names no model"),
    "somebody": ("~nobody-here-at-all/x", "no such home folder|No such file|there is no|no recipe|names no model"),
    "line-break": ("{tmp}/a\nb", "No such file|no such|there is no|no recipe|names no model"),
    "long": ("{tmp}/" + "x" * 5000, "File name too long|there is no|no recipe|names no model|No such"),
    "nul": ("a\0b", "null byte|there is no|no recipe|names no model|No such|path"),
}
"""Paths that are no file: what is there, and the words."""

COMMANDS = (DOCUMENT, STORE, CHECK, RATE, SCORE, RECIPE, REPLAY, RESTORE, MODEL, ITEMS)

ARGUMENTS = {
    "negative seed": ("verify", "x", "--example", "everest", "--seed", "-1"),
    "long seed": ("verify", "x", "--example", "everest", "--seed", "9" * 5000),
    "resamples": ("agreement", "--ratings", RATINGS, "--scores", SCORES, "--resamples", "1000000000000"),
    "no workers": ("batch", "x", "--workers", "0"),
    "nan seconds": ("batch", "x", "--within", "nan"),
    "sentences": ("verify", "x", "--example", "everest", "--sentences", "0"),
    "endless days": ("invite", "--organiser", "--days", "inf"),
    "date": ("verify", "x", "--example", "everest", "--date", "2020-13-45"),
    "no command": (),
    "another command": ("frobnicate",),
}
ENVIRONMENT = {
    "no address": ("VERIDESK_DATABASE", "nonsense", "database address cannot be used"),
    "a port in words": ("VERIDESK_DATABASE", "postgresql://a:b@h:port/x", "database address cannot be used"),
    "in memory": ("VERIDESK_DATABASE", "sqlite://", "names no file, so nothing would be kept"),
    "in memory, by three slashes": ("VERIDESK_DATABASE", "sqlite:///", "names no file"),
    "in memory, by its name": ("VERIDESK_DATABASE", "sqlite:///:memory:", "names no file"),
    "in memory, by an option": ("VERIDESK_DATABASE", "sqlite:////tmp/x.db?mode=memory", "%3F for \\?"),
    "in memory, by a URI": ("VERIDESK_DATABASE", "sqlite:///file::memory:?uri=true", "%3F for \\?"),
    "a question mark in its path": ("VERIDESK_DATABASE", "sqlite:////tmp/a?b/veridesk.db", "%3F for \\?"),
    "a URI without options": ("VERIDESK_DATABASE", "sqlite:///file:/tmp/x.db", "then the whole path"),
    "a relative path": ("VERIDESK_DATABASE", "sqlite:///veridesk.db", "depends on the folder"),
    "the home folder's sign": ("VERIDESK_DATABASE", "sqlite:///~/veridesk.db", "depends on the folder"),
    "two slashes": ("VERIDESK_DATABASE", "sqlite://tmp/x.db", "is not the address of a file"),
    "NUL in its path": ("VERIDESK_DATABASE", "sqlite:////tmp/%00/x.db", "database address cannot be used"),
    "a password with a sign": ("VERIDESK_DATABASE", "postgresql://a:se@cret@h/x", "write @ as %40"),
    "a driver that is none": ("VERIDESK_DATABASE", "postgresql+x://a:b@h/x", "address cannot be used: write"),
    "a driver that waits for nobody": ("VERIDESK_DATABASE", "sqlite+aiosqlite:////tmp/x.db", "address cannot be used"),
    "an older name": ("VERIDESK_DATABASE", "postgres://a:b@h/x", "SQLite or PostgreSQL: set"),
    "home in another encoding": ("VERIDESK_HOME", "/tmp/caf\udce9", "no path in UTF-8"),
    "another kind": ("VERIDESK_DATABASE", "mysql://a@b/c", "SQLite or PostgreSQL"),
    "nobody listens": ("VERIDESK_DATABASE", "postgresql://a:b@127.0.0.1:9/x", "does not answer"),
    "no database": ("VERIDESK_DATABASE", "sqlite:////etc/passwd", "damaged|cannot be"),
    "home of nobody": ("VERIDESK_HOME", "~nobody-here-at-all/x", "no such home folder"),
    "home is a file": ("VERIDESK_HOME", "/etc/passwd", "VERIDESK_HOME"),
}
