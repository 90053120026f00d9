from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotations import PredictedEvidence, Prediction
from core.averitec.averitec import parse_gold, parse_submission, read_gold, read_submission
from core.averitec.leaderboard_csv import gold_csv, join_evidence, split_evidence, submission_csv
from core.errors import BadRecord
from core.types import Label

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "averitec"

ROWS = (
    "id,claim,evi,label,split\r\n"
    '7,"A claim, with a comma","Q1?\t\t\nfirst line\nsecond line\t\t\n\n'
    'Q1?\t\t\nother\t\t\n\nQ2?\t\t\n\t\t\n\n",Refuted,pred\r\n'
    '8,"B",,None,pred\r\n'
)


def test_pairs_keep_newlines_and_single_tabs_inside_answers() -> None:
    assert split_evidence("Q?\t\t\na\nb\tc\t\t\n\nR?\t\t\nd\t\t\n\n") == [("Q?", "a\nb\tc"), ("R?", "d")]
    assert split_evidence("") == []
    assert split_evidence("only an answer\t\t\n\n") == [("", "only an answer")]
    assert split_evidence("Q?\t\t\r\na\t\t\r\n\r\n") == [("Q?", "a")]


def test_a_separator_inside_an_answer_does_not_make_a_second_pair() -> None:
    pairs = [("Q?", "a\t\t\n\nb"), ("R?\t\t\n", "\n\nc\t")]
    assert split_evidence(join_evidence(pairs)) == [("Q?", "a \nb"), ("R? ", "c")]


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="\t\r"), min_size=1),
            st.text(st.characters(exclude_characters="\t\r"), min_size=1).filter(lambda t: not t.startswith("\n")),
        )
    )
)
def test_joining_then_splitting_gives_the_pairs_back(pairs: list[tuple[str, str]]) -> None:
    assert split_evidence(join_evidence(pairs)) == pairs


def test_a_submission_in_csv_with_crlf_rows() -> None:
    read = parse_submission("s.csv", ROWS.encode())
    first, second = read.predictions
    assert first.claim == "A claim, with a comma"
    assert [(e.question, e.answer) for e in first.evidence] == [
        ("Q1?", "first line\nsecond line"),
        ("Q1?", "other"),
        ("Q2?", ""),
    ]
    assert (second.evidence, second.label, second.label_text) == ((), None, "None")
    assert [(problem.where, problem.field) for problem in read.problems] == [("id 8", "label"), ("id 8", "evidence")]


def test_gold_in_csv_joins_the_answers_of_one_question() -> None:
    text = ROWS.replace(",pred", ",gold").replace(",None,", ",Supported,")
    first, second = parse_gold("gold.csv", text.encode())
    assert [len(question.answers) for question in first.questions] == [2, 1]
    assert (first.id, second.label, second.questions) == ("7", Label.SUPPORTED, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,claim,evi,label\n1,c,e,Refuted,x\n", "line 2 has 5 cells, its header 4"),
        ('id,claim,evi,label\n1,c,"a\nb",Refuted\n2,"c\n', "line 4 is not valid CSV"),
        ("id,claim,evi,label\n1,c,,Maybe\n", r"line 2 \(id 1\): 'label' must be one of .* got 'Maybe'"),
    ],
)
def test_bad_rows_are_refused_with_their_line(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        parse_gold("gold.csv", text.encode())


def test_an_unknown_label_is_written_as_it_was_read() -> None:
    prediction = Prediction("8", "=claim", None, (PredictedEvidence("q", "a"),), label_text="N/A")
    text = submission_csv([prediction])
    assert text == 'id,claim,evi,label,split\n8,=claim,"q\t\t\na\t\t\n\n",N/A,pred\n'
    assert parse_submission("s.csv", text.encode()).predictions == (prediction,)


@pytest.mark.skipif(not DATA.is_dir(), reason="the AVeriTeC data is not beside the checkout (../shared/data)")
def test_real_gold_and_submissions_are_written_byte_for_byte() -> None:
    def published(path: Path) -> str:
        return path.read_bytes().decode().replace("\r\n", "\n")

    assert gold_csv(read_gold(DATA / "dev_public.json")) == published(DATA / "solution_dev_public.csv")
    assert gold_csv(read_gold(DATA / "solution_dev_public.csv")) == published(DATA / "solution_dev_public.csv")
    for path in sorted((DATA / "submissions").glob("*.csv"))[:2]:
        submission = read_submission(path)
        assert submission.problems == ()
        assert submission_csv(submission.predictions) == published(path)
