"""Allow connections only to addresses of the public internet."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Allowed = Callable[[Address], bool]

_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
# 6to4 and Teredo: IPv4 in disguise, and retired
_TUNNELS = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))


def is_public(address: Address) -> bool:
    """Return whether `address` is on the public internet.

    Private, loopback, link-local (cloud metadata, for one), shared, documentation, multicast and reserved addresses are
    not. An IPv6 address that stands for such an IPv4 address is not public either.
    """
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.is_site_local or address.scope_id or any(address in tunnel for tunnel in _TUNNELS):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def resolve(host: str, port: int, *, seconds: float) -> list[Address]:
    """Return the addresses of `host`, best first; none without an answer within `seconds`.

    Other spellings of an address (2130706433, 0177.0.0.1, 127.1) give the usual one.
    """
    found: list[Address] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(ip_address(answer[4][0]) for answer in answers))

    # The system's look-up has no time limit, so a late thread ends later by itself.
    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    return list(found)
