"""A turn with its log: what is recorded is taken from there, what is new is recorded first.

A turn that was broken off is run again from its beginning. Its events are in the log up to some
point, so each step finds its event there, and each effect its answer; behind that point the turn
goes on. So nothing else has to be kept, and a replay is the same without the going on.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard, TypeVar

from agents.models.errors import (
    UNUSABLE,
    AllProvidersFailed,
    BudgetExceeded,
    ModelError,
    RequestRefused,
)
from agents.runs.confirmations import Decision
from agents.runs.effects import EffectKey, Json, RecordMissing
from infra.platform.clock import SystemClock
from infra.platform.errors import Refusal
from infra.service.asking.turn_frames import frame_of
from infra.store.jobs.worker import as_plain_json
from projections.read.agents import TurnEvent
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events import EVENT_TYPES
from schemas.events.agent import (
    AgentEvent,
    ConfirmationGiven,
    ConfirmationRequested,
    EffectPosition,
    EffectRecorded,
    RequestReceived,
    Responded,
    ToolCalled,
    ToolReturned,
)
from schemas.events.stream import StreamFrame
from schemas.strings import Redactor, redact_fact

Publish = Callable[[Sequence[Envelope]], Awaitable[None]]
E = TypeVar("E", bound=AgentEvent)

FAILED = "model_error"  # in the place of a model's answer
LEFT_OPEN = (
    " The tool {tool} was called before and has not answered: what it does may or may not have"
    " completed."
)
KINDS: tuple[type[ModelError], ...] = (AllProvidersFailed, RequestRefused, BudgetExceeded)
MODEL_ERRORS: Mapping[str, type[ModelError]] = {
    kind.code: kind for kind in (*KINDS, *UNUSABLE.values())
}
AGENTS = Actor(type="agent", id="project_agents")


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Which turn of which conversation of which project, and who asks."""

    project_id: str
    conversation_id: str
    turn_id: str
    asked_by: str


class TurnDiverged(Refusal):
    """The turn does not go the way that its events say: its program has changed meanwhile."""

    code = "turn_diverged"


