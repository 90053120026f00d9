"""The Models page, driven as a user drives it, against a hub and a server on this machine."""

import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.doctor.examination import checks
from core.doctor.finding import Health as PartState
from core.interfaces import LanguageModel, Stop, never
from core.jobs.types import Json
from core.llm.llama_attempts import ATTEMPTS, REBUILD, keep_attempt
from core.models.choice import (
    file_choice,
    keep_key,
    parse_choice,
    preferences,
    set_default,
)
from core.models.installed import BUNDLED_SHA256
from core.scoring.judging import Judging
from core.scoring.open_metrics import Opening
from core.scoring.work import ScoringJob
from core.settings import settings
from core.types import Claim
from core.verification.progress import OnProgress
from core.verification.request import Request
from pages.models.installation import KEPT, parts_table
from pages.ui.app_state import AppState
from tests.fakes import Reader
from tests.models.local_hub import LocalHub, local_hub, model_gguf
from tests.pages.desks import ANNA, answer, by_role, keys, press, read, settled, told, work_by
from tests.waiting import until

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "models" / "page.py")
CONTENT = model_gguf(1_000_000)
MODEL = "phi-4-Q4_K"
NAME = f"{MODEL}.gguf"


@pytest.fixture
def hub(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    settings().models.mkdir()
    with local_hub(files={NAME: CONTENT}) as running:
        running.listing = [listed(NAME, CONTENT), listed("phi-4-Q8_0.gguf", CONTENT)]
        monkeypatch.setenv("VERIDESK_HUB", running.url)
        yield running
        if running.pace is not None:
            running.pace.set()


def listed(path: str, content: bytes) -> dict[str, object]:
    lfs = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}
    return {"type": "file", "path": path, "size": len(content), "lfs": lfs}


def opened() -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    assert not page.exception
    return page


def words(page: AppTest) -> str:
    """Return everything the page says, without marks."""
    html = [element.proto.body for element in page.get("html")]
    kinds = ("markdown", "caption")
    shown = [str(getattr(element, "value", "")) for kind in kinds for element in page.get(kind)]
    bars = [element.proto.text for element in page.get("progress")]
    bare = unescape(re.sub(r"<[^>]+>", " ", "\n".join([*html, *shown, *bars])).replace("\u2060", ""))
    return re.sub(r"\\([^\w\s]|_)", r"\1", bare)


def chosen(page: AppTest, name: str) -> AppTest:
    box = page.selectbox(key="model")
    box.set_value(next(option for option in box.options if option.startswith(name))).run()
    return page


def test_the_page_opens_with_the_bundled_model_and_its_memory(hub: LocalHub) -> None:
    page = opened()
    (said,) = read(page, "region", "Model in use")
    assert "SmolLM2 135M" in said
    assert "98.4 MB" in said
    assert "730 MB" in said
    assert page.button(key="use bundled").disabled
    assert hub.requests == []  # nothing is asked before somebody wants it


def test_the_page_says_where_the_plain_path_of_llama_cpp_is_used(at_desk: AppState) -> None:
    assert not by_role(opened(), "note")
    keep_attempt(BUNDLED_SHA256, ATTEMPTS[1])
    assert REBUILD in told(opened(), "note")


@pytest.mark.slow
def test_the_installation_is_checked_part_by_part_when_asked(at_desk: AppState) -> None:
    page = opened()
    page.session_state[KEPT] = None
    page.button(key="check-installation").click().run(timeout=120)
    findings = page.session_state[KEPT]
    assert [finding.part for finding in findings] == list(checks(never))
    table = parts_table([replace(findings[0], state=PartState.WRONG, words="<b>It</b> broke", mend="pip install x")])
    assert "vd-icon-refuted" in table
    assert "&lt;b&gt;It&lt;/b&gt; broke" in table
    assert '<code class="vd-mend">pip install x</code>' in table


