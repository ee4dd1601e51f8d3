"""The single writer of artifacts: one ``artifact.changed`` for every settled position of a project.

What is published for a position is a function of the ledger at exactly that ``ledger_seq`` (spec 04
§9), yet a writer that catches up folds far beyond it before it decides. So the fold itself, when it
meets the end of a run, sets aside the atoms chosen for each section (``DuePosition``, small), and
deciding only turns them into text. A position leaves the table when its own answer is folded, and
never enters it when that came first. Decided against: keeping the ledger's past to look back into.

Only the end of a run settles a position today; a change set without a turn, a person's decision,
will be another.

Speculation is left out: nothing is published between settled positions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.envelope import Part
from schemas.events.artifact import (
    ArtifactChanged,
    ArtifactSnapshot,
    ReviewFinding,
    Section,
    Statement,
)
from schemas.events.ledger import LIVE, AtomRecord, LedgerChanged
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import sha256_hex
from streams.cause import Cause
from streams.ledger.fold import LedgerView
from streams.reduce.inputs import DuePosition, Grounds, SectionInput
from streams.reduce.markdown import render
from streams.reduce.sections import PLANS
from streams.reduce.selection import Atoms, ProjectShortlist, select
from streams.reduce.states import Standing, prd_standing
from streams.reduce.validator import errors, validate
from streams.reduce.wording import write_section
from streams.stage import Decision, Record, Table, Tables

PRD_NUMBER = "prd-001"
PRD_TITLE = "Product requirements"
ENGINE = "heuristic"

Synthesise = Callable[[str, SectionInput, list[ReviewFinding]], list[Statement]]
"""Artifact id, a section's input and the objections to the attempt before → its statements."""


