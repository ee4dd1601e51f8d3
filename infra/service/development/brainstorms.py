"""Brainstorms: an idea becomes a design in questions and answers, which outlive every restart.

Each message is a job, done after all before it in its session. Question, answer and design are
events; the model's answer is recorded under its request before it is used, so a job that begins
again asks nobody twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from agents.development.brainstormer import (
    AGENT,
    BrainstormAnswer,
    BrainstormTurn,
    Line,
)
from agents.development.brainstormer import LONGEST_MESSAGE as LONGEST_MESSAGE
from agents.development.design_doc import Design
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Invalid, NotFound, Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.development.oracle import NoModel, check_model
from infra.service.development.starting import WorkflowRequest, start_workflow
from infra.service.foundation.database import ask, transact, wait_until_shown
from infra.service.foundation.job_kind import Payload, Workplace
from infra.service.foundation.publishing import (
    check_key,
    draw_key,
    make_request,
    publish,
    redactor_of,
)
from infra.service.models.models import open_model
from infra.store.jobs import queue
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.queue import NewJob
from infra.store.talk_jobs import TalkJob, list_brainstorm_jobs
from projections.read import development_talk as read
from projections.read.development_talk import (
    BrainstormDesign,
    BrainstormHandoff,
    BrainstormMessage,
    BrainstormSession,
)
from projections.read.session import Conn, ReadModel
from schemas.codec import utc_millis
from schemas.envelope import SERVICE_WIDE, Actor, Envelope, outside_fact
from schemas.events.development_talk import (
    BrainstormDesignWritten,
    BrainstormHandedOff,
    BrainstormMessageAdded,
)
from schemas.events.workflow import WorkflowType
from schemas.ids import brainstorm_id, sha256_hex
from schemas.shortening import shorten

ATTEMPTS = 3
LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class MessageRequest:
    """A message of a person. ``session`` None: a new one begins, in the project if one is named."""

    text: str
    session: str | None = None
    project_id: str = SERVICE_WIDE
    key: str = field(default_factory=draw_key)


class BrainstormPayload(Payload):
    """A message to answer."""

    brainstorm_id: str
    request_key: str
    text: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class HandoffStart:
    """The workflow that a design begins, about the issue of this number."""

    workflow_type: WorkflowType
    issue_number: int
    repository: str = ""
    profile: str = ""


class PendingMessage(ReadModel):
    """A message that waits for its answer, or whose answer has failed: ``error`` says why."""

    job_id: str
    text: str
    status: Literal["running", "failed"]
    error: str | None


class BrainstormState(ReadModel):
    """A session with all that was written, and what is not answered. ``session`` is None until its
    first message is recorded.
    """

    id: str
    session: BrainstormSession | None
    messages: list[BrainstormMessage]
    pending: list[PendingMessage]
    design: BrainstormDesign | None
    handoffs: list[BrainstormHandoff]


async def add_message(
    settings: Settings, request: MessageRequest, *, actor: str
) -> BrainstormState:
    """Write to the brainstormer, which answers in the background; the same key again is the same
    message. Raises Invalid, NotFound, NoModel.
    """
    check_key(request.key)
    redact = redactor_of(settings).text
    text = redact(request.text).strip()
    if not 0 < len(text) <= LONGEST_MESSAGE:
        raise Invalid(f"A message has 1 to {LONGEST_MESSAGE:,} characters.", code="message_invalid")
    check_model(settings)
    project_id, session_id = request.project_id, request.session
    if session_id is None:
        session_id = brainstorm_id(project_id, request.key)
    else:
        project_id = await ask(settings, partial(_find_project, session_id))
    payload = BrainstormPayload(
        brainstorm_id=session_id,
        request_key=request.key,
        text=text,
        is_first=request.session is None,
    )
    by = Actor(type="human", id=redact(actor))
    job = NewJob(
        project_id=project_id,
        job_type="brainstorm",
        key=f"{session_id}|{request.key}",
        payload=payload.model_dump(mode="json"),
        created_by=f"{by.type}:{by.id}",
        priority="urgent",
        max_attempts=ATTEMPTS,
        correlation_id=session_id,
        serial_key=session_id,
    )
    await transact(settings, lambda tables: queue.enqueue(tables, job, by))
    return await read_brainstorm(settings, session_id)


async def read_brainstorm(settings: Settings, which: str) -> BrainstormState:
    """A session as it is now. Raises NotFound."""
    return await ask(settings, partial(find_state, brainstorm_id=which))


def find_state(tables: Conn, brainstorm_id: str) -> BrainstormState:
    """Raises NotFound."""
    jobs = list_brainstorm_jobs(tables, brainstorm_id)
    session = read.find_brainstorm(tables, brainstorm_id)
    if session is None and not jobs:
        raise _unknown(brainstorm_id)
    messages = read.list_messages(tables, brainstorm_id)
    answered = read.list_answered_keys(tables, brainstorm_id)
    return BrainstormState(
        id=brainstorm_id,
        session=session,
        messages=messages,
        pending=_list_pending(jobs, answered),
        design=read.find_design(tables, brainstorm_id),
        handoffs=read.list_handoffs(tables, brainstorm_id),
    )


def _list_pending(jobs: list[TalkJob], answered: set[str]) -> list[PendingMessage]:
    """Messages without an answer; a failure is no more of interest once a later one has one."""
    pending = list[PendingMessage]()
    for job in jobs:
        if job.payload["request_key"] in answered:
            pending = [each for each in pending if each.status == "running"]
        elif job.has_failed:
            error = job.last_error or f"The job was ended ({job.status})."
            pending.append(_pending(job, "failed", error))
        else:
            pending.append(_pending(job, "running", None))
    return pending


def _pending(
    job: TalkJob, status: Literal["running", "failed"], error: str | None
) -> PendingMessage:
    return PendingMessage(job_id=job.job_id, text=job.payload["text"], status=status, error=error)


async def answer_message(
    place: Workplace, job: RunningJob, payload: BrainstormPayload
) -> Mapping[str, Any]:
    """Record a message, have it answered, record the answer, and wait until the tables show it."""
    from agents.development.brainstormer import answer
    from agents.models.errors import AllProvidersFailed, ModelError

    settings, session_id = place.settings, payload.brainstorm_id
    asked = await ask(settings, partial(_prepare, payload, job.lease.project_id))
    author = job.lease.created_by.partition(":")[2]
    await publish(settings, [_question(payload, asked, author)])
    async with open_model(settings) as model:
        if model is None:
            raise NoModel("No language model is configured any more.")
        try:
            answered = await answer(model, asked.turn)
        except AllProvidersFailed as error:
            raise Unavailable(str(error), code=error.code) from error
        except ModelError as error:
            raise Refusal(str(error), code=error.code) from error
    await publish(settings, _list_facts(settings, payload, asked, answered))

    def shows(tables: Conn) -> bool | None:
        return payload.request_key in read.list_answered_keys(tables, session_id) or None

    await wait_until_shown(settings, shows, "The answer", brainstorm_id=session_id)
    return {"brainstorm_id": session_id, "number": asked.number, "model": answered.model}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A message in its place: ``number`` counts those that were answered, from 1."""

    number: int
    turn: BrainstormTurn


