"""The owner of a session's cases: a signed-in user, or the browser it runs in."""

from __future__ import annotations

import hashlib
import re

import streamlit as st

KEY = re.compile(r"[0-9a-f]{64}")

# The key stays in the browser and is random, so that nobody can guess another's. A cookie would do as well, but every
# other program that serves pages from the same host would receive it. Where the browser forbids storage, the key
# lasts as long as the page.
SCRIPT = """
export default function ({ data, setStateValue }) {
  if (data.known) return;
  const name = "veridesk-browser";
  const read = () => { try { return localStorage.getItem(name); } catch { return null; } };
  let key = read();
  if (!/^[0-9a-f]{64}$/.test(key ?? "")) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    try { localStorage.setItem(name, key); } catch {}
    key = read() ?? key;
  }
  setStateValue("key", key);
}
"""

browser = st.components.v2.component("veridesk_browser", js=SCRIPT)


def identify() -> None:
    """Ask the browser for the session's owner. The first run of a new page does not know it yet; the second does.

    If sign-in is set up, visitors must sign in first.
    """
    if sign_in_is_set_up():
        if not st.user.get("is_logged_in"):
            ask_to_sign_in()
        st.sidebar.button("Sign out", icon=":material/logout:", type="tertiary", on_click=st.logout, key="sign-out")
        return
    with st.container(key="vd-browser"):
        browser(data={"known": owner() is not None}, key="browser", on_key_change=note_owner)
    if owner() is None:
        # After a restart of the server, an open page brings its key into a new session. There it is no change.
        note_owner()
        if owner() is not None:
            st.rerun()


def note_owner() -> None:
    """Note the browser's key in the session; called before the run in which it counts."""
    key = (st.session_state.get("browser") or {}).get("key")
    if isinstance(key, str) and KEY.fullmatch(key):
        st.session_state["owner"] = hashed("browser", key)


def ask_to_sign_in() -> None:
    st.title("Veridesk")
    st.write("Sign in to check claims, to rate evidence, and to see your past cases.")
    if "invite" in st.query_params:
        st.write("Your invitation is waiting: when you have signed in, open its link once more.")
    st.button("Sign in", type="primary", on_click=st.login, key="sign-in")
    st.stop()


def sign_in_is_set_up() -> bool:
    """Whether the secrets have a section `[auth]`: Streamlit then says of everybody whether they are signed in."""
    return "is_logged_in" in st.user


def owner() -> str | None:
    """Return the owner of this session's cases, None in the moment before the browser has said who it is.

    If sign-in is set up, only the signed-in user counts.
    """
    if sign_in_is_set_up():
        who = (st.user.get("iss"), st.user.get("sub") or st.user.get("email"))
        return hashed("user", *who) if st.user.get("is_logged_in") else None
    found = st.session_state.get("owner")
    return found if isinstance(found, str) else None


def visitor() -> str:
    """Return the owner on a page: app.py runs none before it is known."""
    who = owner()
    assert who is not None
    return who


def verified_email() -> str:
    """Return the address that the sign-in service says it has verified, else an empty string.

    An address that nobody verified could be anybody's, so it gives no role.
    """
    verified = str(st.user.get("email_verified", "")).casefold() == "true"
    return str(st.user.get("email") or "") if st.user.get("is_logged_in") and verified else ""


def hashed(*parts: object) -> str:
    """Return the database's key of an owner; the browser's key itself is never stored."""
    return hashlib.sha256("\n".join(str(part) for part in parts).encode()).hexdigest()
