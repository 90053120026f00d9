"""Wait for what another thread or process does."""

import time
from collections.abc import Callable


def until(reached: Callable[[], object], *, seconds: float = 300.0) -> None:
    """Wait until `reached` returns a true value. The bound is generous: a busy machine may take long."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} seconds in vain"
        time.sleep(0.01)
