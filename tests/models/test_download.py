"""Downloads against a hub on this machine that breaks off, changes files, lies and forgets."""

from __future__ import annotations

import errno
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput
from core.job_queue import JobQueue
from core.models import transfer
from core.models.download import Download, Downloads, Progress, State
from core.models.hub import HubFile, HubModel
from core.models.plans import MARGIN, FreeSpace, Plan, free_space, save_plan, saved_plans
from core.storage.jobs import JobTable
from core.storage.store import Store
from tests.files import full_disk
from tests.models.local_hub import LocalHub, local_hub, model_gguf

CONTENT = model_gguf(1_000_000)
NAME = "some-Q4_K_M.gguf"


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
    while queues:
        queues.pop().close()


def registry(folder: Path, hub: str, *, free: FreeSpace = free_space) -> Downloads:
    """Return the downloads of a server that was just started."""
    base = next(one for one in folder.parents if one.exists() and one.is_dir())
    queues.append(JobQueue(JobTable(Store(f"sqlite:///{base / 'jobs.db'}"))))
    return Downloads(folder, lambda: hub, queues[-1], free=free)


def run(hub: LocalHub, folder: Path, model: HubModel | None = None) -> Progress:
    download = registry(folder, hub.url).start(model or hub.model(NAME), licence="MIT")
    download.join(20)
    return download.progress


