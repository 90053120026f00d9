"""What servers may answer: every answer ends as a result or a sentence, of whole characters and with an end."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from core.errors import MAX_MESSAGE, VerideskError
from core.files import json_of
from core.http.fetching import target
from core.interfaces import never
from core.llm import server_api
from core.llm.server import ServerModel
from core.llm.server_api import ServerApi
from core.models.cards import load_card
from core.models.hub import find_cross_encoder, list_models
from core.models.servers import list_server_models
from core.search.choosing import first_late_day
from core.search.extraction import extract
from core.search.fact_checks import read_feed
from core.search.sources.brave import Brave
from core.search.sources.gdelt import Gdelt
from core.search.sources.google_reviews import GoogleReviews
from core.search.sources.kiwix import kiwix
from core.search.sources.mediawiki import wikipedia
from core.search.sources.searxng import searxng
from core.search.sources.warc import warc
from core.search.sources.wayback import Wayback
from core.search.types import GetRequest, Page, PageVersion
from core.types import Claim, Message
from tests.search.site import Site, reply, running

WIKI, WAYBACK = wikipedia(""), Wayback()
PAGE = "https://en.wikipedia.org/w/index.php?title=Tower"
VERSION = PageVersion(GetRequest(PAGE), PAGE, None, "revision")
HALF, RAW = b"\\ud800", b"\xed\xa0\x80"  # half a character as JSON writes it, and as no UTF-8 has it
LONG, DIGITS = b"u" * 1_000_000, b"9" * 400
FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)


def revision(number: bytes) -> bytes:
    return b'{"query":{"pages":[{"revisions":[{"revid":' + number + b',"timestamp":"2020-01-01T00:00:00Z"}]}]}}'


def captures(first: bytes, last: bytes) -> bytes:
    return b"[[" + first + b"],[" + last + b"]]"


CELLS = b'"timestamp","original"'


def parsing(source: Any, body: bytes) -> Callable[[], object]:
    return lambda: source.parse(200, {}, body)


def version(source: Any, url: str, body: bytes) -> Callable[[], object]:
    return lambda: source.parse_version(url, 200, {}, body)


FOUND: dict[str, tuple[Callable[[], object], str]] = {
    "half a character in a page": (
        lambda: WIKI.parse_page(VERSION, 200, {}, b'{"parse":{"title":"T","text":"a' + HALF + b'b"}}').body,
        r"a\?b",
    ),
    "raw half in a page": (
        lambda: WIKI.parse_page(VERSION, 200, {}, b'{"parse":{"title":"T","text":"a' + RAW + b'b"}}'),
        "Page",
    ),
    "half a character in a key": (parsing(WIKI, b'{"' + HALF + b'":1,"query":{"search":[]}}'), "ResultPage"),
    "half a character in a title": (parsing(WIKI, b'{"query":{"search":[{"title":"' + HALF + b'"}]}}'), "title=%3F"),
    "half a character in an error": (
        parsing(WIKI, b'{"error":{"code":"' + HALF + b'","info":"' + HALF + b'"}}'),
        "could not answer",
    ),
    "an error of a megabyte": (parsing(WIKI, b'{"error":{"code":"x","info":"' + LONG + b'"}}'), "could not answer"),
    "a revision that is true": (version(WIKI, PAGE, revision(b"true")), "without number"),
    "a revision of 5000 digits": (version(WIKI, PAGE, revision(b"9" * 5000)), "broken JSON"),
    "a capture with half a character": (
        version(WAYBACK, "u", captures(CELLS, b'"20200101","http://a/' + HALF + b'"')),
        r"http://a/\?",
    ),
    "a capture with a raw half": (
        version(WAYBACK, "u", captures(CELLS, b'"20200101","http://a/' + RAW + b'"')),
        "Version",
    ),
    "captures named by lists": (version(WAYBACK, "u", captures(b"[1]", b'"20200101"')), "JSON that is no table"),
    "captures named by objects": (version(WAYBACK, "u", captures(b'{"a":1}', b'"20200101"')), "JSON that is no table"),
    "captures that are numbers": (version(WAYBACK, "u", captures(CELLS, b"1e999,3")), "JSON that is no table"),
    "engines with signs that act": (
        parsing(
            searxng("http://x"), b'{"results":[],"unresponsive_engines":[["' + HALF + b'\\u001b[2J\\nx","timeout"]]}'
        ),
        r"did not answer \(\?\[2J x\)",
    ),
    "engines without end": (
        parsing(searxng("http://x"), b'{"results":[],"unresponsive_engines":[["' + LONG + b'"]]}'),
        "did not answer",
    ),
    "a link that is no address": (
        parsing(kiwix("http://x"), b"<rss><channel><item><link>http://[</link><title>a</title></item></channel></rss>"),
        r"results=\(\)",
    ),
    "XML of an unknown encoding": (
        parsing(kiwix("http://x"), b'<?xml version="1.0" encoding="nowhere"?><rss/>'),
        "cannot be read",
    ),
    "a day that is none": (
        parsing(Gdelt(), b'{"articles":[{"url":"http://a","title":"t","seendate":"00000000T"}]}'),
        "published=None",
    ),
    "an address of a megabyte": (
        parsing(Gdelt(), b'{"articles":[{"url":"http://a/' + LONG + b'","title":"t"}]}'),
        "http://a/uuu",
    ),
    "a check of a megabyte": (
        parsing(GoogleReviews("k"), b'{"claims":[{"text":"' + LONG + b'","claimReview":[{"url":"http://a"}]}]}'),
        "Review",
    ),
    "a claim of the first day, at GDELT": (lambda: Gdelt().request("q", 3000, FIRST), "enddatetime"),
    "a claim of the first day, at Brave": (lambda: Brave("k").request("q", 0, FIRST), "freshness"),
    "a claim of the first day, at a wiki": (lambda: WIKI.version_request(PAGE, FIRST), "rvstart"),
    "a claim of the first day, at the archive": (lambda: WAYBACK.version_request(PAGE, FIRST), "to="),
    "a claim of the last day": (lambda: first_late_day(Claim("x", date=LAST), same_day=True), "9999, 12, 31"),
    "half a character in an address": (lambda: target("http://a/\udcff"), "not a web address"),
    "half a character in a page's own data": (
        lambda: extract(
            "a",
            Page(
                "http://a/",
                b'<html><head><script type="application/ld+json">{"@type":"ClaimReview","claimReviewed":"a'
                + HALF
                + b'b"}</script></head><body><p>The tower is tall, and was built by many people.</p></body></html>',
                "text/html",
            ),
        ),
        r"reviewed=\('a\?b',\)",
    ),
}


def ended(read: Callable[[], object]) -> str:
    """Return what came out, a sentence or a result, in words that can be written and have an end."""
    try:
        said = repr(read())
    except VerideskError as error:
        said = str(error)
        assert len(said) <= MAX_MESSAGE
    said.encode()
    assert len(said) < 50_000
    return said


@pytest.mark.parametrize("name", FOUND)
def test_an_answer_of_a_source(name: str) -> None:
    read, words = FOUND[name]
    assert re.search(words, ended(read))


@contextmanager
def serving(bodies: dict[str, bytes], headers: dict[str, str] | None = None) -> Iterator[str]:
    """Run a server that answers each path with a body, and these headers; yield its address."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = next((body for path, body in bodies.items() if path in handler.path), None)
        reply(404 if body is None else 200, body or b"{}", headers)(handler)

    with running(Site()) as (site,):
        site.otherwise = answer
        yield site.base


