"""Parsers of our own, on whatever hypothesis thinks of: only a sentence may come out of them.

VERIDESK_EXAMPLES=10000 tries that many of each, most of whose time goes into thinking them up.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.agreement.rating_formats import read_rating_lines
from core.campaigns.planning.rating_form import Form
from core.dates import date_in_url, parse_date
from core.documents.html import _most_attributes, decode_page
from core.documents.knowledge_store import looks_like_store, parse_store
from core.documents.text import read_markdown, read_text
from core.errors import VerideskError
from core.http import fetching
from core.models.choice import parse_choice, server_address
from core.models.file_names import model_name, part_names, quantisation_of
from core.models.gguf import read_model_header
from core.models.hub import checked_repository
from core.records import _parse_records, parse_json
from core.tabular.sheets import _read_sheet
from core.verification.receipt import receipt_from_json
from core.verification.recipes.recipe_files import read_recipe

TRIED = int(os.environ.get("VERIDESK_EXAMPLES", "100"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800 + TRIED)]  # a bound that counts what was asked for
EXAMPLES = settings(max_examples=TRIED, deadline=None, suppress_health_check=[HealthCheck.too_slow])

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    "claim_id id claim pred_label label evidence question answer questions answers url url2text title published date "
    "scraped_text models request case language_model encoder claim_date item rater scale value saved".split()
)
RECORD = st.dictionaries(FIELDS, JSON, max_size=8)
LINES = st.lists(RECORD, max_size=4).map(lambda rows: "\n".join(json.dumps(row) for row in rows).encode())
ARRAY = st.lists(RECORD, max_size=4).map(lambda rows: json.dumps(rows).encode())
CELL = st.text("id,;\t\"'\n\r=1.5 labelRefuted\u20ac", max_size=12)
TABLE = st.lists(st.lists(CELL, max_size=5), max_size=5).map(lambda rows: "\n".join(map(",".join, rows)).encode())
BYTES = st.binary(max_size=300) | LINES | ARRAY | TABLE
TOML = st.text("abcnamestep=[]{}'\".\n 0123456789#", max_size=120) | st.text(max_size=60)
GGUF = st.builds(
    lambda start, rest: start + rest,
    st.sampled_from([b"GGUF\x03\0\0\0", b"GGUF\x02\0\0\0" + bytes(15), b"GGUF", b""]),
    st.binary(max_size=200),
)


def only_sentences(parse: Callable[..., object], *arguments: object) -> None:
    """Call a parser: it returns something, or raises a sentence."""
    with suppress(VerideskError):
        parse(*arguments)


@EXAMPLES
@given(BYTES)
def test_records(content: bytes) -> None:
    only_sentences(_parse_records, "x", content, ("id", "claim"))


@EXAMPLES
@given(BYTES)
def test_sheets(content: bytes) -> None:
    only_sentences(_read_sheet, "x", content)


@EXAMPLES
@given(BYTES)
def test_knowledge_stores(content: bytes) -> None:
    looks_like_store(content)
    only_sentences(parse_store, "x", content)


@EXAMPLES
@given(BYTES)
def test_rating_lines(content: bytes) -> None:
    only_sentences(read_rating_lines, "x", content)


@EXAMPLES
@given(st.text(max_size=300))
def test_texts(text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    only_sentences(read_text, "x", content)
    only_sentences(read_markdown, "x", content)
    _most_attributes(content)
    decode_page(content, text[:10])


@EXAMPLES
@given(st.text(max_size=200))
def test_json(text: str) -> None:
    only_sentences(parse_json, "x", text)


@EXAMPLES
@given(TOML)
def test_recipes(text: str) -> None:
    only_sentences(lambda: read_recipe(text, file="x"))


@EXAMPLES
@given(RECORD | JSON)
def test_receipts(record: Any) -> None:
    only_sentences(receipt_from_json, record)


@EXAMPLES
@given(JSON)
def test_forms(value: Any) -> None:
    only_sentences(Form.from_json, json.dumps(value))


@EXAMPLES
@given(st.text(max_size=80) | st.from_regex(r"https?://[^/]{0,20}(:[0-9]{0,6})?(/.*)?", fullmatch=True))
def test_addresses(text: str) -> None:
    only_sentences(fetching.target, text)
    only_sentences(server_address, text)
    only_sentences(parse_choice, text)
    only_sentences(checked_repository, text)
    found = date_in_url(text)
    assert found is None or isinstance(found, date)
    parse_date(text)


@EXAMPLES
@given(st.text(max_size=60) | st.from_regex(r"[a-z]{1,5}-[0-9]{5}-of-[0-9]{5}\.gguf", fullmatch=True))
def test_names_of_model_files(name: str) -> None:
    only_sentences(part_names, name)
    model_name(name)
    quantisation_of(name)


@EXAMPLES
@given(GGUF)
def test_headers_of_model_files(content: bytes) -> None:
    with NamedTemporaryFile(suffix=".gguf") as file:
        file.write(content)
        file.flush()
        only_sentences(read_model_header, Path(file.name))