def _prepare(payload: BrainstormPayload, project_id: str, tables: Conn) -> _Asked:
    """The same each time the job begins, whatever of it the tables show already."""
    session_id, key = payload.brainstorm_id, payload.request_key
    answered = read.list_answered_keys(tables, session_id) - {key}
    earlier = read.list_messages(tables, session_id, but_of=key)
    design = read.find_design(tables, session_id, but_of=key)
    turn = BrainstormTurn(
        brainstorm_id=session_id,
        project_id=project_id,
        occurrence=key,
        lines=[*(Line(it.role, it.text) for it in earlier), Line("person", payload.text)],
        design=Design(design.file_name, design.markdown) if design else None,
    )
    return _Asked(len(answered) + 1, turn)


def _question(payload: BrainstormPayload, asked: _Asked, author: str) -> Envelope:
    title = shorten(" ".join(payload.text.split()), LONGEST_TITLE) if payload.is_first else ""
    event = BrainstormMessageAdded(
        brainstorm_id=payload.brainstorm_id,
        request_key=payload.request_key,
        number=asked.number,
        role="person",
        text=payload.text,
        title=title,
        author=author,
    )
    return _fact(asked, event, Actor(type="human", id=author))


def _list_facts(
    settings: Settings, payload: BrainstormPayload, asked: _Asked, answered: BrainstormAnswer
) -> list[Envelope]:
    """The answer, behind the design that was written with it."""
    redact, by = redactor_of(settings).text, Actor(type="agent", id=AGENT)
    place = {"brainstorm_id": payload.brainstorm_id, "request_key": payload.request_key}
    facts = list[Envelope]()
    if answered.design:
        markdown = redact(answered.design.markdown)
        written = BrainstormDesignWritten(
            **place,
            number=asked.number,
            file_name=answered.design.file_name,
            markdown=markdown,
            design_hash=sha256_hex(markdown),
        )
        facts.append(_fact(asked, written, by))
    reply = BrainstormMessageAdded(
        **place,
        number=asked.number,
        role="brainstormer",
        text=redact(answered.text),
        model=answered.model,
        input_tokens=answered.input_tokens,
        output_tokens=answered.output_tokens,
    )
    return [*facts, _fact(asked, reply, by)]