MODELS = b'{"data":[{"id":"small"}]}'
PROMPT = (Message("user", "What fell?"),)
QUESTION = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def written(text: bytes) -> bytes:
    """Return the stream of an answer; `text` is what stands inside its JSON string."""
    event = b'data: {"choices":[{"delta":{"content":"' + text + b'"},"finish_reason":"stop"}]}\n\n'
    return event + b"data: [DONE]\n\n"


def weighed(*values: bytes) -> bytes:
    told = b",".join(b'{"token":"A","logprob":' + value + b"}" for value in values)
    return b'{"choices":[{"logprobs":{"content":[{"top_logprobs":[' + told + b"]}]}}]}"


GENERATED: dict[str, tuple[bytes, str]] = {
    "half a character": (written(b"a" + HALF + b"b"), r"text='a\?b'"),
    "an event of numbers without end": (b'data: {"choices":' + b"9" * 5000 + b"}\n\n", "is not JSON"),
    "an event that nests": (b"data: " + b"[" * 100_000 + b"\n\n", "is not JSON"),
    "an error of a megabyte": (b'data: {"error":{"message":"' + LONG + b'"}}\n\n', "reports an error"),
    "counts of 400 digits": (
        written(b"a") + b'data: {"choices":[],"usage":{"prompt_tokens":' + DIGITS + b"}}\n\n",
        "prompt_tokens=0",
    ),
}


