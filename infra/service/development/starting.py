"""Begin a workflow or a delivery: what it is about, what it starts from, and who answers for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agents.development.errors import ConfigurationError
from infra.platform.errors import Conflict, Forbidden, Invalid
from infra.platform.settings import Settings
from infra.service.development.profiles import find_profile
from infra.service.development.repositories import read_head
from infra.service.development.roles import read_families
from infra.service.development.run_trees import find_base
from infra.service.development.workflow_payload import (
    WorkflowPayload,
    job_type_of,
    workflow_job,
)
from infra.service.foundation.database import ask, transact
from infra.service.foundation.publishing import check_key, draw_key, redactor_of
from infra.store.jobs import queue
from projections.read import workflows as read
from projections.read.projects import find_project
from projections.read.session import Conn
from projections.read.workflow_origin import LedgerItem, read_ledger_item
from schemas.envelope import SERVICE_WIDE, Actor
from schemas.events.workflow import (
    WorkflowInput,
    WorkflowIssue,
    WorkflowOrigin,
    WorkflowSettings,
    WorkflowStarted,
    WorkflowType,
)
from schemas.ids import sha256_hex, workflow_id

if TYPE_CHECKING:
    from projections.read.workflows import WorkflowArtifact

LONGEST_TITLE, LONGEST_TEXT, LONGEST_INPUT = 300, 100_000, 300_000  # characters
# Each stage takes the approved artifact of one before it. What has no entry begins with an issue.
TAKES: dict[WorkflowType, tuple[WorkflowType, ...]] = {
    "requirements": ("issue", "scout"),
    "implementation_spec": ("requirements",),
    "tdd_implementation": ("implementation_spec", "requirements"),
    "delivery": ("requirements", "implementation_spec"),
}
WRITES_CODE: tuple[WorkflowType, ...] = ("tdd_implementation", "delivery")
NEEDS_CODE: tuple[WorkflowType, ...] = ("requirements", "implementation_spec", *WRITES_CODE)
NEEDS_INPUT: tuple[WorkflowType, ...] = ("implementation_spec", "tdd_implementation")


@dataclass(frozen=True, slots=True)
class WorkflowRequest:
    """A run to begin, in ``project`` or, without one, in the installation.

    ``item`` is a feature or task of the project that it starts from. ``input_workflow`` is the run
    whose approved artifact it takes, ``input_text`` a text from outside in its place. The same
    ``key`` again is the same run.
    """

    workflow_type: WorkflowType
    issue_number: int
    title: str = ""
    text: str = ""
    url: str = ""
    project: str | None = None
    repository: str = ""
    profile: str = ""
    settings: WorkflowSettings = field(default_factory=WorkflowSettings)
    item: str = ""
    input_workflow: str = ""
    input_text: str = ""
    chain_id: str = ""
    next_types: Sequence[WorkflowType] = ()
    key: str = field(default_factory=draw_key)


@dataclass(frozen=True, slots=True)
class BegunWorkflow:
    """A run that is in the queue."""

    project_id: str
    workflow_id: str
    job_id: str
    workflow_type: WorkflowType
    chain_id: str = ""


async def start_workflow(
    settings: Settings, request: WorkflowRequest, *, actor: str
) -> BegunWorkflow:
    """Put a run into the queue, once for its key.

    Raises Invalid, NotFound, Conflict (the families of drafter and reviewer are the same, or the
    artifact it is to start from is not approved), DatabaseUnavailable.
    """
    check_key(request.key)
    project_id = SERVICE_WIDE
    if request.project is not None:
        project_id = await ask(settings, partial(find_project, name_or_id=request.project))
    item = await _find_item(settings, project_id, request.item)
    asked_id = workflow_id(project_id, request.key)
    drafter, reviewer = read_families(settings)
    check_settings(request)
    repository, commit = _read_code(request)
    taken = await _find_input(settings, project_id, request)
    asked = WorkflowStarted(
        workflow_id=asked_id,
        ordinal=0,
        workflow_type=request.workflow_type,
        thread_id=f"issue-{request.issue_number}",
        issue=_read_issue(settings, request, item),
        repository=repository,
        commit=commit,
        profile=find_profile(settings, request.profile or None).name,
        settings=request.settings,
        input=taken,
        origin=await _find_origin(settings, item, taken),
        drafter_family=drafter,
        reviewer_family=reviewer,
        chain_id=request.chain_id,
        next_types=list(request.next_types),
        started_by=redactor_of(settings).text(actor),
    )
    return await enqueue_run(settings, project_id, asked, request.key)


def project_missing() -> Forbidden:
    """The error for a run of the installation that somebody asks for who does not see all of it."""
    return Forbidden(
        "Your token is good for some projects alone: name the project.", code="project_missing"
    )


async def enqueue_run(
    settings: Settings, project_id: str, asked: WorkflowStarted, key: str
) -> BegunWorkflow:
    """The run is in the queue, once for its key."""
    by = Actor(type="human", id=asked.started_by)
    payload = WorkflowPayload(workflow_id=asked.workflow_id, asked=asked)
    job_type = job_type_of(asked.workflow_type)
    new = workflow_job(project_id, job_type, payload, key, f"{by.type}:{by.id}")
    job_id, _ = await transact(settings, lambda tables: queue.enqueue(tables, new, by))
    return BegunWorkflow(project_id, asked.workflow_id, job_id, asked.workflow_type, asked.chain_id)


def make_input(artifact: WorkflowArtifact, of_workflow: str) -> WorkflowInput:
    """The approved artifact of a run as what the next one takes. Raises Conflict for other bytes
    than those that were approved.
    """
    if sha256_hex(artifact.text) != artifact.artifact_hash:
        raise Conflict(
            f"The artifact of {of_workflow} is not the one that was approved: its text has another"
            " hash.",
            code="artifact_changed",
            detail={"workflow_id": of_workflow},
        )
    return WorkflowInput(
        artifact_hash=artifact.artifact_hash, text=artifact.text, workflow_id=of_workflow
    )


def check_settings(request: WorkflowRequest) -> None:
    """Raises Invalid for settings that a run, or a stage that follows it, does not take."""
    from agents.development.governed import run as governed

    if request.workflow_type not in governed.WORKFLOWS:
        return
    try:
        governed.check_settings(request.workflow_type, request.settings)
    except ConfigurationError as error:
        raise Invalid(str(error), code="workflow_settings_invalid") from error


def _read_code(request: WorkflowRequest) -> tuple[str, str]:
    """The repository and its commit. Raises Invalid, and Conflict for a working tree from which no
    code can be written: with changes, or on no branch.
    """
    types = (request.workflow_type, *request.next_types)
    if not request.repository:
        if needs := [one for one in types if one in NEEDS_CODE]:
            raise Invalid(
                f"A run of {needs[0]} is about code: name the repository.",
                code="repository_missing",
            )
        return "", ""
    repository, commit = read_head(request.repository)
    if any(one in WRITES_CODE for one in types):
        find_base(Path(repository))
    return repository, commit


async def _find_item(settings: Settings, project_id: str, item: str) -> LedgerItem | None:
    if not item:
        return None
    if project_id == SERVICE_WIDE:
        raise Invalid("Features and tasks belong to a project: name it.", code="item_needs_project")
    return await ask(settings, lambda tables: read_ledger_item(tables, project_id, item))


async def _find_origin(
    settings: Settings, item: LedgerItem | None, taken: WorkflowInput
) -> WorkflowOrigin:
    """What of the ledger a run rests on: its own item, else that of the run it goes on from."""
    origin: LedgerItem | read.Workflow | None = item
    if origin is None and taken.workflow_id:
        find = partial(read.find_workflow, workflow_id=taken.workflow_id)
        origin = await ask(settings, find)
    if origin is None:
        return WorkflowOrigin()
    return WorkflowOrigin(
        feature_id=origin.feature_id, task_id=origin.task_id, atom_ids=origin.atom_ids
    )


def _read_issue(
    settings: Settings, request: WorkflowRequest, item: LedgerItem | None
) -> WorkflowIssue:
    """The issue without secrets: what was given, else what the ledger says. Raises Invalid."""
    redactor = redactor_of(settings)
    title = redactor.text(request.title).strip() or (item.title if item else "")
    text = redactor.text(request.text).strip() or (item.rendered_markdown if item else "")
    if request.issue_number < 1:
        raise Invalid("The number of an issue is 1 or more.", code="issue_invalid")
    if not title or len(title) > LONGEST_TITLE or len(text) > LONGEST_TEXT:
        raise Invalid(
            f"An issue has a title of 1 to {LONGEST_TITLE} characters and a text of at most"
            f" {LONGEST_TEXT:,}.",
            code="issue_invalid",
        )
    return WorkflowIssue(
        number=request.issue_number, title=title, text=text, url=redactor.text(request.url)
    )


async def _find_input(
    settings: Settings, project_id: str, request: WorkflowRequest
) -> WorkflowInput:
    """What the run starts from besides its issue. Raises Invalid, NotFound, Conflict."""
    if request.input_workflow and request.input_text:
        raise Invalid("Give a workflow to go on from, or a text, not both.", code="input_invalid")
    if request.input_workflow:
        find = partial(_find_approved, project_id, request)
        return make_input(await ask(settings, find), request.input_workflow)
    if request.input_text:
        text = redactor_of(settings).text(request.input_text)
        if len(text) > LONGEST_INPUT:
            raise Invalid(
                f"What a run starts from has at most {LONGEST_INPUT:,} characters.",
                code="input_invalid",
            )
        return WorkflowInput(artifact_hash=sha256_hex(text), text=text)
    if request.workflow_type in NEEDS_INPUT:
        takes = " or ".join(TAKES[request.workflow_type])
        raise Invalid(
            f"A run of {request.workflow_type} starts from an approved artifact: name a completed"
            f" workflow of {takes}, or send the text.",
            code="input_missing",
        )
    return WorkflowInput()


def _find_approved(project_id: str, request: WorkflowRequest, tables: Conn) -> WorkflowArtifact:
    before = read.find_workflow(tables, request.input_workflow)
    if before is None or before.project_id != project_id:
        raise read.unknown_workflow(request.input_workflow)
    takes = TAKES.get(request.workflow_type, ())
    if before.workflow_type not in takes:
        raise Invalid(
            f"A run of {request.workflow_type} does not start from one of {before.workflow_type}:"
            f" it takes {' or '.join(takes) or 'nothing'}.",
            code="input_invalid",
        )
    artifact = read.find_approved_artifact(tables, request.input_workflow)
    if artifact is None:
        raise Conflict(
            f"Workflow {request.input_workflow} has no approved artifact: it is {before.status}.",
            code="artifact_not_approved",
            detail={"workflow_id": request.input_workflow, "status": before.status},
        )
    return artifact
