"""Requests to change the PRD: what a person edits is theirs, what the gate revises is checked."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import EditAnswer
from schemas.events.artifact_sections import Citation, Section
from schemas.events.change import ChangeRequested, EditedStatement, SectionEdit
from schemas.events.ledger import AtomRecord
from streams.publishing import PUBLISH
from streams.reduce.artifacts.markdown import notes_of
from streams.reduce.artifacts.validator import validate_markdown
from streams.reduce.texts.inputs import Grounds
from tests.reduce.ledgers import ENOUGH, EXPORT, RETRY, Play, a_requirement

REQUIREMENTS = "functional_requirements"
OWN = "Orders of the harbour are sealed twice."


def the_section(answer: ArtifactChanged, section_id: str = REQUIREMENTS) -> Section:
    (found,) = [one for one in answer.snapshot.sections if one.section_id == section_id]
    return found


def others(answer: ArtifactChanged) -> dict[str, str]:
    return {
        one.section_id: one.model_dump_json()
        for one in answer.snapshot.sections
        if one.section_id != REQUIREMENTS
    }


def a_change(answer: ArtifactChanged, *texts: str, **changes: Any) -> ChangeRequested:
    """The requirements are these; those that the section has keep their citations."""
    action = changes.pop("action", "write")
    known = {one.text: one.citations for one in the_section(answer).statements}
    statements = [EditedStatement(text=one, citations=known.get(one, [])) for one in texts]
    fields: dict[str, Any] = {
        "artifact_id": answer.snapshot.artifact_id,
        "sections": [SectionEdit(section_id=REQUIREMENTS, action=action, statements=statements)],
        "expected_version": answer.snapshot.version,
        "editor": "ana",
    }
    return ChangeRequested.model_validate(fields | changes)


def edit_of(answer: ArtifactChanged) -> EditAnswer:
    assert answer.edit
    return answer.edit


def texts(section: Section) -> list[str]:
    return [one.text for one in section.statements]


@pytest.fixture
def play() -> Play:
    play = Play().given(ENOUGH)
    play.ends()
    return play


def last(play: Play) -> ArtifactChanged:
    return play.answers()[-1]


def test_an_edit_is_a_new_version_with_every_other_section_byte_identical(play: Play):
    before = last(play)
    kept = texts(the_section(before))[0]

    after = play.asks(a_change(before, kept, OWN))

    assert (after.outcome, after.snapshot.version) == ("published", before.snapshot.version + 1)
    assert after.recomputed_sections == [REQUIREMENTS]
    assert (after.reason, after.snapshot.edited_by) == ("edited", "ana")
    section = the_section(after)
    assert (section.state, section.edited_by) == ("edited", "ana")
    assert section.statements[0] == the_section(before).statements[0]
    assert others(after) == others(before)


def test_what_nothing_supports_is_kept_and_marked(play: Play):
    after = play.asks(a_change(last(play), OWN))

    (statement,) = the_section(after).statements
    assert (statement.citations, statement.confidence) == ([], 0.0)
    assert f"- {OWN} (uncited)" in after.snapshot.rendered_markdown
    sections = after.snapshot.sections
    assert not [
        one
        for one in validate_markdown(
            after.snapshot.rendered_markdown, Grounds(ENOUGH), "deep", notes=notes_of(sections, 10)
        )
        if one.code == "uncited_assertion"
    ]


def test_an_edit_of_another_version_is_refused_with_the_one_there_is(play: Play):
    before = last(play)
    play.asks(a_change(before, OWN))

    late = play.asks(a_change(before, "Something else."))

    assert late.outcome == "unchanged"
    assert (edit_of(late).refusal, edit_of(late).expected_version, edit_of(late).version) == (
        "stale_version",
        1,
        2,
    )
    assert late.snapshot == play.answers()[-2].snapshot


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"artifact_id": "art_other"}, "unknown_artifact"),
        ({"sections": [SectionEdit(section_id="chapter")]}, "unknown_section"),
        ({"action": "accept_suggestion"}, "no_suggestion"),
        ({"sections": []}, "no_change"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(play: Play, changes, refusal):
    answer = play.asks(a_change(last(play), OWN, **changes))

    assert edit_of(answer).refusal == refusal
    assert answer.snapshot == play.answers()[-2].snapshot


def test_the_public_topics_tell_of_an_edit_and_of_a_refusal(play: Play):
    before = last(play)
    play.asks(a_change(before, OWN))
    play.asks(a_change(before, OWN))

    edited, refused = [
        [event.type_name for event in PUBLISH.handle(record.envelope, None)]
        for record in play.settled[-2:]
    ]

    assert edited[0] == "artifact.version_published"
    assert "artifact.edited" in edited
    assert refused == ["artifact.change_refused"]


def suggested(play: Play) -> ArtifactChanged:
    """A person has edited the requirements, and then the ledger has another one."""
    play.asks(a_change(last(play), OWN))
    return play.given([a_requirement("The relay must archive every delivered order")]).ends()


def test_a_later_run_does_not_overwrite_an_edited_section_but_suggests(play: Play):
    after = suggested(play)

    section = the_section(after)
    assert (texts(section), section.state) == ([OWN], "edited")
    assert section.suggestion
    said = [one.text for one in section.suggestion.statements]
    assert any("archive" in one for one in said)
    assert (after.outcome, after.snapshot.version) == ("state_changed", 2)


def test_a_suggestion_that_stays_is_not_told_again(play: Play):
    suggested(play)

    assert play.given([]).ends().outcome == "unchanged"


def test_an_accepted_suggestion_keeps_what_a_person_wrote(play: Play):
    before = suggested(play)

    after = play.asks(a_change(before, action="accept_suggestion"))

    section = the_section(after)
    assert (section.state, section.edited_by, section.suggestion) == ("edited", "ana", None)
    assert OWN in texts(section)
    assert any("archive" in one for one in texts(section))
    assert after.snapshot.version == before.snapshot.version + 1
    assert play.given([]).ends().outcome == "unchanged"


def test_what_a_person_took_out_is_not_suggested_again(play: Play):
    removed = texts(the_section(last(play)))
    after = suggested(play)

    suggestion = the_section(after).suggestion
    assert suggestion
    assert not {one.text for one in suggestion.statements} & set(removed)


def changed(atom: AtomRecord, **fields: Any) -> AtomRecord:
    return atom.model_copy(update={"revision": atom.revision + 1} | fields)


def test_a_dismissed_statement_leaves_a_section_in_which_another_line_was_edited(play: Play):
    lines = texts(the_section(last(play)))
    (export,) = [one for one in lines if "signed document" in one]
    kept = [one for one in lines if one != export]
    play.asks(a_change(last(play), *kept, OWN, export))

    (after,) = play.decided([changed(EXPORT, status="dismissed")])

    section = the_section(after)
    assert texts(section) == [*kept, OWN]
    assert (section.state, section.suggestion) == ("edited", None)
    assert export not in after.snapshot.rendered_markdown


def test_a_line_of_an_edited_section_follows_a_replaced_statement(play: Play):
    lines = texts(the_section(last(play)))
    play.asks(a_change(last(play), OWN, *lines))
    newer = a_requirement("The relay must export every order as a sealed document")

    after = play.given(
        [changed(EXPORT, status="superseded", superseded_by=newer.atom_id), newer]
    ).ends()

    section = the_section(after)
    assert texts(section)[0] == OWN
    assert not [one for one in texts(section) if "signed document" in one]
    assert len([one for one in texts(section) if "sealed document" in one]) == 1
    assert section.suggestion is None


def test_a_line_stays_when_its_statement_was_merged_into_one_that_says_the_same(play: Play):
    lines = texts(the_section(last(play)))
    play.asks(a_change(last(play), OWN, *lines))
    same = a_requirement("The relay must export each order as a signed document")

    after = play.given([changed(EXPORT, status="merged", merged_into=same.atom_id), same]).ends()

    cited = [one.citations[0].atom_id for one in the_section(after).statements if one.citations]
    assert same.atom_id in cited
    assert EXPORT.atom_id not in cited
    assert len(texts(the_section(after))) == len(lines) + 1


def test_words_of_a_person_stay_without_the_evidence_that_was_dismissed(play: Play):
    edited = EditedStatement(
        text="Documents of an order are signed.",
        citations=[Citation(atom_id=EXPORT.atom_id, atom_revision=1)],
    )
    edit = SectionEdit(section_id=REQUIREMENTS, statements=[edited])
    play.asks(a_change(last(play), sections=[edit]))

    (after,) = play.decided([changed(EXPORT, status="dismissed")])

    (statement,) = the_section(after).statements
    assert (statement.text, statement.citations) == (edited.text, [])
    assert f"{edited.text} (uncited)" in after.snapshot.rendered_markdown


def test_a_writer_that_catches_up_prunes_an_edited_section_at_the_same_position(play: Play):
    lines = texts(the_section(last(play)))
    play.asks(a_change(last(play), OWN, *lines))
    edited = len(play.written)
    play.decided([changed(EXPORT, status="dismissed")])
    play.decided([changed(EXPORT, status="active", revision=3)])

    again = Play()
    for record in (*play.ledger, *play.asked, *play.written[:edited]):
        again.writer.evolve(again.state, record)
    again.decide()

    expected = [one.snapshot for one in play.answers()[-2:]]
    assert [one.snapshot for one in again.answers()] == expected


def test_a_declined_suggestion_comes_again_only_when_the_input_changes(play: Play):
    before = suggested(play)

    after = play.asks(a_change(before, action="decline_suggestion"))

    assert (texts(the_section(after)), the_section(after).suggestion) == ([OWN], None)
    assert play.given([]).ends().outcome == "unchanged"
    again = play.given([a_requirement("The relay must weigh every crate")]).ends()
    assert the_section(again).suggestion


def test_an_edited_section_stays_when_its_atoms_are_gone(play: Play):
    before = last(play)
    play.asks(a_change(before, *texts(the_section(before)), OWN))

    gone = [
        one.model_copy(update={"status": "dismissed", "revision": 2}) for one in (EXPORT, RETRY)
    ]
    after = play.given(gone).ends()

    assert after.outcome != "rejected"
    assert OWN in texts(the_section(after))


def test_the_gate_may_take_out_what_is_there_and_it_is_nobodys_section(play: Play):
    before = last(play)
    first, *_ = texts(the_section(before))

    after = play.asks(a_change(before, first, editor="quality_gate", editor_kind="quality_gate"))

    section = the_section(after)
    assert (texts(section), section.state, section.edited_by) == ([first], "generated", None)
    assert after.reason == "revised_by_quality_gate"
    later = play.given([a_requirement("The relay must archive every delivered order")]).ends()
    assert any("archive" in one for one in texts(the_section(later)))


def test_the_gate_may_not_write_what_nothing_supports(play: Play):
    gate = {"editor": "quality_gate", "editor_kind": "quality_gate"}

    answer = play.asks(a_change(last(play), OWN, **gate))

    assert edit_of(answer).refusal == "not_valid"
    assert [one.code for one in edit_of(answer).findings] == ["uncited_assertion"]


def test_the_gate_does_not_touch_what_a_person_has_edited(play: Play):
    after = play.asks(a_change(last(play), OWN))
    gate = {"editor": "quality_gate", "editor_kind": "quality_gate"}

    answer = play.asks(a_change(after, **gate))

    assert edit_of(answer).refusal == "edited_by_person"


def test_a_new_statement_may_cite_atoms_and_names_their_drafts(play: Play):
    before = last(play)
    cited = EditedStatement(
        text="Documents of an order are signed.",
        citations=[Citation(atom_id=EXPORT.atom_id, atom_revision=1)],
    )
    edit = SectionEdit(section_id=REQUIREMENTS, statements=[cited])

    after = play.asks(a_change(before, sections=[edit]))

    (statement,) = the_section(after).statements
    assert [one.atom_id for one in statement.citations] == [EXPORT.atom_id]
    assert (statement.provisional, statement.confidence) == (False, EXPORT.confidence)


def test_a_request_is_answered_once_in_whatever_order_it_is_folded(play: Play):
    play.asks(a_change(last(play), OWN))
    answers = len(play.answers())

    again = Play()
    for record in (*play.ledger, *play.written, *play.asked, *play.asked):
        again.writer.evolve(again.state, record)
    again.decide()

    assert len(play.answers()) == answers
    assert again.written == []
    assert again.state.written_of("prj_1").prd == last(play).snapshot


def test_a_request_before_the_first_version_waits_and_is_refused():
    play = Play()
    request = ChangeRequested(artifact_id="art_1", sections=[], expected_version=0, editor="ana")
    with pytest.raises(ValueError, match="not enough values"):
        play.asks(request)

    play.given(ENOUGH)
    play.end_run("deep")
    play.decide()

    assert edit_of(last(play)).refusal == "unknown_artifact"
