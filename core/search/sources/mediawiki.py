"""Wikipedia and any other MediaWiki: the versions of pages at the time of the claim."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from html import escape, unescape
from urllib.parse import parse_qs, urlsplit

from core.dates import parse_date, shifted
from core.errors import BadInput
from core.http.statuses import REDIRECTS
from core.search.sources.answers import Json, base_address, changed, json_object, objects, text, with_query
from core.search.types import (
    Capabilities,
    GetRequest,
    Headers,
    Page,
    PageVersion,
    ResultPage,
    SearchFailure,
    SearchResult,
)
from core.search_report import Reason
from core.types import is_web_address
from core.wording import readable_name

PAGE_SIZE = 10
_TAG = re.compile(r"<[^>]*>")
_REDIRECT = re.compile(r"#\w+:?\s*\[\[([^\]|#]+)[^\]]*\]\]")


@dataclass(frozen=True)
class MediaWiki:
    """A wiki with its api.php and index.php in the folder `base`."""

    base: str
    title: str = "MediaWiki"
    name: str = "mediawiki"
    can = Capabilities(dated=True, longest_query=300, page_size=PAGE_SIZE, pause=0.1, own=True)

    @property
    def place(self) -> str:
        return urlsplit(self.base).netloc

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        window = {"srlimit": PAGE_SIZE, "sroffset": page * PAGE_SIZE}
        # without srwhat, wikis that have no CirrusSearch look at titles only
        return self._api(action="query", list="search", srsearch=query, srwhat="text", srprop="snippet|size", **window)

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        answer = self._answer(status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        query = answer.get("query")
        if not isinstance(query, dict) or not isinstance(query.get("search"), list):
            return changed(self.title, "JSON without a list of pages")
        found = (self._result(item) for item in objects(query["search"]) if text(item, "title"))
        return ResultPage(tuple(found), more="continue" in answer)

    def _result(self, item: Json) -> SearchResult:
        """Return a page of the results; one that only forwards is the page that it forwards to."""
        title, size = text(item, "title"), item.get("size")
        snippet = " ".join(unescape(_TAG.sub("", text(item, "snippet"))).split())
        if forwards := _REDIRECT.match(snippet):
            target = forwards[1].strip()
            return SearchResult(self._address(target), target)
        return SearchResult(self._address(title), title, snippet=snippet, size=size if type(size) is int else None)

    def version_request(self, url: str, before: date | None) -> GetRequest:
        """Ask which revision was the last one before a day, or which is the latest."""
        # rvstart takes its own second in: the last one of the day before
        until = {} if before is None else {"rvstart": f"{shifted(before, -1)}T23:59:59Z"}
        title = parse_qs(urlsplit(url).query)["title"][0]
        return self._api(
            action="query", prop="revisions", titles=title, rvlimit=1, rvdir="older", rvprop="ids|timestamp", **until
        )

    def parse_version(self, url: str, status: int, headers: Headers, body: bytes) -> PageVersion | SearchFailure:
        answer = self._answer(status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        query = answer.get("query")
        page = next(objects(query.get("pages")), None) if isinstance(query, dict) else None
        if page is None:
            return changed(self.title, "JSON without the page that was asked for")
        revision = next(objects(page.get("revisions")), None)
        if revision is None:
            return SearchFailure(Reason.LATE, f"{url}: this page was not yet there when the claim was made.")
        number, day = revision.get("revid"), parse_date(text(revision, "timestamp"))
        if type(number) is not int or day is None:
            return changed(self.title, "a revision without number or date")
        read = self._api(action="parse", oldid=number, prop="text|displaytitle", disableeditsection=1, disabletoc=1)
        return PageVersion(read, f"{url}&oldid={number}", day, "revision")

    def parse_page(self, version: PageVersion, status: int, headers: Headers, body: bytes) -> Page | SearchFailure:
        answer = self._answer(status, headers, body)
        if isinstance(answer, SearchFailure):
            return answer
        parsed = answer.get("parse")
        if not isinstance(parsed, dict) or not isinstance(parsed.get("text"), str):
            return changed(self.title, "JSON without the text of the page")
        title = escape(text(parsed, "title"))
        html = f"<html><head><title>{title}</title></head><body><article>{parsed['text']}</article></body></html>"
        return Page(
            version.url,
            html.encode(),
            charset="utf-8",
            published=version.day,
            date_source=version.date_source,
            captured=version.day,
        )

    def _api(self, **parameters: str | int) -> GetRequest:
        return GetRequest(with_query(f"{self.base}/api.php", **parameters, format="json", formatversion=2))

    def _address(self, title: str) -> str:
        return with_query(f"{self.base}/index.php", title=title.replace(" ", "_"))

    def _answer(self, status: int, headers: Headers, body: bytes) -> Json | SearchFailure:
        """Return the answer of the API; MediaWiki reports errors with status 200."""
        if status in REDIRECTS and self.name == "mediawiki":
            moved = readable_name(headers.get("location", "")).partition("?")[0].removesuffix("/api.php")
            write = f"write mediawiki={moved}" if is_web_address(moved) else "write the address to which it forwards"
            return SearchFailure(Reason.CHANGED, f"{self.title}: {self.base} forwards to another address; {write}.")
        if status == 404 and self.name == "mediawiki":
            write = f"write the folder of its api.php, such as mediawiki={self.base}/w"
            return SearchFailure(Reason.GONE, f"{self.title}: there is no api.php in {self.base}; {write}.")
        answer = json_object(self.title, status, headers, body)
        if isinstance(answer, SearchFailure) or not isinstance(answer.get("error"), dict):
            return answer
        code = text(answer["error"], "code")
        if code in ("maxlag", "ratelimited"):
            return SearchFailure(Reason.RATE_LIMIT, f"{self.title} had too many requests; try again later.")
        said = json.dumps(text(answer["error"], "info")[:200], ensure_ascii=False)
        return SearchFailure(Reason.NO_ANSWER, f"{self.title} could not answer: {said}")


def mediawiki(address: str) -> MediaWiki:
    """Open the wiki at an address: the folder of its api.php, or api.php itself. Raises BadInput for another page."""
    base = base_address("mediawiki", address).removesuffix("/api.php")
    if (end := re.search(r"/(?:index\.php|wiki)(?:[/?].*)?$", base)) is not None:
        raise BadInput(
            f"mediawiki={address}: this is a page of the wiki. Write the folder of its api.php, such as "
            f"mediawiki={base[: end.start()]} or mediawiki={base[: end.start()]}/w."
        )
    return MediaWiki(base)


def wikipedia(language: str) -> MediaWiki:
    """Open the Wikipedia of a language, English if none is named. Raises BadInput if that is no language's code."""
    code = language.strip().lower() or "en"
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code) or len(code) > 20:
        raise BadInput(f"wikipedia={language}: give the language as in the web address, for example wikipedia=de.")
    return MediaWiki(f"https://{code}.wikipedia.org/w", "Wikipedia", "wikipedia")
