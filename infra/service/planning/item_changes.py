"""Change an item of a plan: a task, feature or sprint. What a person says of one no later run
overwrites.

Each request is published, and the writer's answer is waited for. Raises NotFound, Conflict or
Invalid when it refuses. The same key again is the same request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from infra.platform.errors import Conflict, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import draw_key, make_request
from infra.service.planning.section_edits import find_revisions, request_change
from projections.read import artifact_list, artifacts
from projections.read.artifact_list import WholeArtifact
from projections.read.artifacts import Edit, Item
from projections.read.projects import project_of
from projections.read.session import Conn
from schemas.events.artifact_parts import Citation
from schemas.events.change import (
    ChangedType,
    ChangeOp,
    ChangeRequested,
    EditedStatement,
    SectionEdit,
    ToldFeature,
    ToldSprint,
    ToldTask,
)
from schemas.ids import artifact_id as derive_artifact_id
from schemas.ids import derive_event_id

LONGEST_TITLE, LONGEST_TEXT = 200, 5_000
MOST_POINTS = 100  # of a task or feature
Told = TypeVar("Told")
NAMES: Mapping[ChangedType, str] = {"task": "task", "feature": "feature", "sprint_plan": "sprint"}


@dataclass(frozen=True, slots=True)
class Words:
    """``sections`` are sentences by section id; all of them cite ``atom_ids``."""

    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    atom_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ItemRequest(Generic[Told]):
    """``op`` is done with the item of this id; None: with a new one. ``told``: what is said of it.
    ``expected_version`` is the one that whoever asks has seen.
    """

    project: str
    op: ChangeOp
    told: Told
    item_id: str | None = None
    expected_version: int = 0
    key: str = field(default_factory=draw_key)


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A request with what its event says. ``check`` raises a Refusal where the tables speak against
    it.
    """

    request: ItemRequest[Any]
    told: ToldTask | ToldFeature | ToldSprint
    words: Words = Words()
    check: Callable[[Conn, str], None] = lambda tables, project_id: None

    @property
    def changed_type(self) -> ChangedType:
        match self.told:
            case ToldTask():
                return "task"
            case ToldFeature():
                return "feature"
            case _:
                return "sprint_plan"


async def change_item(
    settings: Settings, change: ItemChange, *, actor: str, within_s: float
) -> Item:
    """The item after the change, as soon as the tables show it; a deleted one has no number."""
    _check(change)
    project_id, sections = await ask(settings, lambda tables: _prepare(tables, change))
    request, kind, told = change.request, change.changed_type, change.told
    item_id = request.item_id or derive_artifact_id(project_id, kind, f"person|{request.key}")
    event = ChangeRequested(
        artifact_id=item_id,
        op=request.op,
        sections=sections,
        expected_version=request.expected_version,
        editor=actor,
        changed_type=kind,
        task=told if isinstance(told, ToldTask) else None,
        feature=told if isinstance(told, ToldFeature) else None,
        sprint=told if isinstance(told, ToldSprint) else None,
    )
    fact = make_request(event, project_id, actor, request.key)
    done = await request_change(settings, fact, what=NAMES[kind], within_s=within_s)
    return await _await_item(settings, project_id, done, within_s)


async def _await_item(settings: Settings, project_id: str, done: Edit, within_s: float) -> Item:
    def look(tables: Conn) -> Item | None:
        version = artifact_list.find_version(tables, project_id, done.artifact_id)
        if version is None or version < done.version:
            return None
        return artifacts.item(tables, project_id, done.artifact_id)

    return await wait_until_shown(settings, look, within_s=within_s)


def _prepare(tables: Conn, change: ItemChange) -> tuple[str, list[SectionEdit]]:
    """The project, and the sections with what they cite. Raises NotFound for what is not there."""
    project_id = project_of(tables, change.request.project)
    if not artifacts.has_artifact(tables, project_id, "prd"):
        raise Conflict(
            f"{NAMES[change.changed_type].capitalize()}s can be changed once the first run of the"
            " project has ended.",
            code="nothing_written",
        )
    request_id = derive_event_id(ChangeRequested.type_name, project_id, change.request.key)
    if artifacts.edit(tables, str(request_id)) is None:  # else it would be held against itself
        change.check(tables, project_id)
    known = find_revisions(tables, project_id, change.words.atom_ids)
    citations = [Citation(atom_id=one, atom_revision=known[one]) for one in change.words.atom_ids]
    return project_id, [
        SectionEdit(
            section_id=section_id,
            statements=[EditedStatement(text=text, citations=citations) for text in texts],
        )
        for section_id, texts in change.words.sections.items()
    ]


def find_item(
    tables: Conn, project_id: str, changed_type: ChangedType, item_id: str
) -> WholeArtifact:
    """The present item of the type. Raises NotFound."""
    found = artifact_list.whole_artifact(tables, project_id, item_id)
    if found.artifact_type != changed_type or not found.number:
        name = NAMES[changed_type]
        raise NotFound(f"There is no {name} {item_id} in this project.", code=f"unknown_{name}")
    return found


def _check(change: ItemChange) -> None:
    """Raises Invalid for what no item can say, and where no item is named."""
    told, name = change.told, NAMES[change.changed_type]
    if change.request.op != "create" and not change.request.item_id:
        raise Invalid(f"No {name} is named: give the id of one.", code=f"{name}_missing")
    texts = [text for section in change.words.sections.values() for text in section]
    said = told.goal if isinstance(told, ToldSprint) else told.title
    if said is not None and not 0 < len(said.strip()) <= LONGEST_TITLE:
        what = "goal" if isinstance(told, ToldSprint) else "title"
        raise Invalid(f"A {what} has 1 to {LONGEST_TITLE} characters.", code=f"{name}_invalid")
    if any(not text.strip() or len(text) > LONGEST_TEXT for text in texts):
        raise Invalid(f"A sentence has 1 to {LONGEST_TEXT:,} characters.", code=f"{name}_invalid")


def check_points(points: int | None, most: int, what: str, code: str) -> None:
    """Raises Invalid for a number of points that nothing has."""
    if points is not None and not 0 <= points <= most:
        raise Invalid(f"{what} is 0 to {most:,} points.", code=code)
