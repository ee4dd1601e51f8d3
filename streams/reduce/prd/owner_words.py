"""Which atoms were read out of what people wrote into the PRD, and which sentence each backs.

A person's sentence is read like any source. When its reading is settled, the sentence cites the
atoms that came out of it, new ones and those that it repeats; a sentence that is not backed stays
uncited. The words stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.edited_artifacts import source_id_of_section
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Citation, Section, Statement
from schemas.events.ledger import LIVE, AtomRecord, EvidenceRow
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.prd.selection import Atoms, ProjectShortlist
from streams.reduce.texts.inputs import Backing, Grounds, Pick, SectionInput
from streams.reduce.texts.sections import SECTIONS


@dataclass(slots=True)
class OwnerWords:
    """The live atoms of a project that quote what people wrote, by section; in memory."""

    sections: Mapping[str, str]
    quotes: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, project: str) -> OwnerWords:
        ids = (plan.section_id for plan in SECTIONS)
        return cls({source_id_of_section(project, one): one for one in ids})

    def put(self, atom: AtomRecord, rows: Iterable[EvidenceRow]) -> None:
        """Take the atom as it stands now, with its evidence."""
        for by_atom in self.quotes.values():
            by_atom.pop(atom.atom_id, None)
        if atom.status not in LIVE:
            return
        for row in rows:
            if row.source_id in self.sections and not row.stale:
                section = self.quotes.setdefault(self.sections[row.source_id], {})
                section.setdefault(atom.atom_id, []).append(row.snippet)

    def list_backings(self, shortlist: ProjectShortlist, atoms: Atoms) -> list[Backing]:
        """All of them as the ledger stands, by section and atom."""
        return [
            Backing(
                section_id=section_id,
                pick=Pick(
                    atoms=[atoms[atom_id]], contradictions=shortlist.contradictions_of(atom_id)
                ),
                quotes=quotes,
                alone=atoms[atom_id].source_count <= 1,
            )
            for section_id, known in sorted(self.quotes.items())
            for atom_id, quotes in sorted(known.items())
        ]


def link_sentences(
    prd: ArtifactSnapshot, backings: Sequence[Backing], grounds: Grounds
) -> ArtifactSnapshot:
    """The PRD in which each person's sentence of an edited section cites its own atoms."""

    def link(section: Section) -> Section:
        if section.state != EDITED:
            return section
        own = [backing for backing in backings if backing.section_id == section.section_id]
        statements = [_link(statement, own, grounds) for statement in section.statements]
        return (
            section if statements == section.statements else replace_statements(section, statements)
        )

    return prd.model_copy(update={"sections": [link(section) for section in prd.sections]})


def leave_out_repeats(
    inputs: Sequence[SectionInput], prd: ArtifactSnapshot, backings: Iterable[Backing]
) -> list[SectionInput]:
    """The inputs without what a person says in another section, and nothing else supports."""
    alone = {backing.atom_id for backing in backings if backing.alone}
    said = {
        atom_id: section.section_id
        for section in prd.sections
        if section.state == EDITED
        for statement in section.statements
        for atom_id in statement.backed_by
        if atom_id in alone
    }
    return [
        given.model_copy(
            update={
                "picks": [
                    pick
                    for pick in given.picks
                    if said.get(pick.lead.atom_id, given.section_id) == given.section_id
                ]
            }
        )
        for given in inputs
    ]


def describe_statement(statement: Statement, grounds: Grounds) -> Statement:
    """The statement with what follows from the atoms that it cites."""
    cited = [citation.atom_id for citation in statement.citations]
    atoms = [grounds.atoms[one] for one in cited if one in grounds.atoms]
    return statement.model_copy(
        update={
            "provisional": bool(atoms) and all(atom.status == "draft" for atom in atoms),
            "confidence": max((atom.confidence for atom in atoms), default=0.0),
            "contradiction_ids": [
                contradiction.contradiction_id for contradiction in grounds.contradictions_of(cited)
            ],
        }
    )


def _link(statement: Statement, backings: Sequence[Backing], grounds: Grounds) -> Statement:
    """A citation keeps its revision, and a move of the confidence alone changes nothing."""
    if statement.written_by is None:
        return statement
    known = {citation.atom_id: citation for citation in statement.citations}
    given = [
        citation for citation in statement.citations if citation.atom_id not in statement.backed_by
    ]
    leads = [backing.pick.lead for backing in backings if backing.supports(statement.text)]
    if not leads and not statement.backed_by:
        return statement
    read = [
        known.get(atom.atom_id) or Citation(atom_id=atom.atom_id, atom_revision=atom.revision)
        for atom in leads
        if atom.atom_id not in {one.atom_id for one in given}
    ]
    cited = {"citations": [*given, *read], "backed_by": [one.atom_id for one in read]}
    linked = describe_statement(statement.model_copy(update=cited), grounds)
    same = linked.model_copy(update={"confidence": statement.confidence}) == statement
    return statement if same else linked