def test_files_are_listed_and_the_recommended_one_is_chosen(hub: LocalHub) -> None:
    page = press(chosen(opened(), "Phi-4"), "model-files")
    box = page.selectbox(key="quantisation of microsoft/phi-4-gguf")
    assert [option.partition(" (")[0] for option in box.options] == ["Q4_K, 1.0 MB", "Q8_0, 1.0 MB"]
    assert box.value.quantisation == "Q4_K"
    assert f"download {MODEL}" in keys(page)
    assert hub.requests[0][0].startswith("/api/models/microsoft/phi-4-gguf/tree/main")


def test_a_model_is_downloaded_and_then_used(hub: LocalHub) -> None:
    page = press(press(chosen(opened(), "Phi-4"), "model-files"), f"download {MODEL}")
    path = settings().models / NAME
    until(lambda: f"dismiss {MODEL}" in keys(page.run()))
    press(page, f"use {path}")
    assert preferences().default == str(path)
    (said,) = read(page, "region", "Model in use")
    assert MODEL in said
    press(page, f"dismiss {MODEL}")
    assert not page.get("progress")


def test_a_download_is_cancelled_resumed_and_found_by_a_new_server(hub: LocalHub) -> None:
    hub.pace = threading.Event()
    page = press(press(chosen(opened(), "Phi-4"), "model-files"), f"download {MODEL}")
    part = settings().models / f"{NAME}.part"
    until(lambda: part.exists() and f"cancel {MODEL}" in keys(page.run()))
    press(page, f"cancel {MODEL}")
    hub.pace.set()
    until(lambda: f"resume {MODEL}" in keys(page.run()))
    st.cache_resource.clear()  # what a restart of the server forgets
    page = opened()
    assert f"discard {MODEL}" in keys(page)
    press(page, f"resume {MODEL}")
    until((settings().models / NAME).exists)
    assert any(asked.startswith("bytes=") for asked in hub.ranges_asked())


