"""XML that strangers wrote, parsed without entities and without the network."""

from __future__ import annotations

from typing import Any

from core.errors import BadInput


def parsed(name: str, content: bytes) -> Any:
    """Return the root of an XML file (an lxml element). Raises BadInput if it is broken."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadInput(f"{name}: this file is broken and cannot be read; save it again, or as PDF.") from error
