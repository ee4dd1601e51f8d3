"""Sections, features and epics are written ahead of the end of a run, and leave no trace in it."""

from __future__ import annotations

import pytest

from schemas.events.artifact import ArtifactSpeculated, SectionGenerated, SpeculationEnded
from streams.publishing import PUBLISH
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import (
    ENOUGH,
    EXPORT,
    LOSS,
    PURPOSE,
    QUEUE,
    RETRY,
    WHO,
    Play,
    a_requirement,
    an_atom,
)
from tests.reduce.test_items import WORLD
from tests.reduce.test_writer import uncited

QUEUES = [
    a_requirement(f"The delivery queue must {what}", source=f"s{number}")
    for number, what in enumerate(
        ("keep every order for a week", "repeat each failed order", "name the reader of an order")
    )
]
MORE = [an_atom("claim", f"The gateway of warehouse {n} forwards every order") for n in range(9)]


def told(play: Play) -> list[list[str]]:
    """For each position written ahead, the sections that were told, as type and section."""
    return [
        [f"{one.artifact_type} {one.section.section_id}" for one in sections_of(ahead)]
        for ahead in (record.envelope for record in play.written)
        if isinstance(ahead.event, ArtifactSpeculated) and not ahead.event.settled
    ]


def sections_of(envelope) -> list[SectionGenerated]:
    facts = PUBLISH.handle(envelope, None)
    return [fact for fact in facts if isinstance(fact, SectionGenerated)]


def endings(play: Play) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """What the last record said of each artifact: confirmed, recomputed, withdrawn."""
    facts = PUBLISH.handle(play.written[-1].envelope, None)
    ends = [fact.end for fact in facts if isinstance(fact, SpeculationEnded)]
    return {end.artifact_type: (end.confirmed, end.recomputed, end.withdrawn) for end in ends}


def committed(*batches) -> Play:
    """The batches of one run, each answered as it is committed."""
    play = Play()
    for atoms in batches:
        play.given(atoms)
        play.decide()
    return play


def test_a_section_is_told_when_its_minimum_of_atoms_is_there():
    play = committed([PURPOSE], [EXPORT], [RETRY])

    assert told(play) == [["prd problem"], [], ["prd functional_requirements"]]


def test_it_says_that_it_is_speculative_and_from_which_position():
    play = committed([PURPOSE])

    (section,) = sections_of(play.written[0].envelope)
    assert (section.speculative, section.input_ledger_seq) == (True, 1)
    assert section.section.statements[0].citations[0].atom_id == PURPOSE.atom_id
    assert play.answers() == []


def test_a_commit_that_brings_no_new_section_and_little_else_is_no_position():
    play = committed(ENOUGH, [a_requirement("The relay must archive every order")], MORE)

    assert len(told(play)) == 2
    assert "prd functional_requirements" in told(play)[1]


def test_a_section_is_written_again_only_when_its_input_is_another():
    play = committed([PURPOSE, LOSS], [WHO, QUEUE])

    first, second = told(play)
    assert set(first) == {"prd problem", "prd risks"}
    assert "prd open_questions" in second
    assert set(first).isdisjoint(second)


def test_an_epic_is_told_while_later_sections_are_still_to_come():
    play = committed(QUEUES, [LOSS])
    first, second = told(play)

    assert "epic description" in first
    assert "feature acceptance_criteria" in first
    assert "prd risks" in second


def test_what_the_end_of_the_run_confirms_is_no_longer_speculative():
    play = committed(ENOUGH)
    play.ends()

    confirmed, recomputed, withdrawn = endings(play)["prd"]
    assert (recomputed, withdrawn) == ([], [])
    assert sorted(f"prd {one}" for one in confirmed) == sorted(told(play)[0])


def test_what_later_atoms_change_is_recomputed_and_what_is_gone_is_withdrawn():
    play = committed([PURPOSE, LOSS, WHO])
    gone = WHO.model_copy(update={"status": "obsolete", "revision": 2})
    play.given([LOSS.model_copy(update={"revision": 2}), gone])
    play.ends()

    assert endings(play)["prd"] == (["problem"], ["risks"], ["open_questions"])


def test_an_item_that_the_end_does_not_confirm_is_withdrawn():
    play = committed(QUEUES)
    gone = [one.model_copy(update={"status": "obsolete", "revision": 2}) for one in QUEUES]
    play.given(gone)
    play.ends()

    assert endings(play)["epic"] == ([], [], ["description"])


@pytest.mark.parametrize("batches", [1, 2, 3, 6])
def test_the_final_artifacts_do_not_depend_on_speculative_sections(batches):
    atoms = [*ENOUGH, *QUEUES, *MORE]
    size = -(-len(atoms) // batches)
    parts = [atoms[at : at + size] for at in range(0, len(atoms), size)]
    ahead, alone = committed(*parts), Play()
    for part in parts:
        alone.given(part, commits=False)

    assert ahead.ends() == alone.ends()
    assert ahead.ahead()
    assert not alone.ahead()


def test_an_uncited_sentence_is_not_told_ahead_either():
    play = Play(Reduce(synthesise=uncited)).given(ENOUGH)
    play.decide()

    assert told(play) == [[]]


def test_a_change_that_moves_little_is_not_written_ahead_of():
    play = committed(ENOUGH)
    play.ends()
    before = len(told(play))
    play.given([a_requirement("The relay must archive every order after delivery")])
    play.decide()

    assert len(told(play)) == before


def test_tasks_of_a_complete_epic_are_written_before_the_run_has_ended():
    play = committed((*ENOUGH, *WORLD))

    (first,) = told(play)
    ended = play.ends()

    assert {"epic description", "task description", "task solutions"} <= set(first)
    assert {"epic", "task"} <= {one.snapshot.artifact_type for one in ended.items}
    assert endings(play)["task"][0] == ["acceptance_criteria", "description", "risks", "solutions"]
