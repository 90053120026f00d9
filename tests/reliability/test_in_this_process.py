"""What is parsed in the server's own process: its costs are bounded by its size."""

import tracemalloc
from pathlib import Path

import pytest

from core.errors import BadInput, BadRecord
from core.files import json_of
from core.records import MAX_TOML
from core.storage import backup
from core.storage.backup import restore
from core.storage.store import Store
from core.verification.recipes.recipe_files import read_recipe
from tests.reliability.corpus import ROW
from tests.reliability.corpus import backup as packed_backup

HUNDRED = "a." * 95
DEAR = {
    "dotted": "a." * 24_990 + "b=1",
    "dotted with spaces": "a . " * 12_400 + "b=1",
    "dotted table": "[" + "a." * 24_900 + "b]",
    "dotted table of many keys": "[" + "a." * 3000 + "b]\n" + "".join(f"k{number}=1\n" for number in range(5000)),
    "dotted inline": "x={" + "a." * 24_900 + "b=1}",
    "many dotted keys": "".join(f"k{number}.{HUNDRED}b=1\n" for number in range(245)),
    "a dotted table of dotted keys": f"[{HUNDRED}b]\n" + "".join(f"k{n}.{HUNDRED}b=1\n" for n in range(240)),
    "many dotted tables": "".join(f"[{HUNDRED}k{number}]\n" for number in range(250)),
    "many keys inline": "x={" + ",".join(f"k{number}=1" for number in range(6000)) + "}",
    "many tables inline": "x=[" + "{b=1}," * 8000 + "]",
    "arrays": "a=" + "[" * 49_000,
    "inline tables": "a=" + "{b=" * 16_000,
    "tables": "[[a]]\n" * 8_300,
    "nested tables": "".join(f"[{'.'.join(['a'] * depth)}]\n" for depth in range(1, 220)),
    "a long number": "a=" + "9" * 49_000,
}


@pytest.mark.parametrize("kind", DEAR)
def test_the_dearest_toml_takes_little_memory(kind: str) -> None:
    tracemalloc.start()
    with pytest.raises(BadRecord):
        read_recipe(DEAR[kind][:MAX_TOML], file="x")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6  # 35 MB were seen


def test_a_row_of_a_backup_is_read_no_further_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "MAX_LINE", len(ROW) - 1)
    (tmp_path / "b.zip").write_bytes(packed_backup(ROW))
    with pytest.raises(BadInput, match=r"b\.zip .*drafts"):
        restore(Store(f"sqlite:///{tmp_path}/v.db"), tmp_path / "b.zip")


def test_what_nests_too_deeply_is_no_json() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        json_of("[" * 100_000)
