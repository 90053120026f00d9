from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.markup import JOINER, Html, join, label, link, plain, safe_url, tag


class Reader(HTMLParser):
    """Reads HTML as a browser would: which elements it opens, with which attributes, and which text is seen."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.seen = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.seen += data


def test_a_name_cannot_be_written_backwards() -> None:
    assert plain("gpj\u202e.exe\u2066x") == "gpj\\.exex"
    assert tag("b", "a\u202eb\u200fc") == "<b>ab\u200fc</b>"  # a mark of Arabic or Hebrew text may stay


def test_an_element_is_written_with_its_text_escaped() -> None:
    assert tag("p", 'a < b & "c"', css="vd") == '<p class="vd">a &lt; b &amp; &quot;c&quot;</p>'
    assert tag("span", tag("b", "x"), " y") == "<span><b>x</b> y</span>"
    assert tag("br") == "<br>"


def test_attributes_are_escaped_and_none_is_left_out() -> None:
    assert tag("a", "x", href='"><script>', title=None) == '<a href="&quot;&gt;&lt;script&gt;">x</a>'
    assert tag("details", "x", open=True, aria_label="y") == '<details open aria-label="y">x</details>'


def test_text_put_together_with_html_is_text_again() -> None:
    glued = tag("b", "x") + "<img>"
    assert type(glued) is str
    assert tag("p", glued) == "<p>&lt;b&gt;x&lt;/b&gt;&lt;img&gt;</p>"
    assert join(["<i>", Html("<i>")], " & ") == "&lt;i&gt; &amp; <i>"


@given(st.text())
def test_any_text_opens_no_element_and_is_seen_as_it_is(words: str) -> None:
    page = Reader(tag("p", words, title=words))
    assert [name for name, _ in page.elements] == ["p"]
    kept = "".join(sign for sign in words if sign in "\n\t" or (ord(sign) >= 32 and not 127 <= ord(sign) < 160))
    kept = kept.translate(dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
    assert page.seen == kept.encode("utf-8", "replace").decode("utf-8")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        ("data:text/html,<script>", False),
        ("file:///etc/passwd", False),
        ("https:///nohost", False),
        ("//example.org", False),
        ("http://[broken", False),
        ("report.pdf", False),
    ],
)
def test_only_web_addresses_become_links(url: str, safe: bool) -> None:
    assert safe_url(url) == (url if safe else "")
    assert [name for name, _ in Reader(link(url, "words")).elements] == (["a"] if safe else ["span"])


def test_links_tell_the_site_nothing() -> None:
    (_, attributes), *_ = Reader(link("https://example.org", "x")).elements
    assert attributes["rel"] == "noopener noreferrer nofollow"


@pytest.mark.parametrize(
    ("words", "markdown"),
    [
        ("plain words", "plain words"),
        ("![x](http", r"\!\[x\]\(http"),
        ("a*b_c`d`", r"a\*b\_c\`d\`"),
        (":red[x]", rf"\:{JOINER}red\[x\]"),
        ("www.x.org", rf"www{JOINER}\.x\.org"),
        ("me@x.org", rf"me\@{JOINER}x\.org"),
        ("a -> b", rf"a \-{JOINER}\> b"),
        ("two\nlines   apart", "two lines apart"),
    ],
)
def test_plain_takes_the_meaning_from_markdown(words: str, markdown: str) -> None:
    assert plain(words) == markdown


@given(st.text(alphabet="ab1 :/\\[]()!<>*_`~#|$@.-=&;^{}+w\n"))
def test_plain_leaves_no_sign_of_markdown_unescaped(words: str) -> None:
    escaped = plain(words)
    place = 0
    while place < len(escaped):
        if escaped[place] == "\\":
            place += 2
            continue
        assert escaped[place].isalnum() or escaped[place] in f" {JOINER}"
        place += 1


PROSE = "It’s 6.1 percent, of 3,000 men.|Who knows: don't they?|Ärzte – 5 % …|The quay (a wiki, 1 May 2020), too."


@pytest.mark.parametrize("words", PROSE.split("|"))
def test_a_label_of_prose_has_no_backslash(words: str) -> None:
    assert label(words) == words


SIGNS = "1. x|_x_ y|a_b_c|**b**|:red[x]|a :smile: c|www.x.org|x.org/y|$5 and $6|x -- y|a `b`|a <b>|# x|- x|http://x"
MORE_SIGNS = "[x] (y)|a(b)|a (b)c|:)|x: :material/home:|![x](y)|a@b.org|~~x~~|&lt;"


@pytest.mark.parametrize("words", [*SIGNS.split("|"), *MORE_SIGNS.split("|")])
def test_a_label_with_a_sign_is_plain(words: str) -> None:
    assert label(words) == plain(words)