Outcome = Literal["published", "state_changed", "rejected", "unchanged"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Sections as written at last, the errors of the first try, and what is still to be said."""

    sections: list[Section]
    objections: list[ReviewFinding]
    findings: list[ReviewFinding]


class Written(Part):
    """The artifact log of a project so far: its last number, position and PRD."""

    artifact_seq: int = 0
    ledger_seq: int = 0
    prd: ArtifactSnapshot | None = None


class ReduceState:
    """The tables of one partition; ``shortlists`` are derived from the ledger's."""

    def __init__(self, tables: Tables) -> None:
        self.ledger = LedgerView(tables)
        self.written: Table[Written] = tables.table("written", Written)
        self.due: Table[DuePosition] = tables.table("due", DuePosition)
        self.shortlists: dict[str, ProjectShortlist] = {}
        for key, atom in self.ledger.atoms.items():
            self.list_atom(key.split("|", 1)[0], atom)
        for key, one in self.ledger.contradictions.items():
            self.shortlist(key.split("|", 1)[0]).put_conflict(one)

    def shortlist(self, project: str) -> ProjectShortlist:
        return self.shortlists.setdefault(project, ProjectShortlist())

    def list_atom(self, project: str, atom: AtomRecord) -> None:
        rows = self.ledger.evidence_of(project, atom.atom_id) if atom.status in LIVE else []
        self.shortlist(project).put(atom, rows)

    def written_of(self, project: str) -> Written:
        return self.written.get(project, Written())


class Reduce:
    """See ``streams.stage.Writer``. ``synthesise`` writes a section; the default is by rule."""

    name = "reduce"
    inputs = ("ledger.v1",)
    output = "reduce.v1"

    def __init__(self, synthesise: Synthesise = write_section) -> None:
        self._synthesise = synthesise

    def open(self, tables: Tables) -> ReduceState:
        return ReduceState(tables)

    def evolve(self, state: ReduceState, record: Record) -> None:
        project = record.envelope.project_id
        match record.envelope.event:
            case LedgerChanged() as changed if state.ledger.fold(record):
                for atom in changed.atoms:
                    state.list_atom(project, atom)
                for one in changed.contradictions:
                    state.shortlist(project).put_conflict(one)
                if changed.turn and changed.turn.kind == "run_end":
                    self._settle(state, record, changed)
            case ArtifactChanged() as answer:
                written = state.written_of(project)
                if answer.artifact_seq == written.artifact_seq + 1:
                    state.written[project] = Written(
                        artifact_seq=answer.artifact_seq,
                        ledger_seq=answer.input_ledger_seq,
                        prd=answer.snapshot,
                    )
                    state.due.pop(_due_key(project, answer.input_ledger_seq), None)
            case _:
                pass

    def decide(self, state: ReduceState) -> Decision | None:
        """The answer to the earliest position that has none."""
        due = next((position for _, position in state.due.with_prefix("")), None)
        if due is None:
            return None
        answer = self._answer(state.written_of(due.cause.project_id), due)
        return Decision((due.cause.caused(answer, lane=due.lane, run_id=due.run_id),))

    def _settle(self, state: ReduceState, record: Record, changed: LedgerChanged) -> None:
        """Set aside what this position's PRD is written from, unless it is written already."""
        project, turn = record.envelope.project_id, changed.turn
        if turn is None or changed.ledger_seq <= state.written_of(project).ledger_seq:
            return
        atoms = Atoms(state.ledger.atoms, project)
        state.due[_due_key(project, changed.ledger_seq)] = DuePosition(
            cause=Cause.of(record.envelope),
            ledger_seq=changed.ledger_seq,
            run_id=turn.run_id,
            lane=turn.lane,
            sections=select(state.shortlist(project), atoms),
        )

    def _answer(self, written: Written, due: DuePosition) -> ArtifactChanged:
        """What the position means for the PRD: a new version, another state, a refusal, nothing."""
        before = written.prd
        grounds = Grounds.of(due.sections)
        artifact_id = derive_artifact_id(due.cause.project_id, "prd", "prd")
        attempt = self._write(artifact_id, due, grounds, before)
        standing = prd_standing(attempt.sections, grounds, due.lane)
        changed = _changed_sections(before, attempt.sections)
        outcome: Outcome = "unchanged"
        if errors(attempt.findings):
            outcome, changed = "rejected", []
            after = before or _empty(artifact_id, due)
        elif changed or before is None or before.version == 0:
            outcome = "published"
            after = _next_version(artifact_id, due, before, attempt.sections, standing)
        else:
            after = _moved(before, standing)
            if after != before:
                outcome = "state_changed"
        return ArtifactChanged(
            artifact_seq=written.artifact_seq + 1,
            caused_by_event_id=str(due.cause.event_id),
            input_ledger_seq=due.ledger_seq,
            settled_run_id=due.run_id,
            outcome=outcome,
            snapshot=after,
            recomputed_sections=changed,
            reason=f"{due.lane}_run_ended",
            state_before=before.artifact_state if before and before.version else None,
            reason_codes=[] if outcome == "rejected" else list(standing.reason_codes),
            findings=[*attempt.objections, *attempt.findings],
        )

    def _write(
        self, artifact_id: str, due: DuePosition, grounds: Grounds, before: ArtifactSnapshot | None
    ) -> Attempt:
        """The sections; what the validator objects to is written a second time, with its findings.

        A section whose input is as it was keeps its bytes.
        """
        known = {section.section_id: section for section in before.sections} if before else {}
        sections = [
            kept
            if (kept := known.get(given.section_id)) and kept.input_hash == given.input_hash
            else _section(given, self._synthesise(artifact_id, given, []))
            for given in due.sections
        ]
        objections = errors(validate(sections, grounds, due.lane))
        refused = {finding.section_id for finding in objections}
        for at, given in enumerate(due.sections):
            if given.section_id in refused:
                own = [one for one in objections if one.section_id == given.section_id]
                sections[at] = _section(given, self._synthesise(artifact_id, given, own))
        return Attempt(sections, objections, validate(sections, grounds, due.lane))


def _due_key(project: str, ledger_seq: int) -> str:
    return f"{project}|{ledger_seq:012d}"


def _section(given: SectionInput, statements: list[Statement]) -> Section:
    plan = PLANS[given.section_id]
    content = {
        "title": plan.title,
        "state": "generated" if statements else "insufficient_evidence",
        "statements": [statement.model_dump() for statement in statements],
        "gap": "" if statements else f"Not enough evidence: no {plan.missing} so far.",
    }
    return Section.model_validate(
        content
        | {
            "section_id": given.section_id,
            "content_hash": sha256_hex(json.dumps(content, sort_keys=True)),
            "input_hash": given.input_hash,
        }
    )


def _changed_sections(before: ArtifactSnapshot | None, sections: Sequence[Section]) -> list[str]:
    known = (
        {section.section_id: section.content_hash for section in before.sections} if before else {}
    )
    return [one.section_id for one in sections if known.get(one.section_id) != one.content_hash]


def _next_version(
    artifact_id: str,
    due: DuePosition,
    before: ArtifactSnapshot | None,
    sections: list[Section],
    standing: Standing,
) -> ArtifactSnapshot:
    version = before.version + 1 if before else 1
    return _empty(artifact_id, due).model_copy(
        update={
            "artifact_state": standing.state,
            "version": version,
            "sections": sections,
            "content_hash": sha256_hex("\n".join(section.content_hash for section in sections)),
            "rendered_markdown": render(PRD_TITLE, standing.state, version, sections),
            "blocked_by": list(standing.blocked_by),
        }
    )


def _moved(before: ArtifactSnapshot, standing: Standing) -> ArtifactSnapshot:
    """The same version in the state it has now."""
    return before.model_copy(
        update={
            "artifact_state": standing.state,
            "blocked_by": list(standing.blocked_by),
            "rendered_markdown": render(
                before.title, standing.state, before.version, before.sections
            ),
        }
    )


def _empty(artifact_id: str, due: DuePosition) -> ArtifactSnapshot:
    """The PRD before its first version."""
    return ArtifactSnapshot(
        artifact_id=artifact_id,
        artifact_type="prd",
        number=PRD_NUMBER,
        title=PRD_TITLE,
        artifact_state="draft",
        version=0,
        sections=[],
        content_hash=sha256_hex(""),
        rendered_markdown="",
        lane=due.lane,
        engine=ENGINE,
        run_id=due.run_id,
        input_ledger_seq=due.ledger_seq,
    )


REDUCE = Reduce()
