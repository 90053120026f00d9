"""Python imports this at its start: it writes down what a server under test, or a child of it, sends elsewhere."""

import ipaddress
import os
import sys
from typing import Any

LOG = os.environ.get("VERIDESK_TEST_NETWORK", "")
PLACE_OF = {
    "socket.connect": lambda args: args[1],
    "socket.sendto": lambda args: args[1],
    "socket.sendmsg": lambda args: args[1],
    "socket.getaddrinfo": lambda args: args,
    "socket.gethostbyname": lambda args: args,
    "socket.gethostbyaddr": lambda args: args,
}


def is_here(place: Any) -> bool:
    """Say whether a place is on this machine: loopback, a socket of Unix, or any address to listen at."""
    host = place[0] if isinstance(place, tuple) else None
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name in ("localhost", "localhost.")
    return address.is_loopback or address.is_unspecified


def note(event: str, args: tuple[Any, ...]) -> None:
    """Write down a connection, a datagram or a look-up that leads elsewhere."""
    if event in PLACE_OF and not is_here(place := PLACE_OF[event](args)):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{event} {place!r} by {' '.join(sys.orig_argv)[:200]}\n")


if LOG:
    sys.addaudithook(note)
