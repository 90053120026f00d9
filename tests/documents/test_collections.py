"""Collections: what is kept comes back the same, and to its owner only."""

from datetime import date
from pathlib import Path

import pytest

from core.documents.collections import Collections
from core.errors import BadInput
from core.types import Document

REPORT = Document("report.pdf", "One.\nTwo\u2028three.", "A report", date(2020, 1, 2), pages=(0, 5), date_source="you")
PAGE = Document("https://example.org/a", "Text <b>not bold</b>", "עמוד", None)


def test_documents_come_back_the_same_with_their_pages_and_dates(tmp_path: Path) -> None:
    here = Collections(tmp_path)
    made = here.keep("anna", " The dossier ", (REPORT, PAGE))
    assert (made.name, made.documents) == ("The dossier", 2)
    assert here.documents(made) == (REPORT, PAGE)
    assert here.find(made.id, "anna") == made


def test_anothers_collection_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    here = Collections(tmp_path)
    made = here.keep("anna", "Secret", (REPORT,))
    assert here.of("bert") == []
    assert here.find(made.id, "bert") is None
    assert here.find("../../etc", "anna") is None


def test_a_collection_is_renamed_and_deleted(tmp_path: Path) -> None:
    here = Collections(tmp_path)
    first, second = here.keep("anna", "b", (REPORT,)), here.keep("anna", "a", (PAGE,))
    here.rename(first, "0")
    assert [one.name for one in here.of("anna")] == ["0", "a"]
    here.delete(second)
    assert [one.name for one in here.of("anna")] == ["0"]


def test_equal_names_of_one_owner_are_numbered_and_no_name_is_given_twice(tmp_path: Path) -> None:
    here = Collections(tmp_path)
    kept = [here.keep("anna", name, (REPORT,)).name for name in ("Dossier", "dossier", "Dossier", "x" * 200, "x" * 200)]
    assert kept[:3] == ["Dossier", "dossier (2)", "Dossier (3)"]
    assert kept[3] != kept[4]
    assert len(kept[4]) <= 200
    assert here.keep("bert", "Dossier", (REPORT,)).name == "Dossier"
    second = here.of("anna")[1]
    with pytest.raises(BadInput, match="“DOSSIER”"):
        here.rename(second, "DOSSIER")
    here.rename(second, second.name.upper())


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="1 to 200 characters"):
        Collections(tmp_path).keep("anna", name, (REPORT,))


def test_a_folder_that_is_no_collection_is_passed_over(tmp_path: Path) -> None:
    here = Collections(tmp_path)
    made = here.keep("anna", "a", (REPORT,))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "collection.txt").write_text("{}")
    assert here.of("anna") == [made]
