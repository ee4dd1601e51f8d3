"""A document is a list of facts of which the newer counts only where it says so."""

from __future__ import annotations

import pytest

from streams.hygiene.chunks.numbered_facts import has_newer_facts_last

PROSE = "A line of prose.\n" * 9
LIST = "0. The crane lifts four tonnes.\n1. The crane lifts five tonnes.\n"


@pytest.mark.parametrize(
    "head",
    [
        "Here is a list of facts:",
        "# Facts",
        "Facts:",
        "Below is the list of numbered facts about the depot.",
        "Each fact has a serial number; the newer fact has the larger serial number.",
        "Where two lines differ, the one with the higher number is more recent.",
        "Later entries override earlier ones.",
        "The fact with the largest number wins.",
    ],
)
def test_a_list_that_says_what_its_numbers_are_is_one(head: str):
    assert has_newer_facts_last(f"{head}\n\n{LIST}")


@pytest.mark.parametrize("form", ["[{}] ", "({}) ", "#{} ", "Fact {}: ", "{}) ", "{}: ", "- {}. "])
def test_numbers_may_be_written_in_any_common_form(form: str):
    lines = [form.format(number) + f"Lane {number} has a crane." for number in range(3, 9)]
    assert has_newer_facts_last("List of facts\n" + "\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        f"# Steps\n\n{LIST}",
        "# Facts\n\nThe depot has nine lanes. It was built in 1990.\n",
        "# Facts\n\n2. The crane lifts four tonnes.\n1. The crane lifts five tonnes.\n",
        f"# Facts about the depot and how we found them\n\n{PROSE}\n{LIST}",
        "1. Later versions override these settings in the file with the larger name.\n",
    ],
    ids=["steps", "no numbers", "falling", "mostly prose", "one line"],
)
def test_other_texts_are_none(text: str):
    assert not has_newer_facts_last(text)
