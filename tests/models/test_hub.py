"""The hub's listing, and what the names of files tell, against a hub on this machine."""

from collections.abc import Iterator

import pytest

from core.errors import BadInput, ServerError
from core.models.catalogue import catalogue, cross_encoder_catalogue, recommended
from core.models.file_names import checked_name, model_name, part_names, quantisation_of
from core.models.hub import checked_repository, file_url, find_cross_encoder, list_models
from tests.models.local_hub import LocalHub, local_hub

DIGEST = "a" * 64


def entry(path: str, size: int = 100, digest: str = DIGEST) -> dict[str, object]:
    """One entry as the hub writes it: the outer oid is git's, the inner one the SHA-256."""
    lfs = {"oid": digest, "size": size, "pointerSize": 134}
    return {"type": "file", "oid": "b" * 40, "size": size, "path": path, "lfs": lfs}


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    with local_hub() as running:
        yield running


def test_models_are_listed_smallest_first_with_size_and_digest(hub: LocalHub) -> None:
    hub.listing = [
        {"type": "file", "oid": "c" * 40, "size": 9, "path": "README.md"},
        entry("Some-Q8_0.gguf", 900), entry("Some-Q4_K_M.gguf", 500),
    ]  # fmt: skip
    models = list_models("maker/Some-GGUF", hub=hub.url)
    assert [(model.name, model.quantisation, model.size) for model in models] == [
        ("Some-Q4_K_M", "Q4_K_M", 500), ("Some-Q8_0", "Q8_0", 900),
    ]  # fmt: skip
    assert models[0].files[0].sha256 == DIGEST
    assert hub.requests[0][0] == "/api/models/maker/Some-GGUF/tree/main?recursive=true"


def test_parts_make_one_model_and_a_missing_part_makes_none(hub: LocalHub) -> None:
    hub.listing = [
        entry("q4/some-q4_k_m-00002-of-00002.gguf", 30), entry("q4/some-q4_k_m-00001-of-00002.gguf", 70),
        entry("some-q8_0-00001-of-00002.gguf", 90),
    ]  # fmt: skip
    (model,) = list_models("maker/some", hub=hub.url)
    assert (model.name, model.quantisation, model.size) == ("some-q4_k_m", "Q4_K_M", 100)
    assert [file.name for file in model.files] == list(part_names("some-q4_k_m-00001-of-00002.gguf"))


def test_what_cannot_be_checked_or_is_no_language_model_is_left_out(hub: LocalHub) -> None:
    unchecked = {"type": "file", "oid": "b" * 40, "size": 5, "path": "plain-Q4_0.gguf"}
    hub.listing = [
        unchecked, entry("x-Q4_0.gguf", digest="short"), entry("mmproj-model-f16.gguf"), entry("imatrix.gguf"),
        entry("-rm-rf.gguf"), entry("a/../b-Q4_0.gguf"), entry("zero-Q4_0.gguf", 0), "text", entry("ok-Q4_0.gguf"),
    ]  # fmt: skip
    assert [model.name for model in list_models("maker/some", hub=hub.url)] == ["ok-Q4_0"]


def test_a_repository_without_models_is_said(hub: LocalHub) -> None:
    hub.listing = []
    with pytest.raises(BadInput, match="maker/some"):
        list_models("maker/some", hub=hub.url)


@pytest.mark.parametrize(("status", "kind", "words"), [
    (401, BadInput, "signing in"), (404, BadInput, "Check the name"), (500, ServerError, "Try again later"),
])  # fmt: skip
def test_the_status_of_the_hub_becomes_a_sentence(
    hub: LocalHub, status: int, kind: type[Exception], words: str
) -> None:
    hub.status = status
    with pytest.raises(kind, match=words):
        list_models("maker/some", hub=hub.url)


@pytest.mark.parametrize("answer", [b"<html>", b"", {"error": "x"}])
def test_an_answer_that_is_no_list_is_refused(hub: LocalHub, answer: object) -> None:
    hub.listing = answer
    with pytest.raises(ServerError, match="list of files"):
        list_models("maker/some", hub=hub.url)


def test_a_hub_that_is_not_there_is_said() -> None:
    with pytest.raises(ServerError, match="cannot be reached"):
        list_models("maker/some", hub="http://127.0.0.1:9")


@pytest.mark.parametrize(("text", "name"), [
    ("Qwen/Qwen3-8B-GGUF", "Qwen/Qwen3-8B-GGUF"),
    (" https://huggingface.co/Qwen/Qwen3-8B-GGUF/tree/main ", "Qwen/Qwen3-8B-GGUF"),
])  # fmt: skip
def test_a_repository_is_taken_as_name_or_address(text: str, name: str) -> None:
    assert checked_repository(text) == name


@pytest.mark.parametrize("text", ["", "Qwen", "a/b/c", "../etc", "a/..", "a b/c", "https://huggingface.co/"])
def test_what_is_no_repository_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not a repository"):
        checked_repository(text)


def test_addresses_are_quoted() -> None:
    assert file_url("http://h", "a/b", "x y#.gguf") == "http://h/a/b/resolve/main/x%20y%23.gguf"


