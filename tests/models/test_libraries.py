"""The promises that huggingface_hub and gguf do not keep: hub.py, transfer.py and gguf.py are ours because of them.

A test that fails here after an update is good news: the library may have learned to keep the promise.
"""

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

import gguf
import huggingface_hub
import pytest
from huggingface_hub.utils import tqdm

from core.errors import BadInput, ServerError
from core.models.gguf import read_header
from core.models.hub import MAX_BYTES, list_models
from tests.models.local_hub import LocalHub, local_hub

NAME = "some-Q4_K_M.gguf"
REPOSITORY = "maker/some"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with local_hub(files={NAME: b"GGUF" + bytes(30_000_000)}) as running:
        yield running


def download(hub: LocalHub, folder: Path, progress: type[tqdm] = tqdm) -> Path:
    return Path(
        huggingface_hub.hf_hub_download(
            REPOSITORY, NAME, endpoint=hub.url, local_dir=folder, token=False, tqdm_class=progress
        )
    )


class Stopped(Exception):
    """The only way to stop hf_hub_download: its progress bar raises."""


class StoppingBar(tqdm):
    def update(self, n: float | None = 1) -> None:
        raise Stopped


def test_huggingface_hub_keeps_nothing_of_a_download_that_was_stopped(hub: LocalHub, tmp_path: Path) -> None:
    """Ours goes on where it was stopped: test_cancelled_then_resumed_where_it_ended."""
    with pytest.raises(Stopped):
        download(hub, tmp_path, StoppingBar)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size > 1000] == []
    assert download(hub, tmp_path).stat().st_size == len(hub.files[NAME])
    assert set(hub.ranges_asked()) == {""}  # all of it again


def test_huggingface_hub_does_not_compute_the_digest_that_the_hub_states(hub: LocalHub, tmp_path: Path) -> None:
    """Ours removes a damaged file: test_a_wrong_digest_removes_the_file."""
    hub.etag = f'"{hashlib.sha256(b"another file").hexdigest()}"'
    assert download(hub, tmp_path).read_bytes() == hub.files[NAME]


def test_huggingface_hub_reads_a_listing_of_any_length(hub: LocalHub) -> None:
    hub.listing = b" " * MAX_BYTES + b"[]"
    assert list(huggingface_hub.HfApi(endpoint=hub.url, token=False).list_repo_tree(REPOSITORY)) == []
    with pytest.raises(ServerError, match="too long"):
        list_models(REPOSITORY, hub=hub.url)


def test_gguf_believes_the_length_of_a_list_that_is_not_there(tmp_path: Path) -> None:
    """These 49 bytes make it read 20,000 numbers; 300,000 took 14 seconds and 277 MB, and 2**60 never end."""
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 0, 20_000)
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert len(content) == 49
    assert len(gguf.GGUFReader(path).fields["k"].data) == 20_000
    with pytest.raises(BadInput, match="cut off or broken"):
        read_header(path)
