"""Every entry of the ledger's word table holds its example and not its counterexample."""

from __future__ import annotations

from streams.ledger.likeness.lexicon import ENTRIES


def holds(entry, text):
    if "words" in entry:
        return text in entry["words"]
    one, other = text.split()
    groups = [group.split() for group in entry["groups"]]
    if entry["id"] == "classes":
        return any(one == group[0] and other in group[1:] for group in groups)
    return any(one in group and other in group for group in groups)


def test_each_entry_holds_its_example_and_not_its_counterexample():
    wrong = [
        entry["id"]
        for entry in ENTRIES.values()
        if not holds(entry, entry["example"]) or holds(entry, entry["counterexample"])
    ]
    assert len(ENTRIES) > 25
    assert wrong == []


def test_no_word_stands_twice_in_a_list():
    lists = [entry["words"] for entry in ENTRIES.values() if "words" in entry]
    assert [each for each in lists if len(each) != len(set(each))] == []
