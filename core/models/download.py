"""Download a model: fetch its files one after the other, then put them in their places."""

from __future__ import annotations

from pathlib import Path

from core.files import writing
from core.interfaces import Stop
from core.jobs.kinds import ReportProgress
from core.models.download_progress import DownloadProgress
from core.models.hub import file_url
from core.models.installed import record_download
from core.models.plans import DownloadPlan, is_there, put_in_place
from core.models.transfer import discard, fetch


def download(plan: DownloadPlan, folder: Path, hub: str, report: ReportProgress, stop: Stop) -> None:
    """Bring the missing files of a model to `folder`, from where an earlier call ended, and put them in their places.

    Raises VerideskError where it fails, and Cancelled where it is stopped; bytes that have arrived are kept.
    """
    progress = DownloadProgress(report, stop)
    files = plan.model.files
    for file in files:
        progress.checked()
        part = plan.part(folder, file)
        with writing(part):
            part.parent.mkdir(exist_ok=True)
        if is_there(file, plan.path(folder, file), stop=stop):
            discard(part)
        else:
            url = file_url(hub, plan.model.repository, file.path)
            fetch(file, url, part, progress)
        progress.before += file.size
    for file in reversed(files):  # the first last: it is the one a model is loaded by, or found by
        if (part := plan.part(folder, file)).exists():
            put_in_place(part, plan.path(folder, file), file.sha256)
    record_download(plan.model, plan.licence, folder=folder)
