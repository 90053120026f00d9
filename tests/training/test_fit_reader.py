"""The reader's fine-tuning: a kill costs nothing, the same seed gives the same weights, and the mix is even."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from core.errors import BadInput
from core.training import fit_reader
from core.training.entailment import LabelledPair
from core.training.fit_reader import BATCH, LearningSchedule, ReaderTraining
from core.training.mixture import LONGEST, balanced, in_context, interleaved, made_neither, mixed
from core.verification.stance.pair_model import read_packed
from core.verification.stance.pair_reader import FITTED
from core.verification.written_claims import LABELS

STEPS = 3
OTHER_ORDER = 5
"""A seed that puts the batches in another order than seed 1 does."""
PAIRS = [
    LabelledPair(f"The bridge of town {n} has {n % 7} arches.", f"The bridge has {n % 5} arches.", n % 3, "made")
    for n in range(2 * BATCH)
]


class Killed(Exception):
    pass


@pytest.fixture(autouse=True, scope="module")
def _only_the_last_layer_learns() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_reader, "TAUGHT", ("layers.11.", "head."))
        yield


def training(seed: int = 1) -> ReaderTraining:
    schedule = LearningSchedule(STEPS * BATCH, seed=seed, seconds_between=0)
    return ReaderTraining(schedule, FITTED, lambda number: random.Random(number).sample(PAIRS, len(PAIRS)))


def learnt(folder: Path, *, seed: int = 1) -> dict[str, torch.Tensor]:
    """Return the weights of a whole run."""
    one = training(seed)
    one.learn(folder / f"{seed}.safetensors", lambda step, loss: None)
    return one.tuned


def same(some: dict[str, torch.Tensor], others: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(weight, others[name]) for name, weight in some.items())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, torch.Tensor]:
    return learnt(tmp_path_factory.mktemp("whole"))


@pytest.mark.slow
def test_a_run_that_was_killed_ends_with_the_same_weights(whole: dict[str, torch.Tensor], tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.safetensors"

    def kill(step: int, loss: float) -> None:
        if step == 3:  # in the second pass, with the checkpoint of step 2 on the disk
            raise Killed

    with pytest.raises(Killed):
        training().learn(checkpoint, kill)
    resumed = training()
    resumed.learner.resume(checkpoint)
    assert resumed.learner.step == 2
    resumed.learn(checkpoint, lambda step, loss: None)
    assert same(whole, resumed.tuned)


@pytest.mark.slow
def test_the_seed_decides_the_weights(whole: dict[str, torch.Tensor], tmp_path: Path) -> None:
    assert same(whole, learnt(tmp_path))
    assert not same(whole, learnt(tmp_path, seed=OTHER_ORDER))


@pytest.fixture(scope="module")
def unlearnt() -> ReaderTraining:
    return training(seed=1)


def test_a_checkpoint_of_another_seed_is_refused(unlearnt: ReaderTraining, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.safetensors"
    unlearnt.learner.keep(checkpoint)
    with pytest.raises(BadInput, match="seed 1"):
        training(seed=2).learner.resume(checkpoint)


def test_what_is_no_checkpoint_is_refused(unlearnt: ReaderTraining, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.safetensors"
    checkpoint.write_bytes(b"\x80\x04pickle")
    with pytest.raises(BadInput, match="is no checkpoint"):
        unlearnt.learner.resume(checkpoint)


def test_the_rate_rises_and_falls_to_nothing() -> None:
    schedule = LearningSchedule(10_000 * BATCH)
    rates = [schedule.rate_at(step) for step in (0, 99, 5_000, 9_999)]
    assert rates == pytest.approx([5e-7, 5e-5 * 9901 / 10_000, 2.5e-5, 5e-9])


def test_all_weights_are_written_and_those_that_learnt_are_read_again(unlearnt: ReaderTraining, tmp_path: Path) -> None:
    for weight in unlearnt.tuned.values():
        weight.mul_(1.01)
    unlearnt.export(tmp_path / "reader.safetensors")
    before, after = read_packed(FITTED), read_packed(tmp_path)
    assert before.keys() == after.keys()
    for name, weight in after.items():
        expected = unlearnt.tuned.get(name, before[name])
        assert torch.allclose(weight, expected, atol=float(expected.abs().max()) / 100)


def test_two_lists_are_read_in_turn() -> None:
    some, others = ([LabelledPair(f"P {n}.", "C.", 0, source) for n in range(3)] for source in ("written", "fever"))
    assert [one.source for one in interleaved(some, others[:2])] == ["written", "fever"] * 2


def fever(premise: str, claim: str, side: str) -> LabelledPair:
    return LabelledPair(premise, claim, LABELS.index(side), "fever")


def test_claims_whose_words_give_their_side_away_are_left_out() -> None:
    given_away = [fever(f"P {n}.", f"Film {n} is not a film.", "against") for n in range(400)]
    open_ones = [fever(f"P {n}.", f"Film {n} is from {n}.", side) for n in range(200) for side in ("for", "against")]
    kept = balanced([*given_away, *open_ones], random.Random(0))
    assert len({pair.label for pair in kept}) == 2
    assert sum("not" in pair.claim for pair in kept) < 0.1 * len(kept)
    assert len(set(Counter(pair.label for pair in kept).values())) == 1


def test_a_made_pair_settles_nothing() -> None:
    pairs = [
        fever("Ada Lovelace wrote about engines.", "Ada Lovelace wrote about engines.", "for"),
        fever("Lovelace liked riding horses.", "Ada Lovelace liked riding.", "for"),
    ]
    made = made_neither(pairs, 10, random.Random(0))
    assert {(one.premise, one.claim) for one in made} <= {
        (pairs[0].premise, pairs[1].claim),
        (pairs[1].premise, pairs[0].claim),
    }
    assert made
    assert all(LABELS[one.label] == "neither" for one in made)


def test_a_sentence_beside_a_passage_is_of_the_same_thing_and_settles_nothing() -> None:
    told, other = "Pola Berger was born in Graz.", "She plays chess on Sundays."
    pairs = [fever(told, "Pola Berger is from Graz.", "for"), fever(other, "Pola Berger knows a game.", "for")]
    found = in_context(pairs, 1.0, random.Random(0))[0]
    assert found.premise in (f"{told} {other}", f"{other} {told}")
    assert (found.claim, found.label) == (pairs[0].claim, pairs[0].label)
    assert in_context(pairs, 0.0, random.Random(0)) == pairs


def test_a_passage_that_would_be_too_long_stays_alone() -> None:
    long = f"Pola Berger {'sings ' * LONGEST}"[:LONGEST]
    pairs = [fever(long, "Pola Berger was born.", "for"), fever("She plays chess.", "Pola Berger plays.", "for")]
    assert in_context(pairs, 1.0, random.Random(0))[0].premise == long


def test_every_stretch_has_the_mix_of_the_whole() -> None:
    pairs = [
        LabelledPair(f"P {n}.", f"C {n}.", label, source)
        for source, number in (("fm2", 100), ("vitaminc_synthetic", 400))
        for label in range(3)
        for n in range(number)
    ]
    order = mixed(pairs, seed=0)
    assert len(order) == 3 * (2 * 100 + 400)  # fm2 is read twice
    for start in range(0, len(order), 300):
        counts = Counter((one.source, one.label) for one in order[start : start + 300])
        assert all(counts["fm2", label] == pytest.approx(100 / 3, abs=2) for label in range(3))
        assert all(counts["vitaminc_synthetic", label] == pytest.approx(200 / 3, abs=2) for label in range(3))


def test_two_seeds_give_two_orders_of_the_same_pairs() -> None:
    pairs = [LabelledPair(f"P {n}.", f"C {n}.", n % 3, "fm2") for n in range(60)]
    one, other = mixed(pairs, seed=0), mixed(pairs, seed=1)
    assert one != other
    assert Counter(one) == Counter(other)
