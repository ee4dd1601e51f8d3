"""What a person says of a document's role holds for its atoms alone, and leaves no trace when it is
taken back.
"""

from __future__ import annotations

from typing import Any

from schemas.events.hitl import AtomVerified, DocumentRoleDecided
from schemas.events.ingestion import Reanchored, SourceChange
from schemas.events.ledger import AtomRecord, HumanDecision
from tests.ledger.story import Chunk, Story, a_run, judged, story

OURS = "Each parcel is weighed at the gate"
SHARED = "A depot holds the parcels of one town"


def of(origin: str) -> dict[str, Any]:
    return {"attributes": {"origin": origin}}


def two_documents() -> Story:
    """A handbook that says both, and a README that says one of them too."""
    handbook = Chunk("c1", [judged(OURS, **of("development")), judged(SHARED, **of("development"))])
    readme = Chunk("c2", [judged(SHARED, **of("readme"))], source_id="src_b")
    return story(a_run(handbook, readme))


def say(told: Story, role: str | None, source: str = "src_a", **fields: Any) -> HumanDecision:
    known = told.view.document_roles.get(f"prj_test|{source}")
    return told.decision(
        DocumentRoleDecided.model_validate(
            {"source_id": source, "role": role, "actor_role": "pm"}
            | {"expected_revision": known.revision if known else 0}
            | fields
        )
    )


def origins(told: Story) -> tuple[str, str]:
    return told.atom(OURS).attributes["origin"], told.atom(SHARED).attributes["origin"]


def without_revision(atom: AtomRecord) -> AtomRecord:
    return atom.model_copy(update={"revision": 0})


def test_a_role_that_a_person_sets_is_that_of_the_documents_atoms_and_of_no_other():
    told = two_documents()
    assert origins(told) == ("development", "readme")
    made = say(told, "requirements")
    assert (made.outcome, made.action, made.decision) == (
        *("applied", "document_role", "requirements"),
    )
    assert origins(told) == ("product", "readme")  # the README still speaks best of the shared one
    assert [atom.title for atom in told.change_sets[-1].atoms] == [OURS]


def test_taken_back_it_leaves_all_as_it_was():
    told = two_documents()
    before = [without_revision(told.atom(title)) for title in (OURS, SHARED)]
    ids = [atom.atom_id for atom in before]
    say(told, "overview")
    made = told.change_sets[-1].hitl
    assert made is not None
    say(told, None, undoes=made.hitl_event_id)
    assert [without_revision(told.atom(title)) for title in (OURS, SHARED)] == before
    assert [told.atom(title).atom_id for title in (OURS, SHARED)] == ids


def test_a_document_may_count_as_less_than_its_names_tell():
    told = two_documents()
    say(told, "archive", source="src_b")
    assert origins(told) == ("development", "development")


def test_what_is_read_of_the_document_later_counts_alike():
    told = two_documents()
    say(told, "requirements")
    later = "Each parcel has a label"
    told.given(a_run(Chunk("c3", [judged(later, **of("development"))]), trigger="t2"))
    assert told.atom(later).attributes["origin"] == "product"
    say(told, None)
    assert told.atom(later).attributes["origin"] == "development"


def test_a_decision_about_an_atom_survives_and_can_still_be_taken_back():
    told = two_documents()
    atom = told.atom(OURS)
    verified = told.decision(
        AtomVerified(atom_id=atom.atom_id, expected_revision=atom.revision, actor_role="pm")
    )
    say(told, "requirements")
    atom = told.atom(OURS)
    assert atom.verified_by == "ana" and atom.resolution is not None
    assert atom.resolution.hitl_event_id == verified.hitl_event_id


def test_who_has_seen_another_word_is_refused_and_a_member_proposes():
    told = two_documents()
    assert say(told, "requirements", actor_role="member").outcome == "proposed"
    assert origins(told) == ("development", "readme")
    say(told, "requirements")
    assert say(told, "guide", expected_revision=0).refusal == "stale_revision"
    assert origins(told) == ("product", "readme")


def test_evidence_of_an_older_log_counts_as_its_atom_did():
    told = story(a_run(Chunk("c1", [judged(OURS)])))
    say(told, "requirements")
    assert told.atom(OURS).attributes["origin"] == "product"
    known = Chunk("c1", [judged(OURS, **of("development"))])
    told = story(a_run(known))
    for key, row in list(told.view.evidence.items()):
        told.view.evidence[key] = row.model_copy(update={"origin": ""})
    say(told, "requirements")
    say(told, None)
    assert told.atom(OURS).attributes["origin"] == "development"


def test_a_renamed_document_keeps_what_a_person_has_said():
    told = two_documents()
    say(told, "requirements")
    renamed = SourceChange(
        kind="renamed",
        source_id="src_c",
        other_source_id="src_a",
        old_hash="h1",
        new_hash="h1",
        reanchored=[
            Reanchored(from_chunk_id="c1", to_chunk_id="c9", shift=0, line_shift=0),
        ],
    )
    told.given(a_run(changes=[renamed], trigger="t2"))
    assert origins(told) == ("product", "readme")
    moved = told.view.document_roles["prj_test|src_c"]
    assert (moved.role, moved.decided_by) == ("requirements", "ana")
