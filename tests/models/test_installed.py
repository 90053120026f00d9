"""Which models are here, which is the default, and what may be removed."""

import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, BadRecord, Cancelled
from core.models import digests, memory
from core.models.cards import ModelCard, Rewriting, card_for, save_card
from core.models.choice import (
    BUNDLED_CHOICE,
    ModelChoice,
    add_choice,
    bundled_path,
    file_choice,
    keep_key,
    key_for,
    parse_choice,
    preferences,
    preferences_path,
    server_choice,
    set_default,
)
from core.models.digests import known_digest, weights_digest
from core.models.gguf import read_header
from core.models.installed import (
    BUNDLED_SHA256,
    available_models,
    check_file,
    default_choice,
    installed_models,
    remove_model,
)
from core.models.memory import MemoryNeed, fits_words, memory_available, memory_need
from core.settings import settings
from core.wording import size_words
from tests.files import full_disk
from tests.models.local_hub import gguf, model_gguf


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    settings().models.mkdir()
    return tmp_path


def remove(choice: ModelChoice, *, at_work: str = "") -> list[ModelChoice]:
    """Remove a model that such work uses, and return what was let go of."""
    freed: list[ModelChoice] = []
    remove_model(choice, in_use=lambda _: at_work, let_go=freed.append)
    return freed


def put(name: str, content: bytes = model_gguf(1000)) -> Path:
    path = settings().models / name
    path.write_bytes(content)
    return path


# Choices


def test_the_three_forms_are_read(tmp_path: Path) -> None:
    assert parse_choice(" bundled ") == BUNDLED_CHOICE
    file = parse_choice(str(tmp_path / "Phi-4-Q4_K_M.gguf"))
    assert (file.kind, file.name, file.path) == ("file", "Phi-4-Q4_K_M", tmp_path / "Phi-4-Q4_K_M.gguf")
    server = parse_choice("http://localhost:11434/v1/#qwen3:8b")
    assert (server.kind, server.url, server.model) == ("server", "http://localhost:11434/v1", "qwen3:8b")
    assert server.name == "qwen3:8b on localhost:11434"


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_choice("x.gguf").path == tmp_path / "x.gguf"


def test_a_server_without_a_path_gets_v1() -> None:
    assert server_choice("http://gpu:8000", "m").url == "http://gpu:8000/v1"


@pytest.mark.parametrize("text", [
    "", "bundle", "model.bin", "http://", "http://host", "http://host#", "http://host:port/v1#m", "ftp://host#m",
    "http://user:secret@host/v1#m", "http://host/v1?key=secret#m",
])  # fmt: skip
def test_what_names_no_model_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_choice(text)
    assert "http://localhost:8080/v1" in str(caught.value) or "password" in str(caught.value)


@given(st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=1, max_size=30))
def test_an_id_is_read_as_the_same_choice(text: str) -> None:
    for words in (f"/models/{text}.gguf", f"http://host:8080/{text}#{text}"):
        try:
            choice = parse_choice(words)
        except BadInput:
            continue
        assert parse_choice(choice.id) == choice


def test_a_key_is_in_no_text_of_a_choice() -> None:
    keep_key("http://host/v1", "s3cret")
    choice = server_choice("http://host/v1", "m")
    assert choice.api_key == "s3cret"
    assert "s3cret" not in f"{choice} {choice.id} {choice!r}"
    keep_key("http://host/v1", "")
    assert parse_choice(choice.id) == choice
    assert parse_choice(choice.id).api_key == ""


def test_keys_of_the_environment_go_to_their_own_address_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_API_KEYS", "http://a/v1=one  http://b:1/v1?x=two")
    assert parse_choice("http://a/v1#m").api_key == "one"
    assert key_for("http://b:1/v1?x") == "two"
    for other in ("http://a/v1/more", "http://a", "http://a/v", "https://a/v1"):
        assert key_for(other) == ""


# What is here


def test_the_bundled_model_is_always_here_and_is_what_the_issue_names() -> None:
    (bundled,) = installed_models()
    assert (bundled.choice, bundled.size, bundled.licence) == (BUNDLED_CHOICE, 98_362_432, "Apache-2.0")
    assert hashlib.sha256(bundled_path().read_bytes()).hexdigest() == BUNDLED_SHA256 == bundled.digest
    assert default_choice() == BUNDLED_CHOICE


def test_files_of_the_models_folder_are_found_with_their_record() -> None:
    path = put("Tiny-Q4_K_M.gguf")
    record = {"repository": "maker/tiny", "licence": "MIT", "downloaded": "2026-01-01T00:00:00+00:00", "files": []}
    path.with_suffix(".json").write_text(json.dumps(record))
    put("half.gguf.part")
    model = installed_models()[1]
    assert (model.choice.name, model.size, model.licence) == ("Tiny-Q4_K_M", 1000, "MIT")
    assert (model.repository, model.downloaded[:4], model.deletable) == ("maker/tiny", "2026", True)
    assert [choice.name for choice in available_models()] == [BUNDLED_CHOICE.name, "Tiny-Q4_K_M"]


