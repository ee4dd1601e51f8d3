"""Which options a document weighs, and which it has chosen, wherever it says so."""

from __future__ import annotations

import pytest

from schemas.options import read_option_label
from tests.hygiene.test_document_status import chunks_of
from tests.patterns.growth import LONG_TEXT, ends

TWO = (
    "## Considered options\n\n### Option 1: one lane\n\nAll parcels take one lane.\n\n"
    "#### Cons\n\n- Lanes jam.\n\n### Option 2: two lanes\n\nEach hall has a lane of its own.\n\n"
)


def standings_of(text: str) -> dict[str, str]:
    """The standing of each option, which all chunks of the document tell alike."""
    told = {tuple((it.heading, it.status) for it in chunk.options) for chunk in chunks_of(text)}
    (only,) = told
    return dict(only)


@pytest.mark.parametrize(
    "said",
    [
        "## Decision\n\nWe go with option 2.\n",
        "## Decision\n\nOption 2 was chosen, as it is cheaper.\n",
        '## Decision outcome\n\nChosen option: "two lanes", because lanes jam.\n',
        "## Conclusion\n\nWe recommend option two.\n",
        "## Decision\n\nWe decided for two lanes instead of one lane.\n",
        "## Notes\n\nAfter the review we settled on Option 2 and ordered the belts.\n",
        "## Notes\n\nOption 1 was rejected in May. Option 2 has been accepted.\n",
        "## Decision\n\nOption 2, as lanes jam.\n",
        "## Preference: Option 2\n\nIt is cheaper.\n",
    ],
)
def test_the_option_that_another_section_chooses_is_chosen(said: str) -> None:
    told = standings_of(f"# Lanes\n\nParcels wait.\n\n{TWO}{said}")
    assert told == {"Option 1: one lane": "rejected", "Option 2: two lanes": "chosen"}


@pytest.mark.parametrize(
    "said",
    [
        "## Notes\n\nShould we go with option 2?\n",
        "## Notes\n\nIf we choose option 2, belts must be ordered.\n",
        "## Notes\n\nWe have not decided for option 2 yet.\n",
        "## Notes\n\nWe will decide between option 1 and option 2.\n",
        "## Decision\n\nTo be decided.\n",
    ],
)
def test_while_nothing_is_chosen_the_options_are_open(said: str) -> None:
    told = standings_of(f"# Lanes\n\nParcels wait.\n\n{TWO}{said}")
    assert set(told.values()) == {"open"}


def test_a_blend_of_two_leaves_them_open_and_rejects_the_third() -> None:
    text = f"# Lanes\n\n{TWO}### Option 3: three lanes\n\nThree.\n\n## Decision\n\n"
    told = standings_of(f"{text}We chose a blend of options 1 and 2.\n")
    assert list(told.values()) == ["open", "open", "rejected"]


@pytest.mark.parametrize("mark", ["(chosen)", "– selected", "✅", "(recommended)"])
def test_a_mark_in_its_heading_chooses_an_option(mark: str) -> None:
    text = f"# Lanes\n\n## Approach A: belts {mark}\n\nBelts.\n\n## Approach B: carts\n\nCarts.\n\n"
    told = standings_of(f"{text}## Non-goals\n\n- Trains\n")
    assert list(told.values()) == ["chosen", "rejected"]


def test_the_title_names_the_chosen_one() -> None:
    options = "### SQLite\n\nOne file.\n\n### MySQL\n\nA server.\n\n"
    text = f"# Use SQLite for parcels\n\n## Options\n\n{options}"
    told = standings_of(f"{text}## Decision\n\nAs the title says.\n")
    assert told == {"SQLite": "chosen", "MySQL": "rejected"}


def test_items_of_considered_options_are_options_too() -> None:
    text = "# Storage\n\n## Considered options\n\n- SQLite\n- MySQL\n\n## Decision outcome\n\n"
    told = standings_of(f'{text}Chosen option: "SQLite", since it needs no server.\n')
    assert told == {"SQLite": "chosen", "MySQL": "rejected"}


def test_what_stands_under_alternatives_is_rejected() -> None:
    text = "# Lanes\n\n## Proposal\n\nOne lane.\n\n## Alternatives considered\n\n### Carts\n\nNo.\n"
    assert standings_of(text) == {"Carts": "rejected"}


