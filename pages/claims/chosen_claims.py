"""The chosen claims: edit, merge, split or remove them, and check all of them against the same documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.batch.batch_job import BatchRequest, batch_files
from core.claims.chosen import Chosen, ChosenClaim, merged, split_up, written
from core.claims.speech_report import place_words
from core.documents.collections import Collection
from core.documents.documents import read_files
from core.errors import BadInput
from core.models.installed import default_choice
from core.verification.claim_parts import parts_of
from core.verification.reading import each_once
from core.verification.recipes.catalogue import DEFAULT
from core.wording import counted, readable_name
from pages.claims.kept_speech import TEXT, KeptSpeech, go_to, keep_chosen, keep_picks, kept_speech, picks
from pages.claims.rewriting import rewriting_field
from pages.claims.search_consent import agreed_searches, places_searched, search_fields, send_words
from pages.ui.app_state import app_state
from pages.ui.archives import archive_field, chosen_archive
from pages.ui.checked_before import say_checked_before
from pages.ui.collections import EXAMPLES, chosen_collection, collections, example_collection, mine
from pages.ui.make_once import start_once
from pages.ui.markup import join, label, show, tag
from pages.ui.notices import attempt_button, quiet, reading_toast
from pages.ui.owner import owner
from pages.ui.server_paths import checked_path

FILES, COLLECTION, ARCHIVE, STORED, SEARCH = "My files", "Collection", "Archive", "Stored documents", "Search"
DOORS = {
    "I have documents": (FILES, COLLECTION, ARCHIVE, STORED),
    "Search for them": (SEARCH,),
    "Use those of the examples": (EXAMPLES,),
}
"""The places where the evidence can come from, by three answers, as on Verify."""

CAPTIONS = (
    "Files, or documents kept here",
    "One search for all claims. You see every request first",
    "Rivers, mountains, walls, fires and lightning",
)
DOOR, WHERE = "claims-door", "claims-where"
KINDS = "pdf docx odt rtf epub html htm md txt zip jsonl json".split()
Change = Callable[[Chosen, str], Chosen]


def show_chosen(speech: KeptSpeech, who: str) -> None:
    """Show the chosen claims and the form that checks them."""
    st.button(
        "Back to the text",
        type="tertiary",
        icon=":material/arrow_back:",
        on_click=go_to,
        args=(TEXT,),
        key="claims-back",
    )
    chosen = picks().chosen
    show(tag("div", tag("h2", f"{counted(len(chosen), 'claim')} to check", css="vd-heading"), css="vd"))
    rewriting_field(speech)
    for number, one in enumerate(chosen, start=1):
        show_claim(speech, one, number, last=number == len(chosen))
    if not chosen:
        quiet("Choose sentences in the text first.")
        return
    door = st.radio(
        "Where does the evidence come from?",
        list(DOORS),
        captions=CAPTIONS,
        horizontal=True,
        key=DOOR,
        persist_state="session",
        width="stretch",
    )
    if len(DOORS[door]) > 1:
        st.segmented_control(
            "Which documents?",
            DOORS[door],
            default=FILES,
            required=True,
            key=WHERE,
            persist_state="session",
            label_visibility="collapsed",
        )
    ready = documents_field(chosen)
    attempt_button(
        send_words(chosen) if where() == SEARCH else f"Check {counted(len(chosen), 'claim')}",
        check_all,
        type="primary",
        icon="fact_check",
        disabled=not ready or running(who),
        key="claims-check",
    )
    if running(who):
        quiet("A batch of this speech is at work: wait for its end, or cancel it.")


def where() -> str:
    """Return the kind of documents that is chosen."""
    places = DOORS[st.session_state.get(DOOR) or next(iter(DOORS))]
    return str(st.session_state.get(WHERE) or FILES) if len(places) > 1 else places[0]


def running(who: str) -> bool:
    batch = app_state().batches.find(picks().batch, who) if picks().batch else None
    return bool(batch and batch.running)


def show_claim(speech: KeptSpeech, one: ChosenClaim, number: int, *, last: bool) -> None:
    """Show a claim in a field, its sentences as they were spoken, and its buttons."""
    spoken = [speech.sentences[position] for position in one.positions]
    original = " ".join(sentence.text for sentence in spoken)
    with st.container(key=f"vd-chosen-{one.id}", gap="small"):
        places = ", ".join(dict.fromkeys(place for sentence in spoken if (place := place_words(sentence))))
        title = ", ".join(part for part in (f"Claim {number}", places) if part)
        st.text_area(label(title), one.text, height=80, key=field(one), on_change=write, args=(one.id,))
        if original != one.text:
            show(tag("p", "As spoken: ", tag("span", original, css="vd-text"), css="vd vd-quiet"))
        if one.by_model and one.by_model != one.text:
            show(tag("p", "By the model: ", tag("span", one.by_model, css="vd-text"), css="vd vd-quiet"))
        say_checked_before(app_state(), owner() or "", one.text, key=f"-{one.id}")
        parts = parts_of(one.text)
        if len(parts) > 1:
            read = [tag("span", part.text, css="vd-text") for part in parts]
            show(tag("p", f"Read as {len(parts)} statements: ", join(read, "; "), css="vd vd-quiet"))
        row = st.container(horizontal=True)
        if original != one.text:
            row.button(
                "Take the spoken words",
                type="tertiary",
                on_click=take_words,
                args=(one.id, original),
                key=f"claims-spoken-{one.id}",
            )
        if one.by_model and one.by_model != one.text:
            row.button(
                "Take the model’s words",
                type="tertiary",
                on_click=take_words,
                args=(one.id, one.by_model),
                key=f"claims-model-{one.id}",
            )
        if one.by_model and spoken[0].standalone not in (original, one.text):
            row.button(
                "Take the rules’ words",
                type="tertiary",
                on_click=take_words,
                args=(one.id, spoken[0].standalone),
                key=f"claims-rules-{one.id}",
            )
        if len(parts) > 1:
            row.button(
                "Split",
                type="tertiary",
                on_click=change,
                args=(split_up, one.id),
                key=f"claims-split-{one.id}",
                help="Each statement becomes a claim of its own. If you do not split, one verdict covers all of them.",
            )
        if not last:
            row.button(
                "Merge with the next",
                type="tertiary",
                on_click=change,
                args=(merged, one.id),
                key=f"claims-merge-{one.id}",
            )
        row.button("Remove", type="tertiary", on_click=change, args=(removed, one.id), key=f"claims-remove-{one.id}")


def field(one: ChosenClaim) -> str:
    return f"claims-edit-{one.id}"


def write(claim_id: str) -> None:
    keep_chosen(written(picks().chosen, claim_id, st.session_state[f"claims-edit-{claim_id}"]))


def take_words(claim_id: str, words: str) -> None:
    st.session_state[f"claims-edit-{claim_id}"] = words
    keep_chosen(written(picks().chosen, claim_id, words))


def removed(chosen: Chosen, claim_id: str) -> Chosen:
    return tuple(one for one in chosen if one.id != claim_id)


def change(how: Change, claim_id: str) -> None:
    keep_chosen(how(picks().chosen, claim_id))


def documents_field(chosen: Chosen) -> bool:
    """Show where the documents come from; return whether some are named."""
    match where():
        case "Search":
            return search_fields(chosen)
        case "Collection":
            offered = mine()
            if not offered:
                quiet("No collection yet. Choose My files: they are kept as one.")
                return False
            st.selectbox(
                "Collection",
                list(offered),
                key="claims-collection",
                persist_state="session",
                format_func=lambda one: readable_name(offered[one].name) if one in offered else one,
            )
            return True
        case "Archive":
            return archive_field("claims-archive") is not None
        case "My files":
            given = st.file_uploader(
                "Files",
                type=KINDS,
                accept_multiple_files=True,
                key="claims-documents",
                max_upload_size=50,
                help="They are kept as a collection on this server, for you alone, until you delete it on Verify.",
            )
            return bool(given)
        case "Stored documents":
            typed: str = st.text_input(
                "Knowledge store",
                key="claims-store",
                persist_state="session",
                placeholder="/data/knowledge_store",
                help="A file or folder on the machine that runs Veridesk.",
            )
            return bool(typed.strip())
    return True


def check_all() -> None:
    """Start one batch of all chosen claims; in a callback. Raises BadInput for documents that cannot be read."""
    speech, who, kept = kept_speech(), owner(), picks()
    if not speech or not who or running(who):
        return
    rows = [claim_row(speech, one) for one in kept.chosen]
    asked = BatchRequest(
        "claims.json", tuple(one.id for one in kept.chosen), False, DEFAULT, default_choice().id, collection=where()
    )
    if where() == SEARCH:
        searches, consents = agreed_searches(kept.chosen)
        asked = replace(asked, collection=places_searched(), searches=searches, consents=consents)
    else:
        path, name = documents_at(speech)
        asked = replace(asked, collection=name, extra=(str(path),))
    title = speech.name if where() == FILES else f"{speech.name}, against {asked.collection}"
    asked = replace(asked, title=title)
    batch = start_once(app_state().batches, who, asked, batch_files(asked, json.dumps(rows).encode(), {}))
    keep_picks(replace(kept, checked=kept.chosen, batch=batch, searched=asked.collection))
    go_to(TEXT)


def claim_row(speech: KeptSpeech, one: ChosenClaim) -> dict[str, str]:
    speakers = {speech.sentences[position].speaker for position in one.positions}
    return {"claim_id": one.id, "claim": one.text, "speaker": speakers.pop() if len(speakers) == 1 else ""}


def documents_at(speech: KeptSpeech) -> tuple[Path, str]:
    """Return the path and the name of the documents to search. Files become a collection. Raises BadInput."""
    if where() == STORED:
        path = checked_path(st.session_state["claims-store"])
        return path, readable_name(path.name)
    if where() == ARCHIVE:
        archive = chosen_archive(st.session_state.get("claims-archive"))
        return Path(archive.address), archive.name
    if where() == COLLECTION:
        found = chosen_collection(st.session_state.get("claims-collection"))
    elif where() == FILES:
        found = kept_files(speech)
    else:
        found = example_collection()
    return collections().path(found), found.name


def kept_files(speech: KeptSpeech) -> Collection:
    given = st.session_state.get("claims-documents") or []
    with reading_toast(len(given), "file"):
        reading = read_files([(file.name, file.getvalue()) for file in given])
    if reading.problems:
        raise BadInput("\n".join(reading.problems))
    return collections().keep(owner() or "", f"Files for {speech.name}"[:100], each_once(reading.documents))
