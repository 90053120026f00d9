"""OpenDocument texts, RTF files and e-books, made by the tests from what the formats say."""

import pytest

from core.errors import BadInput
from core.types import Document
from tests.files import packed, read_file

OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
ODT_TYPE = b"application/vnd.oasis.opendocument.text"
META = (
    f'<o:document-meta xmlns:o="{OFFICE}:office:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<o:meta><dc:title>On towers</dc:title><dc:date>2020-01-31T12:00:00</dc:date></o:meta></o:document-meta>"
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
BOOK = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Towers of the world</dc:title><dc:date>2021-01-01</dc:date></metadata>
<manifest><item id="b" href="text/two.xhtml"/><item id="a" href="text/one%201.xhtml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="gone"/></spine></package>"""


def odt(body: str) -> bytes:
    namespaces = "".join(f' xmlns:{name[0]}="{OFFICE}:{name}:1.0"' for name in ("office", "text"))
    content = f'<o:document-content{namespaces} xmlns:tb="{OFFICE}:table:1.0"><o:body><o:text>{body}</o:text></o:body>'
    parts = {"content.xml": f"{content}</o:document-content>".encode(), "meta.xml": META.encode()}
    return packed({"mimetype": ODT_TYPE, **parts, "META-INF/manifest.xml": b"<m/>"})


def epub(**pages: str) -> bytes:
    whole = {f"OEBPS/text/{name.replace('_', ' ')}.xhtml": text.encode() for name, text in pages.items()}
    return packed({"META-INF/container.xml": CONTAINER.encode(), "OEBPS/book.opf": BOOK.encode(), **whole})


def only(name: str, content: bytes) -> Document:
    (document,) = read_file(name, content)
    return document


def refusal(name: str, content: bytes) -> str:
    with pytest.raises(BadInput) as caught:
        read_file(name, content)
    return str(caught.value)


class TestOpenDocument:
    def test_headings_paragraphs_and_tables_in_order(self) -> None:
        document = only(
            "a.odt",
            odt(
                "<t:h>Towers</t:h><t:p>The <t:span>tower</t:span> is<t:s t:c='2'/>324 metres<t:tab/>tall.</t:p>"
                "<tb:table><tb:table-row><tb:table-cell><t:p>Height</t:p></tb:table-cell>"
                "<tb:table-cell><t:p>324 m</t:p></tb:table-cell></tb:table-row></tb:table>"
                "<t:list><t:list-item><t:p>One<t:line-break/>two</t:p></t:list-item></t:list>"
            ),
        )
        assert document.text == "Towers\nThe tower is  324 metres\ttall.\nHeight | 324 m\nOne\ntwo"
        assert (document.title, document.published, document.url) == ("On towers", None, "a.odt")

    def test_what_was_deleted_or_remarked_is_not_read(self) -> None:
        deleted = "<t:tracked-changes><t:p>Deleted.</t:p></t:tracked-changes>"
        remark = "<o:annotation><t:p>A remark.</t:p></o:annotation>"
        assert only("a.odt", odt(f"{deleted}<t:p>Kept{remark}.</t:p>")).text == "Kept."

    def test_a_space_that_asks_for_millions_is_short(self) -> None:
        assert len(only("a.odt", odt("<t:p>a<t:s t:c='99999999'/>b</t:p>")).text) == 1002

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (odt("<t:p> </t:p>"), "this OpenDocument file has no text"),
            (odt("<t:p>"), "this file is broken and cannot be read"),
            (odt("").replace(b"content.xml", b"content.xmx"), "its part content.xml is missing"),
            (packed({"mimetype": ODT_TYPE, "content.xml": b"<a/>"}), "is no text document"),
        ],
    )
    def test_others_are_refused_with_a_sentence(self, content: bytes, words: str) -> None:
        assert words in refusal("a.odt", content)

    def test_outside_entities_are_not_read(self) -> None:
        content = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'
        assert "no text document" in refusal("a.odt", packed({"mimetype": ODT_TYPE, "content.xml": content}))


class TestRtf:
    def test_text_title_and_letters_of_its_code_page(self) -> None:
        source = (
            rb"{\rtf1\ansi\ansicpg1252{\info{\title On towers}}{\fonttbl{\f0 Arial;}}"
            rb"The caf\'e9 is \b old\b0 .\par It costs 5 \u8364?.\par}"
        )
        document = only("a.rtf", source)
        assert (document.text, document.title) == ("The café is old.\nIt costs 5 €.", "On towers")
        assert document.published is None

    def test_one_without_text_is_refused(self) -> None:
        assert "has no text" in refusal("a.rtf", rb"{\rtf1{\fonttbl{\f0 Arial;}}}")

    def test_one_that_is_none_is_refused(self) -> None:
        assert "named .rtf" in refusal("a.rtf", b"Text.")


class TestBook:
    def test_pages_are_read_in_the_order_of_the_book(self) -> None:
        one = "<html><head><style>p {}</style></head><body><h1>One</h1><p>A <i>high</i>\n tower&nbsp;here.</p>"
        two = "<html><body><p>Second.</p><script>track()</script><ul><li>Item</li></ul></body></html>"
        document = only("a.epub", epub(one_1=one, two=two))
        assert document.text == "One\nA high tower here.\nSecond.\nItem"
        assert (document.title, document.published) == ("Towers of the world", None)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (epub(one_1="<p> </p>", two="<p>–</p>"), "this e-book has no text"),
            (epub(one_1="<p>One.</p>"), "its part OEBPS/text/two.xhtml is missing"),
            (packed({"META-INF/container.xml": b"<a/>"}), "does not say where its text is"),
        ],
    )
    def test_others_are_refused_with_a_sentence(self, content: bytes, words: str) -> None:
        assert words in refusal("a.epub", content)
