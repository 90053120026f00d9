"""History: the cases of this user or browser, to search, reopen, compare and delete."""

from __future__ import annotations

import streamlit as st

from core.documents.examples import examples
from core.errors import VerideskError
from core.jobs.types import State, Status
from core.types import Label
from core.verification.receipt import receipt_from_json
from core.verification.review import Conclusion, Reviews
from core.verification.verdict.verdict_words import CANNOT_TELL, WORDS
from core.wording import counted
from pages.history.folders import cases_csv, choose_folder, folder_filter
from pages.ui.app_state import AppState, app_state
from pages.ui.cases import Compared, comparison, entry_line
from pages.ui.claim_form.claim_draft import use_example
from pages.ui.comparing import compare_button, offer_comparison
from pages.ui.entry import through_app
from pages.ui.file_button import file_button
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import attempt_button, notice, quiet, remark, troubles
from pages.ui.owner import visitor
from pages.ui.page_script import case_address, copy_button
from pages.ui.verdicts import LOOKS

PAGE_SIZE = 20
CHOSEN = "compare"
ALL = "All verdicts"
FILTERS = {ALL: "", **{LOOKS[label].word: str(label) for label in Label}, CANNOT_TELL: CANNOT_TELL}


def show_list(at: AppState, who: str) -> None:
    left, right = st.columns([3, 1])
    text = left.text_input("Search claims, speakers, sources and places", key="history-text", persist_state="session")
    verdict = right.selectbox("Verdict", list(FILTERS), key="history-label", persist_state="session")
    folder = folder_filter(at, who)
    narrowed = {"label": FILTERS[verdict], "folder": folder}
    page = int(st.session_state.get("history-page", 1))
    found = at.cases.search(who, text, **narrowed, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE)
    if found.total and not found.entries:  # another search, or a deletion, has left fewer pages
        last = st.session_state["history-page"] = -(-found.total // PAGE_SIZE)
        found = at.cases.search(who, text, **narrowed, limit=PAGE_SIZE, offset=(last - 1) * PAGE_SIZE)
    if not found.entries:
        show_nothing(searched=bool(text.strip() or FILTERS[verdict] or folder))
        return
    offer_comparison(one="case", key=CHOSEN)
    conclusions = Reviews(at.store).conclusions([entry.id for entry in found.entries])
    for entry in found.entries:
        show_entry(at, who, entry, own_line(conclusions.get(entry.id)))
    if found.total > PAGE_SIZE:
        st.pagination(-(-found.total // PAGE_SIZE), key="history-page")
    quiet(counted(found.total, "case"))
    file_button(
        "These cases as a table",
        lambda: cases_csv(at, who, text, FILTERS[verdict], folder),
        "veridesk-cases.csv",
        icon=":material/table:",
        key="history-table",
    )


def own_line(conclusion: Conclusion | None) -> Html:
    """Return a person's own verdict in words; nothing where they gave none."""
    if conclusion is None or conclusion.label is None:
        return Html()
    return tag("span", f"You: {WORDS[conclusion.label].word}", css="vd-strong")


def show_entry(at: AppState, who: str, entry: Status, own: Html) -> None:
    with st.container(border=True, gap="xsmall", key=f"case-{entry.id}"):
        folder = entry.facts.get("folder", "")
        named = tag("span", f"In {folder}", css="vd-tag") if folder else ""
        show(entry_line(entry, join((own, named), " ")))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            if st.button("Open", key=f"open-{entry.id}", type="tertiary", icon=":material/open_in_full:"):
                st.switch_page("pages/verify/page.py", query_params={"case": entry.id})
            if entry.state is State.DONE:
                compare_button(entry.id, key=CHOSEN)
            if st.button("Folder", key=f"folder-{entry.id}", type="tertiary", icon=":material/folder:"):
                choose_folder(at, entry)
            show(copy_button(case_address(entry.id), "Copy the address", quiet=True), width="content")
            if st.button("Delete", key=f"delete-{entry.id}", type="tertiary", icon=":material/delete:"):
                confirm_deletion(at, entry)


@st.dialog("Delete this case?")
def confirm_deletion(at: AppState, entry: Status) -> None:
    show(entry_line(entry))
    st.write("Its evidence, its verdict and its receipt go with it. This cannot be undone.")
    if attempt_button("Delete it", remove, at, entry, type="primary", icon="delete", key="history-delete"):
        st.rerun()


def remove(at: AppState, entry: Status) -> None:
    at.cases.delete(entry)
    st.session_state[CHOSEN] = [one for one in st.session_state.get(CHOSEN, []) if one != entry.id]


def show_nothing(*, searched: bool) -> None:
    if searched:
        remark("No case matches. Try fewer words, or all verdicts.")
        return
    example = examples()[0]
    remark("Nothing here yet. Every claim that you check is kept here, for you alone.")
    if st.button("Check an example", type="primary", icon=":material/fact_check:", key="history-example"):
        use_example(example)
        st.switch_page("pages/verify/page.py")


def show_comparison(at: AppState, who: str, left: str, right: str) -> None:
    st.button("Back to all cases", icon=":material/arrow_back:", on_click=st.query_params.clear, key="history-back")
    cases = [finished(at, who, case_id) for case_id in (left, right)]
    if cases[0] is None or cases[1] is None:
        remark("One of the two cases is not there any more.")
        return
    show(comparison(cases[0], cases[1]))


def finished(at: AppState, who: str, case_id: str) -> Compared | None:
    stored = at.jobs.load(case_id, who)
    return receipt_from_json(stored.result)[:2] if stored and stored.result else None


through_app()
show(tag("div", tag("h1", "Past cases", css="vd-claim"), css="vd"))
troubles()
try:
    if "left" in st.query_params and "right" in st.query_params:
        show_comparison(app_state(), visitor(), st.query_params["left"], st.query_params["right"])
    else:
        show_list(app_state(), visitor())
except VerideskError as error:
    notice(str(error))
