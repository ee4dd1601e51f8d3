"""Names become links to entity atoms, whichever of the two comes first."""

from __future__ import annotations

from schemas.events.hitl import MergeDecided, MergeUndone
from tests.ledger.story import Chunk, Story, a_run, judged, story
from tests.ledger.test_decisions_atoms import about

SHOP = judged("Web shop", "The web shop sells books", kind="entity", attributes={"aliases": "Shop"})


def spoken_of(told: Story) -> list[tuple[str, str]]:
    titles = {atom.atom_id: atom.title for atom in told.view.atoms.values()}
    return sorted(
        (titles[each.atom_id], titles[each.entity_atom_id])
        for each in told.view.mentions.values()
        if each.active
    )


def test_a_name_or_alias_is_linked_to_its_entity():
    told = story(
        a_run(
            Chunk("c1", [SHOP]),
            Chunk("c2", [judged("Books are sold worldwide", entities=["web Shop"])]),
            Chunk("c3", [judged("Prices are shown in euros", entities=["SHOP", "Shop"])]),
        )
    )
    assert spoken_of(told) == [
        ("Books are sold worldwide", "Web shop"),
        ("Prices are shown in euros", "Web shop"),
    ]


def test_an_entity_that_comes_later_is_linked_to_what_spoke_of_it():
    waiting = a_run(Chunk("c1", [judged("Books are sold worldwide", entities=["Web shop"])]))
    told = story(waiting)
    assert spoken_of(told) == []
    told.refold()
    told.given(a_run(Chunk("c2", [SHOP]), trigger="t2"))
    assert spoken_of(told) == [("Books are sold worldwide", "Web shop")]
    assert not told.state.waiting_names


def test_both_in_one_chunk_are_linked_in_either_order():
    speaking = judged("Books are sold worldwide", entities=["Web shop"])
    for accepted in ([SHOP, speaking], [speaking, SHOP]):
        told = story(a_run(Chunk("c1", accepted)))
        assert spoken_of(told) == [("Books are sold worldwide", "Web shop")]


def test_an_entity_does_not_speak_of_itself():
    told = story(
        a_run(
            Chunk(
                "c1",
                [
                    SHOP.model_copy(
                        update={
                            "candidate": SHOP.candidate.model_copy(
                                update={"entities": ["Web shop"]}
                            )
                        }
                    )
                ],
            )
        )
    )
    assert spoken_of(told) == []


STORE_NAME, ALIKE_NAME = "Order store of the depot", "The order store of the depot"
STORE = judged(STORE_NAME, "It keeps the orders of the depot", kind="entity")
ALIKE = judged(ALIKE_NAME, "It keeps the orders of the depot", kind="entity")


SAID = {
    "cs": "Lorries leave at dawn",
    "ca": "Invoices are printed twice",
    "cb": "Clerks sort returned goods",
    "cl": "Every weight needs a scale",
    "cm": "Doors close in the evening",
}


def speaking(chunk_id: str, *of: str) -> Chunk:
    said = judged(SAID[chunk_id], SAID[chunk_id], entities=list(of))
    return Chunk(chunk_id, [said], source_id=f"src_{chunk_id}")


def two_alike() -> Story:
    """Two entities a person may merge, and who speaks of the one, the other and both."""
    told = story(
        a_run(
            Chunk("c1", [STORE, ALIKE]),
            speaking("cs", STORE_NAME),
            speaking("ca", ALIKE_NAME),
            speaking("cb", STORE_NAME, ALIKE_NAME),
        )
    )
    (pair,) = told.view.merge_candidates.values()
    approved = MergeDecided(
        merge_candidate_id=pair.merge_candidate_id,
        decision="approve",
        expected_revision=pair.revision,
        actor_role="pm",
        rationale="one service",
    )
    assert not told.decision(approved).refusal
    return told


def speakers(told: Story, title: str) -> list[str]:
    by_words = {words: chunk_id for chunk_id, words in SAID.items()}
    return sorted(by_words[one] for one, of in spoken_of(told) if of == title)


def merged_one(told: Story) -> tuple[str, str]:
    """The titles of the entity that stands and of the one merged into it."""
    (live,) = [a.title for a in told.view.live_atoms("prj_test") if a.kind == "entity"]
    return live, ({STORE_NAME, ALIKE_NAME} - {live}).pop()


def test_who_spoke_of_a_merged_entity_speaks_of_the_one_it_was_merged_into():
    told = two_alike()
    winner, _ = merged_one(told)
    assert speakers(told, winner) == ["ca", "cb", "cs"]


def test_a_name_of_a_merged_entity_leads_to_the_one_it_was_merged_into():
    told = two_alike()
    winner, loser = merged_one(told)
    told.given(a_run(speaking("cl", loser), trigger="t2"))
    assert "cl" in speakers(told, winner)
    assert not told.state.waiting_names
    told.refold()
    told.given(a_run(speaking("cm", loser), trigger="t3"))
    assert "cm" in speakers(told, winner)


def test_after_a_split_each_is_spoken_of_by_its_name_again():
    told = two_alike()
    winner, loser = merged_one(told)
    told.given(a_run(speaking("cl", loser), trigger="t2"))
    told.refold()
    assert not told.decision(MergeUndone(**about(told.atom(loser)))).refusal
    mine, others = ("cs", "ca") if winner == STORE_NAME else ("ca", "cs")
    assert speakers(told, winner) == sorted([mine, "cb"])
    assert speakers(told, loser) == sorted([others, "cb", "cl"])
