"""The evidence package of a case: made when somebody asks, signed with the key that they bring."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

import streamlit as st

from core.dataclass_json import to_json
from core.verification.package.container import SUFFIX
from core.verification.package.signing import signing_key
from core.verification.review import Review, for_others
from pages.ui.notices import attempt
from pages.verify.opened import OpenedCase

MADE, KEY = "package-made", "package-key"


def package_fields(found: OpenedCase, review: Review) -> None:
    """Offer the package: it is made first, for that reads all documents of the case again."""
    with st.popover("Evidence package", icon=":material/inventory_2:"):
        st.write(
            "One file with the receipt, the report and each page as it was read. Open it in replayweb.page. "
            "The command `replay` runs it again without a network."
        )
        st.file_uploader(
            "Sign it with your key (optional)",
            type=["pem"],
            key=KEY,
            max_upload_size=1,
            help="A private key (Ed25519, PEM). It is used once and not kept.",
        )
        st.button("Make the package", key="package-make", on_click=attempt, args=(make, found, review))
        case_id, content = st.session_state.get(MADE, ("", b""))
        if case_id == found.id:
            st.download_button(
                "Download the package",
                content,
                f"veridesk-{found.id[:8]}{SUFFIX}",
                "application/wacz+zip",
                icon=":material/download:",
                on_click="ignore",
                key="package",
            )


def make(found: OpenedCase, review: Review) -> None:
    """Make the package and keep it in the session. Raises BadInput as `write_evidence` and `signing_key`."""
    from core.verification.package.writing import write_evidence  # WARC, which few pages need

    st.session_state.pop(MADE, None)
    given = st.session_state.get(KEY)
    key = signing_key(given.getvalue(), given.name) if given else None
    receipt = found.receipt if review.empty else {**found.receipt, "review": to_json(for_others(review))}
    file = BytesIO()
    write_evidence(file, receipt, made=datetime.now(UTC).replace(microsecond=0), key=key)
    st.session_state[MADE] = (found.id, file.getvalue())