def test_a_model_without_record_says_its_own_licence() -> None:
    put("Tiny.gguf")
    assert installed_models()[1].licence == "mit"


def test_parts_are_one_model_and_a_missing_part_is_a_problem() -> None:
    first = put("big-00001-of-00002.gguf")
    with pytest.raises(BadInput, match=r"1 of 2 .*big-00002-of-00002\.gguf"):
        check_file(first)
    assert available_models() == [BUNDLED_CHOICE]
    second = put("big-00002-of-00002.gguf")
    model = installed_models()[1]
    assert (model.choice.name, model.size, model.problem) == ("big", 2000, "")
    with pytest.raises(BadInput, match="Name the first part"):
        check_file(second)


def test_a_broken_file_is_shown_with_its_problem_and_not_offered() -> None:
    put("page.gguf", b"<html>")
    model = installed_models()[1]
    assert "not a GGUF file" in model.problem
    assert available_models() == [BUNDLED_CHOICE]


def test_named_files_and_servers_are_offered_once_without_keys(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(model_gguf())
    for _ in range(2):
        add_choice(file_choice(own))
        keep_key("http://gpu:8000/v1", "s3cret")
        add_choice(server_choice("http://gpu:8000/v1", "qwen3"))
    keep_key("http://gpu:8000/v1", "")
    assert [choice.name for choice in available_models()[1:]] == ["own", "qwen3 on gpu:8000"]
    assert "s3cret" not in preferences_path().read_text()


# The default


def test_the_default_is_kept() -> None:
    choice = server_choice("http://gpu:8000/v1", "qwen3")
    set_default(choice)
    assert default_choice() == choice


def test_a_default_that_is_gone_is_an_error_and_not_another_model() -> None:
    choice = file_choice(put("Tiny.gguf"))
    set_default(choice)
    (settings().models / "Tiny.gguf").unlink()
    with pytest.raises(BadInput, match=r"Tiny\.gguf"):
        default_choice()


@pytest.mark.parametrize("content", ["{", "[]", '{"default": 1, "added": []}', '{"default": "bundled"}'])
def test_broken_preferences_are_named(content: str) -> None:
    preferences_path().write_text(content)
    with pytest.raises(BadRecord, match=r"models\.json"):
        preferences()


# Removing


def test_a_download_is_deleted_with_its_parts_and_record() -> None:
    first = put("big-00001-of-00002.gguf")
    put("big-00002-of-00002.gguf")
    put("big.json", b"{}")
    put("bigger.gguf")
    set_default(file_choice(first))
    assert remove(file_choice(first)) == [file_choice(first)]
    assert sorted(path.name for path in settings().models.iterdir()) == ["bigger.gguf"]
    assert default_choice() == BUNDLED_CHOICE


def test_a_file_elsewhere_is_only_taken_off_the_list(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(model_gguf())
    add_choice(file_choice(own))
    assert not installed_models()[1].deletable
    remove(file_choice(own))
    assert own.exists()
    assert len(installed_models()) == 1


def test_the_bundled_model_and_a_working_one_stay() -> None:
    with pytest.raises(BadInput, match="bundled model"):
        remove(BUNDLED_CHOICE)
    path = put("Tiny.gguf")
    with pytest.raises(BadInput, match="Tiny is at work"):
        remove(file_choice(path), at_work="a batch")
    assert path.exists()


def test_a_model_is_deleted_where_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("Tiny.gguf")
    full_disk(monkeypatch, "models.json")
    remove(file_choice(path))
    assert not path.exists()


def test_a_file_that_cannot_be_deleted_is_named() -> None:
    path = settings().models / "Tiny.gguf"
    path.mkdir()
    with pytest.raises(BadInput, match=r"Tiny\.gguf cannot be deleted"):
        remove(file_choice(path))


# A full disk


def test_what_a_full_disk_does_not_take_is_said_and_leaves_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = server_choice("http://gpu:8000/v1", "qwen3")
    set_default(choice)
    full_disk(monkeypatch, "models.json")
    for settle in (set_default, add_choice):
        with pytest.raises(BadInput, match=r"models\.json"):
            settle(file_choice(Path("x.gguf")))
    assert preferences().default == choice.id
    full_disk(monkeypatch, "digests.json")
    with pytest.raises(BadInput, match=r"digests\.json"):
        weights_digest(put("Tiny.gguf"))


def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(BadInput, match=r"Tiny\.gguf cannot be read"):
        weights_digest(settings().models / "Tiny.gguf")


# Digests


def test_a_digest_is_computed_once_for_each_version(monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("Tiny.gguf")
    assert known_digest(path) == ""
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    assert weights_digest(path) == known_digest(path) == expected
    monkeypatch.setattr(digests, "_computed", lambda *_, **__: "computed again")
    assert weights_digest(path) == expected
    put("Tiny.gguf", model_gguf(2000))
    assert weights_digest(path) == "computed again"


def test_anew_the_file_itself_is_read() -> None:
    path = put("Tiny.gguf")
    before, stat = weights_digest(path), path.stat()
    path.write_bytes(bytes(1000))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert weights_digest(path) == before
    assert weights_digest(path, reread=True) == hashlib.sha256(bytes(1000)).hexdigest()


def test_parts_have_one_digest_that_depends_on_their_order() -> None:
    contents = model_gguf(1000), model_gguf(2000)
    paths = [put(f"big-0000{number}-of-00002.gguf", content) for number, content in zip((1, 2), contents, strict=True)]
    lines = "".join(f"{hashlib.sha256(content).hexdigest()}\n" for content in contents)
    expected = hashlib.sha256(lines.encode()).hexdigest()
    assert weights_digest(paths[0]) == weights_digest(paths[1]) == expected


def test_reading_a_large_file_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        weights_digest(put("Tiny.gguf"), stop=lambda: True)


# Memory


def test_the_memory_of_the_bundled_model() -> None:
    # 30 layers × 3 heads × (64 + 64) numbers × 2 bytes × 4,096 tokens
    need = memory_need(98_362_432, read_header(bundled_path()))
    assert need == MemoryNeed(weights=98_362_432, cache=94_371_840, tokens=4096)
    assert need.total == 98_362_432 + 94_371_840 + memory.OVERHEAD


def test_no_more_context_is_counted_than_the_model_has(tmp_path: Path) -> None:
    header = read_header(put("Tiny.gguf"))  # 2 layers × 2 heads × (16 + 16) × 2 bytes × 2,048 tokens
    assert memory_need(1000, header, context_tokens=8192) == MemoryNeed(weights=1000, cache=524_288, tokens=2048)
    assert memory_need(1000, header, context_tokens=1024).cache == 262_144


def test_a_model_that_does_not_fit_is_said_to() -> None:
    need = MemoryNeed(weights=9_000_000_000, cache=0, tokens=4096)
    assert fits_words(need, 8_000_000_000).startswith("Will not fit:")
    assert fits_words(need, 10_000_000_000).startswith("Fits barely")
    assert fits_words(need, 20_000_000_000).startswith("Fits:")
    assert "does not say" in fits_words(need, None)


def test_available_memory_is_read_from_linux_and_cut_by_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:   64 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", meminfo)
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    assert memory_available() == 65_536
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_available() == 65_536
    (tmp_path / "memory.max").write_text("8000\n")
    assert memory_available() == 8000
    (tmp_path / "memory.current").write_text("6000\n")
    (tmp_path / "memory.stat").write_text("anon 4500\nfile 1500\ninactive_file 1000\nactive_file 500\n")
    assert memory_available() == 8000 - (6000 - 1000)
    (tmp_path / "memory.current").write_text("9500\n")
    assert memory_available() == 0


def test_without_linux_all_physical_memory_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path / "none")
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert memory_available() == 12_288
    monkeypatch.delattr(os, "sysconf")
    assert memory_available() is None


@pytest.mark.parametrize(("size", "words"), [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (98_362_432, "98.4 MB"), (999_600_000, "1.00 GB"),
    (9_053_114_000, "9.05 GB"), (123_456_000, "123 MB"), (250_000_000_000, "250 GB"),
])  # fmt: skip
def test_sizes_in_words(size: int, words: str) -> None:
    assert size_words(size) == words


# Cards


def test_a_card_that_was_saved_is_found_by_its_digest_and_wins_over_ours(home: Path) -> None:
    assert card_for(BUNDLED_SHA256).rewriting is not None
    card = ModelCard("Bigger", BUNDLED_SHA256, Rewriting(30, 0.9, 0.0, 0.0, 0.1))
    assert save_card(card) == home / "cards" / f"{BUNDLED_SHA256[:16]}.json"
    assert card_for(BUNDLED_SHA256) == card
    assert card_for("f" * 64, name="New") == ModelCard("New", "f" * 64)


def test_a_server_that_tells_no_digest_is_known_by_name() -> None:
    card = ModelCard("qwen3 on gpu:8000", "", command="by hand")
    save_card(card)
    assert card_for("", name="qwen3 on gpu:8000") == card
    assert card_for("", name="other").command == ""


def test_a_digest_that_is_none_finds_no_file_outside_the_folder() -> None:
    with pytest.raises(BadRecord, match="is not a SHA-256"):
        card_for("../../etc/passwd")


def test_a_local_gguf_that_cannot_write_is_not_offered() -> None:
    put("embedder.gguf", gguf({"general.architecture": "bert"}))
    assert "makes vectors" in installed_models()[1].problem


def test_no_path_is_said_to_be_none() -> None:
    with pytest.raises(BadInput, match="name a"):
        file_choice(Path(""))
