"""The sentence on the documents, its quotation, and the terms that they lack: by rules, from the stances alone."""

from dataclasses import replace
from datetime import date

import pytest

from core.types import Case, Claim, CorpusSummary, Document, Hit, Label, Passage, PassageStance, Stance, Verdict
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.documents_say import (
    DISAGREE,
    LONGEST_NAME,
    NOTHING_MISSING,
    SILENT,
    UNCLEAR,
    UNREAD,
    WEIGHED,
    documents_say,
    missing,
    open_places,
    quoted_stances,
    sentence_of,
)

CLAIM = "The Kelmouth tram cost 430 million crowns."
COURIER = "The tram was long awaited. The Kelmouth tram cost 340 million crowns, the treasurer said. It has lifts."


def passage(text: str, url: str = "https://a.example/1", published: date | None = None, name: str = "") -> Passage:
    return Passage(Document(url, text, "Title", published, site_name=name), 0, len(text))


def against(one: Passage, said: str = "340 million", claimed: str = "430 million") -> PassageStance:
    at, there = one.text.index(said), CLAIM.index(claimed)
    reason = f"says {said}; the claim says {claimed}"
    spans = ((at, at + len(said)),)
    return PassageStance(one, Stance.AGAINST, 0.9, reason, "number", spans, ((there, there + len(claimed)),))


def other(stance: Stance, at: int, kind: str = "", text: str = "The tram is green.") -> PassageStance:
    return PassageStance(passage(f"{text} Number {at}.", f"https://site{at}.example/x"), stance, 0.8, "a reason", kind)


def verdict(label: Label | None, *stances: PassageStance, decisive: tuple[int, ...] = ()) -> Verdict:
    likely = label or Label.REFUTED
    shares = {one: 0.7 if one is likely else 0.1 for one in Label}
    return Verdict(shares, CLASSIFIER, 0.0, grounded=label is not None, stances=stances, decisive=decisive)


def case(said: Verdict, claim: str = CLAIM, *, documents: int = 0) -> Case:
    hits = tuple(Hit(one.passage, at) for at, one in enumerate(said.stances, start=1))
    return Case(Claim(claim), CorpusSummary(documents=documents or len(hits)), hits=hits, verdict=said)


def test_the_sentence_names_the_difference_the_share_and_the_sources_with_their_dates() -> None:
    courier = against(passage(COURIER, "https://www.kelmouth-courier.example/a", date(2023, 3, 14), "Kelmouth Courier"))
    said = verdict(Label.REFUTED, courier, other(Stance.FOR, 1), other(Stance.ABOUT, 2), other(Stance.UNRELATED, 3))
    assert documents_say(CLAIM, said) == (
        "One of three sources on this says 340 million, not 430: Kelmouth Courier (14 March 2023). "
        "One agrees with the claim: site1.example. One leaves it open."
    )


def test_an_amount_that_both_give_is_not_said_to_differ() -> None:
    said = verdict(Label.REFUTED, against(passage("The tram saved 430 million crowns."), said="430 million"))
    assert documents_say(CLAIM, said).endswith("says otherwise: a.example.")


@pytest.mark.parametrize(
    ("count", "begins"),
    [(1, "The one source on this agrees"), (2, "Both sources on this agree"), (3, "All three sources on this agree")],
)
def test_sources_that_all_say_one_thing_are_counted_as_a_reader_would(count: int, begins: str) -> None:
    said = documents_say(CLAIM, verdict(Label.SUPPORTED, *(other(Stance.FOR, at) for at in range(count))))
    assert said.startswith(begins)
    assert ("one more" in said) == (count == 3)  # two are named


def test_two_passages_of_one_document_are_one_source() -> None:
    document = Document("https://a.example/1", "The tram is green. The tram is long.")
    stances = [PassageStance(Passage(document, *span), Stance.FOR, 0.8, "says so") for span in ((0, 18), (19, 36))]
    assert documents_say(CLAIM, verdict(Label.SUPPORTED, *stances)).partition(" on this ")[2].startswith("agrees")


