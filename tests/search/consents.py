"""A consent to everything, for tests of other things than consent."""

from typing import Any

from core.search.consent import Consent

MANY = 10**9


class Everywhere(dict[str, int]):
    """Any place may be asked as often as one likes."""

    def get(self, place: str, default: Any = None) -> int:
        return MANY


ANYTHING = Consent(most=Everywhere(), pages=MANY)
