"""Names become links to entity atoms, whichever of the two comes first."""

from __future__ import annotations

from tests.ledger.story import Chunk, Story, a_run, judged, story

SHOP = judged("Web shop", "The web shop sells books", kind="entity", attributes={"aliases": "Shop"})


def spoken_of(told: Story) -> list[tuple[str, str]]:
    titles = {atom.atom_id: atom.title for atom in told.view.atoms.values()}
    return sorted(
        (titles[each.atom_id], titles[each.entity_atom_id]) for each in told.view.mentions.values()
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
