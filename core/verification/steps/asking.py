"""Questions that the model writes to passages and summaries: each worth asking, or none.

A small model asks questions that fit any text, or that nothing answers. The judge of questions refuses those. They are
written once more, and then left out.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from core.annotations import GoldClaim
from core.interfaces import AdaptableModel, DraftingModel, LanguageModel, RunContext
from core.llm.prompts import first_tokens, render
from core.models.question_adapter import bundled_adapter
from core.types import Case, Completion, Evidence, Message, Passage, Prompt, Stance
from core.verification.claim_question import claim_questions
from core.verification.question_focus import Focus, focus_of
from core.verification.question_heading import heading_questions
from core.verification.question_judge import DraftQuestion, likely_questions
from core.verification.questions import AskedQuestions, askable, cards
from core.verification.stance.stance_words import repeats
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

    After a verdict only passages that speak of the claim are asked of, the deciding ones first. The question is about
    their words that speak of it. If the judge of questions refuses one, it is rewritten up to `again` times.
    A passage that answers the claim itself, or a part of it, is headed by that as a question. `trained` uses the
    adapter that comes with the program, if it is made for the model. Then a question that breaks a rule, or that the
    model without it finds unlikely, is marked as doubtful. Otherwise the `examples` training claims closest to this one
    precede it, in place of ours, where the user has them. With `one_turn` no example precedes it: adapters that learned
    to ask are used so (`core fit questions`).
    Source of the examples: Schlichtkrull et al., NeurIPS 2023 (the AVeriTeC baseline).
    """

    longest: Tokens = 40
    passage_tokens: Tokens = 72  # reading passages is most of the time a small model takes
    examples: Examples = 3
    again: Again = 1
    one_turn: bool = False
    trained: bool = True
    title: str = "Write a question for each passage"

    def __call__(self, case: Case, context: RunContext) -> Case:
        own = context.models.llm
        llm, one_turn = self.model(own)
        context = replace(context, models=replace(context.models, llm=llm))
        nearest = () if one_turn else training_claims(case, context, self.examples)
        template = ONE_TURN if one_turn else EXAMPLES
        asking = Asking(case, context, longest=self.longest, examples=nearest, again=self.again, template=template)
        passages = asked_of(case)
        texts = [shortened(one, llm, tokens=self.passage_tokens) for one in focuses(case, passages)]
        questions, tries = asking.ask(texts)
        asked = dict(zip(passages, questions, strict=True))
        of_claim = claim_questions(case, context.models.encoder, stop=context.stop)
        written = {
            passage: DraftQuestion(question, text.text, text.span, case.claim.text)
            for passage, question, text in zip(passages, questions, texts, strict=True)
            if question and passage not in of_claim
        }
        sure = heading_of(written, case, own, context) if llm is not own else set(questions)
        evidence = with_questions(case, asked, sure, of_claim)
        return replace(
            case,
            evidence=(*case.evidence, *evidence),
            completions=(*case.completions, *(replace(one, step=self.title) for one in tries)),
        )

    def model(self, llm: LanguageModel) -> tuple[LanguageModel, bool]:
        """Return the model that asks, and whether it does so in one turn."""
        adapter = bundled_adapter(llm.identity) if self.trained else None
        if adapter and isinstance(llm, AdaptableModel):
            return llm.with_adapter(adapter), True
        return llm, self.one_turn

    def found(self, case: Case) -> str:
        return f"{counted(questions_in(case), 'question')} with answers"


def with_questions(
    case: Case, asked: Mapping[Passage, str], sure: Container[str], of_claim: Mapping[Passage, str]
) -> list[Evidence]:
    """Return each passage found with its own question and the claim's.

    The claim's replaces a missing question, and each part's replaces one doubtful question.
    """
    said_again, used, evidence = repeated(case), set[str](), list[Evidence]()
    for hit in case.hits:
        own = asked.get(said_again.get(hit.passage, hit.passage), "")
        claimed = of_claim.get(hit.passage, "")
        doubtful = bool(own) and own not in sure
        if claimed and (not own or (doubtful and claimed not in used)):
            own, doubtful = claimed, False
            used.add(claimed)
        evidence.append(replace(quote(own, hit.passage), doubtful=doubtful, claim_question=claimed))
    return evidence


def heading_of(
    written: Mapping[Passage, DraftQuestion], case: Case, llm: LanguageModel, context: RunContext
) -> set[str]:
    """Return the questions that may head their passages: sound ones that the model without its adapter finds likely."""
    stances = {one.passage: one.stance for one in case.verdict.stances} if case.verdict else {}
    agreeing = [stances.get(passage) is Stance.FOR for passage in written]
    sound = heading_questions(list(written.values()), agreeing, context.models.encoder, stop=context.stop)
    return likely_questions(sound, llm, stop=context.stop)


def asked_of(case: Case) -> list[Passage]:
    """Return the passages that questions are written for, deciding ones first; before a verdict all of them."""
    passages = [hit.passage for hit in case.hits]
    if not case.verdict or not case.verdict.stances:
        return list(dict.fromkeys(passages))
    wanted = askable(case.verdict)
    return [passage for passage in wanted if passage in passages and passage not in repeated(case)]


