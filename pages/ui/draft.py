"""Keep the typed fields of a form over reruns, page changes, refreshes and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.storage.store import Store

Json = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """The fields of a form, with their defaults, by name."""

    form: str
    defaults: Json

    def field(self, name: str) -> str:
        """Return the session's key of a field, which is also its widget's."""
        return f"{self.form}-{name}"

    def value(self, name: str) -> Any:
        return st.session_state.get(self.field(name), self.defaults.get(name))

    def current(self) -> Json:
        """Return all fields as they are typed now."""
        return {name: self.value(name) for name in self.defaults}

    def fill(self, values: Mapping[str, Any]) -> None:
        """Put values into the form. Call it before the form's widgets are drawn, or in a callback."""
        for name in self.defaults:
            if name in values:
                st.session_state[self.field(name)] = values[name]

    def clear(self, names: Iterable[str]) -> None:
        """Give fields their defaults again; call it as `fill`."""
        self.fill({name: deepcopy(self.defaults[name]) for name in names})

    def restore(self, store: Store, owner: str) -> Json | None:
        """Give the form its defaults; return the stored draft in a session's first run that knows the owner.

        It is empty if the owner has none, and None in later runs.
        """
        for name, default in self.defaults.items():
            st.session_state.setdefault(self.field(name), deepcopy(default))
        if not owner or self.field("restored") in st.session_state:
            return None
        st.session_state[self.field("restored")] = True
        return store.draft(owner, self.form)

    def stored(self) -> Json | None:
        """Return the draft that this session stored last, None before the first."""
        found: Json | None = st.session_state.get(self.field("kept"))
        return found

    def keep(self, store: Store, owner: str, typed: Json) -> None:
        """Store the typed fields if they changed."""
        if typed != self.stored():
            store.save_draft(owner, self.form, typed)
            st.session_state[self.field("kept")] = typed