def test_options_of_two_questions_are_chosen_apart() -> None:
    def ask(name: str, chosen: int) -> str:
        return (
            f"## {name}\n\n### Option 1\n\nBelts.\n\n### Option 2\n\nCarts.\n\n"
            f"We go with option {chosen} for {name}.\n\n"
        )

    (chunk, *_) = chunks_of(f"# Halls\n\n{ask('North', 1)}{ask('South', 2)}## Non-goals\n\nNone.\n")
    told = {(it.under, it.heading): it.status for it in chunk.options}
    assert told["North", "Option 1"] == told["South", "Option 2"] == "chosen"
    assert told["North", "Option 2"] == told["South", "Option 1"] == "rejected"


@pytest.mark.parametrize(
    "text",
    [
        "# Install\n\n## Option 1: as a package\n\nRun.\n\n## Option 2: from source\n\nBuild.\n",
        "# Use\n\n## Options\n\n### --weight\n\nWeighs.\n\n### --seal\n\nSeals.\n",
        "# Halls\n\n## Scenario 1: one hall\n\nOne.\n\n## Scenario 2: two halls\n\nTwo.\n\n"
        "## Non-goals\n\nNone.\n",
        "# Halls\n\n## Option 1\n\nThe only one.\n\n## Decision\n\nWe wait.\n",
    ],
)
def test_ways_that_all_work_are_no_options(text: str) -> None:
    assert standings_of(text) == {}


@pytest.mark.parametrize(
    ("decision", "chosen"),
    [
        ("Parcels will take belts with sensors of their own.", ["3. Belts with own sensors"]),
        ("Option 3, belts will be built.", ["3. Belts with own sensors"]),
        ("We will do all of the options listed above.", ["1. Carts", "3. Belts with own sensors"]),
    ],
)
def test_what_is_numbered_in_a_list_of_options_is_an_option(
    decision: str, chosen: list[str]
) -> None:
    options = "### 1. Carts\n\nCarts.\n\n### 3. Belts with own sensors\n\nBelts.\n\n"
    told = standings_of(f"# Halls\n\n## Options\n\n{options}## Decision\n\n{decision}\n")
    assert [it for it, standing in told.items() if standing == "chosen"] == chosen


@pytest.mark.parametrize(
    ("title", "standing"),
    [
        ("Alternative considered: carts", "rejected"),
        ("Alternative approach 2", "rejected"),
        ("Chosen alternative: belts", "chosen"),
        ("Rejected option: carts", "rejected"),
    ],
)
def test_a_label_says_how_the_document_stands_to_its_option(title: str, standing: str) -> None:
    text = f"# Halls\n\n## Proposal\n\nBelts.\n\n## {title}\n\nText.\n\n## Non-goals\n\nNone.\n"
    assert standings_of(text) == {title: standing}


def test_what_an_option_says_of_itself_counts() -> None:
    carts = "### Carts\n\nCarts.\n\n**Rejected because**:\n\n- They jam.\n\n"
    belts = "### Belts\n\nThis option was chosen.\n\n"
    told = standings_of(f"# Halls\n\n## Options\n\n{carts}{belts}## Drawbacks\n\nNone.\n")
    assert told == {"Carts": "rejected", "Belts": "chosen"}


@pytest.mark.parametrize("levels", [25, 200])
def test_a_heading_of_many_numbers_is_read_like_any_other(levels: int) -> None:
    """It took seconds at 25 levels, twice as long with each further one."""
    heading = f"##### {'.'.join('1' * levels)}."
    text = f"# Lanes\n\n## Alternatives\n\n{heading}\n\nEach hall has a lane of its own.\n"
    ((title, standing),) = standings_of(text).items()
    assert (heading.lstrip("# ").startswith(title), standing) == (True, "rejected")
    assert read_option_label(f"{heading} Option 2: two lanes") == (
        "option",
        "option 2",
        "two lanes",
    )


@pytest.mark.parametrize("ending", ["", "x", " Option"])
def test_the_reading_of_a_label_grows_no_faster_than_its_numbers(ending: str) -> None:
    assert ends(lambda: read_option_label("1." * (LONG_TEXT // 2) + ending))


def test_a_reference_with_many_commas_is_read_like_any_other() -> None:
    """Each blank between two commas could be read in two ways: 40 of them never ended."""
    commas = "Option 2 " + ", " * 40
    told = standings_of(f"# Lanes\n\n{TWO}## Decision\n\nWe go with option 2.\n\n{commas}x\n")
    assert told["Option 2: two lanes"] == "chosen"
