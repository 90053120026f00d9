"""Downloads against a hub on this machine that breaks off, changes files, lies and forgets."""

import errno
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from core.dataclass_json import to_json
from core.errors import BadInput
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Listed, State
from core.models import download_job, transfer
from core.models.choice import choose_cross_encoder
from core.models.cross_encoders import chosen_cross_encoder, installed_cross_encoders, remove_cross_encoder
from core.models.download_job import DOWNLOAD, EVERYBODY, Download, Downloads
from core.models.download_plan import MARGIN, DownloadPlan, FreeSpace, free_space
from core.models.download_progress import ARRIVING
from core.models.hub import HubFile, HubModel
from core.storage.store import Store
from tests.models.local_hub import LocalHub, local_hub, model_gguf
from tests.waiting import until

CONTENT = model_gguf(1_000_000)
NAME = "some-Q4_K_M.gguf"
HERE = "this machine"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LocalHub]:
    monkeypatch.setattr(transfer, "PAUSES", (0.01,) * 5)
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    with local_hub(files={NAME: CONTENT}) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


queues: list[JobQueue] = []


@pytest.fixture(autouse=True)
def closed_queues() -> Iterator[None]:
    yield
    close_queues()


def close_queues() -> None:
    while queues:
        queues.pop().close()


def table(folder: Path) -> JobStore:
    base = next(one for one in folder.parents if one.exists() and one.is_dir())
    return JobStore(Store(f"sqlite:///{base / 'jobs.db'}"))


def registry(folder: Path, hub: str, *, free: FreeSpace = free_space) -> Downloads:
    """Return the downloads of a server that was just started; the one before it has ended."""
    close_queues()
    queues.append(JobQueue(table(folder), place=HERE))
    return Downloads(folder, lambda: hub, queues[-1], free=free)


def look(downloads: Downloads, name: str = "some-Q4_K_M") -> Download:
    return next(one for one in downloads.all() if one.plan.name == name)


def ended(downloads: Downloads, name: str = "some-Q4_K_M") -> Download:
    until(lambda: not look(downloads, name).state.live)
    return look(downloads, name)


def run(hub: LocalHub, folder: Path, model: HubModel | None = None) -> Download:
    downloads, model = registry(folder, hub.url), model or hub.model(NAME)
    downloads.start(model, licence="MIT")
    return ended(downloads, model.name)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def on_its_way(hub: LocalHub, folder: Path, *, free: FreeSpace = free_space) -> Downloads:
    """Begin a download whose first block of 64 KiB is here, and whose next comes when `hub.pace` is set."""
    hub.pace = threading.Event()
    downloads = registry(folder, hub.url, free=free)
    downloads.start(hub.model(NAME), licence="MIT")
    until(lambda: look(downloads).received == hub.block)
    return downloads


def broken_off(hub: LocalHub, folder: Path) -> Download:
    """Cancel a download once its first block is here."""
    downloads = on_its_way(hub, folder)
    downloads.jobs.cancel(look(downloads).job)
    assert hub.pace
    hub.pace.set()
    hub.pace = None
    return ended(downloads)


def killed(folder: Path, model: HubModel) -> None:
    """Leave the job of a download whose server was killed at work on it."""
    jobs = table(folder)
    plan = to_json(DownloadPlan(model, "MIT"))
    job_id = jobs.add(DOWNLOAD, EVERYBODY, Listed(model.name, slot=HERE), plan, place=HERE, tries=1)
    assert jobs.claim({DOWNLOAD: ()}, server="gone", place=HERE)
    jobs.release(job_id, "gone")


def test_a_whole_download_leaves_the_file_and_a_record_of_it(hub: LocalHub, folder: Path) -> None:
    download = run(hub, folder)
    assert (download.state, download.received, download.plan.model.size) == (State.DONE, 1_000_000, 1_000_000)
    assert (folder / NAME).read_bytes() == CONTENT
    assert left(folder) == ["some-Q4_K_M.gguf", "some-Q4_K_M.json"]
    record = json.loads((folder / "some-Q4_K_M.json").read_text())
    assert (record["repository"], record["licence"]) == ("maker/some-GGUF", "MIT")
    assert record["files"] == [{"name": NAME, "size": 1_000_000, "sha256": hashlib.sha256(CONTENT).hexdigest()}]
    assert record["downloaded"].endswith("+00:00")


