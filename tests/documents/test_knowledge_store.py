import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents.knowledge_store import load_store, looks_like_store, parse_store, read_store
from core.errors import BadInput, BadRecord

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"


def line(url: str = "https://a.example/x", text: object = ("One.", "Two."), **others: object) -> str:
    return json.dumps({"url": url, "url2text": text, **others}, ensure_ascii=False)


def write(path: Path, *lines: str, ending: str = "\n") -> Path:
    path.write_bytes((ending.join(lines) + ending).encode())
    return path


def test_a_document_is_its_sentences_on_lines_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path / "0.json", line(claim_id=0, type="gold", query="q"))
    (document,) = read_store(path)
    assert document.url == "https://a.example/x"
    assert document.text == "One.\nTwo."
    assert document.title == ""
    assert document.published is None
    assert document.digest == "d9613c9fbcb5f8543b8df74c6396c10dec440097a4877797d4ebe008971295a5"


def test_urls_lose_white_space_around_them_and_gain_nothing() -> None:
    (document,) = parse_store("s", line(" https://a.example/x?q=1#f\n").encode()).documents
    assert document.url == "https://a.example/x?q=1#f"


@pytest.mark.parametrize(
    ("fields", "published"),
    [
        ({"published": "2020-01-02"}, date(2020, 1, 2)),
        ({"date": "2020-01-02T10:00:00Z"}, date(2020, 1, 2)),
        ({"date": "2-1-2020"}, date(2020, 1, 2)),
        ({"published": "2020-01-02", "date": "2021-01-01"}, date(2020, 1, 2)),
        ({"date": None}, None),
        ({"date": "some day"}, None),
    ],
)
def test_dates(fields: dict[str, object], published: date | None) -> None:
    (document,) = parse_store("s", line(**fields).encode()).documents  # type: ignore[arg-type]
    assert document.published == published


def test_the_date_in_the_address_serves_where_the_record_states_none() -> None:
    dated = "https://a.example/2020/10/31/x"
    store = parse_store("s", f"{line(dated)}\n{line(dated, date='2020-11-01')}".encode())
    assert [document.published for document in store.documents] == [date(2020, 10, 31), date(2020, 11, 1)]


def test_title_is_read() -> None:
    (document,) = parse_store("s", line(title=" A title ").encode()).documents
    assert document.title == "A title"


def test_documents_without_text_are_left_out_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", line(text=[]), line(text=["Text."]), line(text=[" ", "\n"]), line("", []))
    store = load_store(path)
    assert [document.text for document in store.documents] == ["Text."]
    assert store.empty == 3
    assert read_store(path) == list(store.documents)


def test_a_folder_is_read_in_the_order_of_its_names_and_other_files_are_not(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", line("https://b.example"))
    write(tmp_path / "a.json", line("https://a.example"), line("https://a2.example", []))
    write(tmp_path / "C.JSONL", line("https://c.example"))
    write(tmp_path / "notes.txt", "no record")
    (tmp_path / "d.json").mkdir()
    store = load_store(tmp_path)
    assert sorted(document.url for document in store.documents) == [
        "https://a.example", "https://b.example", "https://c.example"
    ]  # fmt: skip
    assert [document.url for document in store.documents][-2:] == ["https://a.example", "https://b.example"]
    assert store.empty == 1


def test_windows_line_ends_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + f"{line()}\r\n\r\n   \r\n{line('https://b.example')}\r\n".encode())
    assert [document.url for document in read_store(path)] == ["https://a.example/x", "https://b.example"]


def test_characters_that_only_look_like_line_ends_do_not_end_lines() -> None:
    (document,) = parse_store("s", line(text=["a\u2028b\u0085c"]).encode()).documents
    assert document.text == "a\u2028b\u0085c"


def test_control_characters_and_half_surrogates_become_spaces() -> None:
    fields = r'"url2text": ["a\u0000b\ud800c \ud83d\ude00"], "title": "\udfff"'
    record = f'{{"url": "https://a.example/\\u0000x", {fields}}}'
    (document,) = parse_store("s", record.encode()).documents
    assert document.text == "a b c \U0001f600"
    assert document.url == "https://a.example/ x"
    assert document.title == " "


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (
            "{",
            "is not a JSON object (Expecting property name enclosed in double quotes); each line must be one.",
        ),
        ("nonsense", "is not a JSON object (Expecting value)"),
        ("[1]", "each line must be a JSON object, got a list."),
        ("1" * 5000, "a number is too long"),
        ("[" * 100_000, "nests brackets too deeply"),
        ('{"url2text": ["a"]}', "'url' must be a text, but the line has no such field."),
        ('{"url": 7, "url2text": ["a"]}', "'url' must be a text, got a number."),
        ('{"url": " ", "url2text": ["a"]}', "'url' is empty"),
        ('{"url": "u"}', "'url2text' must be a list of sentences, but the line has no such field."),
        ('{"url": "u", "url2text": "a"}', "'url2text' must be a list of sentences, got a text."),
        ('{"url": "u", "url2text": ["a", 3]}', "'url2text' must hold sentences only, got a number."),
        ('{"url": "u", "url2text": ["a", ["b"]]}', "'url2text' must hold sentences only, got a list."),
        ('{"url": "u", "url2text": ["a"], "title": {}}', "'title' must be a text, got an object."),
        ('{"url": "u", "url2text": ["a"], "date": 2020}', "'date' must be a text, got a number."),
    ],
)
def test_a_broken_line_is_named_with_file_line_and_field(tmp_path: Path, bad: str, reason: str) -> None:
    path = write(tmp_path / "store.jsonl", line(), "", bad, line())
    with pytest.raises(BadRecord) as caught:
        read_store(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert reason in str(caught.value)


def test_a_file_cut_off_in_the_middle_is_named_with_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{line()}\n{line()[:-9]}")
    with pytest.raises(BadRecord, match=r"s\.jsonl:2: "):
        read_store(path)


def test_latin_1_is_refused_with_the_line_and_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line().encode() + b"\n" + line(text=["Caf\u00e9"]).encode("latin-1"))
    with pytest.raises(BadRecord, match="byte 0xe9"):
        read_store(path)


@pytest.mark.parametrize("content", ["", "\n\n", line(text=[]) + "\n"])
def test_a_store_without_any_text_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"s\.jsonl: "):
        read_store(path)


def test_a_path_that_is_not_there_and_a_folder_without_stores_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such knowledge store"):
        read_store(tmp_path / "missing.jsonl")
    with pytest.raises(BadInput, match=r"\.json or \.jsonl file"):
        read_store(tmp_path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (line().encode(), True),
        (b"\xef\xbb\xbf\n  " + line().encode(), True),
        (b'{"url": "u"}\n' + line().encode(), False),
        (b'text about "url2text"', False),
        (b"", False),
    ],
)
def test_looks_like_store(content: bytes, expected: bool) -> None:
    assert looks_like_store(content) is expected


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_any_sentences_come_back_joined(texts: list[str]) -> None:
    store = parse_store("s", line(text=texts).encode())
    joined = "\n".join(texts)
    assert [document.text for document in store.documents] == ([joined] if joined.strip() else [])
    assert store.empty == (0 if joined.strip() else 1)


@pytest.mark.skipif(not PUBLIC.exists(), reason="the public AVeriTeC files are not in ../shared/data")
def test_eighteen_thousand_public_passages_are_read() -> None:
    documents = [*read_store(PUBLIC / "knowledge_store"), *read_store(PUBLIC / "haystack.jsonl")]
    assert len(documents) == 18_152
    assert all(document.digest and document.text for document in documents)
