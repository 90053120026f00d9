"""Recipes: what they say of themselves, as files, and as pictures."""

import re
from dataclasses import fields, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, BadRecord
from core.records import MAX_TOML
from core.verification.recipes.catalogue import DEFAULT, RECIPES, Recipe
from core.verification.recipes.picture import recipe_svg
from core.verification.recipes.recipe_files import (
    MAX_STEPS,
    chosen_recipe,
    flat,
    load_recipe,
    quoted,
    read_recipe,
    recipe_toml,
)
from core.verification.recipes.values import MAX_TEXT, bounds, is_step, is_steps, settings_of
from core.verification.steps import answering, asking, control, gathering, judging, querying, retrieving
from core.verification.steps.control import Repeat, UnlessDecided, WithAdapter
from core.verification.steps.judging import PredictVeracity
from core.verification.steps.querying import AskQuestions, QueryClaim
from core.verification.steps.registry import STEPS
from core.verification.steps.retrieving import Retrieve

HEAD = 'name = "mine"\ntitle = "Mine"\n'
MINE = Recipe("mine", "Mine", "", "", (QueryClaim(), Retrieve(pool=7, ranking="bm25"), PredictVeracity()))


def step(lines: str) -> str:
    return f'{HEAD}[[steps]]\n{lines}\n[[steps]]\ndo = "PredictVeracity"\n'


def refusal(text: str) -> str:
    with pytest.raises(BadRecord) as error:
        read_recipe(text, file="mine.toml")
    return str(error.value)


def test_the_eight_designs_of_the_shared_task_and_ours_are_there() -> None:
    teams = {
        "quoted_passages": "Veridesk",
        "evidence_first": "CTU AIC",
        "rewritten_answers": "HUMANE",
        "synthetic_answers": "Checkmate",
        "graph_of_thoughts": "FZIGOT",
        "question_first": "EFC",
        "fused_queries": "OldJoe",
        "hypothetical_document": "HerO",
        "question_per_sentence": "AVeriTeC baseline",
    }
    assert set(RECIPES) == set(teams)
    for name, team in teams.items():
        assert team in RECIPES[name].source, name
        assert name == DEFAULT or "Deviates: " in RECIPES[name].source, name


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_survives_the_way_through_its_file(name: str) -> None:
    assert read_recipe(recipe_toml(RECIPES[name]), file=name) == RECIPES[name]


def test_a_file_by_hand_and_what_it_means() -> None:
    text = """
    name = "mine"
    title = "Mine"
    [[steps]]
    do = "QueryClaim"
    [[steps]]
    do = "Retrieve"
    ranking = "bm25"
    pool = 7
    [[steps]]
    do = "PredictVeracity"
    """
    assert read_recipe(text, file="mine.toml") == MINE


def test_steps_within_steps_adapters_and_titles_survive() -> None:
    rounds = Repeat((WithAdapter(AskQuestions(count=1, title='Ask "on"\\'), "/models/ask.gguf"), Retrieve()), rounds=2)
    recipe = replace(
        MINE, summary="Ein Übungsstück\x7f", steps=(rounds, UnlessDecided(WithAdapter(PredictVeracity(), "/w.gguf")))
    )
    text = recipe_toml(recipe)
    assert read_recipe(text, file="x") == recipe
    assert 'do = "AskQuestions"\nadapter = "/models/ask.gguf"\ncount = 1' in text
    assert "WithAdapter" not in text


@given(st.data())
def test_any_settings_within_their_bounds_survive(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([name for name in STEPS if name not in ("Repeat", "UnlessDecided")]))
    values = {}
    for key, hint in settings_of(STEPS[name]).items():
        kind, limits = bounds(hint)
        if kind is int and limits:
            values[key] = data.draw(st.integers(int(limits.least), int(limits.most)))
        elif kind is float and limits:
            values[key] = data.draw(st.floats(limits.least, limits.most, allow_subnormal=False))
        elif kind is str:
            values[key] = data.draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
    recipe = replace(MINE, steps=(STEPS[name](**values), PredictVeracity()))
    assert read_recipe(recipe_toml(recipe), file="x") == recipe


