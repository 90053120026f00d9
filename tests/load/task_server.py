"""A server that takes the submissions of teams over HTTP, scores them in its queue, and lists them.

It stands in for Streamlit's server in the test of a deadline, which kills it:
`python -m tests.load.task_server URL PORT`. A path is /TASK/OWNER, a body a submission, a header X-File its name.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.errors import VerideskError
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.storage.store import Store
from core.tasks.submitting import check_submission, submissions_of, submit
from core.tasks.task_job import TaskRuns, task_kind


class Teams(ThreadingHTTPServer):
    """One thread for each request, as Streamlit has one for each session."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, url: str) -> None:
        super().__init__(("127.0.0.1", port), Team)
        self.store = Store(url)
        self.queue = JobQueue(JobStore(self.store))
        self.runs: TaskRuns = Jobs(self.queue, task_kind(self.store))


class Team(BaseHTTPRequestHandler):
    """Answers one request of a team."""

    server: Teams

    def do_GET(self) -> None:
        _, task, owner = self.path.split("/")
        store = self.server.store
        found = submissions_of(store, self.server.queue.store, task, owner)
        self.reply([[one.file, one.status.state.value if one.status else "lost"] for one in found])

    def do_POST(self) -> None:
        _, task, owner = self.path.split("/")
        name, content = self.headers["X-File"], self.rfile.read(int(self.headers["Content-Length"]))
        try:
            checked = check_submission(self.server.store, task, owner, name, content)
            self.reply({"id": submit(self.server.store, task, owner, name, checked)})
        except VerideskError as error:
            self.reply({"error": str(error)})

    def reply(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        """Write nothing: the test has its own figures."""


if __name__ == "__main__":
    Teams(int(sys.argv[2]), sys.argv[1]).serve_forever()
