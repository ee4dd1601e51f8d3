"""Insights, epics and features as artifacts: sections from a cluster, and what differs from before.

An item is an artifact of its own with the sections of its type; a section whose input is as it was
keeps its bytes. A new version is one whose text or own fields differ; number, dates and state may
move without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.events.artifact_parts import ArtifactChange, ArtifactSnapshot, ArtifactType, Outcome
from schemas.events.artifact_sections import ReviewFinding, Section, Statement
from schemas.ids import sha256_hex
from streams.reduce.artifacts.edited_sections import keep_edited
from streams.reduce.artifacts.markdown import render
from streams.reduce.artifacts.section_text import EDITED, replace_statements
from streams.reduce.artifacts.states import DerivedState
from streams.reduce.artifacts.validator import Lane, errors, validate
from streams.reduce.texts.inputs import Grounds, SectionInput, Withdrawn

ENGINE = "heuristic"
MODEL = "model"
TITLES = {
    "description": "Description",
    "solutions": "Technical approach",
    "acceptance_criteria": "Acceptance criteria",
    "risks": "Risks",
    "open_questions": "Open questions",
}
PREFIXES: dict[ArtifactType, str] = {
    "insight": "ins",
    "epic": "epic",
    "feature": "feat",
    "task": "task",
    "sprint_plan": "sprint",
    "report": "report",
}
PLANNED = {
    "feature": {"epic_id", "start_date", "end_date", "depends_on", "status"},
    "task": {"assignee_id", "sprint_id", "depends_on", "status"},
    "sprint_plan": {"committed", "committed_on", "committed_seq"},
}
GONE = "Nothing live is behind this any more, or too little to stand alone."
MAX_NAMED = 3
_EMPTY_TASK: dict[str, Any] = {
    "atom_ids": [],
    "risk_atom_ids": [],
    "upstream_atom_ids": [],
    "solutions": [],
    "depends_on": [],
    "assignee_id": None,
    "sprint_id": None,
    "status": "dropped",
}
_EMPTY_PLAN: dict[str, Any] = {
    "goal": "",
    "capacity_points": 0,
    "planned_points": 0,
    "items": [],
    "risk_atom_ids": [],
    "unplanned": [],
    "assumptions": [],
}
Synthesise = Callable[[str, SectionInput, list[ReviewFinding]], list[Statement]]
"""Artifact id, a section's input and the objections to the attempt before → its statements."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Where the items are written: the position, its run and lane, why it is one, and the day of
    what is answered.
    """

    ledger_seq: int
    run_id: str
    lane: Lane
    reason: str
    day: str = ""


@dataclass(frozen=True, slots=True)
class WrittenSections:
    """Sections as written at last, the errors of the first try, and what is still to be said."""

    sections: list[Section]
    objections: list[ReviewFinding]
    findings: list[ReviewFinding]


def section_of(
    given: SectionInput, statements: list[Statement], title: str, gap: str = ""
) -> Section:
    """The section of these statements; ``gap`` is what it says without any."""
    content = {
        "title": title,
        "state": "generated" if statements else "insufficient_evidence",
        "gap": "" if statements else gap,
    }
    place = {"section_id": given.section_id, "content_hash": "", "input_hash": given.input_hash}
    return replace_statements(Section.model_validate(content | place), statements)


def describe_engine(sections: Iterable[Section]) -> dict[str, str | None]:
    """Who has worded an artifact of these sections: a model, where one has any of them."""
    worded = [
        section for section in sections if section.engine == MODEL and section.state != EDITED
    ]
    models = dict.fromkeys(one.model for one in worded if one.model)
    versions = dict.fromkeys(one.prompt_version for one in worded if one.prompt_version)
    return {
        "engine": MODEL if worded else ENGINE,
        "model": ", ".join(models) or None,
        "prompt_version": ", ".join(versions) or None,
    }


def attempt(
    artifact_id: str,
    inputs: Sequence[SectionInput],
    before: ArtifactSnapshot | None,
    grounds: Grounds,
    lane: Lane,
    synthesise: Synthesise,
    titled: Callable[[str], tuple[str, str]],
    withdrawn: Mapping[str, Withdrawn],
) -> WrittenSections:
    """The sections; what the validator objects to is written a second time, with its findings.

    The lines that a person has written stay, also where nothing is behind them; the other lines of
    their section follow what is ``withdrawn`` and written anew.

    A section whose input is as it was keeps its bytes. ``titled`` gives the title of a section and
    what it says when it is empty.
    """
    known = {section.section_id: section for section in before.sections} if before else {}

    def write_section(given: SectionInput, findings: list[ReviewFinding]) -> Section:
        return section_of(
            given, synthesise(artifact_id, given, findings), *titled(given.section_id)
        )

    sections = [
        kept
        if (kept := known.get(given.section_id)) and kept.input_hash == given.input_hash
        else write_section(given, [])
        for given in inputs
    ]
    objections = errors(validate(_written_here(sections), grounds, lane))
    refused = {finding.section_id for finding in objections}
    for at, given in enumerate(inputs):
        if given.section_id in refused:
            sections[at] = write_section(
                given,
                [objection for objection in objections if objection.section_id == given.section_id],
            )
    findings = validate(_written_here(sections), grounds, lane)
    written = {section.section_id for section in sections}
    own = [one for key, one in known.items() if one.state == EDITED and key not in written]
    return WrittenSections(
        [
            *(
                keep_edited(known.get(section.section_id), section, withdrawn)
                for section in sections
            ),
            *(keep_edited(one, one, withdrawn) for one in own),
        ],
        objections,
        findings,
    )


def keep_words(
    before: ArtifactSnapshot | None, written: Sequence[Section], grounds: Grounds, lane: Lane
) -> list[Section]:
    """The sections with the words that they had, a model's or a person's, as long as these are
    about the same and the validator has nothing against them.
    """
    known = {section.section_id: section for section in before.sections} if before else {}

    def keep(section: Section) -> Section:
        kept = known.get(section.section_id)
        if kept is None or section.state == EDITED:
            return section
        return kept if kept.input_hash == section.input_hash else keep_edited(kept, section, {})

    kept = [keep(section) for section in written]
    refused = {error.section_id for error in errors(validate(_written_here(kept), grounds, lane))}
    return [
        otherwise if one.section_id in refused else one
        for one, otherwise in zip(kept, written, strict=True)
    ]


def text_of_section(sections: Iterable[Section], section_id: str) -> list[str]:
    """What a section says, a sentence each."""
    return [
        statement.text
        for section in sections
        if section.section_id == section_id
        for statement in section.statements
    ]


def _written_here(sections: Iterable[Section]) -> list[Section]:
    """Those that no person has edited: what people write is not refused."""
    return [section for section in sections if section.state != EDITED]


def list_changed_sections(
    before: ArtifactSnapshot | None, sections: Iterable[Section]
) -> list[str]:
    """The sections that are new or say something else, then those that are gone."""
    known = {one.section_id: one.content_hash for one in before.sections} if before else {}
    now = {one.section_id: one.content_hash for one in sections}
    other = [section_id for section_id, mark in now.items() if known.get(section_id) != mark]
    return other + [section_id for section_id in known if section_id not in now]


def item_titled(section_id: str) -> tuple[str, str]:
    return TITLES[section_id], ""


def item_change(
    fresh: ArtifactSnapshot,
    before: ArtifactSnapshot | None,
    at: Settled,
    standing: DerivedState,
    findings: list[ReviewFinding],
) -> ArtifactChange:
    """What differs between an item as just written and as it was.

    ``fresh`` comes without version, hashes and markdown; they are made here.
    """
    mark = content_hash(fresh)
    outcome: Outcome = "published"
    version = next_version(fresh, before)
    origin: dict[str, Any] = {}
    if before is not None and before.content_hash == mark:
        outcome = "state_changed"
        origin = {name: getattr(before, name) for name in ("lane", "run_id", "input_ledger_seq")}
    after = fresh.model_copy(
        update={
            "version": version,
            "artifact_state": standing.state,
            "blocked_by": list(standing.blocked_by),
            "content_hash": mark,
            "rendered_markdown": render(fresh.title, standing.state, version, fresh.sections),
        }
        | describe_engine(fresh.sections)
        | origin
    )
    if after == before:
        outcome = "unchanged"
    return ArtifactChange(
        outcome=outcome,
        snapshot=after,
        recomputed_sections=list_changed_sections(before, fresh.sections),
        reason=at.reason,
        state_before=before.artifact_state if before else None,
        reason_codes=list(standing.reason_codes),
        findings=findings,
    )


def next_version(fresh: ArtifactSnapshot, before: ArtifactSnapshot | None) -> int:
    """The version ``fresh`` will have: that before when nothing of its content differs."""
    if before is None:
        return 1
    return before.version + (before.content_hash != content_hash(fresh))


def reject(
    fresh: ArtifactSnapshot, before: ArtifactSnapshot | None, at: Settled, written: WrittenSections
) -> ArtifactChange:
    """The validator refused twice: the version before stands, or none."""
    return ArtifactChange(
        outcome="rejected",
        snapshot=before or fresh.model_copy(update={"sections": []}),
        reason=at.reason,
        state_before=before.artifact_state if before else None,
        findings=[*written.objections, *written.findings],
    )


def withdraw(
    before: ArtifactSnapshot, at: Settled, successors: Sequence[str] = (), why: str = GONE
) -> ArtifactChange:
    """An item whose cluster is gone says nothing any more; its id stays its own.

    ``successors`` are the titles of the items that tell what it told.
    """
    gap = f"Replaced by: {'; '.join(successors[:MAX_NAMED])}." if successors else why
    empty = [section_of(SectionInput(section_id="description"), [], TITLES["description"], gap)]
    fields: dict[str, Any] = {"sections": empty, "number": "", "blocked_by": []}
    if before.feature:
        fields["feature"] = before.feature.model_copy(
            update={
                "atom_ids": [],
                "risk_atom_ids": [],
                "contradiction_ids_considered": [],
                "depends_on": [],
                "status": "dropped",
            }
        )
    if before.epic:
        fields["epic"] = before.epic.model_copy(
            update={"atom_ids": [], "feature_ids": [], "prd_section_ids": []}
        )
    if before.task:
        fields["task"] = before.task.model_copy(update=dict(_EMPTY_TASK))
    if before.sprint_plan:
        fields["sprint_plan"] = before.sprint_plan.model_copy(update=dict(_EMPTY_PLAN))
    if before.insight:
        fields["insight"] = before.insight.model_copy(update={"atom_ids": [], "source_ids": []})
    fresh = before.model_copy(
        update=fields
        | {"lane": at.lane, "run_id": at.run_id, "input_ledger_seq": at.ledger_seq}
        | {"quality_tier": None, "quality_run_id": None}
    )
    code = "replaced" if successors else "too_few_live_atoms"
    return item_change(fresh, before, at, DerivedState("draft", (code,), ()), [])


def atoms_behind(item: ArtifactSnapshot) -> frozenset[str]:
    """The atoms an insight, epic, feature or task is made of."""
    return frozenset(getattr(item.own, "atom_ids", ()))


def is_withdrawn(item: ArtifactSnapshot) -> bool:
    return not any(section.statements for section in item.sections)


def blank(
    artifact_id: str, artifact_type: ArtifactType, title: str, at: Settled, sections: list[Section]
) -> ArtifactSnapshot:
    """An item of these sections before it has a version."""
    return ArtifactSnapshot(
        artifact_id=artifact_id,
        artifact_type=artifact_type,
        number="",
        title=title,
        artifact_state="draft",
        version=0,
        sections=sections,
        content_hash=sha256_hex(""),
        rendered_markdown="",
        lane=at.lane,
        engine=ENGINE,
        run_id=at.run_id,
        input_ledger_seq=at.ledger_seq,
    )


def content_hash(item: ArtifactSnapshot) -> str:
    """Equal as long as title, sections and own fields are; number and plan are left out."""
    own = item.own
    planned = PLANNED.get(item.artifact_type, set())
    fields = own.model_dump_json(exclude=planned) if own else ""
    return sha256_hex(
        "\n".join([item.title, fields, *(section.content_hash for section in item.sections)])
    )
