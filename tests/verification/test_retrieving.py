"""Passages for questions: orders, several queries a question, sentences and groups of them."""

from dataclasses import replace

import pytest

from core.errors import BadInput
from core.interfaces import Models, RunContext
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.types import Case, Document
from core.verification.steps.gathering import QuoteForQuestions
from core.verification.steps.retrieving import Diversify, GroupSentences, Retrieve
from tests.fakes import TOWER, ScriptedModel, WordEncoder
from tests.verification.test_steps import SettledJudge, context_for


def texts(case: Case) -> list[str]:
    return [hit.passage.text for hit in case.hits]


def test_the_best_passages_are_kept_and_not_the_first_of_the_store() -> None:
    # A published system cut the store to its first k chunks before it looked at the scores.
    filler = tuple(Document(f"u{n}", f"The bridge number {n} was finished.") for n in range(30))
    best = Document("last", "The tower was finished in 1889.")
    context = context_for(ScriptedModel(), (*filler, best))
    for ranking in ("hybrid", "bm25", "dense", "rrf"):
        case = Retrieve(pool=5, keep=3, ranking=ranking)(Case(TOWER, queries=(TOWER.text,)), context)
        assert case.hits[0].passage.document == best, ranking
        assert len(case.hits) == 3


def test_by_words_alone_nothing_is_encoded() -> None:
    context = context_for(ScriptedModel())
    case = Retrieve(ranking="bm25")(Case(TOWER, queries=("tower finished",)), context)
    assert [hit.cosine for hit in case.hits] == [None, None, None]
    assert context.models.encoder.encoded == []  # type: ignore[attr-defined]


def test_queries_of_one_question_are_fused_into_one_ranking() -> None:
    case = Case(TOWER, queries=("tower", "painted", "bridge"), questions=("What of it?", "What of it?", "And that?"))
    case = Retrieve()(case, context_for(ScriptedModel()))
    assert [ranking.query for ranking in case.rankings] == ["What of it?", "And that?"]
    # "painted" and "tower" both find the second document, so it comes first.
    assert [hit.passage.document.url for hit in case.rankings[0].hits] == [
        "https://example.org/paint",
        "https://example.org/tower",
    ]
    assert QuoteForQuestions(pairs=1)(case, context_for(ScriptedModel())).evidence[0].question == "What of it?"


def test_what_a_pool_left_out_by_meaning_is_said_once() -> None:
    context = context_for(ScriptedModel())
    retrieve = Retrieve(pool=2, ranking="rrf")
    case = retrieve(retrieve(Case(TOWER, queries=("tower",)), context), context)
    assert [note.split()[4] for note in case.notes] == ["2"]
    assert Retrieve(pool=3, ranking="rrf")(Case(TOWER, queries=("tower",)), context).notes == ()
    assert Retrieve(pool=2)(Case(TOWER, queries=("tower",)), context).notes == ()


def test_nothing_to_search_for_names_the_missing_step() -> None:
    with pytest.raises(BadInput, match="before Retrieve"):
        Retrieve()(Case(TOWER), context_for(ScriptedModel()))


LONG = Document("u", "The tower was finished in 1889. The tower was open in 1889. A cat sat there. Rain fell on it.")


def grouped(step: GroupSentences, *queries: str) -> tuple[Case, RunContext]:
    encoder = WordEncoder()
    context = RunContext(Models(encoder, ScriptedModel(), SettledJudge()), Index(passages(LONG), encoder))
    return step(Retrieve(ranking="bm25")(Case(TOWER, queries=queries), context), context), context


def test_similar_neighbours_are_one_passage_and_others_stand_alone() -> None:
    case, context = grouped(GroupSentences(similarity=0.5), "tower finished 1889 rain")
    assert texts(case) == [
        "The tower was finished in 1889. The tower was open in 1889.",
        "A cat sat there.",
        "Rain fell on it.",
    ]
    assert case.hits[0].passage.document == LONG
    assert Diversify(k=2)(case, context).hits[0].passage == case.hits[0].passage  # though the index lacks it


def test_single_sentences_closest_first_and_no_more_than_are_kept() -> None:
    case, _ = grouped(GroupSentences(most=1, keep=2), "tower was open in 1889 cat")
    # Words shared, over the root of a sentence's words: 5 / sqrt(6), 4 / sqrt(6), and for the cat 1 / sqrt(4).
    assert texts(case) == ["The tower was open in 1889.", "The tower was finished in 1889."]
    assert [hit.rank for hit in case.hits] == [1, 2]


def test_the_closest_of_a_question_s_queries_counts() -> None:
    encoder = WordEncoder()
    context = RunContext(Models(encoder, ScriptedModel(), SettledJudge()), Index(passages(LONG), encoder))
    case = Case(TOWER, queries=("tower zebra", "rain fell on it"), questions=("Q?", "Q?"))
    case = GroupSentences(most=1, keep=1)(Retrieve(ranking="bm25")(case, context), context)
    assert [(ranking.query, ranking.hits[0].passage.text) for ranking in case.rankings] == [("Q?", "Rain fell on it.")]


def test_a_sentence_that_several_documents_repeat_is_one_passage() -> None:
    twin = replace(LONG, url="v", text=LONG.text + " More.", digest="")
    encoder = WordEncoder()
    index = Index([passage for document in (LONG, twin) for passage in passages(document)], encoder)
    context = RunContext(Models(encoder, ScriptedModel(), SettledJudge()), index)
    case = GroupSentences(most=1, keep=20)(Retrieve(ranking="bm25")(Case(TOWER, queries=("tower",)), context), context)
    assert len(texts(case)) == len(set(texts(case)))


def test_no_hits_leave_nothing_to_group() -> None:
    case, _ = grouped(GroupSentences(), "zebra")
    assert case.hits == ()