def _fact(
    asked: _Asked, event: BrainstormMessageAdded | BrainstormDesignWritten, by: Actor
) -> Envelope:
    return outside_fact(
        event,
        project_id=asked.turn.project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=by,
        correlation_id=asked.turn.brainstorm_id,
    )


async def hand_off(
    settings: Settings, which: str, *, actor: str, key: str, start: HandoffStart | None = None
) -> BrainstormHandoff:
    """Hand the design of a session on; with ``start`` a workflow begins with it. The same key again
    is the same hand-off. Raises NotFound, Conflict where no design is written yet, and what
    `start_workflow` raises; then nothing is handed on.
    """
    earlier = await ask(settings, partial(read.find_handoff, brainstorm_id=which, request_key=key))
    if earlier is not None:
        return earlier
    session, design = await ask(settings, partial(_read_design, which))
    begun = ""
    if start is not None:
        request = _build_start(session, design, start, key)
        begun = (await start_workflow(settings, request, actor=actor)).workflow_id
    fact = BrainstormHandedOff(
        brainstorm_id=which,
        request_key=key,
        idea=session.title,
        file_name=design.file_name,
        design=design.markdown,
        design_hash=design.design_hash,
        workflow_id=begun,
    )
    await publish(settings, [make_request(fact, session.project_id, actor)])
    return await wait_until_shown(
        settings,
        lambda tables: read.find_handoff(tables, which, key),
        "The hand-off",
        brainstorm_id=which,
    )


def _build_start(
    session: BrainstormSession, design: BrainstormDesign, start: HandoffStart, key: str
) -> WorkflowRequest:
    """An issue workflow has the design as its idea, any other one takes it as its input."""
    is_issue = start.workflow_type == "issue"
    return WorkflowRequest(
        workflow_type=start.workflow_type,
        issue_number=start.issue_number,
        title=session.title,
        text=design.markdown if is_issue else session.title,
        input_text="" if is_issue else design.markdown,
        project=None if session.project_id == SERVICE_WIDE else session.project_id,
        repository=start.repository,
        profile=start.profile,
        key=key,
    )


def _read_design(which: str, tables: Conn) -> tuple[BrainstormSession, BrainstormDesign]:
    session = read.find_brainstorm(tables, which)
    if session is None:
        raise _unknown(which)
    design = read.find_design(tables, which)
    if design is None:
        raise Conflict(
            f"Brainstorm {which} has no design yet: have the design document written first.",
            code="no_design",
        )
    return session, design


def _find_project(which: str, tables: Conn) -> str:
    """Raises NotFound."""
    if session := read.find_brainstorm(tables, which):
        return session.project_id
    for job in list_brainstorm_jobs(tables, which):
        return job.project_id
    raise _unknown(which)


def _unknown(which: str) -> NotFound:
    return NotFound(f"There is no brainstorm {which}.", code="unknown_brainstorm")
