"""Grammars from JSON schemas: the text of small ones, and what is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelError
from core.llm.grammar import gbnf, opening


def root(schema: dict[str, Any]) -> str:
    return gbnf(schema).splitlines()[0]


def test_an_object_has_all_its_properties_in_order() -> None:
    schema = {
        "type": "object",
        "properties": {"question": {"type": "string", "maxLength": 90}, "source": {"enum": [1, 2]}},
        "required": ["question", "source"],
    }
    assert root(schema) == (r'root ::= "{" "\"question\": " "\"" char{0,90} "\"" ", " "\"source\": " ("1" | "2") "}"')


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, '"[" (item0 (", " item0){0,})? "]"'),
        ({"minItems": 2, "maxItems": 3}, '"[" item0 (", " item0){1,2} "]"'),
        ({"maxItems": 1}, '"[" (item0 (", " item0){0,0})? "]"'),
        ({"maxItems": 0}, '"[]"'),
    ],
)
def test_a_list_keeps_to_its_bounds(bounds: dict[str, int], expected: str) -> None:
    grammar = gbnf({"type": "array", "items": {"type": "boolean"}, **bounds}).splitlines()
    assert grammar[:2] == [f"root ::= {expected}", 'item0 ::= ("true" | "false")']


def test_lists_in_lists_have_rules_of_their_own() -> None:
    inner = {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 1}
    outer = {"type": "array", "items": inner, "minItems": 2, "maxItems": 2}
    assert gbnf(outer).splitlines()[:3] == [
        'root ::= "[" item1 (", " item1){1,1} "]"',
        'item0 ::= ("true" | "false")',
        'item1 ::= "[" item0 (", " item0){0,0} "]"',
    ]


def test_strings_admit_no_line_break_and_literals_are_escaped() -> None:
    assert r"[^\"\\\x00-\x1F\x7F]".replace('\\"', '"') in gbnf({"type": "string"})
    assert root({"const": 'a "b" \\'}) == r'root ::= ("\"a \\\"b\\\" \\\\\"")'
    assert root({"type": "integer", "minimum": -1, "maximum": 1}) == 'root ::= ("-1" | "0" | "1")'


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"type": "string", "pattern": "a"}, "pattern"),
        ({"type": "number"}, "number"),
        ({"type": "integer"}, "minimum"),
        ({"type": "array"}, "items"),
        ({"enum": []}, "enum"),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "maxLength"),
        ({"type": ["string", "null"]}, "null"),
        ({"anyOf": [{"type": "string"}]}, "None"),
        ({"type": "object", "properties": {"a": "string"}}, "object"),
    ],
)
def test_what_a_grammar_cannot_keep_is_refused_by_name(schema: dict[str, Any], named: str) -> None:
    with pytest.raises(ModelError, match=named):
        gbnf(schema)


def test_the_opening_ends_where_the_model_chooses() -> None:
    question = {"type": "string"}
    assert opening(question) == '"'
    assert opening({"type": "object", "properties": {"question": question}}) == '{"question": "'
    assert opening({"type": "array", "items": question, "minItems": 1}) == '["'
    assert opening({"type": "array", "items": question}) == ""
    assert opening({"enum": ["Supported", "Refuted"]}) == '"'
    assert opening({"enum": [1, 2]}) == ""
    assert opening({"type": "boolean"}) == ""


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True), st.text())
def test_every_value_begins_with_the_opening(names: list[str], text: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    value = json.dumps(dict.fromkeys(names, text), ensure_ascii=False)
    assert value.startswith(opening(schema))
