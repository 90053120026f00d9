"""Sentences that a notice of their document corrects."""

import pytest

from core.retrieval.chunking import sentence_spans
from core.verification.stance.corrections import corrected, notice_on, repeats_an_error


@pytest.mark.parametrize(
    ("text", "as_meant"),
    [
        ("Nine were hurt at Harl.\n\nCorrection, 4 May: After a new count there were six.", "Six were hurt at Harl."),
        (
            "The pool cost 4 million euros.\nCORRECTION: It cost 5 million euros, not 4 million.",
            "cost 5 million euros.",
        ),
        (
            "It opened in 1987.\nThis page was amended on 3 June 2020. It opened in 1978, not 1987.",
            "It opened in 1978.",
        ),
        ("Ann Borg won.\n\nEditor's note: The winner is Ann Berg, not Ann Borg.", "Ann Berg won."),
        ("40 cows died.\n\nCorrection\nAn earlier version said that 40 cows died. 14 cows died.", "14 cows died."),
    ],
)
def test_the_later_figure_is_read(text: str, as_meant: str) -> None:
    first = sentence_spans(text)[0]
    assert (corrected(text, first) or "").endswith(as_meant)
    assert text.endswith(notice_on(text, first).split(" ")[-1])


@pytest.mark.parametrize(
    "text",
    [
        "Nine were hurt at Harl.\n\nSix were hurt at Tarn.",
        "Nine were hurt on 3 May 2020.\n\nThis page was corrected on 4 May 2020: the road is shut.",
        "The house of correction had 200 beds. It now has 90.",
        "Nine were hurt.\n\nCorrection: The mayor's first name was missing.",
    ],
)
def test_other_sentences_stay(text: str) -> None:
    first = sentence_spans(text)[0]
    assert corrected(text, first) is None
    assert notice_on(text, first) == ""


def test_only_the_sentence_with_the_old_figure_repeats_an_error() -> None:
    text = "Nine fled.\n\nCorrection: We wrote that nine fled. Six did."
    assert [repeats_an_error(text, span) for span in sentence_spans(text)] == [False, True, False]