def test_redirects_to_a_content_network_are_followed(hub: LocalHub, folder: Path) -> None:
    hub.redirect = True
    assert run(hub, folder).state is State.DONE
    assert [path[:5] for path, _ in hub.requests] == ["/make", "/cdn/"]


def test_cancelled_then_resumed_where_it_ended(hub: LocalHub, folder: Path) -> None:
    download = broken_off(hub, folder)
    assert download.state is State.CANCELLED
    here = (folder / f"{NAME}.part").stat().st_size
    assert 64 * 1024 <= here < 1_000_000
    assert not (folder / NAME).exists()
    assert download.received == here
    assert run(hub, folder).state is State.DONE
    assert hub.ranges_asked() == ["", f"bytes={here}-"]
    assert hub.requests[-1][1]["If-Range"] == '"one"'
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_server_that_stops_leaves_a_download_that_the_next_goes_on_with(hub: LocalHub, folder: Path) -> None:
    on_its_way(hub, folder)
    (at_work,) = queues[-1].running.values()
    closing = threading.Thread(target=close_queues)
    closing.start()
    assert at_work.stopped.wait(300)
    assert hub.pace
    hub.pace.set()
    closing.join(300)
    later = registry(folder, hub.url)
    found = look(later)
    assert found.state is State.INTERRUPTED
    assert 64 * 1024 <= found.received < 1_000_000
    later.resume(found)
    assert ended(later).state is State.DONE
    assert hub.ranges_asked() == ["", f"bytes={found.received}-"]