class TurnLog:
    """The events of one turn. ``publish`` None: a replay, in which nothing is made or told.

    ``attempt`` names this run of the turn among others of it.
    """

    def __init__(
        self,
        place: TurnPlace,
        known: Sequence[TurnEvent],
        redactor: Redactor,
        publish: Publish | None,
        attempt: str = "",
    ) -> None:
        self._place, self._redactor, self._publish = place, redactor, publish
        self._known = {each.ordinal: (event_of(each), each.occurred_at) for each in known}
        self._is_resumed = bool(known)
        self._next, self._told, self._attempt = 0, 0, attempt

    @property
    def is_replay(self) -> bool:
        return self._publish is None

    @property
    def is_resumed(self) -> bool:
        """Whether the turn has run before: what it told meanwhile may have no end."""
        return self._is_resumed

    async def begin(self, text: str, role: str) -> RequestReceived:
        """The request of the turn, as it was when that began: with ``text`` where it begins now."""
        await self.record(RequestReceived, text=text, role=role)
        event, _ = self._known[0]
        assert isinstance(event, RequestReceived)
        return event

    async def record(self, kind: type[AgentEvent], /, **fields: Any) -> datetime:
        """The event of this step is in the log; the time that it has there."""
        await self._pass_confirmations()
        ordinal, self._next = self._next, self._next + 1
        if ordinal not in self._known:
            self._check_missing(ordinal, kind.type_name)
            return await self._add(kind, ordinal, fields)
        event, at = self._known[ordinal]
        if not isinstance(event, kind):
            raise TurnDiverged(
                f"Event {ordinal} of turn {event.turn_id} is {event.type_name}, but the turn would"
                f" tell {kind.type_name} now.",
                detail={"turn_id": event.turn_id, "ordinal": ordinal},
            )
        await self._show(event, at)
        return at

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        """See ``agents.runs.effects``."""
        position = _position_of(key)
        if kind == "tool":
            called = _as_text(self._clean(given["args"]))
            await self.record(ToolCalled, position=position, tool=given["tool"], arguments=called)
        answer = await self._find_answer(key, kind)
        if answer is None:
            answer = self._clean(await _make(kind, make))
        told: dict[str, Any] = {"position": position, "answer": _as_text(answer)}
        if kind == "tool":
            failed = bool(answer.get("is_error"))
            await self.record(ToolReturned, tool=given["tool"], is_error=failed, **told)
        else:
            await self.record(EffectRecorded, **told, **{"kind": kind})
        return _raise_for(answer)

    async def request_confirmation(self, confirmation_id: str, **asked: Any) -> None:
        """A person is asked about a call, once."""
        await self._pass_confirmations()
        if all(one.confirmation_id != confirmation_id for one in self._all(ConfirmationRequested)):
            await self.record(ConfirmationRequested, confirmation_id=confirmation_id, **asked)

    async def take_decision(
        self, confirmation_id: str, arguments: Json | None = None, **given: Any
    ) -> None:
        """What was decided about a call is in the log; the first decision is final."""
        if any(one.confirmation_id == confirmation_id for one in self._all(ConfirmationGiven)):
            return
        text = None if arguments is None else _as_text(self._clean(arguments))
        await self._append(
            ConfirmationGiven, confirmation_id=confirmation_id, arguments=text, **given
        )

    def list_decisions(self) -> dict[str, Decision]:
        """All decisions of the turn by confirmation."""
        return {
            given.confirmation_id: Decision(
                kind=given.decision,
                arguments=None if given.arguments is None else json.loads(given.arguments),
                decided_by=given.given_by or None,
                reason=given.reason,
            )
            for given in self._all(ConfirmationGiven)
        }

    async def record_failure(self, code: str, said: str) -> None:
        """The turn is over without an answer; ``said`` is why, a call without one is added."""
        if any(self._all(Responded)):
            return
        answered = {one.position.effect_id for one in self._all(ToolReturned)}
        for called in self._all(ToolCalled):
            if called.position.effect_id not in answered:
                said += LEFT_OPEN.format(tool=called.tool)
        await self._append(Responded, text=said, agent="supervisor", error=code)

    async def tell(self, event: str, data: Json) -> None:
        """Send a frame that no event has: the others come with their events."""
        if self._publish is None:
            return
        self._told += 1
        frame = self._frame(event, data, self._told)
        fact = outside_fact(
            frame,
            project_id=self._place.project_id,
            occurred_at=utc_millis(SystemClock().now()),
            actor=AGENTS,
            natural_key=f"{self._place.turn_id}|{self._attempt}|{self._told}",
        )
        await self._publish([fact])

    async def _find_answer(self, key: EffectKey, kind: str) -> Json | None:
        """What the log holds of the effect. Raises RecordMissing in a replay, TurnDiverged."""
        await self._pass_confirmations()
        event, _ = self._known.get(self._next, (None, None))
        if event is None:
            if self._publish is None:
                raise RecordMissing(key, kind)
            return None
        if _answers(event, key):
            answer: Json = json.loads(event.answer)
            return answer
        raise TurnDiverged(
            f"Event {self._next} of turn {key.run_id} is not the {kind} effect"
            f" {key.effect_id} of {key.node}.",
            detail={"turn_id": key.run_id, "effect_id": key.effect_id},
        )

    async def _pass_confirmations(self) -> None:
        """What was asked and decided in between has no step of its own."""
        while (known := self._known.get(self._next)) is not None and isinstance(
            known[0], ConfirmationRequested | ConfirmationGiven
        ):
            await self._show(*known)
            self._next += 1

    def _check_missing(self, ordinal: int, type_name: str) -> None:
        """Raises RecordMissing where the log has to hold the event."""
        if self._publish is None or ordinal < max(self._known, default=-1):
            missing = EffectKey(self._place.turn_id, "turn", 0, ordinal, type_name)
            raise RecordMissing(missing, type_name)

    async def _append(self, kind: type[AgentEvent], **fields: Any) -> None:
        """An event behind all others, which no step of the turn leads to."""
        await self._add(kind, max(self._known, default=-1) + 1, fields)

    async def _add(self, kind: type[AgentEvent], ordinal: int, fields: Json) -> datetime:
        assert self._publish is not None  # a replay was refused before
        at = utc_millis(SystemClock().now())
        place = {"conversation_id": self._place.conversation_id, "turn_id": self._place.turn_id}
        new = kind.model_validate({**place, "ordinal": ordinal, **fields})
        fact = redact_fact(self._fact_of(new, at), self._redactor)
        await self._publish([fact])
        event = fact.event
        assert isinstance(event, AgentEvent)
        self._known[ordinal] = (event, at)
        await self._show(event, at)
        return at

    async def _show(self, event: AgentEvent, at: datetime) -> None:
        """The frame of an event; a repeat of it counts once."""
        frame = frame_of(event)
        if frame is None or self._publish is None:
            return
        shown = self._frame(*frame, event.ordinal, is_last=isinstance(event, Responded))
        await self._publish([self._fact_of(event, at).caused(shown)])

    def _frame(self, name: str, data: Json, ordinal: int, *, is_last: bool = False) -> StreamFrame:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return StreamFrame(
            stream_id=self._place.turn_id, ordinal=ordinal, name=name, data=text, is_last=is_last
        )

    def _fact_of(self, event: AgentEvent, at: datetime) -> Envelope:
        by_person = isinstance(event, RequestReceived)
        return outside_fact(
            event,
            project_id=self._place.project_id,
            occurred_at=at,
            actor=Actor(type="human", id=self._place.asked_by) if by_person else AGENTS,
            correlation_id=self._place.turn_id,
        )

    def _all(self, kind: type[E]) -> Iterator[E]:
        return (event for event, _ in self._known.values() if isinstance(event, kind))

    def _clean(self, value: Json) -> Json:
        """Without secrets, as it will stand in the log: what is used is what is recorded."""
        return as_plain_json(value, self._redactor.text)


def event_of(known: TurnEvent) -> AgentEvent:
    """The event as it was told."""
    place = known.model_dump(include={"turn_id", "conversation_id", "ordinal"})
    event = EVENT_TYPES[known.event_type].model_validate(known.data | place)
    assert isinstance(event, AgentEvent)
    return event


def _answers(event: AgentEvent, key: EffectKey) -> TypeGuard[EffectRecorded | ToolReturned]:
    """Whether the event is the record of the effect ``key``."""
    return (
        isinstance(event, EffectRecorded | ToolReturned)
        and event.position.effect_id == key.effect_id
    )


async def _make(kind: str, make: Callable[[], Awaitable[Json]]) -> Json:
    """The answer of an effect; that a model did not answer is an answer, too."""
    if kind != "model":
        return await make()
    try:
        return await make()
    except ModelError as error:
        return {FAILED: {"code": error.code, "message": str(error)}}


def _raise_for(answer: Json) -> Json:
    failed = answer.get(FAILED)
    if failed is None:
        return answer
    raise MODEL_ERRORS.get(failed["code"], ModelError)(failed["message"])


def _position_of(key: EffectKey) -> EffectPosition:
    return EffectPosition(
        effect_id=key.effect_id,
        node=key.node,
        iteration=key.iteration,
        number=key.ordinal,
        input_hash=key.input_hash,
    )


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
