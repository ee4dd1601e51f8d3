"""The keys of the console as a browser keeps them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from infra.http.console.shortcuts import (
    SHORTCUTS,
    check_keys,
    choose_keys,
    shortcuts_of,
    write_changes,
)
from infra.platform.errors import Invalid


def test_our_own_keys_are_each_used_once():
    check_keys(SHORTCUTS)
    assert write_changes(SHORTCUTS) == ""


def test_changed_keys_come_back_and_keep_what_they_took():
    chosen = choose_keys({"next": "&", "evidence": "", "ledger": "é"})
    check_keys(chosen)
    assert shortcuts_of(write_changes(chosen)) == chosen
    # Somebody once gave “next” a key that has become one of ours since.
    found = {it.name: it.key for it in shortcuts_of("next=k")}
    assert (found["next"], found["previous"]) == ("k", "")
    assert shortcuts_of("next=too+long&nothing=x") == list(SHORTCUTS)


@pytest.mark.parametrize("key", ["k", "ab", "\u0007", "\u202e"])
def test_a_key_twice_or_none_at_all_is_refused(key: str):
    with pytest.raises(Invalid):
        check_keys([replace(it, key=key) if it.name == "next" else it for it in SHORTCUTS])