def test_another_machine_has_downloads_of_its_own(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    queues.append(JobQueue(table(folder), place="another machine"))
    there = Downloads(folder.with_name("there"), lambda: hub.url, queues[-1])
    assert there.all() == ()
    there.start(hub.model(NAME), licence="MIT")
    assert ended(there).state is State.DONE
    assert look(registry(folder, hub.url)).state is State.CANCELLED


def test_a_server_that_cannot_resume_starts_over_and_says_so(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    hub.ranges = False
    hub.pace = threading.Event()
    downloads = registry(folder, hub.url)
    downloads.start(hub.model(NAME), licence="MIT")
    until(lambda: look(downloads).doing == ARRIVING)
    assert look(downloads).sentence.endswith("starts over.")
    hub.pace.set()
    download = ended(downloads)
    assert (download.state, download.sentence) == (State.DONE, "")
    assert hub.ranges_asked()[-1].startswith("bytes=")
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_file_that_changed_in_between_starts_over(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    changed = model_gguf(500_000)[::-1]
    hub.files[NAME] = b"GGUF" + changed[4:] + CONTENT[:500_000]
    hub.etag = '"two"'
    assert run(hub, folder).state is State.DONE
    assert hub.requests[-1][1]["If-Range"] == '"one"'
    assert (folder / NAME).read_bytes() == hub.files[NAME]


def test_a_part_of_another_file_is_found_out_without_an_etag(hub: LocalHub, folder: Path) -> None:
    hub.etag = ""
    broken_off(hub, folder)
    hub.files[NAME] = b"GGUF" + bytes(999_996)
    download = run(hub, folder)
    assert download.state is State.FAILED
    assert "SHA-256" in download.sentence
    assert not (folder / f"{NAME}.part").exists()


def test_a_cut_connection_is_taken_up_again_by_itself(hub: LocalHub, folder: Path) -> None:
    hub.cut_after = 300_000
    assert run(hub, folder).state is State.DONE
    first, second = hub.ranges_asked()
    assert (first, second) == ("", "bytes=300000-")
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_server_that_drips_fails_with_the_part_kept(
    hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "SLOW_SECONDS", 0.0)  # whatever comes is too little for the time that it took
    monkeypatch.setattr(transfer, "SLOW_BYTES", 10**9)
    hub.block = 1000
    download = run(hub, folder)
    assert download.state is State.FAILED
    assert "less than a kilobyte" in download.sentence
    assert (folder / f"{NAME}.part").exists()


def test_another_server_that_decides_for_ever_is_named(
    hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_job, "LOCK_SECONDS", 0.05)
    downloads = registry(folder, hub.url)
    with FileLock(folder.with_suffix(".lock")), pytest.raises(BadInput, match="Another server"):
        downloads.start(hub.model(NAME), licence="MIT")


def test_a_server_that_stays_away_fails_with_the_part_kept(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    hub.requests.clear()
    hub.status = 503
    download = run(hub, folder)
    assert download.state is State.FAILED
    assert "the server answered 503" in download.sentence
    assert len(hub.requests) == 5
    assert (folder / f"{NAME}.part").exists()


@pytest.mark.parametrize(("status", "words"), [(401, "signing in"), (404, "answered 404")])
def test_a_refusal_is_not_tried_again(hub: LocalHub, folder: Path, status: int, words: str) -> None:
    hub.status = status
    download = run(hub, folder)
    assert (download.state, len(hub.requests)) == (State.FAILED, 1)
    assert words in download.sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"GGUF" + bytes(999_996), f"{NAME} arrived damaged"),
        (b"<html>" + bytes(999_994), "no GGUF file"),
        (CONTENT + b"more", "1000004 bytes"),
    ],
    ids=["another digest", "a page", "another size"],
)
def test_what_is_not_the_stated_file_is_refused_and_leaves_nothing(
    hub: LocalHub, folder: Path, content: bytes, words: str
) -> None:
    model = hub.model(NAME)
    hub.files[NAME] = content
    download = run(hub, folder, model)
    assert download.state is State.FAILED
    assert words in download.sentence
    assert left(folder) == []


@pytest.mark.parametrize(
    ("name", "content", "ranges"),
    [(f"{NAME}.part", CONTENT + b"more", [""]), (f"{NAME}.part", CONTENT, []), (NAME, CONTENT, [])],
    ids=["a part that is too long", "a whole part", "the file itself"],
)
def test_what_is_here_already_is_asked_for_only_where_it_is_wrong(
    hub: LocalHub, folder: Path, name: str, content: bytes, ranges: list[str]
) -> None:
    folder.mkdir()
    (folder / name).write_bytes(content)
    assert run(hub, folder).state is State.DONE
    assert hub.ranges_asked() == ranges
    assert left(folder) == [NAME, "some-Q4_K_M.json"]


def test_too_little_room_is_said_before_anything_is_asked(hub: LocalHub, folder: Path) -> None:
    downloads = registry(folder, hub.url, free=lambda _: MARGIN + 999_999)
    with pytest.raises(BadInput, match=r"501 MB needed.*500 MB"):
        downloads.start(hub.model(NAME), licence="MIT")
    assert hub.requests == []
    assert downloads.all() == ()


def test_what_downloads_ahead_still_need_is_no_room(hub: LocalHub, folder: Path) -> None:
    hub.files["other-Q8_0.gguf"] = CONTENT
    downloads = on_its_way(hub, folder, free=lambda _: MARGIN + 1_900_000)
    with pytest.raises(BadInput, match=r"501 MB needed.*934 kB"):
        downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    assert hub.pace
    hub.pace.set()
    assert ended(downloads).state is State.DONE
    downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    assert ended(downloads, "other-Q8_0").state is State.DONE


def test_the_room_is_looked_at_again_when_the_turn_comes(hub: LocalHub, folder: Path) -> None:
    hub.files["other-Q8_0.gguf"] = CONTENT
    free = [MARGIN + 2_000_000]
    downloads = on_its_way(hub, folder, free=lambda _: free[-1])
    downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    free.append(MARGIN + 999_999)  # something else took the rest
    assert hub.pace
    hub.pace.set()
    second = ended(downloads, "other-Q8_0")
    assert (look(downloads).state, second.state) == (State.DONE, State.FAILED)
    assert "other-Q8_0" in second.sentence
    assert not [path for path, _ in hub.requests if "other" in path]


def test_a_folder_that_cannot_be_made_is_said(hub: LocalHub, tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(BadInput, match="full/models"):
        registry(tmp_path / "full" / "models", hub.url).start(hub.model(NAME), licence="")


def test_a_full_disk_keeps_the_part(hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = transfer._Transfer._take

    def full_after_a_while(self: Any, block: bytes) -> None:
        if self._have > 200_000:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken(self, block)

    with monkeypatch.context() as patch:
        patch.setattr(transfer._Transfer, "_take", full_after_a_while)
        download = run(hub, folder)
    assert download.state is State.FAILED
    assert download.sentence.startswith("The disk is full")
    assert (folder / f"{NAME}.part").stat().st_size > 200_000
    assert run(hub, folder).state is State.DONE


def test_a_file_that_is_here_is_not_overwritten(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(b"GGUF mine")
    with pytest.raises(BadInput, match=r"some-Q4_K_M\.gguf is in"):
        registry(folder, hub.url).start(hub.model(NAME), licence="")
    (folder / NAME).write_bytes(bytes(1_000_000))  # as long as the hub's, but another
    download = run(hub, folder)
    assert download.state is State.FAILED
    assert f"{folder / NAME} is in the way" in download.sentence
    assert (folder / NAME).read_bytes() == bytes(1_000_000)
    assert hub.requests == []


PARTS = tuple(f"big-q4_k_m-0000{number}-of-00002.gguf" for number in (1, 2))


def killed_between_two_moves(hub: LocalHub, folder: Path) -> HubModel:
    """Leave what a kill leaves after the second part was moved to its place, and before the first was."""
    hub.files |= {PARTS[0]: CONTENT, PARTS[1]: model_gguf(300_000)}
    model = hub.model(*PARTS)
    folder.mkdir()
    killed(folder, model)
    (folder / f"{PARTS[0]}.part").write_bytes(CONTENT)
    (folder / PARTS[1]).write_bytes(hub.files[PARTS[1]])
    return model


def test_a_kill_between_the_moves_of_two_parts_is_made_good(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (found,) = registry(folder, hub.url).all()
    assert (found.state, found.received) == (State.INTERRUPTED, 1_300_000)
    assert run(hub, folder, model).state is State.DONE
    assert left(folder) == [*PARTS, "big-q4_k_m.json"]
    assert hub.requests == []


def test_a_stale_part_does_not_replace_what_is_in_place(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (folder / f"{PARTS[1]}.part").write_bytes(b"GGUF half")
    assert run(hub, folder, model).state is State.DONE
    assert (folder / PARTS[1]).read_bytes() == hub.files[PARTS[1]]
    assert left(folder) == [*PARTS, "big-q4_k_m.json"]


def test_discarding_leaves_what_is_no_file_of_the_hub_and_whole_models(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (folder / PARTS[1]).write_bytes(bytes(300_000))
    downloads = registry(folder, hub.url)
    downloads.discard(downloads.all()[0])
    assert left(folder) == [PARTS[1]]
    (folder / PARTS[0]).write_bytes(CONTENT)
    (folder / PARTS[1]).write_bytes(hub.files[PARTS[1]])
    killed(folder, model)
    downloads.discard(downloads.all()[0])
    assert left(folder) == [*PARTS]


def test_the_parts_of_a_model_are_shown_as_one_once_all_are_here(hub: LocalHub, folder: Path) -> None:
    first, second = (f"q/{part}" for part in PARTS)
    hub.files |= {first: CONTENT, second: model_gguf(300_000)}
    model = hub.model(first, second)
    late = hub.files.pop(second)
    assert run(hub, folder, model).state is State.FAILED
    assert left(folder) == [f"{PARTS[0]}.part"]
    hub.files[second] = late
    download = run(hub, folder, model)
    assert (download.state, download.received) == (State.DONE, 1_300_000)
    assert left(folder) == [*PARTS, "big-q4_k_m.json"]
    assert sum("00001" in path for path, _ in hub.requests) == 1


def test_one_download_moves_at_a_time_and_a_second_click_starts_none(hub: LocalHub, folder: Path) -> None:
    hub.files["other-Q8_0.gguf"] = CONTENT
    downloads = on_its_way(hub, folder)
    first = look(downloads)
    downloads.start(hub.model(NAME), licence="")
    downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    assert [one.plan.name for one in downloads.all()] == ["some-Q4_K_M", "other-Q8_0"]
    second = look(downloads, "other-Q8_0")
    assert (second.state, downloads.jobs.store.ahead(second.job)) == (State.WAITING, 1)
    downloads.jobs.cancel(second.job)
    assert look(downloads, "other-Q8_0").state is State.CANCELLED
    for take_off in (downloads.discard, downloads.forget):
        with pytest.raises(BadInput, match="Cancel it first"):
            take_off(first)
    downloads.forget(second)
    (only,) = downloads.all()
    assert only.job.id == first.job.id
    assert hub.pace
    hub.pace.set()
    assert ended(downloads).state is State.DONE


def test_a_cancel_that_must_wait_for_the_server_is_said(hub: LocalHub, folder: Path) -> None:
    downloads = on_its_way(hub, folder)
    downloads.jobs.cancel(look(downloads).job)
    asked = look(downloads)
    assert (asked.state, asked.sentence[:15]) == (State.RUNNING, "Being cancelled")
    assert hub.pace
    hub.pace.set()
    assert ended(downloads).sentence == ""


def test_discarding_removes_everything(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    downloads = registry(folder, hub.url)
    downloads.discard(look(downloads))
    assert left(folder) == []
    assert downloads.all() == ()


def test_a_model_that_was_deleted_is_listed_no_more_and_can_be_downloaded_again(hub: LocalHub, folder: Path) -> None:
    run(hub, folder)
    (folder / NAME).unlink()
    assert registry(folder, hub.url).all() == ()
    assert run(hub, folder).state is State.DONE
    assert len(registry(folder, hub.url).all()) == 1


def test_speed_and_time_left_are_told_while_bytes_arrive_and_fall_while_none_do(
    hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = on_its_way(hub, folder)
    assert hub.pace
    hub.pace.set()
    hub.pace.clear()  # lets one block or two through
    until(lambda: look(downloads).received > hub.block)
    download = look(downloads)
    began, before = download.job.progress["since"]  # type: ignore[index]
    assert 0 < before <= hub.block
    monkeypatch.setattr(time, "time", lambda: began + 2)
    assert download.bytes_per_second == (download.received - before) / 2
    assert download.seconds_left == (1_000_000 - download.received) / download.bytes_per_second
    monkeypatch.setattr(time, "time", lambda: began + 4)
    assert download.bytes_per_second == (download.received - before) / 4
    monkeypatch.undo()
    hub.pace.set()
    download = ended(downloads)
    assert (download.bytes_per_second, download.seconds_left) == (0, None)


@pytest.mark.parametrize("broken", [{}, {"model": {"repository": "a/b"}, "licence": "MIT"}, {"model": 3}])
def test_a_job_of_another_version_is_left_out(
    folder: Path, caplog: pytest.LogCaptureFixture, broken: dict[str, Any]
) -> None:
    table(folder).add(DOWNLOAD, EVERYBODY, Listed("x", slot=HERE), broken, place="elsewhere", tries=1)
    assert registry(folder, "").all() == ()
    assert "kept by another version" in caplog.text


WEIGHTS_OF = {"model.safetensors": bytes(300_000), "config.json": b"{}", "tokenizer.json": b"[]"}


def cross_encoder(hub: LocalHub) -> HubModel:
    """Return a cross-encoder as the hub lists it: small files without a SHA-256."""
    hub.files.update(WEIGHTS_OF)
    weights, *others = hub.model(*WEIGHTS_OF, repository="maker/nli").files
    return HubModel("maker/nli", (weights, *(HubFile(one.path, one.size, "") for one in others)))


def test_a_cross_encoder_lands_in_a_folder_of_its_own_and_goes_on_where_it_broke_off(
    hub: LocalHub, folder: Path
) -> None:
    hub.cut_after, hub.block = 100_000, 10_000
    download = run(hub, folder, cross_encoder(hub))
    assert (download.state, download.received) == (State.DONE, 300_004)
    assert {path.name: path.read_bytes() for path in (folder / "maker--nli").iterdir()} == WEIGHTS_OF
    assert hub.ranges_asked()[1] == "bytes=100000-"
    (found,) = installed_cross_encoders()
    assert (found.folder, found.repository, found.size) == (folder / "maker--nli", "maker/nli", 300_004)
    assert found.digest == hashlib.sha256(WEIGHTS_OF["model.safetensors"]).hexdigest()


def test_a_cross_encoder_is_not_there_until_all_of_it_is(hub: LocalHub, folder: Path) -> None:
    model = cross_encoder(hub)
    del hub.files["tokenizer.json"]
    assert run(hub, folder, model).state is State.FAILED
    assert installed_cross_encoders() == ()
    hub.files.update(WEIGHTS_OF)
    assert run(hub, folder, model).state is State.DONE
    assert len(installed_cross_encoders()) == 1


def test_a_cross_encoder_is_chosen_and_deleted(hub: LocalHub, folder: Path) -> None:
    run(hub, folder, cross_encoder(hub))
    (found,) = installed_cross_encoders()
    assert chosen_cross_encoder() is None
    choose_cross_encoder(found.folder)
    assert chosen_cross_encoder() == found.folder
    remove_cross_encoder(found.folder)
    assert chosen_cross_encoder() is None
    assert left(folder) == []


def test_a_chosen_cross_encoder_that_is_gone_is_said(hub: LocalHub, folder: Path) -> None:
    choose_cross_encoder(folder / "gone")
    with pytest.raises(BadInput, match=r"gone has no model\.safetensors"):
        chosen_cross_encoder()
