"""Kinds of jobs for tests: the request is a word, the view is the job itself."""

from collections.abc import Callable

from core.jobs.kinds import JobContext, JobKind
from core.jobs.types import Job, JobResult, Listed


def plain_kind(name: str, handler: Callable[[str, JobContext], JobResult]) -> JobKind[str, Job]:
    """Return a kind of job that asks for one word."""
    return JobKind(
        name,
        "a dish",
        "dishes",
        handler,
        lambda word, folder: Listed(word),
        lambda word: {"of": word},
        lambda record: str(record["of"]),
        lambda job, word, folder: job,
    )
