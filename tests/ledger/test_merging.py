"""Near duplicates: merged, asked about, or left alone."""

from __future__ import annotations

import pytest

from streams.ledger.likeness.similarity import similarity, statement_text
from tests.ledger.story import Chunk, Story, a_run, judged, story

LONG = (
    "Every write to the order store is acknowledged by the leader and by two followers before the"
    " client sees a success, so that the loss of one machine never loses an order"
)
REWORDED = LONG.replace("so that", "and therefore")
HALF_ALIKE = LONG.replace("never loses an order", "is noticed by nobody at all")


def told_of(first: str, second: str, **fields: object) -> Story:
    return story(
        a_run(
            Chunk("c1", [judged("Order store writes", first, **fields)]),  # type: ignore[arg-type]
            Chunk(
                "c2",
                [judged("Order store writes", second, **fields)],  # type: ignore[arg-type]
                source_id="src_b",
            ),
        )
    )


def alike(first: str, second: str) -> float:
    title = "Order store writes"
    return similarity(statement_text(title, first), statement_text(title, second))


def test_the_same_in_other_words_is_merged_and_keeps_all_evidence():
    assert alike(LONG, REWORDED) >= 0.92
    told = told_of(LONG, REWORDED)
    winner, loser = (
        [a for a in told.view.atoms.values() if a.status == status][0]
        for status in ("active", "merged")
    )
    assert loser.merged_into == winner.atom_id
    assert (winner.evidence_count, winner.source_count) == (2, 2)
    assert winner.confidence == pytest.approx(1 - 0.25 * 0.25)
    assert len(told.view.evidence_of("prj_test", winner.atom_id)) == 2
    assert told.view.evidence_of("prj_test", loser.atom_id) == []
    (op,) = [op for each in told.change_sets for op in each.merge_ops]
    assert (op.op, op.loser_atom_id) == ("auto_merge", loser.atom_id)
    (link,) = told.view.links.values()
    assert (link.from_atom_id, link.to_atom_id, link.link_type) == (
        loser.atom_id,
        winner.atom_id,
        "duplicates",
    )


def test_the_older_of_two_equal_ones_wins():
    told = told_of(LONG, REWORDED)
    (winner,) = told.view.live_atoms("prj_test")
    assert winner.body == LONG


def test_a_merged_wording_that_comes_again_supports_the_winner():
    told = told_of(LONG, REWORDED)
    again = Chunk("c3", [judged("Order store writes", REWORDED)], source_id="src_c")
    told.given(a_run(again, trigger="t2"))
    (winner,) = told.view.live_atoms("prj_test")
    assert (winner.evidence_count, winner.source_count) == (3, 3)


def test_the_same_quote_of_a_merged_wording_is_known_where_it_was_moved():
    told = told_of(LONG, REWORDED)
    again = Chunk("c2", [judged("Order store writes", REWORDED)], source_id="src_b")
    told.given(a_run(again, trigger="t2"))
    (winner,) = told.view.live_atoms("prj_test")
    assert winner.evidence_count == 2


def test_similar_statements_both_stay_and_a_person_is_asked():
    assert 0.75 <= alike(LONG, HALF_ALIKE) < 0.92
    told = told_of(LONG, HALF_ALIKE)
    assert len(list(told.view.live_atoms("prj_test"))) == 2
    (pair,) = told.view.merge_candidates.values()
    assert pair.state == "open"
    assert pair.similarity == alike(LONG, HALF_ALIKE)
    assert pair.atom_a_id < pair.atom_b_id
    assert "nobody" in pair.differing_tokens


@pytest.mark.parametrize(
    ("one", "other", "asked"),
    [
        ("loses an order", "loses no order", 1),
        ("acknowledged by one leader", "acknowledged by the leader", 1),
        ("two followers", "3 followers", 0),
        ("acknowledged within 5 ms", "acknowledged within 5 s", 0),
        ("version 1.2 of the order store", "version 1.3 of the order store", 0),
    ],
)
def test_a_difference_in_number_unit_version_or_negation_is_never_merged_by_itself(
    one: str, other: str, asked: int
):
    told = told_of(f"{LONG}; {one}", f"{LONG}; {other}")
    assert alike(f"{LONG}; {one}", f"{LONG}; {other}") >= 0.92
    assert len(list(told.view.live_atoms("prj_test"))) == 2
    assert len(told.view.merge_candidates) == asked


