"""What is parsed in the server's own process: its costs are bounded by its size."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.errors import BadInput, BadRecord
from core.files import json_of
from core.storage import backup
from core.storage.backup import restore
from core.storage.store import Store
from core.verification.recipes.files import MAX_CHARACTERS, read_recipe
from tests.reliability.corpus import ROW
from tests.reliability.corpus import backup as packed_backup

DEAR = {
    "dotted": "a." * 24_999 + "b=1",
    "arrays": "a=" + "[" * 49_000,
    "inline tables": "a=" + "{b=" * 16_000,
    "tables": "[[a]]\n" * 8_300,
    "nested tables": "".join(f"[{'.'.join(['a'] * depth)}]\n" for depth in range(1, 220)),
    "a long number": "a=" + "9" * 49_000,
}


@pytest.mark.parametrize("kind", DEAR)
def test_the_dearest_recipe_costs_less_than_seconds(kind: str) -> None:
    began = time.process_time()
    with pytest.raises(BadRecord):
        read_recipe(DEAR[kind][:MAX_CHARACTERS], file="x")
    assert time.process_time() - began < 5  # 0.4 s were seen


def test_a_row_of_a_backup_is_read_no_further_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "MAX_LINE", len(ROW) - 1)
    (tmp_path / "b.zip").write_bytes(packed_backup(ROW))
    with pytest.raises(BadInput, match=r"b\.zip is no whole backup: drafts cannot be read \(a row is longer"):
        restore(Store(f"sqlite:///{tmp_path}/v.db"), tmp_path / "b.zip")


def test_what_nests_too_deeply_is_no_json() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        json_of("[" * 100_000)
