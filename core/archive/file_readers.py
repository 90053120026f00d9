"""Read several files at a time, in separate processes of this machine or on a Dask cluster. Their order stays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from core.archive.types import NewDocument
from core.confined import WORKERS, confined
from core.dates import dated
from core.documents.documents import read_files
from core.errors import BadInput
from core.interfaces import Stop, never
from core.search.extraction import page_document
from core.search.types import Page
from core.types import Document

Unread = tuple[str, bytes] | Page
"""A file with its name, or a page of a WARC file."""
Documents = tuple[tuple[NewDocument, ...], tuple[str, ...]]
"""The documents of a file, and its problems in sentences."""
AHEAD = 2
"""Files for each thread that are read before their turn."""


def read_unread(unread: Unread, stop: Stop = never) -> Documents:
    """Return the documents of a file or page, in a process of its own. Raises Cancelled after a stop."""
    if isinstance(unread, Page):
        return _read_page(unread, stop)
    reading = read_files([unread])
    titled = (replace(one, title=one.title or Path(one.url).name) for one in reading.documents)
    return tuple(map(NewDocument, titled)), reading.problems


def _read_page(page: Page, stop: Stop) -> Documents:
    try:
        document = confined(_page_in, page.url, page, stop=stop)
    except BadInput as error:
        return (), (str(error),)
    if not document.text.strip():
        return (), ()
    known = document if document.published else dated(document, page.captured, "capture")
    return (NewDocument(known, page.captured),), ()


def _page_in(name: str, page: Page) -> Document:
    return page_document(page)


@dataclass(frozen=True)
class FileReaders:
    """The readers of files. `read` may be called by `threads` threads at a time."""

    read: Callable[[Unread, Stop], Documents] = read_unread
    threads: int = WORKERS

    def in_order(self, found: Iterable[NewDocument | Unread], stop: Stop) -> Iterator[Documents]:
        """Yield documents and problems in the order of `found`, while the next files are read."""
        waiting: deque[Documents | Future[Documents]] = deque()
        pool = ThreadPoolExecutor(self.threads)
        try:
            for one in found:
                waiting.append(((one,), ()) if isinstance(one, NewDocument) else pool.submit(self.read, one, stop))
                while len(waiting) > AHEAD * self.threads:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _result(one: Documents | Future[Documents]) -> Documents:
    return one.result() if isinstance(one, Future) else one


@contextmanager
def readers_at(scheduler: str) -> Iterator[FileReaders]:
    """Give the readers of a Dask scheduler, "" for those of this machine. Raises BadInput if none answers."""
    if not scheduler:
        yield FileReaders()
        return
    from core.dask_executor import DaskExecutor  # needs Dask, which is optional

    with closing(DaskExecutor(ExitStack, scheduler)) as executor:

        def read(unread: Unread, stop: Stop) -> Documents:
            [documents] = executor.map(_read_there, [unread], give_up=_lost, stop=stop)
            return documents

        yield FileReaders(read, AHEAD * max(1, sum(executor.workers().values())))


def _read_there(opened: object, unread: Unread) -> Documents:
    return read_unread(unread)


def _lost(unread: Unread, why: str) -> Documents:
    name = unread.url if isinstance(unread, Page) else unread[0]
    return (), (f"{name}: every worker that read this file was lost; read it on one machine, without a cluster.",)