@pytest.mark.parametrize("name", GENERATED)
def test_a_text_of_a_model_server(name: str) -> None:
    body, words = GENERATED[name]
    with serving({"/models": MODELS, "/chat": body}) as url:
        assert re.search(words, ended(lambda: ServerModel(f"{url}/v1", "small").generate(PROMPT, max_tokens=9)))


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"[" * 100_000, "did not keep to the form"), (b'{\\"q\\": ' + b"9" * 5000 + b"}", "did not keep to the form")],
)
def test_json_of_a_model_server(text: bytes, words: str) -> None:
    with serving({"/models": MODELS, "/chat": written(text)}) as url:
        model = ServerModel(f"{url}/v1", "small")
        assert words in ended(lambda: model.generate(PROMPT, schema=QUESTION, max_tokens=9))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((b"-" + DIGITS,), "gives no probabilities"),
        ((b"-" + DIGITS, b"-0.5"), "-0.5"),
        ((DIGITS,), "gives no probabilities"),
        ((b"NaN", b"-1e999"), "gives no probabilities"),
        ((b'"-0.5"', b"null", b"[]", b"{}"), "gives no probabilities"),
    ],
)
def test_log_probabilities_of_a_model_server(values: tuple[bytes, ...], words: str) -> None:
    with serving({"/models": MODELS, "/chat": weighed(*values)}) as url:
        model = ServerModel(f"{url}/v1", "small")
        assert words in ended(lambda: model.log_likelihoods(PROMPT, ["A"]))


def test_ten_names_of_a_megabyte_make_a_sentence_that_ends() -> None:
    names = b",".join(b'{"id":"%d%s"}' % (number, LONG[:300_000]) for number in range(10))
    with serving({"/models": b'{"data":[' + names + b"]}"}) as url:
        said = ended(lambda: ServerModel(f"{url}/v1", "small"))
        assert "no model 'small'" in said
        assert len(said) < 1200
        assert list_server_models(f"{url}/v1") == ()


def test_a_line_of_megabytes_is_no_json() -> None:
    with serving({"": b"x" * 8_000_000 + b"\n"}) as url:
        assert "is not JSON" in ended(lambda: ServerApi(url, {}, 60.0).stream("/chat", {}, never))


def test_a_server_that_never_ends_its_line_is_not_waited_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 8)

    monkeypatch.setattr(server_api, "MAX_BYTES", 10**9)
    with running(Site()) as (site,):
        site.page("/v1/models", MODELS)
        site.pages["/v1/chat/completions"] = drip
        model = ServerModel(f"{site.base}/v1", "small")
        monkeypatch.setattr(server_api, "MAX_SECONDS", 0.3)
        assert "within 0.3 seconds" in ended(lambda: model.generate(PROMPT, max_tokens=9))