def test_every_setting_of_every_step_has_bounds_or_is_no_number() -> None:
    for name, kind in STEPS.items():
        for key, hint in settings_of(kind).items():
            plain, limits = bounds(hint)
            assert limits or plain not in (int, float), f"{name}.{key}"
            assert is_step(hint) or is_steps(hint) or not isinstance(getattr(kind, key, None), list)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name =", "mine.toml is not TOML: "),
        ("colour = 1", "mine.toml: there is no 'colour' in a recipe; there are: name, title, summary, source, steps."),
        (
            'name = "a b"\ntitle = "t"',
            "mine.toml: the recipe needs a 'name' of letters, digits, - and _ (60 at most), got 'a b'.",
        ),
        ('name = "a"', "mine.toml: the recipe needs a 'title'"),
        ('name = "a"\ntitle = 3', "mine.toml: 'title' must be a text, got 3."),
        (f'name = "a"\ntitle = "{"t" * 101}"', "mine.toml: 'title' has 101 characters; the limit is 100."),
        (HEAD, "mine.toml: 'steps' must be a list of steps"),
        (f"{HEAD}steps = 3", "mine.toml: 'steps' must be a list of steps"),
        (f"{HEAD}[[steps]]\npool = 3", "mine.toml, step 1: 'do' is missing; there are: QueryClaim, AskQuestions,"),
        (f'{HEAD}[[steps]]\ndo = "Guess"', "mine.toml, step 1: there is no step 'Guess'; there are: QueryClaim,"),
        (f'{HEAD}[[steps]]\ndo = "QueryClaim"', "mine.toml: no step gives a verdict; end with [[steps]] and do ="),
        (
            step('do = "Retrieve"\npol = 3'),
            "mine.toml, step 1 (Retrieve): there is no setting 'pol'; there are: pool, keep, ranking, "
            "dense_first_stage, every_passage, title, adapter.",
        ),
        (step('do = "Retrieve"\npool = "many"'), "'pool' must be a whole number from 1 to 1000, got 'many'."),
        (step('do = "Retrieve"\npool = 0'), "'pool' must be a whole number from 1 to 1000, got 0."),
        (step('do = "Retrieve"\npool = true'), "'pool' must be a whole number from 1 to 1000, got true."),
        (step('do = "Retrieve"\npool = 1.5'), "'pool' must be a whole number from 1 to 1000, got 1.5."),
        (step('do = "Retrieve"\ndense_first_stage = 1'), "'dense_first_stage' must be true or false, got 1."),
        (
            step('do = "Retrieve"\nranking = "best"'),
            'must be one of "hybrid", "bm25", "dense", "rrf", got \'best\'.',
        ),
        (step('do = "Retrieve"\nranking = ["bm25"]'), "must be one of"),
        (step('do = "Diversify"\ntrade_off = 1.5'), "'trade_off' must be a number from 0 to 1, got 1.5."),
        (step('do = "Diversify"\ntrade_off = nan'), "'trade_off' must be a number from 0 to 1, got nan."),
        (step('do = "Diversify"\ntitle = ""'), "step 1 (Diversify): 'title' must be a text, got ''."),
        (step(f'do = "Diversify"\ntitle = "{"t" * 301}"'), f"has 301 characters; the limit is {MAX_TEXT}."),
        (step('do = "Repeat"'), "mine.toml, step 1 (Repeat): 'steps' is missing; it must be a list of steps."),
        (step('do = "Repeat"\nsteps = []'), "mine.toml, step 1: 'steps' must be a list of steps"),
        (
            step('do = "Repeat"\n[[steps.steps]]\ndo = "PredictVeracity"\nk = 2'),
            "mine.toml, step 1.1 (PredictVeracity): there is no setting",
        ),
        (
            step('do = "Repeat"\n[[steps.steps]]\ndo = "Repeat"\n[[steps.steps.steps]]\ndo = "PredictVeracity"'),
            "mine.toml: a Repeat within a Repeat is not possible",
        ),
        (
            step('do = "UnlessDecided"\nstep = "PredictVeracity"'),
            "step 1 (UnlessDecided): 'step' must be a step, got 'PredictVeracity'.",
        ),
        (step('do = "UnlessDecided"\n[steps.step]\ndo = "Weight"'), "mine.toml, step 1.1: there is no step 'Weight'"),
        (
            step('do = "PredictVeracity"\nadapter = "x.gguf"'),
            "'adapter' must be a whole path from the root, got 'x.gguf'.",
        ),
        (step('do = "PredictVeracity"\nadapter = 3'), "'adapter' must be the path of a GGUF file, got 3."),
        (
            HEAD + '[[steps]]\ndo = "PredictVeracity"\n' * (MAX_STEPS + 1),
            f"mine.toml has 41 steps; the limit is {MAX_STEPS}.",
        ),
        ("#" * (MAX_TOML + 1), "mine.toml has 50,001 characters; the limit is 50,000."),
        (f"{HEAD}steps = {'[' * 5000}", "mine.toml is not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_possible(text: str, sentence: str) -> None:
    assert sentence in refusal(text)


def test_a_file_may_not_take_the_name_of_a_built_in_recipe_unless_it_is_that_recipe(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(recipe_toml(RECIPES[DEFAULT]))
    assert load_recipe(file) == RECIPES[DEFAULT]
    file.write_text(recipe_toml(replace(MINE, name=DEFAULT)))
    with pytest.raises(BadRecord, match="built-in recipe"):
        load_recipe(file)


def test_an_adapter_is_looked_for_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(step('do = "AskQuestions"\nadapter = "ask.gguf"'))
    assert load_recipe(file).steps[0] == WithAdapter(AskQuestions(), str(tmp_path / "ask.gguf"))


def test_a_recipe_is_named_or_is_a_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(recipe_toml(MINE))
    assert chosen_recipe(DEFAULT) == (DEFAULT, "")
    assert chosen_recipe(str(file)) == ("mine", recipe_toml(MINE))
    with pytest.raises(BadInput, match=r"'guess'.* quoted_passages"):
        chosen_recipe("guess")
    with pytest.raises(BadInput, match=r"nowhere\.toml"):
        chosen_recipe(str(tmp_path / "nowhere.toml"))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="UTF-8"):
        chosen_recipe(str(file))


@pytest.mark.parametrize("name", RECIPES)
def test_a_picture_shows_every_step_within_its_width_and_in_words(name: str) -> None:
    root = ElementTree.fromstring(recipe_svg(RECIPES[name]))
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    shown = " ".join(text for element in root.iter() if (text := element.text))
    spoken = root.attrib["aria-label"]
    assert root.attrib["role"] == "img"
    for one in (each for step in RECIPES[name].steps for each in flat(step)):
        assert one.title in spoken
        assert all(word in shown for word in one.title.split())
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height


def test_a_picture_says_what_is_set_and_text_in_it_stays_text() -> None:
    hostile = "</text><script>alert(1)</script> & 'so' on \x00"
    recipe = replace(MINE, title=hostile, steps=(UnlessDecided(Retrieve(title=hostile, pool=7)), PredictVeracity()))
    svg = recipe_svg(recipe)
    assert "<script" not in svg
    assert set(re.findall(r"<([a-z]+)", svg)) <= {"svg", "rect", "text", "path"}
    text = " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter())
    assert "pool 7, keep 40" in " ".join(text.split())


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.booleans(), st.integers(-(2**60), 2**60)))
def test_values_are_written_as_toml_reads_them(value: str | bool | int) -> None:
    import tomllib

    assert tomllib.loads(f"x = {quoted(value)}") == {"x": value}


def test_steps_are_frozen_and_say_what_they_do() -> None:
    for name, kind in STEPS.items():
        assert kind.__dataclass_params__.frozen, name
        assert kind.__doc__, name
        assert kind.__mro__[1] is object, f"{name} is derived from another step"
        if "title" in {each.name for each in fields(kind)}:
            assert kind.title[0].isupper(), name


def test_every_step_can_be_named_in_a_file() -> None:
    modules = (answering, asking, control, gathering, judging, querying, retrieving)
    written = {
        name
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and kind.__module__ == module.__name__ and hasattr(kind, "found")
    }
    assert written - {"WithAdapter"} == set(STEPS)
