"""Each function that a declaration names in a later module is there: mypy does not look into `Later`."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.files import ROOT

DECLARING = [path for path in sorted((ROOT / "core").rglob("*.py")) if "Later(" in path.read_text(encoding="utf-8")]


def later(node: ast.expr) -> str:
    """Return the module of `Later("module")`, "" for another expression."""
    match node:
        case ast.Call(func=ast.Name(id="Later"), args=[ast.Constant(value=str(module))]):
            return module
    return ""


def named_functions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each function that is looked up in a `Later`."""
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    pairs = [
        pair
        for node in assigned
        for target in node.targets
        for pair in (
            zip(target.elts, node.value.elts, strict=True)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            else [(target, node.value)]
        )
    ]
    modules = {target.id: later(value) for target, value in pairs if isinstance(target, ast.Name) and later(value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            module = modules.get(node.value.id, "") if isinstance(node.value, ast.Name) else later(node.value)
            if module:
                yield module, node.attr


@pytest.mark.parametrize("path", DECLARING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_functions_of_a_later_module_are_there(path: Path) -> None:
    names = list(named_functions(ast.parse(path.read_text(encoding="utf-8"))))
    missing = [f"{module}.{name}" for module, name in names if not hasattr(import_module(module), name)]
    assert missing == []
