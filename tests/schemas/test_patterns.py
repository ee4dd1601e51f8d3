"""Patterns that are joined to be fast are found in the same texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.patterns import join_at_edges

PATTERNS = (
    r"\bsee (?:the|our) \w+",
    r"\bin question\b",
    r"\bfoo|bar\b",
    r"\b[|(]?a\|b\b",
    r"\b(?:if|when)\b(?! not)",
    r"\b[]|]\w",
    r"(?:^|: )when present\b",
    r"!\s*$",
    r"[a-z]{2}\b",
    "…$",
)
WORDS = """
    see the our guide in question foo bar a|b (a|b x]y ]z if when not : ! … present 7
"""
TEXTS = st.lists(st.sampled_from((*WORDS.split(), "\n")), max_size=8).map(" ".join)


@given(patterns=st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=6), text=TEXTS)
def test_joined_patterns_are_found_where_one_of_them_is(patterns, text):
    expected = any(re.search(pattern, text) for pattern in patterns)
    assert (re.search(join_at_edges(patterns), text) is not None) == expected


def test_patterns_that_begin_at_the_edge_of_a_word_ask_for_it_once():
    assert join_at_edges([r"\bone", "…$", r"\btwo"]) == r"\b(?:one|two)|…$"


@pytest.mark.parametrize("other", [r"\btwo|three", r"(\w)\1"])
def test_a_choice_and_a_group_told_by_its_number_are_not_moved(other):
    assert join_at_edges([r"\bone", other]) == rf"\bone|{other}"
