"""Documents of which one part is broken: their text is read, and only the broken part is left out."""

from collections.abc import Callable

import pytest

from core.documents.html import read_html
from core.types import Document
from tests.documents.test_office import BOOK, CONTAINER, META, ODT_TYPE, epub, odt
from tests.files import DOCX_PART, docx, packed, pdf, read_file, with_part

WORDS = "The tower in Paris is tall and was built by many people in the year 1889, says the book on towers."
TEXT = WORDS.encode()
WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>%s</w:body></w:document>'
DEEP = "<w:a>" * 200 + "</w:a>" * 200
PARAGRAPH = f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>"
PAGE = f"<html><head>%s<title>T</title></head><body><article><p>Café. {WORDS}</p><p>{WORDS}</p></article></body></html>"
ONE_PAGE = '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.x"/></manifest>%s</package>'
REFERENCE = '<itemref idref="a"/>'
SPINE = f"<spine>{REFERENCE}</spine>"


def odt_with(**parts: bytes) -> bytes:
    """Return an OpenDocument text with these parts beside its text."""
    body = f"<o:document-content {' '.join(OFFICE)}><o:body><o:text><t:p>{WORDS}</t:p></o:text></o:body>"
    return packed({"mimetype": ODT_TYPE, "content.xml": f"{body}</o:document-content>".encode(), **parts})