def test_without_a_verdict_the_sentence_is_less_sure_and_no_side_is_none() -> None:
    unsure = replace(against(passage(COURIER)), probability=0.58)
    seems = documents_say(CLAIM, verdict(None, unsure, other(Stance.ABOUT, 1)))
    assert "seems to say 340" in seems
    assert "seem" not in documents_say(CLAIM, verdict(None, against(passage(COURIER))))
    assert documents_say(CLAIM, verdict(None, other(Stance.UNRELATED, 1))) == SILENT
    assert documents_say(CLAIM, verdict(None, other(Stance.ABOUT, 1, "language"))) == UNREAD
    assert documents_say(CLAIM, verdict(None, other(Stance.ABOUT, 1, "order"))) == SILENT


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "The one source on this leaves it open."),
        (2, "Neither of two sources on this settles it."),
        (3, "None of three sources on this settles it."),
    ],
)
def test_sources_without_a_side_settle_nothing(count: int, said: str) -> None:
    assert documents_say(CLAIM, verdict(None, *(other(Stance.ABOUT, at) for at in range(count)))) == said


def test_differences_that_have_no_name_are_said_together() -> None:
    stances = [other(Stance.AGAINST, at, kind) for at, kind in enumerate(("denial", "negation", "reading"))]
    assert documents_say(CLAIM, verdict(Label.REFUTED, *stances)).partition(" on this ")[2].startswith("say otherwise:")
    assert (
        documents_say(CLAIM, verdict(Label.REFUTED, stances[0])).partition(" on this ")[2].startswith("calls it false:")
    )


def test_sources_that_contradict_in_other_ways_are_counted_together() -> None:
    said = verdict(Label.REFUTED, against(passage(COURIER)), other(Stance.AGAINST, 1, "negation"), other(Stance.FOR, 2))
    assert documents_say(CLAIM, said) == (
        "Two of three sources on this contradict the claim: a.example and site1.example. "
        "a.example says 340 million, not 430. One agrees with the claim: site2.example."
    )


@pytest.mark.parametrize(
    ("after", "quoted"),
    [
        ("One of them is that the tram is red.", "These beliefs are wrong. One of them is that the tram is red."),
        ("The tram is red.", "These beliefs are wrong."),
    ],
)
def test_a_denial_of_several_beliefs_is_quoted_with_the_one_it_names(after: str, quoted: str) -> None:
    one = passage(f"People say much. These beliefs are wrong. {after} It is late.")
    denial = PassageStance(one, Stance.AGAINST, 0.9, "calls it false", "denial", ((17, 41),))
    assert sentence_of(denial) == quoted


def test_near_identical_passages_are_one_voice_and_the_earliest_dated_one_is_named() -> None:
    wire = f"{COURIER} The line is eleven kilometres long and has fourteen stops."
    days = (None, date(2023, 3, 15), date(2023, 3, 14))
    copies = [
        against(passage(wire.replace("said", verb), f"https://{name}.example/x", published))
        for name, verb, published in zip("abc", ("said", "wrote", "told us"), days, strict=True)
    ]
    said = documents_say(CLAIM, verdict(Label.REFUTED, *copies, other(Stance.ABOUT, 1)))
    assert said.startswith("One of two sources on this says 340 million, not 430: c.example (14 March 2023).")
    assert "3 sources, 1 original" in said
    assert "c.example (14 March 2023)" in said
    undated = documents_say(
        CLAIM, verdict(Label.REFUTED, *(against(passage(wire, f"https://{n}.example")) for n in "ab"))
    )
    assert undated.endswith("2 sources, 1 original: a.example and b.example carry one text, and none has a date.")


