"""Every benchmark still finds the names that it imports."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - {"test_imports"})


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_can_be_imported(name: str) -> None:
    assert importlib.import_module(f"tests.benchmarks.{name}").__doc__
