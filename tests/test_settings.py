from pathlib import Path

import pytest

from core.errors import BadInput
from core.settings import Settings, settings


@pytest.mark.parametrize(
    ("path", "local", "readable"),
    [
        ("stores/a.jsonl", False, True),
        ("stores/../veridesk.db", False, False),
        ("models/a.gguf", False, False),
        ("/etc/passwd", False, False),
        ("/etc/passwd", True, True),
    ],
)
def test_a_visitor_from_elsewhere_reads_the_stores_folder_only(
    tmp_path: Path, path: str, local: bool, readable: bool
) -> None:
    here = Settings(tmp_path, "")
    assert here.may_read(tmp_path / path, local=local) is readable


def test_a_link_out_of_the_folder_leads_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "a.gguf").symlink_to("/etc/hostname")
    here = Settings(tmp_path, "")
    assert here.may_read(folder / "b.gguf", local=False, folder=here.models)
    assert not here.may_read(folder / "a.gguf", local=False, folder=here.models)


def test_a_home_that_is_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").touch()
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    with pytest.raises(BadInput, match=str(tmp_path / "home")):
        settings()