OFFICE = [f'xmlns:{name[0]}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text")]


def book(page: bytes, about: str = ONE_PAGE % SPINE) -> bytes:
    """Return an e-book of one page."""
    parts = {"META-INF/container.xml": CONTAINER.encode(), "OEBPS/book.opf": about.encode(), "OEBPS/a.x": page}
    return packed(parts)


def without_part(content: bytes, part: str) -> bytes:
    return content.replace(part.encode(), b"x" * len(part))


def rtf(start: str) -> bytes:
    return b"{\\rtf1 Before. " + start.encode() + TEXT + b"}"


def words_of(core: bytes) -> bytes:
    return with_part(docx(WORDS, title="T"), "docProps/core.xml", core)


SPOILED: dict[str, Callable[[], bytes]] = {
    "no-meta.odt": odt_with,
    "broken-meta.odt": lambda: odt_with(**{"meta.xml": b"<a"}),
    "empty-meta.odt": lambda: odt_with(**{"meta.xml": b""}),
    "meta-of-another-encoding.odt": lambda: odt_with(**{"meta.xml": b'<?xml version="1.0" encoding="x"?><a/>'}),
    "spaces-of-5000-digits.odt": lambda: odt(f"<t:p>{WORDS}<t:s t:c='{'9' * 5000}'/>.</t:p>"),
    "spaces-in-words.odt": lambda: odt(f"<t:p>{WORDS}<t:s t:c='ten'/>.</t:p>"),
    "broken-core.docx": lambda: words_of(b"<a"),
    "empty-core.docx": lambda: words_of(b""),
    "core-of-another-kind.docx": lambda: words_of(META.encode()),
    "no-core.docx": lambda: without_part(docx(WORDS), "docProps/core.xml"),
    "broken-styles.docx": lambda: with_part(docx(WORDS), "word/styles.xml", b"<a"),
    "broken-settings.docx": lambda: with_part(docx(WORDS), "word/settings.xml", b""),
    "broken-types.docx": lambda: with_part(docx(WORDS), "[Content_Types].xml", b"<a"),
    "utf-16.docx": lambda: with_part(docx(""), DOCX_PART, (WORD % PARAGRAPH).encode("utf-16")),
    "deep.docx": lambda: with_part(docx(""), DOCX_PART, (WORD % f"{PARAGRAPH}{DEEP}").encode()),
    "title-is-a-number.pdf": lambda: pdf(WORDS, information="/Title 3"),
    "title-is-a-table.pdf": lambda: pdf(WORDS, information="/Title << /A 1 >>"),
    "title-is-itself.pdf": lambda: pdf(WORDS, information="/Title 6 0 R"),
    "title-is-nowhere.pdf": lambda: pdf(WORDS, information="/Title 99 0 R"),
    "title-half-a-character.pdf": lambda: pdf(WORDS, information="/Title <FEFFD800>"),
    "title-without-end.pdf": lambda: pdf(WORDS, information="/Title (abc"),
    "date-that-is-none.pdf": lambda: pdf(WORDS, information="/CreationDate (D:99999999)"),
    "description-is-a-list.pdf": lambda: pdf(WORDS).replace(b"/Info 6 0 R", b"/Info [1 2]"),
    "description-is-a-number.pdf": lambda: pdf(WORDS).replace(b"/Info 6 0 R", b"/Info 7"),
    "contents-that-are-none.pdf": lambda: pdf(WORDS).replace(b"/Type /Catalog", b"/Type /Catalog /Outlines 5 0 R"),
    "a-billion-pages.pdf": lambda: pdf(WORDS).replace(b"/Count 1", b"/Count 999999999"),
    "data-longer-than-the-file.rtf": lambda: rtf("{\\pict\\bin1000000 abc} "),
    "data-of-11-digits.rtf": lambda: rtf("{\\pict\\bin99999999999 abc} "),
    "data-of-5000-digits.rtf": lambda: rtf(f"{{\\pict\\bin{'9' * 5000} abc}} "),
    "data-into-the-text.rtf": lambda: rtf("{\\pict\\bin40 abc} "),
    "data-of-minus-five.rtf": lambda: rtf("{\\pict\\bin-5 abc} "),
    "data-that-is-true.rtf": lambda: rtf("{\\pict\\bin5 }}{{\\} "),
    "data-in-words.rtf": lambda: rtf("An escaped \\\\bin400 is text. "),
    "letters-passed-over.rtf": lambda: rtf("\\uc999999999 It costs 5 \\u8364 ?. "),
    "letter-that-is-none.rtf": lambda: rtf("\\u99999999999 ?"),
    "no-order.epub": lambda: epub_without_order(),
    "a-page-without-a-byte.epub": lambda: epub(one_1="", two=f"<p>{WORDS}</p>"),
    "page-named-20000-times.epub": lambda: book(TEXT, ONE_PAGE % SPINE.replace(REFERENCE, REFERENCE * 20_000)),
    "latin-2.epub": lambda: book('<?xml version="1.0" encoding="iso-8859-2"?><p>Łódź'.encode("iso-8859-2")),
    "utf-16.epub": lambda: book("<html><body><p>Łódź".encode("utf-16")),
    "utf-16-without-mark.epub": lambda: book("<html><body><p>Łódź".encode("utf-16-le")),
    "no-title.epub": lambda: book(TEXT),
}
SAID = {"data-in-words.rtf": f"bin400 is text. {WORDS}"} | dict.fromkeys(
    ("latin-2.epub", "utf-16.epub", "utf-16-without-mark.epub"), "Łódź"
)
"""Words of the files that say others."""


def epub_without_order() -> bytes:
    about = BOOK.split("<spine>")[0].replace("/>", ' media-type="application/xhtml+xml"/>') + "</package>"
    pages = {"OEBPS/text/one 1.xhtml": b"<p>One.</p>", "OEBPS/text/two.xhtml": f"<p>{WORDS}</p>".encode()}
    return packed({"META-INF/container.xml": CONTAINER.encode(), "OEBPS/book.opf": about.encode(), **pages})


@pytest.mark.parametrize("name", SPOILED)
def test_the_text_is_read(name: str) -> None:
    (document,) = read_file(name, SPOILED[name]())
    assert document.text.count(SAID.get(name, WORDS)) == 1
    assert len(document.title) <= 60


@pytest.mark.parametrize("content", [pdf(WORDS, information=f"/Title ({'T' * 100_000})"), docx(WORDS, title="T" * 255)])
def test_a_title_has_an_end(content: bytes) -> None:
    (document,) = read_file("x", content)
    assert document.title.startswith("TTT")
    assert len(document.title) <= 500


def test_an_address_and_a_title_of_a_megabyte_are_cut() -> None:
    document = Document("http://a/" + "u" * 10**6, WORDS, "t" * 10**6)
    assert (len(document.url), len(document.title)) == (4000, 500)
    assert Document(document.url, WORDS, document.title) == document


@pytest.mark.parametrize(
    ("said", "charset"),
    [
        ('<meta charset="utf-16">', ""),
        ('<meta charset="utf-16le">', ""),
        ('<meta http-equiv="Content-Type" content="text/html; charset=utf-16">', ""),
        ('<meta charset="utf-32">', ""),
        ('<meta charset="cp037">', ""),
        ("", "utf-16"),
        ("", "cp500"),
        ("", "cp1026"),
    ],
)
def test_letters_that_a_page_cannot_be_in_are_not_believed(said: str, charset: str) -> None:
    content = (PAGE % said).encode("cp1252")
    content += b" " * (len(content) % 2)  # any even number of bytes is UTF-16
    assert read_html("x", content, charset=charset).text == f"Café. {WORDS}\n{WORDS}"


@pytest.mark.parametrize(("encoding", "charset"), [("utf-16", ""), ("utf-16-le", ""), ("utf-16-be", "utf-16be")])
def test_pages_that_are_in_utf_16_are_read(encoding: str, charset: str) -> None:
    assert read_html("x", (PAGE % "").encode(encoding), charset=charset).text == f"Café. {WORDS}\n{WORDS}"
