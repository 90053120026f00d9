"""Turn JSON schemas into llama.cpp grammars (GBNF).

llama-cpp-python has a converter, but its strings admit raw line breaks (which no JSON reader accepts) and lone
surrogates. It also ignores unknown keywords. Here an unknown keyword is an error. White space is fixed as in
`json.dumps`, so that the model spends no tokens on it.
"""

from __future__ import annotations

import json
from typing import Any

from core.errors import ModelError
from core.interfaces import Schema

_CHARACTER = r"""char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/nt]"""
_ANNOTATIONS = {"type", "title", "description"}
_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength", "maxLength"},
    "integer": {"minimum", "maximum"},
    "boolean": set[str](),
}


def gbnf(schema: Schema) -> str:
    """Return the grammar of the JSON values that are valid under `schema`, with every property present and in order.

    The keywords are `enum`, `const` and the types object (`properties`), array (`items`, `minItems`, `maxItems`) and
    string (`minLength`, `maxLength`, in characters). Two more types are boolean, and integer between `minimum` and
    `maximum` (at most 1,000 apart). Raises ModelError for any other keyword: the grammar would not keep it.
    """
    rules: list[str] = []
    root = _expression(schema, rules)
    return "\n".join([f"root ::= {root}", *rules, _CHARACTER]) + "\n"


def opening(schema: Schema) -> str:
    """Return the fixed text before the model's first choice in any value of `schema`.

    The model evaluates this text with the prompt in one batch, instead of token by token.
    """
    if "enum" in schema or "const" in schema:
        return '"' if all(isinstance(value, str) for value in _alternatives(schema)) else ""
    match schema.get("type"):
        case "object" if schema.get("properties"):
            name, first = next(iter(schema["properties"].items()))
            return f"{{{json.dumps(name, ensure_ascii=False)}: {opening(first)}"
        case "array" if schema.get("minItems", 0) > 0:
            return "[" + opening(schema["items"])
        case "string":
            return '"'
        case _:
            return ""


def _expression(schema: Schema, rules: list[str]) -> str:
    """Return the expression for a value of `schema`; add its rules to `rules`."""
    if not isinstance(schema, dict):
        raise ModelError(f"A JSON schema must be an object, got {type(schema).__name__}.")
    if "enum" in schema or "const" in schema:
        _check_keywords(schema, {"enum", "const"})
        return "(" + " | ".join(_literal(value) for value in _alternatives(schema)) + ")"
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        raise ModelError(f"The JSON schema type {kind!r} is not supported; use one of {', '.join(_KEYWORDS)}.")
    _check_keywords(schema, _KEYWORDS[kind])
    return _BUILDERS[kind](schema, rules)


def _check_keywords(schema: Schema, known: set[str]) -> None:
    unknown = sorted(set(schema) - known - _ANNOTATIONS)
    if unknown:
        raise ModelError(f"The JSON schema keyword {unknown[0]!r} cannot be kept by a grammar here; leave it out.")


def _alternatives(schema: Schema) -> list[Any]:
    values = [schema["const"]] if "const" in schema else schema["enum"]
    if not isinstance(values, list) or not values:
        raise ModelError("The 'enum' of a JSON schema must be a list with at least one value.")
    return values


def _literal(value: Any) -> str:
    return _quoted(json.dumps(value, ensure_ascii=False))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _object(schema: Schema, rules: list[str]) -> str:
    properties = schema.get("properties", {})
    parts = [
        _quoted(json.dumps(name, ensure_ascii=False) + ": ") + " " + _expression(value, rules)
        for name, value in properties.items()
    ]
    return '"{" ' + ' ", " '.join(parts) + ' "}"'


def _array(schema: Schema, rules: list[str]) -> str:
    if "items" not in schema:
        raise ModelError("A JSON schema of type array must describe its 'items'.")
    expression = _expression(schema["items"], rules)
    item = f"item{len(rules)}"  # by name, because llama.cpp refuses many repetitions of a long expression
    rules.append(f"{item} ::= {expression}")
    least, most = _bounds(schema, "minItems", "maxItems")
    if most == 0:
        return '"[]"'
    more = f'(", " {item})' + _repetition(max(least - 1, 0), None if most is None else most - 1)
    content = f"{item} {more}"
    return f'"[" {content} "]"' if least > 0 else f'"[" ({content})? "]"'


def _string(schema: Schema, _: list[str]) -> str:
    return f'"\\"" char{_repetition(*_bounds(schema, "minLength", "maxLength"))} "\\""'


def _integer(schema: Schema, _: list[str]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if not isinstance(least, int) or not isinstance(most, int) or not 0 <= most - least <= 1000:
        raise ModelError("A JSON schema of type integer needs a 'minimum' and a 'maximum', at most 1,000 apart.")
    return "(" + " | ".join(f'"{number}"' for number in range(least, most + 1)) + ")"


def _boolean(_schema: Schema, _: list[str]) -> str:
    return '("true" | "false")'


def _bounds(schema: Schema, lower: str, upper: str) -> tuple[int, int | None]:
    least, most = schema.get(lower, 0), schema.get(upper)
    if not isinstance(least, int) or least < 0 or not (most is None or (isinstance(most, int) and most >= least)):
        raise ModelError(f"The JSON schema's {lower} ({least!r}) and {upper} ({most!r}) do not fit together.")
    return least, most


def _repetition(least: int, most: int | None) -> str:
    return f"{{{least},{'' if most is None else most}}}"


_BUILDERS = {"object": _object, "array": _array, "string": _string, "integer": _integer, "boolean": _boolean}
