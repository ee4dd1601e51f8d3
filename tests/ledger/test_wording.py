"""An atom's words are ones that a source still says, and what was dismissed stays so in others."""

from __future__ import annotations

import pytest

from schemas.events.hitl import AtomDismissed, AtomReincluded, AtomVerified, MergeUndone
from schemas.events.ingestion import SourceChange
from schemas.events.ledger import AtomRecord
from tests.ledger.story import PROJECT, Chunk, Story, a_run, judged, story

LONG = (
    "Every write to the order store is acknowledged by the leader and by two followers before the"
    " client sees a success, so that the loss of one machine never loses an order"
)
REWORDED = LONG.replace("so that", "and therefore")
DENIED = "Every write to the order store is acknowledged by the leader alone"


def said(body: str) -> Chunk:
    name = {LONG: "a", REWORDED: "b"}.get(body, "c")
    return Chunk(f"c_{name}", [judged("Order store writes", body)], source_id=f"src_{name}")


def without(name: str, trigger: str = "t2"):
    gone = SourceChange(kind="removed", source_id=f"src_{name}", old_hash="h1")
    return a_run(trigger=trigger, removals=[gone])


def atom(told: Story, body: str) -> AtomRecord:
    (found,) = [each for each in told.view.atoms.values() if each.body == body]
    return found


def rows(told: Story, body: str) -> dict[str, bool]:
    """Source → whether its row is stale."""
    held = told.view.evidence_of(PROJECT, atom(told, body).atom_id)
    return {row.source_id: row.stale for row in held}


def merged() -> Story:
    told = story(a_run(said(LONG), said(REWORDED)))
    assert (atom(told, LONG).status, atom(told, REWORDED).status) == ("active", "merged")
    return told


def test_when_only_the_losers_words_are_still_said_the_loser_takes_the_place():
    told = merged()
    before = atom(told, LONG)
    told.given(without("a"))
    gone, heir = atom(told, LONG), atom(told, REWORDED)
    assert (gone.status, gone.merged_into, gone.evidence_count) == ("merged", heir.atom_id, 0)
    assert (heir.status, heir.merged_into, heir.status_reason) == ("active", None, "wording_stands")
    assert (heir.evidence_count, heir.stale_evidence_count, heir.source_count) == (2, 1, 1)
    assert heir.confidence == before.confidence
    assert rows(told, REWORDED) == {"src_a": True, "src_b": False}
    links = [link for link in told.view.links.values() if link.active]
    assert [(each.link_type, each.from_atom_id, each.to_atom_id) for each in links] == [
        ("duplicates", gone.atom_id, heir.atom_id)
    ]


def test_words_that_return_support_the_one_that_took_their_place():
    back = SourceChange(kind="revised", source_id="src_a", new_hash="h1")
    told = merged().given(without("a"), a_run(said(LONG), changes=[back], trigger="t3"))
    assert atom(told, REWORDED).status == "active"
    assert rows(told, REWORDED) == {"src_a": False, "src_b": False}
    told.given(without("b", trigger="t4"))
    assert (atom(told, LONG).status, atom(told, REWORDED).status) == ("active", "merged")


def test_the_store_folded_again_holds_the_same_after_places_were_changed():
    told = merged().given(without("a"))
    before = dict(told.view.atoms.items()), dict(told.view.evidence.items())
    told.refold()
    assert (dict(told.view.atoms.items()), dict(told.view.evidence.items())) == before


def test_words_that_a_person_has_verified_stay():
    told = merged()
    seen = atom(told, LONG)
    told.decision(
        AtomVerified(atom_id=seen.atom_id, expected_revision=seen.revision, actor_role="pm")
    )
    told.given(without("a"))
    assert (atom(told, LONG).status, atom(told, REWORDED).status) == ("active", "merged")


def test_as_long_as_the_winners_words_are_said_nothing_changes():
    told = merged().given(without("b"))
    assert (atom(told, LONG).status, atom(told, REWORDED).status) == ("active", "merged")


def test_a_person_can_still_take_the_two_apart_afterwards():
    told = merged().given(without("a"))
    gone = atom(told, LONG)
    event = MergeUndone(
        atom_id=gone.atom_id, expected_revision=gone.revision, actor_role="pm", rationale="not one"
    )
    assert told.decision(event).refusal == ""
    assert rows(told, LONG) == {"src_a": True}
    assert rows(told, REWORDED) == {"src_b": False}


def dismissed() -> Story:
    told = story(a_run(said(LONG)))
    seen = atom(told, LONG)
    event = AtomDismissed(
        atom_id=seen.atom_id, expected_revision=seen.revision, actor_role="pm", rationale="no more"
    )
    assert told.decision(event).refusal == ""
    return told


def test_a_dismissed_statement_stays_dismissed_when_it_returns_in_other_words():
    told = dismissed().given(a_run(said(REWORDED), trigger="t2"))
    assert list(told.view.live_atoms(PROJECT)) == []
    known, again = atom(told, LONG), atom(told, REWORDED)
    assert (known.status, again.merged_into) == ("dismissed", known.atom_id)
    assert rows(told, LONG) == {"src_a": False, "src_b": False}
    event = AtomReincluded(atom_id=known.atom_id, expected_revision=known.revision, actor_role="pm")
    assert told.decision(event).refusal == ""
    assert [each.body for each in told.view.live_atoms(PROJECT)] == [LONG]


@pytest.mark.parametrize(
    "other", [LONG.replace("two", "three"), LONG.replace("order store", "parcel store"), DENIED]
)
def test_what_says_something_else_than_the_dismissed_statement_is_an_atom(other: str):
    told = dismissed().given(a_run(said(other), trigger="t2"))
    assert [each.body for each in told.view.live_atoms(PROJECT)] == [other]