def test_a_hub_out_of_reach_is_no_disaster(hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HUB", "http://127.0.0.1:9")
    page = press(opened(), "model-files")
    assert not by_role(page, "alert")
    assert "no connection" in told(page, "note")


def test_another_repository_can_be_named(hub: LocalHub) -> None:
    page = chosen(opened(), "Another repository")
    assert page.button(key="model-files").disabled
    page.text_input(key="model-repository").set_value("maker/some-GGUF").run()
    press(page, "model-files")
    assert hub.requests[0][0].startswith("/api/models/maker/some-GGUF/")
    page.text_input(key="model-repository").set_value("nonsense").run()
    assert "nonsense" in told(press(page, "model-files"))


def test_a_name_from_the_network_cannot_write_on_the_page(hub: LocalHub) -> None:
    hub.listing = [listed("<img src=x>.gguf", CONTENT), listed("![x](http://evil).gguf", CONTENT)]
    page = press(opened(), "model-files")
    assert len(by_role(page, "alert")) == 1
    (settings().models / "<img src=x onerror=alert(1)>.gguf").write_bytes(CONTENT)
    page = opened()
    html = "".join(element.proto.body for element in page.get("html"))
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "<img" not in html


def test_a_file_of_this_machine_is_added_and_taken_off(hub: LocalHub, tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(CONTENT)
    page = opened()
    page.text_input(key="model-path").set_value(str(path))
    press(page, "model-add-file")
    assert preferences().added == (str(path),)
    press(page, f"remove {path}")
    assert preferences().added == ()
    assert path.exists()


def test_a_server_is_tested_and_added_and_its_key_is_written_nowhere(hub: LocalHub, tmp_path: Path) -> None:
    hub.listing = {"data": [{"id": "qwen3:14b"}, {"id": "phi4"}]}
    page = opened()
    page.text_input(key="model-server").set_value(hub.url)
    page.text_input(key="model-server-key").set_value("s3cret")
    press(page, "model-test-server")
    served = page.selectbox(key=f"model of {hub.url}/v1")
    assert served.options == ["phi4", "qwen3:14b"]
    assert hub.requests[0][1]["Authorization"] == "Bearer s3cret"
    served.set_value("qwen3:14b").run()
    press(page, "model-add-served")
    assert preferences().added == (f"{hub.url}/v1#qwen3:14b",)
    assert parse_choice(preferences().added[0]).api_key == "s3cret"
    keep_key(f"{hub.url}/v1", "")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()]


def tiny() -> Path:
    path = settings().models / "Tiny.gguf"
    path.write_bytes(CONTENT)
    return path


def test_a_model_at_work_on_a_claim_is_not_deleted_and_an_idle_one_is(at_desk: AppState, hub: LocalHub) -> None:
    path, go_on = tiny(), threading.Event()

    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        assert go_on.wait(300)
        return answer(request, on_progress, stop)

    work_by(at_desk, work)
    at_desk.cases.start(ANNA, Request(Claim("The wall can be seen."), model=str(path)))
    page = press(opened(), f"remove {path}")
    assert "a claim" in told(page)
    assert path.exists()
    go_on.set()
    until(lambda: not at_desk.jobs.using(str(path)))
    press(page, f"remove {path}")
    assert not path.exists()
    assert "Tiny" not in words(page)


def test_a_model_that_judges_evidence_is_not_deleted(
    at_desk: AppState, hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, go_on = tiny(), threading.Event()

    def llm(self: Opening) -> LanguageModel:
        assert go_on.wait(300)
        return Reader()

    monkeypatch.setattr(Opening, "llm", llm)
    run = at_desk.runs.start(ANNA, ScoringJob((), (), Opening(("ev2r",), Judging(str(path)))))
    page = press(opened(), f"remove {path}")
    assert "a scoring run" in told(page)
    go_on.set()
    settled(at_desk, run)
    press(page, f"remove {path}")
    assert not path.exists()


def test_a_default_that_is_gone_is_said_and_another_can_be_chosen(hub: LocalHub) -> None:
    choice = file_choice(settings().models / "gone.gguf")
    set_default(choice)
    page = opened()
    assert "cannot be used" in told(page)
    press(page, "use bundled")
    assert preferences().default == "bundled"


def test_too_little_memory_is_said_before_and_after(hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.models.models.memory_available", lambda: 200_000_000)
    key = f"use {tiny()}"
    page = opened()
    (row,) = [element.proto.body for element in page.get("html") if ">Tiny</p>" in element.proto.body]
    assert "538 MB" in row
    assert "200 MB" in row
    assert not page.button(key=key).disabled
    before = words(page).count("and 200 MB")
    page = press(chosen(page, "Phi-4"), "model-files")
    assert words(page).count("and 200 MB") == before + 1


def test_a_cross_encoder_is_found_downloaded_chosen_and_deleted(hub: LocalHub) -> None:
    files = {"model.safetensors": bytes(50_000), "config.json": b"{}", "tokenizer.json": b"[]"}
    hub.files = dict(files)
    small = [{"type": "file", "path": name, "size": len(content)} for name, content in list(files.items())[1:]]
    hub.listing = [listed("model.safetensors", files["model.safetensors"]), *small]
    page = press(opened(), "cross-encoder-find")
    said = words(page)
    for figure in ("184 million", "50.0 kB", "3 files", "MIT"):
        assert figure in said
    press(page, "download cross-encoder")
    repository = "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
    folder = settings().models / repository.replace("/", "--")
    until(lambda: f"use {repository}" in keys(page.run()))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    press(page, f"use {repository}")
    assert preferences().cross_encoder == str(folder)
    press(page, f"drop {repository}")
    assert preferences().cross_encoder == ""
    press(page, f"use {repository}")
    press(page, f"remove {repository}")
    assert not folder.exists()
    assert preferences().cross_encoder == ""
    assert f"use {repository}" not in keys(page)
