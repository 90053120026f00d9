from core.types import Case, Claim, Completion, Document, Evidence, Passage, StepTime
from core.verification.comparing import READ, SEARCH, WEIGH, WRITE, found_passages, same, step_costs

RIVER = Document("https://example.org/river", "0123456789" * 3)
WALL = Document("https://example.org/wall", "abcdefghij" * 3)


def case(*passages: Passage | None) -> Case:
    return Case(Claim("c"), evidence=tuple(Evidence("q", "a", passage) for passage in passages))


def test_passages_are_one_if_they_share_more_than_half_of_the_shorter() -> None:
    assert same(Passage(RIVER, 0, 10), Passage(RIVER, 4, 20))  # 6 of 10
    assert not same(Passage(RIVER, 0, 10), Passage(RIVER, 5, 20))  # 5 of 10
    assert same(Passage(RIVER, 0, 30), Passage(RIVER, 12, 14))
    assert not same(Passage(RIVER, 0, 10), Passage(WALL, 0, 10))
    again = Document("https://elsewhere.example/copy", RIVER.text)
    assert same(Passage(RIVER, 0, 10), Passage(again, 0, 10))  # by the text's digest, wherever it stood


def test_what_all_found_comes_first_with_its_place_in_each_case() -> None:
    first = case(Passage(WALL, 0, 10), Passage(RIVER, 0, 10), None)
    second = case(Passage(RIVER, 1, 10), Passage(RIVER, 20, 30))
    found = found_passages([first, second])
    assert [(one.passage, one.places, one.cases) for one in found] == [
        (Passage(RIVER, 0, 10), (2, 1), 2),
        (Passage(WALL, 0, 10), (1, None), 1),
        (Passage(RIVER, 20, 30), (None, 2), 1),
    ]


def test_a_passage_that_answers_twice_counts_once_at_its_best_place() -> None:
    found = found_passages([case(Passage(RIVER, 0, 10), Passage(RIVER, 0, 10)), case()])
    assert [one.places for one in found] == [(1, None)]


def completion(step: str, prompt: int, kept: int, written: int) -> Completion:
    return Completion((), "", prompt, kept, written, 0.1, 0, step=step)


def test_seconds_and_tokens_go_to_the_step_that_took_them() -> None:
    times = (
        StepTime("Read the documents", 0.5, ""),
        StepTime("Search the documents", 1.0, ""),
        StepTime("Write a question for each passage", 4.0, ""),
        StepTime("Weigh the evidence", 0.2, ""),
    )
    spoken = (completion(times[2].step, 100, 0, 9), completion(times[2].step, 110, 90, 11))
    costs = step_costs(Case(Claim("c"), times=times, completions=spoken))
    assert [(cost.kind, cost.seconds) for cost in costs] == [(READ, 0.5), (SEARCH, 1.0), (WRITE, 4.0), (WEIGH, 0.2)]
    assert (costs[2].read, costs[2].kept, costs[2].written, costs[2].generations) == (120, 90, 20, 2)
    assert costs[1].written == 0


def test_tokens_of_repeated_steps_count_for_the_step_that_repeats_them() -> None:
    times = (StepTime("Read the documents", 0.5, ""), StepTime("Ask, answer and weigh, in rounds", 9.0, ""))
    costs = step_costs(Case(Claim("c"), times=times, completions=(completion("Ask questions", 50, 20, 5),)))
    assert (costs[1].read, costs[1].kept, costs[1].written) == (30, 20, 5)
    assert costs[1].kind == WRITE
    assert step_costs(Case(Claim("c"))) == ()
