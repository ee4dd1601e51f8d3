"""Which sentences of an edit are sent to be read, as the tables tell it."""

from __future__ import annotations

import pytest

from infra.service.planning.edited_sources import read_changed_sections
from projections.fold import PROJECTED_TOPICS
from projections.read import artifacts
from projections.read.artifacts import Edit
from schemas.events.artifact import ArtifactChanged
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.whole.test_edited_artifacts import FILES, FLOOD, RISKS, STRIKE, EditedProject, said
from tests.worlds import PROJECT

NEEDS = "functional_requirements"
LOG = "The gateway must log every scan."
TOPICS = frozenset(PROJECTED_TOPICS)


class ShownProject(EditedProject):
    """An edited project whose log is read into tables."""

    def __init__(self, model: ReadModel) -> None:
        super().__init__()
        self.model = model

    def changed(self, answer: ArtifactChanged) -> list[tuple[str, ...]] | None:
        """The sentences of the sections that the service sends for the edit."""
        self.model.emptied().fold(records_in(self.driver, TOPICS))
        edit = artifacts.find_edit(self.model.connection, answer.caused_by_event_id)
        assert isinstance(edit, Edit)
        found = read_changed_sections(self.model.connection, PROJECT, edit)
        return None if found is None else [one.sentences for one in found]

    def asks(self, *lines: str, section_id: str = RISKS) -> ArtifactChanged:
        """An edit whose sentences nobody has sent yet."""
        return self.answer(self.request(section_id, lines))


@pytest.fixture
def project(model: ReadModel) -> ShownProject:
    return ShownProject(model)


def test_only_what_a_person_wrote_is_sent(project: ShownProject):
    kept = said(project.section())
    assert project.changed(project.asks(*kept, STRIKE)) == [(STRIKE,)]
    assert project.changed(project.asks(*kept[:1])) == [()]


def test_an_edit_without_a_sentence_of_its_own_sends_nothing(project: ShownProject):
    (first, second) = said(project.section())
    assert project.changed(project.asks(second, first)) == []


def test_what_was_read_is_not_sent_again_unless_it_changed(project: ShownProject):
    kept = said(project.section())
    project.write(*kept, STRIKE)
    assert project.changed(project.asks(kept[1], STRIKE)) == []
    assert project.changed(project.asks(STRIKE, FLOOD)) == [(STRIKE, FLOOD)]


def test_a_persons_line_is_still_sent_after_they_accepted_a_suggestion(project: ShownProject):
    first, *_ = said(project.section(NEEDS))
    project.write(first, LOG, section_id=NEEDS)
    project.ingest(FILES | {"docs/more.md": b"# More\n\n- The depot must weigh every parcel.\n"})
    project.answer(project.request(NEEDS, action="accept_suggestion"))
    section = project.section(NEEDS)
    assert [one.text for one in section.statements if one.written_by] == [LOG]
    assert len(section.statements) > 2

    edit = project.asks(*said(section), "The gateway must beep.", section_id=NEEDS)

    assert project.changed(edit) == [(LOG, "The gateway must beep.")]
