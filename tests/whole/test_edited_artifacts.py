"""What the owner writes into the PRD is read like any source, and only what depends on it moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from connectors.edited_artifact import EditedSection, list_sections
from connectors.feeder import FeedOrder, InFlightWindow, feed
from schemas.edited_artifacts import source_id_of_section
from schemas.envelope import Envelope, outside_fact
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section, Statement
from schemas.events.change import ChangeRequested, EditAction, EditedStatement, SectionEdit
from schemas.events.ledger import AtomRecord, EvidenceRow
from tests.whole.changing import Project
from tests.whole.test_faults import FAULTS
from tests.worlds import ANA, AT, PROJECT

FILES = {
    "README.md": b"# Parcel\n\nParcel is a service that tracks parcels for depots.\n\n"
    b"## Goals\n\nEvery parcel is found within a minute.\n",
    "docs/requirements.md": b"# Requirements\n\n"
    b"- The gateway must answer every scan within 200 ms.\n"
    b"- The gateway must sign every scan.\n"
    b"- The depot must store every parcel for 30 days.\n"
    b"- The depot must print a label for each parcel.\n",
    "docs/architecture.md": b"# Architecture\n\nWe decided to keep parcels in PostgreSQL.\n\n"
    b"## Risks\n\n- A lost scanner lets a stranger read parcels.\n"
    b"- An outage of the gateway stops every depot.\n",
}
PRINTING = {
    "docs/features.md": b"# Features\n\n## Label printing\n\n"
    b"- The label printer must print a label for each parcel.\n"
    b"- The label printer must reprint a lost label.\n"
    b"- The label printer must warn when paper runs out.\n"
    b"- The label printer must support two paper sizes.\n\n"
    b"## Scan signing\n\n"
    b"- The scanner must sign every scan.\n"
    b"- The scanner must keep its key in hardware.\n"
    b"- The scanner must refuse an expired key.\n"
    b"- The scanner must renew its key each year.\n",
}
RISKS, NEEDS = "risks", "functional_requirements"
PRINTED = "The label printer must log every label."
STRIKE = "A strike of the drivers leaves parcels in the depot for weeks."
FLOOD = "A flood of the harbour destroys the paper labels."


class EditedProject(Project):
    """A project with a PRD whose sections are edited as the service does it."""

    def __init__(self, **faults: Any) -> None:
        super().__init__(**faults)
        self._edits = self._reads = 0
        self.ingest(FILES)

    @property
    def answers(self) -> list[ArtifactChanged]:
        found: list[ArtifactChanged] = []
        for record in self.driver.log.of("reduce.v1"):
            event = record.envelope.event
            if isinstance(event, ArtifactChanged) and event.artifact_seq == len(found) + 1:
                found.append(event)
        return found

    @property
    def prd(self) -> ArtifactSnapshot:
        return self.answers[-1].snapshot

    @property
    def items(self) -> dict[str, ArtifactSnapshot]:
        changes = [one.snapshot for answer in self.answers for one in answer.items]
        return {one.artifact_id: one for one in changes}

    def section(self, section_id: str = RISKS) -> Section:
        (found,) = [one for one in self.prd.sections if one.section_id == section_id]
        return found

    def write(self, *lines: str, section_id: str = RISKS) -> ArtifactChanged:
        """The owner writes the section; what they wrote is read to the end. The writer's answer."""
        answer = self.answer(self.request(section_id, lines))
        mine = [one.text for one in self.section(section_id).statements if one.written_by]
        self.read_edit(section_id, mine)
        return answer

    def request(
        self, section_id: str, lines: Sequence[str] = (), action: EditAction = "write"
    ) -> ChangeRequested:
        """What the owner asks for; lines that are there keep their citations."""
        known = {one.text: one.citations for one in self.section(section_id).statements}
        wanted = [EditedStatement(text=one, citations=known.get(one, [])) for one in lines]
        return ChangeRequested(
            artifact_id=self.prd.artifact_id,
            sections=[SectionEdit(section_id=section_id, action=action, statements=wanted)],
            expected_version=self.prd.version,
            editor="ana",
        )

    def answer(self, asked: ChangeRequested) -> ArtifactChanged:
        self._edits += 1
        key = f"edit {self._edits}"
        fact = outside_fact(asked, project_id=PROJECT, occurred_at=AT, actor=ANA, natural_key=key)
        self.given([fact])
        return self.answers[-1]

    def read_edit(
        self, section_id: str, sentences: Sequence[str], edited_at: datetime = AT
    ) -> None:
        """The sentences are published as an edit of their own, and read."""
        self._reads += 1
        edited = EditedSection(
            section_id=section_id,
            title=self.section(section_id).title,
            sentences=tuple(sentences),
            artifact_id=self.prd.artifact_id,
            version=self.prd.version,
            edited_at=edited_at,
        )
        asyncio.run(self._feed(edited))
        self.driver.run()

    async def _feed(self, edited: EditedSection) -> None:
        async def publish(facts: Sequence[Envelope]) -> None:
            self.driver.publish(facts)

        order = FeedOrder(PROJECT, f"edit|{self._reads}", ANA, AT, lanes=("deep",), trigger="edit")
        await feed(
            list_sections([edited]),
            order,
            publish=publish,
            encrypt=lambda content, owner: ("clear", content),
            last_accepted={},
            window=InFlightWindow(),
            again=False,
        )

    def atoms_of(self, section_id: str = RISKS) -> list[tuple[AtomRecord, EvidenceRow]]:
        """The live atoms with a fresh quote of what people wrote in a section."""
        source = source_id_of_section(PROJECT, section_id)
        return [
            (atom, row)
            for atom in self.ledger.live_atoms(PROJECT)
            for row in self.ledger.evidence_of(PROJECT, atom.atom_id)
            if row.source_id == source and not row.stale
        ]

    def statement(self, text: str, section_id: str = RISKS) -> Statement:
        (found,) = [one for one in self.section(section_id).statements if one.text == text]
        return found


