"""Conversations with the agents of a project: ask, follow, confirm, and read what was said."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from agents.runs.confirmations import ANSWER_WITHIN, read_decision
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.asking.call_checks import check_call
from infra.service.asking.turn_ends import abandon_calls
from infra.service.asking.turn_payload import GivenDecision, TurnPayload, decision_key, turn_job
from infra.service.foundation.database import ask, transact, wait_for, wait_until_shown
from infra.service.foundation.publishing import check_key, draw_key, redactor_of
from infra.service.ingesting.handed_documents import HandedDocument, check_documents, keep_documents
from infra.service.runs.frames import ENDS, StopFinder
from infra.store import turn_jobs
from infra.store.jobs import queue
from infra.store.jobs.worker import as_plain_json
from projections.read import agents as read
from projections.read import projects
from projections.read.agents import ChatMessage, Conversation
from projections.read.agents import Confirmation as Confirmation
from projections.read.agents import TurnAnswer as TurnAnswer
from projections.read.session import Conn, ReadModel
from projections.read.streams import Frame, list_frames, read_ends
from schemas.envelope import Actor
from schemas.ids import derive_id

if TYPE_CHECKING:
    from agents.tools.tool import Tool

LONGEST_TEXT = 8_000
PAGE_FRAMES = 256
LOOKED_AGAIN_S = 10.0
TurnStatus = Literal["running", "answered", "failed", "waiting"]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A message to the agents. ``conversation_id`` None: a new conversation. ``role`` is that of
    who asks, and limits what tools may do. ``documents`` become sources.
    """

    project: str
    text: str
    conversation_id: str | None = None
    key: str = field(default_factory=draw_key)
    role: str = "owner"
    documents: tuple[HandedDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """A turn that is under way; its frames are on the stream with its id, new ones behind
    ``after``. ``decided`` is the confirmation after whose answer it goes on, if it has waited.
    """

    project_id: str
    conversation_id: str
    turn_id: str
    job_id: str
    after: int = -1
    decided: str = ""


@dataclass(frozen=True, slots=True)
class TurnFrame:
    """What happens in a turn, live; ``seq`` is its place in the stream."""

    seq: int
    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ConfirmationAnswer:
    """``decision``: approve, reject, or edit with changed ``arguments``. ``message_key`` is that of
    the message that says so, if one does.
    """

    confirmation_id: str
    decision: str
    arguments: Mapping[str, Any] | None = None
    reason: str = ""
    message_key: str = ""


class TurnState(ReadModel):
    """The answer of a turn, or the calls that a person has to decide about before it goes on.

    Neither: it goes on, since somebody has decided.
    """

    answer: TurnAnswer | None
    waiting: list[Confirmation]

    @property
    def status(self) -> TurnStatus:
        if self.answer is not None:
            return "failed" if self.answer.error else "answered"
        return "waiting" if self.waiting else "running"


class ConversationDetail(ReadModel):
    """A conversation with all that was said, the calls that wait for a person, and those about
    which one has decided: who did, and with which arguments where they were changed.
    """

    conversation: Conversation
    messages: list[ChatMessage]
    waiting: list[Confirmation]
    decided: list[Confirmation]


async def begin_turn(settings: Settings, request: ChatRequest, *, actor: str) -> BegunTurn:
    """Ask the agents; the turn is done in the background, after all others of its conversation.

    Where a call waits in the conversation, a plain yes or no decides about it and its turn goes on;
    with anything else the call is not made, which its turn says before this one is answered. With
    several a plain yes or no decides nothing. The same key again is the same turn. Raises Invalid,
    NotFound, Conflict, DatabaseUnavailable, and for a decision what `answer_confirmation` raises.
    """
    text = check_text(settings, request.text)
    check_key(request.key)
    check_documents(request.documents, request.role)
    project_id = await ask(settings, partial(projects.find_project, name_or_id=request.project))
    conversation_id = request.conversation_id or derive_id("cnv", project_id, request.key)
    if request.conversation_id is not None:
        await ask(settings, partial(check_known, project_id, conversation_id))
        said = "" if request.documents else text
        look = partial(find_message_decision, conversation_id, request.key, said)
        found = await ask(settings, look)
        if isinstance(found, BegunTurn):
            return found
        if found is not None:
            return await answer_confirmation(
                settings, project_id, found, actor=actor, role=request.role
            )
    attached = []
    if request.documents:
        attached = await keep_documents(
            settings,
            project_id,
            conversation_id,
            request.documents,
            actor=actor,
            key=f"{conversation_id}|{request.key}",
        )
    payload = TurnPayload(
        conversation_id=conversation_id,
        turn_id=derive_id("trn", conversation_id, request.key),
        attached=attached,
        text=text,
        role=request.role,
        is_first=request.conversation_id is None,
    )
    return await enqueue_turn(settings, project_id, payload, payload.turn_id, actor)


async def answer_confirmation(
    settings: Settings, project: str, answer: ConfirmationAnswer, *, actor: str, role: str
) -> BegunTurn:
    """Decide about a call that waits; the turn goes on. The first decision is final.

    ``role`` is that of who decides: nobody has a call made that they may not make themselves.
    Raises NotFound, Conflict for one that is decided or too old, Forbidden, Invalid.
    """
    from infra.service.asking.agent_tools import open_tools

    project_id = await ask(settings, partial(projects.find_project, name_or_id=project))
    find_tool = open_tools(settings).find
    return await decide_call(settings, project_id, answer, find_tool, actor=actor, role=role)


async def decide_call(
    settings: Settings,
    project_id: str,
    answer: ConfirmationAnswer,
    find_tool: Callable[[str], Tool | None],
    *,
    actor: str,
    role: str,
) -> BegunTurn:
    """The same for a call of any agents, whose tools ``find_tool`` finds."""

    def question(tables: Conn) -> tuple[Confirmation, int]:
        found = read.read_confirmation(tables, project_id, answer.confirmation_id)
        _check_open(found, is_over=read.find_turn_answer(tables, found.turn_id) is not None)
        return found, read_ends(tables, found.turn_id).last

    found, after = await ask(settings, question)
    if role == "viewer":
        raise Forbidden("A viewer decides about no change.", code="role_not_allowed")
    if (answer.decision == "edit") != (answer.arguments is not None):
        raise Invalid("Changed arguments belong to `edit`, and to nothing else.", code="no_edit")
    if answer.decision != "reject":
        check_call(find_tool(found.tool), found.tool, answer.arguments, role)
    given = GivenDecision.model_validate(
        {
            "confirmation_id": answer.confirmation_id,
            "decision": answer.decision,
            "arguments": _clean(settings, answer.arguments),
            "reason": redactor_of(settings).text(answer.reason),
            "given_by": actor,
            "message_key": answer.message_key,
        }
    )
    payload = TurnPayload(conversation_id=found.conversation_id, turn_id=found.turn_id, given=given)
    key = decision_key(found.turn_id, answer.confirmation_id)
    turn = await enqueue_turn(settings, found.project_id, payload, key, actor)
    return replace(turn, after=after, decided=answer.confirmation_id)


def whole_conversation(tables: Conn, project_id: str, conversation_id: str) -> ConversationDetail:
    return ConversationDetail(
        conversation=read.read_conversation(tables, project_id, conversation_id),
        messages=read.list_messages(tables, conversation_id),
        waiting=read.list_open_confirmations(tables, conversation_id),
        decided=read.list_decided_confirmations(tables, conversation_id),
    )


async def follow_turn(settings: Settings, turn: BegunTurn) -> AsyncGenerator[TurnFrame, None]:
    """The frames of a turn as they come, up to its end or to calls that wait for a person.

    One whose job has ended without an answer ends, too: see `turn_ends`. Raises
    DatabaseUnavailable.
    """
    after, stop = turn.after, StopFinder(turn.decided)

    def look(tables: Conn) -> list[Frame] | None:
        return list_frames(tables, turn.turn_id, after, PAGE_FRAMES) or None

    while True:
        for frame in await wait_for(settings, look, timeout_s=LOOKED_AGAIN_S) or ():
            after = frame.seq
            yield TurnFrame(frame.seq, frame.name, json.loads(frame.data))
            if stop.stops_at(frame.name, frame.data):
                return


async def read_turn(settings: Settings, turn: BegunTurn, last: TurnFrame) -> TurnState:
    """How a turn stands whose frame ``last`` tells its end or a pause, as soon as the tables hold
    what the frame tells. Raises Unavailable.
    """

    def look(tables: Conn) -> TurnState | None:
        if answer := read.find_turn_answer(tables, turn.turn_id):
            return TurnState(answer=answer, waiting=[])
        if last.name in ENDS:
            return None
        if read.count_turn_events(tables, turn.turn_id) < last.data.get("events", 0):
            return None
        waiting = read.list_open_confirmations(tables, turn.conversation_id)
        return TurnState(answer=None, waiting=[one for one in waiting if _waits(turn, one)])

    return await wait_until_shown(settings, look, "The turn", turn_id=turn.turn_id)


def _waits(turn: BegunTurn, asked: Confirmation) -> bool:
    """Whether it is a call of this turn; what was decided just now the tables may not hold yet."""
    return asked.turn_id == turn.turn_id and asked.confirmation_id != turn.decided


async def enqueue_turn(
    settings: Settings, project_id: str, payload: TurnPayload, key: str, actor: str
) -> BegunTurn:
    by = Actor(type="human", id=redactor_of(settings).text(actor))
    new = turn_job(project_id, payload, key, f"{by.type}:{by.id}")

    def put(tables: Conn) -> tuple[str, int]:
        if payload.given is None and not payload.is_first:
            abandon_calls(tables, payload, by)
        job_id, is_new = queue.enqueue(tables, new, by)
        if payload.given is not None and not is_new:
            _check_same(tables, job_id, payload.given)
        return job_id, read.find_last_decided_frame(tables, payload.turn_id)

    job_id, after = await transact(settings, put)
    return BegunTurn(project_id, payload.conversation_id, payload.turn_id, job_id, after)


def find_message_decision(
    conversation_id: str, key: str, text: str, tables: Conn
) -> BegunTurn | ConfirmationAnswer | None:
    """The turn that a message has made go on by its decision, or what it decides now; None: it is
    about something else. Raises Conflict where it does not say which one of several it means.
    """
    return _find_decided(conversation_id, key, tables) or _read_answer(
        conversation_id, key, text, tables
    )


def _find_decided(conversation_id: str, key: str, tables: Conn) -> BegunTurn | None:
    """The turn that goes on since the message of this key has decided about its call."""
    for row in turn_jobs.list_decided_by(tables, conversation_id, key):
        payload = TurnPayload.model_validate(row["payload"])
        assert payload.given
        after = read.find_last_decided_frame(tables, payload.turn_id)
        decided = payload.given.confirmation_id
        return BegunTurn(
            row["project_id"], conversation_id, payload.turn_id, row["job_id"], after, decided
        )
    return None


def _read_answer(
    conversation_id: str, key: str, text: str, tables: Conn
) -> ConfirmationAnswer | None:
    """What a message decides about the one call that waits; None: it is about something else.

    Raises Conflict where it does not say which one of several it means.
    """
    decision = read_decision(text)
    since = SystemClock().now() - ANSWER_WITHIN
    waiting = [
        one
        for one in read.list_open_confirmations(tables, conversation_id)
        if one.requested_at > since
    ]
    if decision is None or not waiting:
        return None
    if len(waiting) > 1:
        asked = " ".join(f"{number}. {one.summary}" for number, one in enumerate(waiting, 1))
        raise Conflict(
            f"{len(waiting)} calls wait, so nothing is decided: answer each one. {asked}",
            code="several_calls_wait",
            detail={"confirmation_ids": [one.confirmation_id for one in waiting]},
        )
    return ConfirmationAnswer(waiting[0].confirmation_id, decision, message_key=key)


def check_text(settings: Settings, text: str) -> str:
    """The message without secrets: it is stored in clear. Raises Invalid."""
    clean = redactor_of(settings).text(text).strip()
    if not clean or len(clean) > LONGEST_TEXT:
        raise Invalid(f"A message has 1 to {LONGEST_TEXT:,} characters.", code="message_invalid")
    return clean


def _clean(settings: Settings, arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Without secrets: they are stored in clear."""
    return arguments if arguments is None else as_plain_json(arguments, redactor_of(settings).text)


def check_known(project_id: str, conversation_id: str, tables: Conn) -> None:
    """Raises NotFound, also for a conversation of another project."""
    if not turn_jobs.has_conversation(tables, project_id, conversation_id):
        raise NotFound(
            f"There is no conversation {conversation_id}.",
            code="unknown_conversation",
            detail={"conversation_id": conversation_id},
        )


def _check_same(tables: Conn, job_id: str, given: GivenDecision) -> None:
    """Raises Conflict where another decision came first that the tables do not show yet."""
    first = GivenDecision.model_validate(turn_jobs.read_given(tables, job_id))
    if first.model_copy(update={"message_key": given.message_key}) != given:
        raise _decided(first.decision, first.given_by)


def _decided(decision: str, given_by: str | None) -> Conflict:
    return Conflict(
        f"This was decided already: {decision} by {given_by or 'nobody'}.",
        code="confirmation_decided",
        detail={"decision": decision},
    )


def _check_open(found: Confirmation, *, is_over: bool) -> None:
    """Raises Conflict."""
    if found.decision is not None:
        raise _decided(found.decision, found.given_by)
    if SystemClock().now() - found.requested_at > ANSWER_WITHIN:
        raise Conflict(
            "Nobody has decided in time, so the call is not made: ask again.",
            code="confirmation_expired",
        )
    if is_over:
        raise Conflict("The turn is over, so the call is not made: ask again.", code="turn_over")
