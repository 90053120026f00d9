"""Offer metrics: pills of the listed ones, and the administrator's metrics with other parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection

import streamlit as st

from core.actions.fields import Choices
from core.campaigns.access import Role
from core.errors import BadInput
from core.scoring.own_metric import in_words
from core.scoring.registry import METRICS, OWN_FAULTS, title
from pages.ui.markup import plain
from pages.ui.notices import notices, quiet
from pages.ui.roles import roles


def metric_pills(label: str, choice: Choices, key: str, *, help: str, default: Collection[str] = ()) -> list[str]:
    """Show the metrics to choose from, and return the chosen ones in the order of the pills."""
    if default:
        st.session_state.setdefault(key, list(default))
    chosen = st.session_state.get(key) or []
    offered = [*choice.values, *(name for name in chosen if name not in choice.values and choice.takes(name))]
    shown = st.pills(
        label,
        offered,
        selection_mode="multi",
        format_func=title,
        key=key,
        persist_state="session",
        help=help,
    )
    offer_parameters(choice, key)
    return [name for name in offered if name in shown]


def offer_parameters(choice: Choices, key: str) -> None:
    """Offer each own metric with other parameters, as one more pill of the field with this key."""
    found = [METRICS[name] for name in choice.values if name in METRICS and METRICS[name].parameters]
    if OWN_FAULTS and Role.ORGANISER in roles():
        notices(OWN_FAULTS)
    if not found or choice.read is None:
        return
    with st.popover("Other parameters", icon=":material/tune:", key=f"{key}-parameters"):
        quiet("A metric may be added with other parameters, beside the one that is offered.")
        for one in found:
            field = f"{key}-with-{one.name}"
            st.text_input(
                one.title,
                placeholder=in_words(one.parameters),
                key=field,
                help=plain(one.summary),
                on_change=_add,
                args=(choice.read, one.name, key, field),
            )
            if wrong := st.session_state.get(f"{field}-wrong"):
                notices([wrong])


def _add(read: Callable[[str], str], name: str, key: str, field: str) -> None:
    """Choose the metric with the typed parameters; a wrong parameter stays in its field beside the sentence."""
    st.session_state.pop(f"{field}-wrong", None)
    try:
        wanted = read(f"{name}({st.session_state[field]})")
    except BadInput as error:
        st.session_state[f"{field}-wrong"] = str(error)
        return
    st.session_state[key] = list(dict.fromkeys([*(st.session_state.get(key) or []), wanted]))
    st.session_state[field] = ""