def said(section: Section) -> list[str]:
    return [one.text for one in section.statements]


@pytest.fixture
def project() -> EditedProject:
    return EditedProject()


def test_a_new_sentence_becomes_an_atom_that_it_cites_and_what_was_there_is_not_read(project):
    kept = said(project.section())
    answer = project.write(*kept, STRIKE)
    assert answer.edit and answer.edit.refusal is None

    ((atom, row),) = project.atoms_of()
    text = project.texts()[f"{row.source_id}|{row.sanitized_hash}"]
    assert text[row.char_start : row.char_end] == row.snippet == STRIKE
    assert not [one for one in kept if one in text]
    mine = project.statement(STRIKE)
    assert [one.atom_id for one in mine.citations] == mine.backed_by == [atom.atom_id]
    assert (mine.written_by, mine.provisional) == ("ana", atom.status == "draft")
    assert said(project.section()) == [*kept, STRIKE]
    assert project.section().suggestion is None
    (run,) = [one for one in project.driver.log.of("source.v1") if row.source_id in str(one)]
    assert run.envelope.actor == ANA
    assert run.envelope.event.revision_ref.endswith(
        f"{project.prd.artifact_id} version {answer.snapshot.version} section {RISKS}"
    )


def test_a_sentence_that_repeats_an_atom_attaches_its_evidence_to_it(project):
    known = project.live
    (lost, *_) = said(project.section())
    elsewhere = project.write(lost, section_id="problem")
    assert elsewhere.edit and elsewhere.edit.refusal is None

    ((atom, row),) = project.atoms_of("problem")
    mine = project.statement(lost, "problem")
    assert mine.backed_by == [atom.atom_id]
    assert row.snippet == lost
    same = [one for one in known.values() if one.atom_id == atom.atom_id]
    assert len(project.live) == len(known) + (not same)