def test_numbers_that_change_places_are_not_merged():
    one, other = f"{LONG}; retry 3 times after 10 waits", f"{LONG}; retry 10 times after 3 waits"
    assert len(list(told_of(one, other).view.live_atoms("prj_test"))) == 2


def test_unlike_statements_stay_apart_without_a_question():
    told = told_of(LONG, "Prices are shown without taxes to business customers")
    assert len(told.view.atoms) == 2
    assert not told.view.merge_candidates


def test_kinds_and_polarities_are_not_mixed():
    told = story(
        a_run(
            Chunk("c1", [judged("Order store writes", LONG)]),
            Chunk("c2", [judged("Order store writes", REWORDED, kind="unknown")]),
            Chunk("c3", [judged("Order store writes", REWORDED, polarity="negate")]),
        )
    )
    assert len(list(told.view.live_atoms("prj_test"))) == 3
    assert not told.view.merge_candidates


def test_a_statement_without_polarity_matches_any():
    told = story(
        a_run(
            Chunk("c1", [judged("Order store writes", LONG)]),
            Chunk("c2", [judged("Order store writes", REWORDED, polarity=None)]),
        )
    )
    assert len(list(told.view.live_atoms("prj_test"))) == 1


def test_entities_with_different_names_are_not_merged_however_alike_their_descriptions():
    body = "a component that takes orders from the web shop and hands them to the order store"
    told = story(
        a_run(
            Chunk("c1", [judged("Order intake", body, kind="entity")]),
            Chunk("c2", [judged("Price engine", body, kind="entity")]),
        )
    )
    assert len(list(told.view.live_atoms("prj_test"))) == 2
    assert not told.view.merge_candidates


def test_two_wordings_in_one_chunk_are_merged_within_the_turn():
    told = story(
        a_run(
            Chunk(
                "c1",
                [judged("Order store writes", LONG), judged("Order store writes", REWORDED)],
            )
        )
    )
    assert sorted(atom.status for atom in told.change_sets[0].atoms) == ["active", "merged"]
    assert len(list(told.view.live_atoms("prj_test"))) == 1


def test_sentences_that_differ_in_a_name_are_not_merged_by_themselves():
    one, other = (
        f"{name} in votes are ordered by the voting power of the validators in descending order,"
        " from the highest to the lowest voting power of all"
        for name in ("VoteInfo", "ExtendedVoteInfo")
    )
    assert alike(one, other) >= 0.92
    told = told_of(one, other)
    assert len(list(told.view.live_atoms("prj_test"))) == 2


NEED = "The Gateway must answer each order within two seconds"


def within(*places: dict[str, str]) -> Story:
    """The same need, read in as many sources, each with its attributes."""
    chunks = []
    for number, attributes in enumerate(places):
        front = "".join(f"{it}: " for it in attributes.values())
        need = judged(f"{front}{NEED}", NEED, kind="requirement", attributes=attributes)
        chunks.append(Chunk(f"c{number}", [need], source_id=f"src_{number}"))
    return story(a_run(*chunks))


def test_a_fact_is_one_wherever_it_stands():
    told = within({"within": "Order intake"}, {}, {"within": "Deployment"})
    (need,) = told.view.live_atoms("prj_test")
    assert (need.evidence_count, need.source_count, need.status) == (3, 3, "active")
    assert not told.view.merge_candidates


def test_what_is_true_of_a_context_is_not_the_same_in_another():
    told = within({"context": "Order intake"}, {"context": "Deployment"})
    assert len(list(told.view.live_atoms("prj_test"))) == 2


@pytest.mark.parametrize("introducing", [0, 1])
def test_what_one_of_the_two_introduces_the_winner_introduces(introducing: int):
    marks = {"feature": "Order store", "feature_place": "list", "feature_state": "done"}
    said = [
        judged("Order store writes", body, attributes=marks if at == introducing else {})
        for at, body in enumerate((LONG, REWORDED))
    ]
    told = story(
        a_run(Chunk("c1", [said[0]]), Chunk("c2", [said[1]], source_id="src_b")),
    )
    (winner,) = told.view.live_atoms("prj_test")

    assert winner.attributes["feature"] == "Order store"
