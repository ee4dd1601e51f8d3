"""Edits in the tables: what became of each request, and the section as it stands."""

from __future__ import annotations

from projections.read import artifacts
from tests.projections.conftest import ReadModel
from tests.projections.test_items import records_of
from tests.reduce.ledgers import ENOUGH, PROJECT, Play, a_requirement
from tests.reduce.test_edits import OWN, REQUIREMENTS, a_change, last


def test_each_request_has_its_answer_and_an_edited_section_its_author(model: ReadModel):
    play = Play().given(ENOUGH)
    play.ends()
    first = last(play)
    play.asks(a_change(first, OWN))
    play.asks(a_change(first, "Too late."))
    play.given([a_requirement("The relay must archive every delivered order")]).ends()
    model.fold(records_of(play, times=2))

    done, refused = (
        artifacts.find_edit(model.connection, str(record.envelope.event_id))
        for record in play.asked
    )

    assert done and (done.refusal, done.version, done.editor) == (None, 2, "ana")
    (requirements,) = [one for one in first.snapshot.sections if one.section_id == REQUIREMENTS]
    cited = {one.atom_id for said in requirements.statements for one in said.citations}
    assert done.uncited_atom_ids == sorted(cited)
    assert refused and (refused.uncited_atom_ids, refused.refusal, refused.expected_version) == (
        [],
        "stale_version",
        1,
    )
    prd = artifacts.read_only_artifact(model.connection, PROJECT, "prd")
    (section,) = [one for one in prd.sections if one.section_id == REQUIREMENTS]
    assert (section.edited_by, section.state) == ("ana", "edited")
    assert section.suggestion
    suggested = [one.text for one in section.suggestion.statements if one.citations]
    assert suggested == ["The relay must archive every delivered order."]
    assert model.value("SELECT edited_by FROM artifacts WHERE artifact_type = 'prd'") == "ana"