def focuses(case: Case, passages: Sequence[Passage]) -> list[Focus]:
    """Return the part of each passage that speaks of the claim."""
    stances = {one.passage: one for one in case.verdict.stances} if case.verdict else {}
    return [focus_of(case.claim.text, passage, stances.get(passage)) for passage in passages]


def repeated(case: Case) -> dict[Passage, Passage]:
    """Return the passages that say a sentence again, each with the first one that does."""
    stances = case.verdict.stances if case.verdict else ()
    return {stances[place].passage: stances[first].passage for place, first in repeats(stances).items()}


def shortened(focus: Focus, llm: LanguageModel, *, tokens: int) -> Focus:
    """Return the focus with at most `tokens` tokens of text."""
    return replace(focus, text=first_tokens(focus.text, llm, tokens=tokens))


@dataclass(frozen=True)
class AskOfAnswers:
    """Have the model write the question of each answer that has none.

    Questions are asked for `again` as by AskOfPassages. The `examples` training claims closest to this one precede it,
    in place of ours, where the user has them.
    """

    longest: Tokens = 40
    examples: Examples = 3
    again: Again = 1
    title: str = "Write a question for each summary"

    def __call__(self, case: Case, context: RunContext) -> Case:
        evidence = list(case.evidence)
        nearest = training_claims(case, context, self.examples)
        asking = Asking(case, context, longest=self.longest, examples=nearest, again=self.again)
        open_ones = [place for place, pair in enumerate(evidence) if not pair.question]
        questions, tries = asking.ask([Focus(evidence[place].answer) for place in open_ones])
        for place, question in zip(open_ones, questions, strict=True):
            evidence[place] = replace(evidence[place], question=question)
        completions = (*case.completions, *(replace(one, step=self.title) for one in tries))
        return replace(case, evidence=tuple(evidence), completions=completions)

    def found(self, case: Case) -> str:
        return counted(questions_in(case), "question")


def questions_in(case: Case) -> int:
    """Return how many different questions a case has answers to."""
    return sum(bool(card.question) for card in cards(case.evidence))


@dataclass
class Asking:
    """One case's questions.

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

    def ask(self, texts: Sequence[Focus]) -> tuple[list[str], list[Completion]]:
        """Return the question that each text answers, and the model's completions for them.

        Texts that answer the same question get the same words. It is "" if no try was worth asking.
        """
        questions, tries = [""] * len(texts), []
        for number in range(1 + self.again):
            left = [place for place, text in enumerate(texts) if not questions[place] and self.can_ask(text)]
            if not left:
                break
            self.context.report(f"{counted(len(left), 'question')}, try {number + 1} of {1 + self.again}")
            written = self.write([texts[place] for place in left], number)
            tries += written
            drafts = [
                DraftQuestion(first_question(one.text), texts[place].text, texts[place].span, self.case.claim.text)
                for one, place in zip(written, left, strict=True)
            ]
            for place, question in zip(left, self.asked.taken(drafts), strict=True):
                questions[place] = question
        return questions, tries

    def can_ask(self, text: Focus) -> bool:
        """Say whether there are words to ask for; a model that is shown examples may find some itself."""
        return bool(text.span) or self.template == EXAMPLES

    def write(self, texts: Sequence[Focus], number: int = 0) -> list[Completion]:
        """Return the model's completions. The first try (`number` 0) is the likeliest; others are sampled."""
        claim, llm = self.case.claim.text, self.context.models.llm
        prompts = [with_turns(prompt_for(self.template, claim, text), self.turns) for text in texts]
        temperature, seed = RETRY_TEMPERATURE if number else 0.0, self.context.seed + number
        stop, longest = self.context.stop, self.longest
        if not isinstance(llm, DraftingModel):
            return [
                llm.generate(prompt, max_tokens=longest, temperature=temperature, seed=seed, stop=stop)
                for prompt in prompts
            ]
        known = [f"{claim} {text.text}" for text in texts]
        return llm.drafts(prompts, known, end="?", max_tokens=longest, temperature=temperature, seed=seed, stop=stop)


def prompt_for(template: str, claim: str, text: Focus) -> Prompt:
    """Return the prompt for a question about a claim that a text answers, with some of its words."""
    return render(template, {"claim": claim, "passage": text.text, "answer": text.span})


def example_turns(example: GoldClaim, llm: LanguageModel) -> Prompt:
    """Return an annotated claim as a user's turn with claim and answer, and the model's with the question."""
    if not example.pairs:
        return ()
    question, answer = example.pairs[0]
    text = Focus(first_tokens(" ".join(answer.split()), llm, tokens=EXAMPLE_TOKENS))
    return prompt_for(EXAMPLES, example.claim.text, text)[-1], Message("assistant", question)


def first_question(text: str) -> str:
    """Return the first question in a model's text, on one line; the first line if it asks nothing."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    question, mark, _ = line.partition("?")
    return question + mark if mark else line
