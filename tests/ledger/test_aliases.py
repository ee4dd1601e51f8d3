"""Products and standards go by one name when two statements are compared."""

from __future__ import annotations

import pytest

from streams.ledger.figures.aliases import NAME_OF, write_names_alike


@pytest.mark.parametrize(("alias", "name"), sorted(NAME_OF.items()))
def test_an_alias_is_written_as_its_name_whatever_its_case(alias: str, name: str):
    assert write_names_alike(f"It runs on {alias.upper()}.") == f"It runs on {name}."
    assert write_names_alike(f"It runs on {name}.") == f"It runs on {name}."


@pytest.mark.parametrize(
    "text",
    [
        "Go on with node 2.",
        "The file is app.js.",
        "A reactor reacts to the ts-config.",
        "See example.com/js/kube-proxy for it.",
    ],
)
def test_what_only_looks_like_an_alias_stays(text: str):
    assert write_names_alike(text) == text
