"""Pages are read in processes of their own: one that is made to break a reader costs only itself."""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import sys
import threading
from datetime import date
from types import TracebackType
from typing import Any

from core.errors import BadInput, TooLarge
from core.files import ROOT
from core.search.extraction import Extracted, extract
from core.search.types import Page, Reason, SearchFailure
from core.types import Document

MAX_SECONDS = 60.0
"""A page takes a twentieth of a second, a thick PDF some seconds."""

Json = dict[str, Any]


class Extractor:
    """Some processes that read pages; used by many threads at once, and ended by leaving the `with`."""

    def __init__(self, processes: int = 0, *, seconds: float = MAX_SECONDS) -> None:
        self.seconds = seconds
        self.idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self.processes = [_start() for _ in range(processes or min(4, os.cpu_count() or 1))]
        for process in self.processes:
            self.idle.put(process)

    def __enter__(self) -> Extractor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()

    def read(self, page: Page) -> Extracted | SearchFailure:
        """Return what a page holds, or why nothing of it can be read."""
        process = self.idle.get()
        answer = None
        # a reader cannot be asked to stop: it may be deep in a parser
        watch = threading.Timer(self.seconds, process.kill)
        watch.start()
        try:
            answer = _ask(process, page)
        finally:
            watch.cancel()
            self.idle.put(process if answer else self._replace(process))
        if answer is None:
            return SearchFailure(Reason.NOT_TEXT, f"{page.url}: this page could not be read within {self.seconds:g} s.")
        if "error" in answer:
            return SearchFailure(Reason[answer["reason"]], answer["error"])
        return _extracted(answer)

    def _replace(self, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        process.kill()
        process.communicate()
        self.processes.remove(process)
        self.processes.append(new := _start())
        return new


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "core.search.extractor"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _ask(process: subprocess.Popen[bytes], page: Page) -> Json | None:
    """Return what a process answers, None if it ended."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps(_page_row(page)).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        return None
    return json.loads(line) if line.endswith(b"\n") else None


def _page_row(page: Page) -> Json:
    return {**vars(page), "body": base64.b64encode(page.body).decode(), **_days(page, "published", "captured")}


def _days(record: object, *names: str) -> Json:
    return {name: day.isoformat() if (day := getattr(record, name)) else None for name in names}


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _page(row: Json) -> Page:
    days = {name: _day(row[name]) for name in ("published", "captured")}
    return Page(**{**row, **days, "body": base64.b64decode(row["body"])})


def _extracted_row(found: Extracted) -> Json:
    document = {**vars(found.document), **_days(found.document, "published")}
    return {**vars(found), "document": document, **_days(found, "modified")}


def _extracted(row: Json) -> Extracted:
    document = Document(**{**row["document"], "published": _day(row["document"]["published"])})
    return Extracted(
        **{**row, "document": document, "modified": _day(row["modified"]), "reviewed": tuple(row["reviewed"])}
    )


def _answer(line: bytes) -> Json:
    try:
        return _extracted_row(extract(_page(json.loads(line))))
    except BadInput as error:
        reason = Reason.TOO_LARGE if isinstance(error, TooLarge) else Reason.NOT_TEXT
        return {"reason": reason.name, "error": str(error)}


def main() -> None:
    """Answer each line of standard input, a page, with a line, what it holds."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand among the answers
    for line in sys.stdin.buffer:
        answers.write(json.dumps(_answer(line)).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
