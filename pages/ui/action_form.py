"""Derive a form from an action's request: a widget for each field, with its help, bounds, errors and draft."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.actions.action import RequestT
from core.actions.fields import ANY, BadField, Between, Choices, FromFile, FromText, RequestField, fields_of
from core.errors import VerideskError
from core.storage.store import Store
from pages.ui.draft import Draft
from pages.ui.markup import plain
from pages.ui.notices import notices

Made = TypeVar("Made")


class ActionForm(Generic[RequestT]):
    """The form of a request, drawn field by field where the page wants it, or as a whole.

    `key` begins the keys of its widgets and names its draft; `defaults` replace those of the request's fields. Files
    are not part of the draft: a browser gives them once. Paths have no widget.
    """

    def __init__(self, request: type[RequestT], key: str, **defaults: Any) -> None:
        self.kind = request
        self.fields = {field.name: field for field in fields_of(request)}
        self.typed = {
            field.name: _plain(field, defaults.get(field.name))
            for field in self.fields.values()
            if not field.note(FromFile)
        }
        self.draft = Draft(key, self.typed)
        self.values: dict[str, Any] = {}
        self.wrong: dict[str, list[str]] = {}
        self.beside: dict[str, DeltaGenerator] = {}

    def restore(self, store: Store, owner: str) -> None:
        """Bring back the owner's draft in a session's first run; to be called before any field is drawn."""
        self.draft.fill(self.draft.restore(store, owner) or {})

    def keep(self, store: Store, owner: str) -> None:
        """Store the fields as they are typed now."""
        self.draft.keep(store, owner, self.draft.current())

    def draw(self, name: str, at: DeltaGenerator | None = None, **looks: Any) -> Any:
        """Draw a field and return its value: None for an empty number and a file that is missing or unreadable.

        `looks` are arguments of its widget; `help` replaces the declared sentence. Four are ours: `choices` are those
        of this machine, `most` lowers the upper bound, `radio` shows all choices, `area` has several lines.
        """
        field, place = self.fields[name], (at or st.container()).container()
        key, said = self.draft.field(name), looks.pop("help", "") or _sentence(field.help)
        common = {"key": key, "help": plain(said) or None}
        if field.note(FromFile):
            value = self._files(field, place, common)
        else:
            st.session_state.setdefault(key, self.typed[name])
            value = self._read(field, _widget(field, place, common | {"persist_state": "session"} | looks))
        self.values[name], self.beside[name] = value, place.empty()
        if self.wrong.get(name):
            self._show(name)
        return value

    def blame(self, name: str, sentence: str) -> None:
        """Show an error beside a field, or here if the form does not show that field."""
        self.wrong.setdefault(name, []).append(sentence)
        if name in self.beside:
            self._show(name)
        else:
            notices([sentence])

    def rest(self) -> None:
        """Draw the fields that are not drawn yet."""
        for name in self.fields:
            if name not in self.values:
                self.draw(name)

    def request(self, **instead: Any) -> RequestT | None:
        """Return the request of the drawn fields, or None where one is missing or wrong; `instead` replaces values."""
        given = self.values | instead
        lacking = any(field.needed and given.get(name) in (None, ()) for name, field in self.fields.items())
        wrong = self.wrong.keys() - instead.keys()
        return None if wrong or lacking else self.attempt(lambda: self.kind(**given))

    def attempt(self, make: Callable[[], Made]) -> Made | None:
        """Return the result of `make`; None if it raises BadField, which is shown beside the field."""
        try:
            return make()
        except BadField as error:
            self.blame(error.field, str(error))
            return None

    def _show(self, name: str) -> None:
        with self.beside[name].container():
            notices(self.wrong[name])

    def _read(self, field: RequestField, given: Any) -> Any:
        """Return the value of a widget, None for a text that cannot be read."""
        text = field.note(FromText)
        if not text:
            return given
        if not given.strip() and not field.needed:
            return field.default
        try:
            return text.parse(given)
        except VerideskError as error:
            self.wrong.setdefault(field.name, []).append(str(error))
            return None

    def _files(self, field: RequestField, at: DeltaGenerator, common: dict[str, Any]) -> Any:
        """Return the files' values, each read once for as long as it stays in the form."""
        source, key = field.note(FromFile), f"{common['key']}-read"
        assert source
        endings = list(source.endings) or None
        given: Any = at.file_uploader(field.label, endings, accept_multiple_files=field.many, **common)
        uploads: list[UploadedFile] = given if field.many else [given] if given else []
        kept: dict[str, Any] = st.session_state.get(key, {})
        found: dict[str, Any] = {}
        for file in uploads:
            try:
                known = file.file_id in kept
                found[file.file_id] = kept[file.file_id] if known else source.parse(file.name, file.getvalue())
            except VerideskError as error:
                self.wrong.setdefault(field.name, []).append(str(error))
        st.session_state[key] = found
        nothing = None if field.needed else field.default
        return tuple(found.values()) if field.many else next(iter(found.values()), nothing)


def _plain(field: RequestField, default: Any) -> Any:
    """Return a field's first value as a widget has it: lists instead of tuples, and no missing texts."""
    found = default if default is not None else None if field.needed else field.default
    if field.note(FromText) or (found is None and field.kind is str):
        return _text(field, found)
    return list(found or ()) if field.many else found


def _text(field: RequestField, value: Any) -> str:
    """Return a value as its widget's text has it."""
    read = field.note(FromText)
    return "" if value is None else read.write(value) if read and not isinstance(value, str) else str(value)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _widget(field: RequestField, at: DeltaGenerator, looks: dict[str, Any]) -> Any:
    """Draw a field that is no file, and return its value."""
    if field.note(Choices) or "choices" in looks:
        return _choice(field, at, looks)
    if field.kind is bool:
        return at.checkbox(field.label, **looks)
    if looks.pop("area", False):
        return at.text_area(field.label, **looks)
    if bool(field.note(FromText)) or field.kind is str:
        return at.text_input(field.label, **looks)
    bounds, most = field.note(Between) or ANY, looks.pop("most", None)
    least, highest = (field.kind(e) if math.isfinite(e) else None for e in (bounds.least, most or bounds.most))
    looks |= {"value": None} if field.default is None else {}
    return at.number_input(field.label, least, highest, **looks)


def _choice(field: RequestField, at: DeltaGenerator, looks: dict[str, Any]) -> Any:
    choice = field.note(Choices) or Choices(looks["choices"])
    offered, now = list(looks.pop("choices", choice.values)), st.session_state[looks["key"]]
    looks = {"format_func": choice.title, **looks}
    draw: Any = at.radio if looks.pop("radio", False) else at.selectbox
    if not field.many:
        if now not in offered:  # the draft of an earlier version, or a model that was deleted
            st.session_state[looks["key"]] = next(iter(offered), None)
        return draw(field.label, offered, **looks)
    offered += [one for one in now if one not in offered and choice.takes(one)]
    if set(now) - set(offered):
        st.session_state[looks["key"]] = [one for one in now if one in offered]
    chosen = at.pills(field.label, offered, selection_mode="multi", **looks)
    return tuple(one for one in offered if one in chosen)