@pytest.mark.parametrize("path", [
    "../x.gguf", "a/../x.gguf", "x.bin", ".gguf", ".x.gguf", "x.gguf/", "a\\b.gguf", "x\n.gguf", "é.gguf", "x.GGUF",
    "a" * 300 + ".gguf", "[x](http://evil).gguf",
])  # fmt: skip
def test_unsafe_names_are_refused(path: str) -> None:
    with pytest.raises(BadInput, match="only plain names"):
        checked_name(path)


def test_a_name_loses_its_folders() -> None:
    assert checked_name("Q4_K_M/phi-4.Q4_K_M.gguf") == "phi-4.Q4_K_M.gguf"


@pytest.mark.parametrize(("name", "quantisation"), [
    ("Qwen3-8B-Q4_K_M.gguf", "Q4_K_M"), ("qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf", "Q4_K_M"),
    ("phi-4-Q4_K.gguf", "Q4_K"), ("phi-4-IQ4_NL.gguf", "IQ4_NL"), ("phi-4-bf16.gguf", "BF16"),
    ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"), ("model.gguf", ""), ("Q4U2-model.gguf", ""),
])  # fmt: skip
def test_quantisations_are_read_from_names(name: str, quantisation: str) -> None:
    assert quantisation_of(name) == quantisation


def test_parts_are_counted() -> None:
    assert part_names("a-00002-of-00003.gguf") == (
        "a-00001-of-00003.gguf", "a-00002-of-00003.gguf", "a-00003-of-00003.gguf",
    )  # fmt: skip
    assert part_names("a.gguf") == ("a.gguf",)
    assert model_name("a-00002-of-00003.gguf") == "a"
    for name in ("a-00000-of-00003.gguf", "a-00004-of-00003.gguf", "a-00001-of-99999.gguf"):
        with pytest.raises(BadInput, match="cannot be"):
            part_names(name)


def test_the_catalogue_names_no_file_and_every_entry_is_whole() -> None:
    entries = catalogue()
    assert len({entry.repository for entry in entries}) == len(entries) >= 10
    for entry in entries:
        assert checked_repository(entry.repository) == entry.repository
        assert entry.licence
        assert all(quantisation_of(f"x-{kind}.gguf") == kind for kind in entry.quantisations)
        assert ".gguf" not in " ".join((entry.note, *entry.quantisations))


def test_the_first_recommended_quantisation_that_exists_is_taken(hub: LocalHub) -> None:
    hub.listing = [entry("phi-4-Q4_K_S.gguf", 1), entry("phi-4-Q4_K.gguf", 2), entry("phi-4-Q8_0.gguf", 3)]
    listing = list_models("microsoft/phi-4-gguf", hub=hub.url)
    chosen = recommended(listing, ("Q4_K_M", "Q4_K", "Q4_K_S"))
    assert chosen.quantisation == "Q4_K"
    assert recommended(listing, ("Q2_K",)) is None


def plain(path: str, size: int = 9) -> dict[str, object]:
    """One entry for a file that the hub keeps in git itself: without a SHA-256."""
    return {"type": "file", "oid": "c" * 40, "size": size, "path": path}


CROSS_ENCODER = [
    plain("README.md"), plain("config.json"), entry("model.safetensors", 900), entry("pytorch_model.bin", 900),
    plain("onnx/config.json"), plain("tokenizer_config.json"), plain("tokenizer.json", 40), entry("spm.model", 7),
]  # fmt: skip


def test_a_cross_encoder_is_its_weights_in_safetensors_and_what_reads_text_for_them(hub: LocalHub) -> None:
    hub.listing = CROSS_ENCODER
    model = find_cross_encoder("maker/nli", hub=hub.url)
    assert [file.name for file in model.files] == [
        "model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json",
    ]  # fmt: skip
    assert (model.name, model.folder, model.size) == ("maker--nli", "maker--nli", 958)
    assert [file.sha256 for file in model.files] == [DIGEST, "", "", ""]


@pytest.mark.parametrize("left_out", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_cross_encoder_that_could_not_be_loaded_is_refused(hub: LocalHub, left_out: str) -> None:
    hub.listing = [one for one in CROSS_ENCODER if one["path"] != left_out]
    with pytest.raises(BadInput, match=r"needs model\.safetensors, config\.json, tokenizer\.json"):
        find_cross_encoder("maker/nli", hub=hub.url)


def test_weights_that_cannot_be_checked_are_refused(hub: LocalHub) -> None:
    hub.listing = [plain("model.safetensors", 900), plain("config.json"), plain("tokenizer.json")]
    with pytest.raises(BadInput, match="no cross-encoder"):
        find_cross_encoder("maker/nli", hub=hub.url)


def test_the_catalogue_names_three_way_cross_encoders_with_their_licence() -> None:
    found = cross_encoder_catalogue()
    assert [one.repository for one in found] == [checked_repository(one.repository) for one in found]
    assert {one.licence for one in found} == {"MIT", "Apache-2.0"}
    assert all("MNLI" in one.trained_on for one in found)
