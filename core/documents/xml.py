"""Parse strangers' XML without entities and without the network."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from core.documents.archive import part
from core.documents.knowledge_store import printable
from core.errors import BadInput

_TITLE = ".//{http://purl.org/dc/elements/1.1/}title"


def parsed(name: str, content: bytes) -> Any:
    """Return the root of an XML file (an lxml element). Raises BadInput if it is broken."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInput(f"{name}: this file is broken and cannot be read; save it again, or as PDF.") from error


def title_in(name: str, content: bytes, inner: str) -> str:
    """Return the title in one part of an office file, or "" if the part is missing or broken."""
    with suppress(BadInput):
        return title_of(parsed(name, part(name, content, inner)))
    return ""


def title_of(root: Any) -> str:
    """Return the title inside an element, on one line, or ""."""
    return " ".join(printable(root.findtext(_TITLE) or "").split())