def until(said: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def broken_off(hub: LocalHub, folder: Path) -> Download:
    """Cancel a download once its first block of 64 KiB is here."""
    hub.pace = threading.Event()
    download = registry(folder, hub.url).start(hub.model(NAME), licence="MIT")
    until(lambda: download.progress.received >= hub.block)
    download.cancel()
    hub.pace.set()
    download.join(20)
    hub.pace = None
    return download


def test_a_whole_download_leaves_the_file_and_a_record_of_it(hub: LocalHub, folder: Path) -> None:
    progress = run(hub, folder)
    assert (progress.state, progress.received, progress.total) == (State.DONE, 1_000_000, 1_000_000)
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
    assert "what has arrived is kept" in download.progress.sentence
    here = (folder / f"{NAME}.part").stat().st_size
    assert 64 * 1024 <= here < 1_000_000
    assert not (folder / NAME).exists()
    assert download.progress.received == here
    assert run(hub, folder).state is State.DONE
    assert hub.ranges_asked() == ["", f"bytes={here}-"]
    assert hub.requests[-1][1]["If-Range"] == '"one"'
    assert (folder / NAME).read_bytes() == CONTENT


def test_another_process_finds_the_plan_of_a_broken_off_download(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    later = registry(folder, hub.url)
    (plan,) = later.unfinished()
    assert plan.received(folder) == (folder / f"{NAME}.part").stat().st_size
    download = later.start(plan.model, licence=plan.licence)
    download.join(20)
    assert download.state is State.DONE
    assert later.unfinished() == saved_plans(folder) == ()


def test_a_server_that_cannot_resume_starts_over_and_says_so(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    hub.ranges = False
    hub.pace = threading.Event()
    download = registry(folder, hub.url).start(hub.model(NAME), licence="MIT")
    until(lambda: download.state is State.DOWNLOADING)
    assert download.progress.sentence == "The server cannot resume this file, so the download starts over."
    hub.pace.set()
    download.join(20)
    assert download.state is State.DONE
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
    progress = run(hub, folder)
    assert progress.state is State.FAILED
    assert "SHA-256" in progress.sentence
    assert not (folder / f"{NAME}.part").exists()


def test_a_cut_connection_is_taken_up_again_by_itself(hub: LocalHub, folder: Path) -> None:
    hub.cut_after = 300_000
    assert run(hub, folder).state is State.DONE
    first, second = hub.ranges_asked()
    assert (first, second) == ("", "bytes=300000-")
    assert (folder / NAME).read_bytes() == CONTENT


def test_a_server_that_stays_away_fails_with_the_part_kept(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    hub.requests.clear()
    hub.status = 503
    progress = run(hub, folder)
    assert progress.state is State.FAILED
    assert "keeps breaking off (the server answered 503)" in progress.sentence
    assert len(hub.requests) == 5
    assert (folder / f"{NAME}.part").exists()


@pytest.mark.parametrize(("status", "words"), [(401, "signing in"), (404, "answered 404")])
def test_a_refusal_is_not_tried_again(hub: LocalHub, folder: Path, status: int, words: str) -> None:
    hub.status = status
    progress = run(hub, folder)
    assert (progress.state, len(hub.requests)) == (State.FAILED, 1)
    assert words in progress.sentence


def test_a_wrong_digest_removes_the_file(hub: LocalHub, folder: Path) -> None:
    model = HubModel("maker/some", (HubFile(NAME, len(CONTENT), "0" * 64),))
    progress = run(hub, folder, model)
    assert progress.state is State.FAILED
    assert f"{NAME} arrived damaged" in progress.sentence
    assert left(folder) == ["some-Q4_K_M.download.json"]


def test_a_page_instead_of_a_model_is_noticed_at_once(hub: LocalHub, folder: Path) -> None:
    hub.files[NAME] = b"<html>" + bytes(999_994)
    progress = run(hub, folder)
    assert progress.state is State.FAILED
    assert "not a GGUF file" in progress.sentence
    assert not (folder / f"{NAME}.part").exists()


def test_a_size_that_is_not_the_stated_one_is_refused(hub: LocalHub, folder: Path) -> None:
    model = hub.model(NAME)
    hub.files[NAME] = CONTENT + b"more"
    progress = run(hub, folder, model)
    assert progress.state is State.FAILED
    assert "1000004 bytes" in progress.sentence


def test_a_part_that_is_too_long_starts_over(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{NAME}.part").write_bytes(CONTENT + b"more")
    assert run(hub, folder).state is State.DONE
    assert hub.ranges_asked() == [""]


def test_a_whole_part_needs_no_request(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{NAME}.part").write_bytes(CONTENT)
    assert run(hub, folder).state is State.DONE
    assert hub.requests == []


def test_too_little_room_is_said_before_anything_is_asked(hub: LocalHub, folder: Path) -> None:
    downloads = registry(folder, hub.url, free=lambda _: MARGIN + 999_999)
    with pytest.raises(BadInput, match=r"501 MB needed.*500 MB to spare.*501 MB free"):
        downloads.start(hub.model(NAME), licence="MIT")
    assert hub.requests == []
    assert downloads.all() == ()


def test_what_is_here_already_counts_as_room(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{NAME}.part").write_bytes(CONTENT[:1])
    download = registry(folder, hub.url, free=lambda _: MARGIN + 999_999).start(hub.model(NAME), licence="")
    download.join(20)
    assert download.state is State.DONE


def test_what_downloads_ahead_still_need_is_no_room(hub: LocalHub, folder: Path) -> None:
    hub.pace = threading.Event()
    hub.files["other-Q8_0.gguf"] = CONTENT
    downloads = registry(folder, hub.url, free=lambda _: MARGIN + 1_900_000)
    first = downloads.start(hub.model(NAME), licence="")
    with pytest.raises(BadInput, match=r"501 MB needed.*502 MB free in .*, 1\.0 MB of it for the downloads before"):
        downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    hub.pace.set()
    first.join(20)
    second = downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    second.join(20)
    assert (first.state, second.state) == (State.DONE, State.DONE)


def test_the_room_is_looked_at_again_when_the_turn_comes(hub: LocalHub, folder: Path) -> None:
    hub.pace = threading.Event()
    hub.files["other-Q8_0.gguf"] = CONTENT
    free = [MARGIN + 2_000_000]
    downloads = registry(folder, hub.url, free=lambda _: free[-1])
    first = downloads.start(hub.model(NAME), licence="")
    until(lambda: first.state is State.DOWNLOADING)
    second = downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    free.append(MARGIN + 999_999)  # something else took the rest
    hub.pace.set()
    second.join(20)
    assert (first.state, second.state) == (State.DONE, State.FAILED)
    assert "Too little room on the disk for other-Q8_0" in second.progress.sentence
    assert not [path for path, _ in hub.requests if "other" in path]


def test_a_folder_that_cannot_be_made_is_said(hub: LocalHub, tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(BadInput, match=r"full/models cannot be written \(Not a directory\)"):
        registry(tmp_path / "full" / "models", hub.url).start(hub.model(NAME), licence="")


def test_a_plan_for_which_the_disk_has_no_room_is_said(
    hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    full_disk(monkeypatch, "some-Q4_K_M.download.json")
    with pytest.raises(BadInput, match=r"download\.json cannot be written \(No space left on device\)"):
        registry(folder, hub.url).start(hub.model(NAME), licence="")
    assert hub.requests == []


def test_a_full_disk_keeps_the_part(hub: LocalHub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = transfer._Transfer._take

    def full_after_a_while(self: Any, block: bytes) -> None:
        if self._have > 200_000:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken(self, block)

    monkeypatch.setattr(transfer._Transfer, "_take", full_after_a_while)
    progress = run(hub, folder)
    assert progress.state is State.FAILED
    assert progress.sentence.startswith("The disk is full")
    assert (folder / f"{NAME}.part").stat().st_size > 200_000
    monkeypatch.undo()
    monkeypatch.setenv("VERIDESK_HOME", str(folder.parent))
    assert run(hub, folder).state is State.DONE


def test_a_file_that_is_here_is_not_overwritten(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(b"GGUF mine")
    with pytest.raises(BadInput, match=r"some-Q4_K_M\.gguf is in the way.*delete its model in the list"):
        registry(folder, hub.url).start(hub.model(NAME), licence="")
    (folder / NAME).write_bytes(bytes(1_000_000))  # as long as the hub's, but another
    progress = run(hub, folder)
    assert progress.state is State.FAILED
    assert f"{folder / NAME} is in the way" in progress.sentence
    assert (folder / NAME).read_bytes() == bytes(1_000_000)
    assert hub.requests == []


def test_the_same_file_is_accepted(hub: LocalHub, folder: Path) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(CONTENT)
    assert run(hub, folder).state is State.DONE
    assert hub.requests == []
    assert left(folder) == ["some-Q4_K_M.gguf", "some-Q4_K_M.json"]


PARTS = tuple(f"big-q4_k_m-0000{number}-of-00002.gguf" for number in (1, 2))


def killed_between_two_moves(hub: LocalHub, folder: Path) -> HubModel:
    """Leave what a kill leaves after the second part was moved to its place, and before the first was."""
    hub.files |= {PARTS[0]: CONTENT, PARTS[1]: model_gguf(300_000)}
    model = hub.model(*PARTS)
    folder.mkdir()
    save_plan(Plan(model, "MIT"), folder)
    (folder / f"{PARTS[0]}.part").write_bytes(CONTENT)
    (folder / PARTS[1]).write_bytes(hub.files[PARTS[1]])
    return model


def test_a_kill_between_the_moves_of_two_parts_is_made_good(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (plan,) = registry(folder, hub.url).unfinished()
    assert plan.received(folder) == 1_300_000
    assert run(hub, folder, model).state is State.DONE
    assert left(folder) == [*PARTS, "big-q4_k_m.json"]
    assert hub.requests == []


def test_a_stale_part_does_not_replace_what_is_in_place(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (folder / f"{PARTS[1]}.part").write_bytes(b"GGUF half")
    assert run(hub, folder, model).state is State.DONE
    assert (folder / PARTS[1]).read_bytes() == hub.files[PARTS[1]]
    assert left(folder) == [*PARTS, "big-q4_k_m.json"]


def test_a_later_part_in_place_can_be_discarded(hub: LocalHub, folder: Path) -> None:
    killed_between_two_moves(hub, folder)
    downloads = registry(folder, hub.url)
    downloads.discard(downloads.unfinished()[0])
    assert left(folder) == []


def test_discarding_leaves_what_is_no_file_of_the_hub_and_whole_models(hub: LocalHub, folder: Path) -> None:
    model = killed_between_two_moves(hub, folder)
    (folder / PARTS[1]).write_bytes(bytes(300_000))
    downloads = registry(folder, hub.url)
    downloads.discard(downloads.unfinished()[0])
    assert left(folder) == [PARTS[1]]
    (folder / PARTS[0]).write_bytes(CONTENT)
    (folder / PARTS[1]).write_bytes(hub.files[PARTS[1]])
    downloads.discard(Plan(model, "MIT"))
    assert left(folder) == [*PARTS]


def test_all_parts_of_a_model_come_and_are_shown_as_one(hub: LocalHub, folder: Path) -> None:
    parts = [f"q/big-q4_k_m-0000{number}-of-00002.gguf" for number in (1, 2)]
    hub.files |= {parts[0]: CONTENT, parts[1]: model_gguf(300_000)}
    progress = run(hub, folder, hub.model(*parts))
    assert (progress.state, progress.received) == (State.DONE, 1_300_000)
    assert left(folder) == ["big-q4_k_m-00001-of-00002.gguf", "big-q4_k_m-00002-of-00002.gguf", "big-q4_k_m.json"]


def test_nothing_of_a_model_in_parts_can_be_used_before_all_are_here(hub: LocalHub, folder: Path) -> None:
    parts = [f"big-q4_k_m-0000{number}-of-00002.gguf" for number in (1, 2)]
    hub.files[parts[0]] = hub.files[parts[1]] = CONTENT
    model = hub.model(*parts)
    del hub.files[parts[1]]
    assert run(hub, folder, model).state is State.FAILED
    assert left(folder) == ["big-q4_k_m-00001-of-00002.gguf.part", "big-q4_k_m.download.json"]
    hub.files[parts[1]] = CONTENT
    assert run(hub, folder, model).state is State.DONE
    assert sum("00001" in path for path, _ in hub.requests) == 1


def test_one_download_moves_at_a_time_and_a_second_click_starts_none(hub: LocalHub, folder: Path) -> None:
    hub.pace = threading.Event()
    hub.files["other-Q8_0.gguf"] = CONTENT
    downloads = registry(folder, hub.url)
    first = downloads.start(hub.model(NAME), licence="")
    until(lambda: first.state is State.DOWNLOADING)
    assert downloads.start(hub.model(NAME), licence="") is first
    second = downloads.start(hub.model("other-Q8_0.gguf"), licence="")
    assert second.progress.state == "waiting"
    second.cancel()
    second.join(5)
    assert second.progress.state == "cancelled"
    with pytest.raises(BadInput, match="Cancel it first"):
        downloads.discard(first.plan)
    downloads.forget(second.plan.name)
    assert downloads.all() == (first,)
    hub.pace.set()
    first.join(20)
    assert first.state is State.DONE


def test_discarding_removes_everything(hub: LocalHub, folder: Path) -> None:
    broken_off(hub, folder)
    downloads = registry(folder, hub.url)
    downloads.discard(downloads.unfinished()[0])
    assert left(folder) == []


def test_speed_and_time_left_are_told_while_bytes_arrive(hub: LocalHub, folder: Path) -> None:
    hub.pace = threading.Event()
    download = registry(folder, hub.url).start(hub.model(NAME), licence="")
    until(lambda: download.progress.received == hub.block)
    hub.pace.set()
    hub.pace.clear()  # lets one block or two through
    until(lambda: download.progress.received > hub.block)
    progress = download.progress
    assert progress.bytes_per_second > 0
    assert progress.seconds_left is not None
    left = progress.seconds_left * progress.bytes_per_second
    assert left == pytest.approx(1_000_000 - progress.received, rel=0.01)
    hub.pace.set()
    download.join(20)
    assert (download.progress.bytes_per_second, download.progress.seconds_left) == (0, None)


@pytest.mark.parametrize("change", [
    {"files": 3}, {"files": []}, {"repository": "../.."}, {"repository": 3},
    {"files": [{"path": "../../x.gguf/..", "size": 1, "sha256": ""}]},
    {"files": [{"path": "x.gguf", "size": 0, "sha256": ""}]}, {"files": [{"name": "x.gguf"}]},
])  # fmt: skip
def test_a_broken_plan_is_left_out(folder: Path, caplog: pytest.LogCaptureFixture, change: dict[str, Any]) -> None:
    folder.mkdir()
    sound = {"repository": "a/b", "licence": "MIT", "files": [{"path": "x.gguf", "size": 5, "sha256": "0" * 64}]}
    (folder / "x.download.json").write_text(json.dumps(sound))
    (plan,) = saved_plans(folder)
    assert (plan.name, plan.model.size, plan.received(folder)) == ("x", 5, 0)
    (folder / "x.download.json").write_text(json.dumps(sound | change))
    assert saved_plans(folder) == ()
    assert "is no plan of a download" in caplog.text