def test_editing_again_replaces_the_source_and_what_is_gone_from_it_is_obsolete(project):
    kept = said(project.section())
    project.write(*kept, STRIKE)
    ((first, _),) = project.atoms_of()

    project.write(*kept, STRIKE, FLOOD)
    assert {row.snippet for _, row in project.atoms_of()} == {STRIKE, FLOOD}
    assert project.statement(STRIKE).backed_by == [first.atom_id]

    project.write(*kept, FLOOD)
    assert [row.snippet for _, row in project.atoms_of()] == [FLOOD]
    assert project.ledger.atoms[f"{PROJECT}|{first.atom_id}"].status == "obsolete"

    project.write(*kept)
    assert project.atoms_of() == []
    assert said(project.section()) == kept
    assert set(project.live) == set(EditedProject().live)


def test_the_atom_of_a_removed_sentence_is_named_stays_and_is_not_suggested_again(project):
    first, second = project.section().statements
    gone = [one.atom_id for one in first.citations]

    answer = project.write(second.text, STRIKE)

    assert answer.edit and answer.edit.uncited_atom_ids == gone
    assert project.ledger.atoms[f"{PROJECT}|{gone[0]}"].status in ("draft", "active")
    assert said(project.section()) == [second.text, STRIKE]
    further = b"\n- A fire in the depot destroys every parcel.\n"
    path = "docs/architecture.md"
    project.ingest(FILES | {path: FILES[path] + further})
    assert said(project.section()) == [second.text, STRIKE]
    suggested = project.section().suggestion
    assert suggested
    texts = [one.text for one in suggested.statements]
    assert texts[-1] == STRIKE
    assert first.text not in texts


def test_only_what_depends_on_the_edit_is_written_again(project):
    before, items = project.prd, project.items
    project.write(*said(project.section()), STRIKE)
    new = {atom.atom_id for atom, _ in project.atoms_of()}

    after = project.prd
    kept = {one.section_id: one for one in before.sections if one.section_id != RISKS}
    assert {one.section_id: one for one in after.sections if one.section_id != RISKS} == kept
    moved = {key for key, one in project.items.items() if items.get(key) != one}
    for key in moved:
        cited = {
            each.atom_id
            for section in project.items[key].sections
            for statement in section.statements
            for each in statement.citations
        }
        assert cited & new or project.items[key].artifact_state != items[key].artifact_state
    assert {one.version for key, one in project.items.items() if key not in moved} == {1}
    assert len(items) > len(moved)


def test_a_feature_that_the_new_sentence_is_about_has_a_new_version_and_no_other(project):
    project.ingest(FILES | PRINTING)
    before = {one.title: one.version for one in project.items.values() if one.feature}
    assert len(before) == 2
    kept = said(project.section(NEEDS))

    project.write(*kept, PRINTED, section_id=NEEDS)

    after = {one.title: one.version for one in project.items.values() if one.feature}
    assert after == before | {"Label printer": before["Label printer"] + 1}
    (printer,) = [one for one in project.items.values() if one.title == "Label printer"]
    assert PRINTED in [line.text for part in printer.sections for line in part.statements]
    assert said(project.section(NEEDS)) == [*kept, PRINTED]
    assert project.section(NEEDS).suggestion is None


def test_what_says_nothing_that_can_be_read_stays_uncited(project):
    project.write(*said(project.section()), "See above.")

    mine = project.statement("See above.")
    assert (mine.citations, mine.backed_by, mine.written_by) == ([], [], "ana")
    assert project.atoms_of() == []


def test_two_edits_at_once_leave_the_later_one_whoever_publishes_first(project):
    kept = said(project.section())
    project.write(*kept, STRIKE)
    project.read_edit(RISKS, (FLOOD,), edited_at=AT - timedelta(seconds=1))

    assert [row.snippet for _, row in project.atoms_of()] == [STRIKE]


@pytest.mark.parametrize("seed", range(2))
def test_faults_change_nothing_of_it(seed):
    quiet, troubled = EditedProject(), EditedProject(seed=seed, **FAULTS)
    for project in (quiet, troubled):
        kept = said(project.section())
        project.write(*kept, STRIKE)
        project.write(FLOOD, STRIKE)
    assert troubled.change_sets() == quiet.change_sets()
    assert troubled.prd == quiet.prd