def test_an_answer_that_is_packed_twice_is_not_unpacked() -> None:
    body = gzip.compress(gzip.compress(MODELS + b" " * 10**8, 1))  # 100 MB in 1.4 kB
    with serving({"": body}, {"Content-Encoding": "gzip, gzip"}) as url:
        for read in (
            lambda: ServerModel(f"{url}/v1", "small"),
            lambda: list_server_models(f"{url}/v1"),
            lambda: list_models("a/b", hub=url),
        ):
            assert "compress" in ended(read)


FILE = {"path": "x-Q4_0.gguf", "size": 100, "lfs": {"oid": "a" * 64, "size": 100}}
LISTED: dict[str, tuple[object, dict[str, str], str]] = {
    "a path that is a list": ([{**FILE, "path": ["x"]}], {}, "holds no"),
    "a path with half a character": ([{**FILE, "path": "\ud800-Q4_0.gguf"}], {}, "holds no|Q4_0"),
    "a path of a megabyte": ([{**FILE, "path": "u" * 10**6 + ".gguf"}], {}, "holds no"),
    "a size of 400 digits": ([{**FILE, "lfs": {"oid": "a" * 64, "size": 10**400}}], {}, "holds no"),
    "a size that is not a number": ([{**FILE, "lfs": {"oid": "a" * 64, "size": float("nan")}}], {}, "holds no"),
    "more at no address": ([FILE], {"Link": '<http://[>; rel="next"'}, "no address for the rest|cannot be reached"),
}


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("read", [list_models, find_cross_encoder])
def test_a_listing_of_the_hub(name: str, read: Callable[..., object]) -> None:
    listing, headers, words = LISTED[name]
    with serving({"/tree": json.dumps(listing).encode()}, headers) as url:
        assert re.search(words, ended(lambda: read("a/b", hub=url)))


@pytest.mark.parametrize("share", ["1" + "0" * 400, '"high"', "[1]", "null"])
def test_a_card_with_figures_that_are_none(share: str, tmp_path: Path) -> None:
    shares = f'{{"sentences": 9, "right": {share}, "wrong": 0, "unchanged": 0, "dropped": 0}}'
    card = f'{{"name": "x", "digest": "", "rewriting": {shares}}}'
    (tmp_path / "card.json").write_text(card, encoding="utf-8")
    assert "card.json is no model card" in ended(lambda: load_card(tmp_path / "card.json"))


def test_a_feed_with_half_a_character_is_read(tmp_path: Path) -> None:
    feed = (
        b'{"@type":"ClaimReview","claimReviewed":"a'
        + HALF
        + b'b","url":"http://a","reviewRating":{"alternateName":"False"}}'
    )
    (tmp_path / "feed.json").write_bytes(feed)
    assert "claim='a?b'" in ended(lambda: read_feed(tmp_path / "feed.json").reviews)


@pytest.mark.parametrize(
    "head",
    [
        b"WARC-Target-URI: http://a/" + LONG,
        b"WARC-Target-URI: http://a/\xff\xed\xa0\x80",
        b"WARC-Date: 99999-99-99",
        b"WARC-Veridesk-Published: 2020-13-45",
    ],
)
def test_an_archived_page_with_a_broken_head(head: bytes, tmp_path: Path) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=nowhere\r\n\r\nThe tower is tall."
    start = b"" if b"URI" in head else b"WARC-Target-URI: http://a/\r\n"
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\n" + start + head + b"\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    )
    (tmp_path / "x.warc").write_bytes(record + b"\r\n\r\n")

    def found() -> object:
        (page,) = warc(str(tmp_path / "x.warc")).pages
        return extract("x", page).document

    assert "tower is tall" in ended(found)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r'"\ud800"', "?"),
        (r'"\udc00"', "?"),
        (r'"\udc00\ud800"', "??"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\\ud800"', r"\ud800"),
        (r'{"\ud800": 1e3}', {"?": 1000.0}),
    ],
)
def test_json_is_read_in_whole_characters(written: str, read: object) -> None:
    assert json_of(written) == read