def test_a_copy_with_another_number_and_a_short_equal_sentence_are_voices_of_their_own() -> None:
    wire = f"{COURIER} The line is eleven kilometres long and has fourteen stops."
    turned = PassageStance(passage(wire.replace("340", "430"), "https://b.example/x"), Stance.FOR, 0.9, "says so")
    assert "original" not in documents_say(CLAIM, verdict(Label.REFUTED, against(passage(wire)), turned))
    short = "The tram cost 340 million crowns."
    both = [against(passage(short, f"https://{name}.example/x")) for name in "ab"]
    assert documents_say(CLAIM, verdict(Label.REFUTED, *both)).partition(" on this ")[2].startswith("say 340 million")


def test_a_name_that_a_page_gives_itself_is_one_short_line() -> None:
    named = against(passage(COURIER, "https://very.example/a", name="A very\n\u202elong " + "name " * 40))
    said = documents_say(CLAIM, verdict(Label.REFUTED, named))
    assert "A very long name" in said
    assert len(said) < 80 + LONGEST_NAME


def test_a_page_cannot_give_itself_the_name_of_another_site() -> None:
    said = documents_say(
        CLAIM, verdict(Label.REFUTED, against(passage(COURIER, "https://evil.example/a", name="Reuters")))
    )
    assert said.endswith("430: evil.example.")


def test_the_quotation_is_the_sentence_with_the_words_that_decide() -> None:
    one, agrees = against(passage(COURIER)), other(Stance.FOR, 1)
    assert sentence_of(one) == "The Kelmouth tram cost 340 million crowns, the treasurer said."
    assert quoted_stances(verdict(Label.REFUTED, agrees, one)) == (one,)
    assert quoted_stances(verdict(Label.CONFLICTING, agrees, one)) == (one, agrees)
    assert quoted_stances(verdict(Label.NOT_ENOUGH_EVIDENCE, other(Stance.ABOUT, 2))) == ()
    second = replace(agrees, probability=0.6)
    assert quoted_stances(verdict(Label.SUPPORTED, agrees, second, decisive=(1,))) == (second,)
    assert open_places(verdict(Label.SUPPORTED, agrees, second, decisive=(1,))) == (1,)
    assert open_places(verdict(Label.REFUTED, agrees, one)) == (1,)


def test_cannot_tell_names_the_terms_that_the_documents_lack() -> None:
    about = [other(Stance.ABOUT, 1, text="The bridge was repaired in 2019.")]
    lacking = case(verdict(None, *about), "The Skarnby bridge was opened in 2021.")
    assert missing(lacking) == ("No document mentions “Skarnby”.", "No document speaks of 2021.")
    assert missing(replace(lacking, corpus=CorpusSummary(documents=9)))[0].endswith("mentions “Skarnby”.")
    elsewhere = replace(lacking, verdict=verdict(None, *about, other(Stance.UNRELATED, 2, text="A fair in Skarnby.")))
    assert missing(elsewhere)[0].endswith("mentions “Skarnby”.")
    unit = case(verdict(None, *about), "The bridge was 41 °C warm in 2019.")
    assert missing(unit)[0].endswith("says “41 °C”.")
    words = case(verdict(None, *about), "The bridge was painted in 2019.")
    assert [one.split()[-1] for one in missing(words)] == ["“painted”."]
    assert missing(case(verdict(None, *about), "The bridge was repaired in 2019.")) == (NOTHING_MISSING,)


def test_passages_that_take_an_unclear_side_are_named_before_missing_terms() -> None:
    assert missing(case(verdict(None, against(passage(COURIER))))) == (
        UNCLEAR,
        "No document says “430 million”.",
    )
    both = verdict(None, against(passage(COURIER)), other(Stance.FOR, 1))
    assert missing(case(both))[0] == DISAGREE
    assert missing(case(replace(verdict(None, other(Stance.FOR, 1)), features={"closest": 0.5})))[0] == WEIGHED


def test_a_verdict_with_a_side_lacks_nothing() -> None:
    assert missing(case(verdict(Label.REFUTED, against(passage(COURIER))))) == ()
