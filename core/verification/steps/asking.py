"""Questions that the model writes to passages and summaries: each worth asking, or none.

A small model asks questions that fit any text, or repeats itself. Then it is asked again, with the prompt still
evaluated. If that fails too, the passage joins the card of the repeated question, or has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.annotations import GoldClaim
from core.interfaces import LanguageModel, RunContext
from core.llm.prompts import first_tokens, render, shortened_note
from core.types import Case, Completion, Message, Prompt
from core.verification.questions import AskedQuestions, cards
from core.verification.steps.gathering import quote
from core.verification.steps.querying import training_claims, with_turns
from core.verification.steps.values import Again, Examples, Tokens
from core.wording import counted

EXAMPLE_TOKENS = 48
"""How much of a training claim's answer an example shows."""

EXAMPLES, ONE_TURN = "question_for_passage", "question_in_one_turn"
"""The templates: with examples of ours, and without any."""

RETRY_TEMPERATURE = 0.7
"""The temperature of every try but the first."""


@dataclass(frozen=True)
class AskOfPassages:
    """Have the model write the question that each passage answers; the passage is the answer.

    A text that is no question, fits any text or repeats another is asked for `again` so many times. The `examples`
    training claims closest to this one precede it, in place of ours, where the user has them. With `one_turn` no
    example precedes it: adapters that learned to ask are used so (`core fit questions`).
    Source of the examples: Schlichtkrull et al., NeurIPS 2023 (the AVeriTeC baseline).
    """

    longest: Tokens = 40
    passage_tokens: Tokens = 48  # reading passages is most of the time a small model takes
    examples: Examples = 3
    again: Again = 2
    one_turn: bool = False
    title: str = "Write a question for each passage"

    def __call__(self, case: Case, context: RunContext) -> Case:
        evidence, completions, shortened = list(case.evidence), list(case.completions), 0
        nearest = () if self.one_turn else training_claims(case, context, self.examples)
        template = ONE_TURN if self.one_turn else EXAMPLES
        asking = Asking(case, context, longest=self.longest, examples=nearest, again=self.again, template=template)
        for hit in case.hits:
            context.report(f"question {hit.rank} of {len(case.hits)}")
            whole = " ".join(hit.passage.text.split())
            text = first_tokens(whole, context.models.llm, tokens=self.passage_tokens)
            shortened += text != whole
            question, tries = asking.ask(text)
            evidence.append(quote(question, hit.passage))
            completions += [replace(one, step=self.title) for one in tries]
        notes = (*case.notes, *shortened_note(shortened, len(case.hits), self.passage_tokens))
        return replace(case, evidence=tuple(evidence), completions=tuple(completions), notes=notes)

    def found(self, case: Case) -> str:
        return f"{counted(questions_in(case), 'question')} with answers"


@dataclass(frozen=True)
class AskOfAnswers:
    """Have the model write the question of each answer that has none.

    Questions are asked for `again` as by AskOfPassages. The `examples` training claims closest to this one precede it,
    in place of ours, where the user has them.
    """

    longest: Tokens = 40
    examples: Examples = 3
    again: Again = 2
    title: str = "Write a question for each summary"

    def __call__(self, case: Case, context: RunContext) -> Case:
        evidence, completions = list(case.evidence), list(case.completions)
        nearest = training_claims(case, context, self.examples)
        asking = Asking(case, context, longest=self.longest, examples=nearest, again=self.again)
        open_ones = [place for place, pair in enumerate(evidence) if not pair.question]
        for number, place in enumerate(open_ones, start=1):
            context.report(f"question {number} of {len(open_ones)}")
            question, tries = asking.ask(evidence[place].answer)
            completions += [replace(one, step=self.title) for one in tries]
            evidence[place] = replace(evidence[place], question=question)
        return replace(case, evidence=tuple(evidence), completions=tuple(completions))

    def found(self, case: Case) -> str:
        return counted(questions_in(case), "question")


def questions_in(case: Case) -> int:
    """Return how many different questions a case has answers to."""
    return sum(bool(card.question) for card in cards(case.evidence))


@dataclass
class Asking:
    """One case's questions, written one by one.

    With annotated claims as `examples`, the first answered question of each precedes, in place of ours.
    """

    case: Case
    context: RunContext
    longest: int
    again: int
    examples: Sequence[GoldClaim] = ()
    template: str = EXAMPLES

    def __post_init__(self) -> None:
        before = [pair.question for pair in self.case.evidence]
        self.asked = AskedQuestions(self.case.claim.text, self.context.models.encoder, before, stop=self.context.stop)
        self.turns = [turn for one in self.examples for turn in example_turns(one, self.context.models.llm)]

    def ask(self, text: str) -> tuple[str, list[Completion]]:
        """Return the question that a text answers, and the model's completions for it.

        The question is new, or an earlier one in the same words; "" if every try was empty.
        """
        tries: list[Completion] = []
        repeated = ""
        for number in range(1 + self.again):
            tries.append(self.write(text, number))
            question = first_question(tries[-1].text)
            if self.asked.is_empty(question, text):
                continue
            twin = self.asked.twin(question)
            if twin is None:
                self.asked.add(question)
                return question, tries
            repeated = repeated or twin
        return repeated, tries

    def write(self, text: str, number: int = 0) -> Completion:
        """Return the model's completion. The first try (`number` 0) is the likeliest; others are sampled."""
        prompt = render(self.template, {"claim": self.case.claim.text, "passage": text})
        return self.context.models.llm.generate(
            with_turns(prompt, self.turns),
            max_tokens=self.longest,
            temperature=RETRY_TEMPERATURE if number else 0.0,
            seed=self.context.seed + number,
            stop=self.context.stop,
        )


def example_turns(example: GoldClaim, llm: LanguageModel) -> Prompt:
    """Return an annotated claim as a user's turn with claim and answer, and the model's with the question."""
    if not example.pairs:
        return ()
    question, answer = example.pairs[0]
    slots = {"claim": example.claim.text, "passage": first_tokens(" ".join(answer.split()), llm, tokens=EXAMPLE_TOKENS)}
    return render(EXAMPLES, slots)[-1], Message("assistant", question)


def first_question(text: str) -> str:
    """Return the first question in a model's text, on one line; the first line if it asks nothing."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    question, mark, _ = line.partition("?")
    return question + mark if mark else line
