"""A run with its log: what is recorded is taken from there, what is new is recorded first.

A run that was broken off is run again from its beginning. Its events are in the log up to some
point, so each step finds its event there, and each effect its answer; behind that point the run
goes on. So nothing else has to be kept. A replay is the same without the going on, and a fork is
the same with the answers of another run up to some event of that.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeGuard, TypeVar

from agents.runs.comparing import find_differing
from agents.runs.confirmations import Decision
from agents.runs.effects import EffectKey, Json, RecordMissing
from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict
from infra.service.runs.answers import as_text, make_answer, position_of, raise_for
from infra.service.runs.family import Answered, Family, RunEvent, RunPlace, write_event
from infra.service.runs.frames import frame_of
from infra.store.jobs.worker import as_plain_json
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.stream import StreamFrame
from schemas.ids import sha256_hex
from schemas.strings import Redactor, redact_fact

Publish = Callable[[Sequence[Envelope]], Awaitable[None]]
E = TypeVar("E")

LEFT_OPEN = (
    " The tool {tool} was called before and has not answered: what it does may or may not have"
    " completed."
)


class RunDiverged(Conflict):
    """The run does not go the way that its events say: its program has changed meanwhile."""

    code = "turn_diverged"  # as it was released, when turns were the only runs


class RunLog:
    """The events of one run. ``publish`` None: a replay, in which nothing is made or told.

    ``attempt`` names this try at the run among others.
    """

    def __init__(
        self,
        family: Family,
        place: RunPlace,
        known: Sequence[RunEvent],
        redactor: Redactor,
        publish: Publish | None,
        attempt: str = "",
    ) -> None:
        self._family, self._place = family, place
        self._redactor, self._publish = redactor, publish
        self._copied: Mapping[int, Event] = {}
        self._known = {each.ordinal: (each.event, each.occurred_at) for each in known}
        self._is_resumed = bool(known)
        self._next, self._told, self._attempt = 0, 0, attempt
        self._told_again: list[str] = []
        self._hashes = [sha256_hex(place.run_id)]

    @property
    def is_replay(self) -> bool:
        return self._publish is None

    @property
    def is_resumed(self) -> bool:
        """Whether the run has run before: what it told meanwhile may have no end."""
        return self._is_resumed

    @property
    def first(self) -> Event | None:
        """The event with which the run has begun; None: it has not."""
        return self._known[0][0] if 0 in self._known else None

    @property
    def position(self) -> int:
        """The number of the next event."""
        return self._next

    def hash_until(self, position: int) -> str | None:
        """The SHA-256 of the events before ``position``, each with that of those before it; None
        where the log ends earlier.
        """
        while len(self._hashes) <= position:
            event, _ = self._known.get(len(self._hashes) - 1, (None, None))
            if event is None:
                return None
            self._hashes.append(sha256_hex(f"{self._hashes[-1]}\n{write_event(event)}"))
        return self._hashes[position]

    async def go_to(self, position: int) -> None:
        """The steps before ``position`` are done; their frames are shown."""
        for ordinal in range(self._next, position):
            event, at = self._known[ordinal]
            await self._show(event, ordinal, at)
        self._next = position

    def copy(self, events: Mapping[int, Event]) -> None:
        """Take answers from the first events of another run, each at its place."""
        self._copied = events

    def rewind(self) -> None:
        """The run begins again: what it has told by now answers it."""
        self._next = 0

    async def record(self, kind: type[Event], /, **fields: Any) -> datetime:
        """The event of this step is in the log; the time that it has there."""
        await self._pass_confirmations()
        ordinal, self._next = self._next, self._next + 1
        if ordinal not in self._known:
            self._check_missing(ordinal, kind.type_name)
            self._check_kind(ordinal, self._copied.get(ordinal), kind)
            return await self._add(kind, ordinal, fields)
        event, at = self._known[ordinal]
        self._check_kind(ordinal, event, kind)
        if self.is_replay:
            self._check_same(ordinal, event, self._write(kind, ordinal, fields, at).event)
        await self._show(event, ordinal, at)
        return at

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        """See ``agents.runs.effects``."""
        family, position = self._family, position_of(key)
        if kind == "tool":
            called = as_text(self._clean(given["args"]))
            await self._record(
                family.called, position=position, tool=given["tool"], arguments=called
            )
        answer = await self._find_answer(key, kind)
        if answer is None:
            answer = self._clean(await make_answer(kind, make))
        told: dict[str, Any] = {"position": position, "answer": as_text(answer)}
        if kind == "tool":
            failed = bool(answer.get("is_error"))
            await self._record(family.returned, tool=given["tool"], is_error=failed, **told)
        else:
            await self._record(family.recorded, **told, **{"kind": kind})
        return raise_for(answer)

    async def request_confirmation(self, confirmation_id: str, **asked: Any) -> None:
        """A person is asked about a call, once."""
        await self._pass_confirmations()
        if all(one.confirmation_id != confirmation_id for one in self._all(self._family.asked)):
            await self._record(self._family.asked, confirmation_id=confirmation_id, **asked)

    async def take_decision(
        self, confirmation_id: str, arguments: Json | None = None, **given: Any
    ) -> None:
        """What was decided about a call is in the log; the first decision is final."""
        if any(one.confirmation_id == confirmation_id for one in self._all(self._family.decided)):
            return
        text = None if arguments is None else as_text(self._clean(arguments))
        await self.append(
            self._family.decided, confirmation_id=confirmation_id, arguments=text, **given
        )

    async def copy_decision(self, confirmation_id: str) -> bool:
        """Whether the run that is copied holds a decision at this place; it is this run's, too."""
        copied = self._copied.get(self._last + 1)
        if not isinstance(copied, self._family.decided):
            return False
        await self.append(
            self._family.decided,
            confirmation_id=confirmation_id,
            decision=copied.decision,
            arguments=copied.arguments,
            reason=copied.reason,
            given_by=copied.given_by,
        )
        return True

    def list_decisions(self) -> dict[str, Decision]:
        """All decisions of the run by confirmation."""
        return {
            given.confirmation_id: Decision(
                kind=given.decision,
                arguments=None if given.arguments is None else json.loads(given.arguments),
                decided_by=given.given_by or None,
                reason=given.reason,
            )
            for given in self._all(self._family.decided)
        }

    def describe_replay(self) -> tuple[int, str]:
        """How many events a replay has told again, and the SHA-256 of their contents in a row."""
        return len(self._told_again), sha256_hex("\n".join(self._told_again))

    @property
    def has_ended(self) -> bool:
        return any(True for _ in self._all(self._family.ended))

    def tell_open_calls(self) -> str:
        """Sentences about the calls without an answer; empty where there are none."""
        answered = {one.position.effect_id for one in self._all(self._family.returned)}
        calls = self._all(self._family.called)
        left = [call.tool for call in calls if call.position.effect_id not in answered]
        return "".join(LEFT_OPEN.format(tool=tool) for tool in left)

    async def append(self, kind: type[Any], **fields: Any) -> None:
        """An event behind all others, which no step of the run leads to."""
        await self._add(kind, self._last + 1, fields)

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
            actor=self._family.agent,
            natural_key=f"{self._place.run_id}|{self._attempt}|{self._told}",
        )
        await self._publish([fact])

    def diverge(self, ordinal: int, what: str, **detail: object) -> RunDiverged:
        """The error that ``what`` says of an event of this run."""
        run_id = self._place.run_id
        return RunDiverged(
            f"Event {ordinal} of run {run_id} {what}.",
            detail={"run_id": run_id, "ordinal": ordinal} | detail,
        )

    @property
    def _last(self) -> int:
        return max(self._known, default=-1)

    async def _record(self, kind: type[Any], /, **fields: Any) -> None:
        await self.record(kind, **fields)

    async def _find_answer(self, key: EffectKey, kind: str) -> Json | None:
        """What the log, or the run that is copied, holds of the effect. Raises RecordMissing in a
        replay, RunDiverged.
        """
        await self._pass_confirmations()
        event, _ = self._known.get(self._next, (None, None))
        if event is None and self._publish is None:
            raise RecordMissing(key, kind)
        if event is None:
            copied = self._copied.get(self._next)
            if copied is None:
                return None
            if self._is_answer(copied, kind) and _stand_alike(copied, key):
                return dict(json.loads(copied.answer))
        elif self._is_answer(event, kind) and event.position.effect_id == key.effect_id:
            answer: Json = json.loads(event.answer)
            return answer
        raise RunDiverged(
            f"Event {self._next} of run {key.run_id} is not the {kind} effect"
            f" {key.effect_id} of {key.node}.",
            detail={"run_id": key.run_id, "effect_id": key.effect_id},
        )

    async def _pass_confirmations(self) -> None:
        """What was asked and decided in between has no step of its own."""
        between = (self._family.asked, self._family.decided)
        while (known := self._known.get(self._next)) is not None and isinstance(known[0], between):
            if self.is_replay:
                self._told_again.append(write_event(known[0]))
            await self._show(known[0], self._next, known[1])
            self._next += 1

    def _check_missing(self, ordinal: int, type_name: str) -> None:
        """Raises RecordMissing where the log has to hold the event."""
        if self._publish is None or ordinal < self._last:
            missing = EffectKey(self._place.run_id, "run", 0, ordinal, type_name)
            raise RecordMissing(missing, type_name)

    def _check_kind(self, ordinal: int, event: Event | None, kind: type[Event]) -> None:
        """Raises RunDiverged where another event stands in the place of one of this kind."""
        if event is not None and not isinstance(event, kind):
            raise self.diverge(
                ordinal, f"is {event.type_name}, but the run would tell {kind.type_name} now"
            )

    def _check_call(self, ordinal: int, event: Event) -> None:
        """Raises RunDiverged where the run that is copied holds another call in the place of this
        one: what was approved or answered there is not about this one.
        """
        copied, calls = self._copied.get(ordinal), (self._family.called, self._family.asked)
        if not (isinstance(event, calls) and isinstance(copied, calls)):
            return
        if (event.tool, event.arguments) != (copied.tool, copied.arguments):
            raise self.diverge(ordinal, f"is about another call than this one of {event.tool}")

    async def _add(self, kind: type[Event], ordinal: int, fields: Json) -> datetime:
        assert self._publish is not None  # a replay was refused before
        at = utc_millis(SystemClock().now())
        fact = self._write(kind, ordinal, fields, at)
        self._check_call(ordinal, fact.event)
        await self._publish([fact])
        self._known[ordinal] = (fact.event, at)
        await self._show(fact.event, ordinal, at)
        return at

    def _write(self, kind: type[Event], ordinal: int, fields: Json, at: datetime) -> Envelope:
        """The event of this run as a fact, without secrets."""
        new = kind.model_validate({**self._place.fields, "ordinal": ordinal, **fields})
        return redact_fact(self._fact_of(new, at), self._redactor)

    def _check_same(self, ordinal: int, event: Event, again: Event) -> None:
        """Raises RunDiverged where a replay does not tell to the letter what the log holds."""
        text = write_event(again)
        if text != write_event(event):
            differ = find_differing(json.loads(write_event(event)), json.loads(text))
            raise self.diverge(
                ordinal,
                f"would have other words now, as {event.type_name}: {', '.join(differ)} differ",
                fields=differ,
            )
        self._told_again.append(text)

    async def _show(self, event: Event, ordinal: int, at: datetime) -> None:
        """The frame of an event; a repeat of it counts once. Whoever follows is asked nothing that
        is decided.
        """
        frame = frame_of(self._family, event)
        if frame is None or self._publish is None or self._is_decided(event, ordinal):
            return
        shown = self._frame(*frame, ordinal, is_last=isinstance(event, self._family.ended))
        await self._publish([self._fact_of(event, at).caused(shown)])

    def _frame(self, name: str, data: Json, ordinal: int, *, is_last: bool = False) -> StreamFrame:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return StreamFrame(
            stream_id=self._place.run_id, ordinal=ordinal, name=name, data=text, is_last=is_last
        )

    def _fact_of(self, event: Event, at: datetime) -> Envelope:
        by_person = isinstance(event, self._family.begun)
        return outside_fact(
            event,
            project_id=self._place.project_id,
            occurred_at=at,
            actor=Actor(type="human", id=self._place.asked_by) if by_person else self._family.agent,
            correlation_id=self._place.run_id,
        )

    def _is_decided(self, event: Event, ordinal: int) -> bool:
        """Whether it asks for a decision that this run or the copied one holds."""
        if not isinstance(event, self._family.asked):
            return False
        decided = {one.confirmation_id for one in self._all(self._family.decided)}
        following = self._copied.get(ordinal + 1)
        return event.confirmation_id in decided or isinstance(following, self._family.decided)

    def _is_answer(self, event: Event, kind: str) -> TypeGuard[Answered]:
        """Whether it is the record of an effect of this kind."""
        if isinstance(event, self._family.recorded):
            return bool(event.kind == kind)
        return kind == "tool" and isinstance(event, self._family.returned)

    def _all(self, kind: type[E]) -> Iterator[E]:
        return (event for event, _ in self._known.values() if isinstance(event, kind))

    def _clean(self, value: Json) -> Json:
        """Without secrets, as it will stand in the log: what is used is what is recorded."""
        return as_plain_json(value, self._redactor.text)


def _stand_alike(copied: Answered, key: EffectKey) -> bool:
    """Whether the effect of another run stands where ``key`` stands in this one. What it was given
    holds the name of its run, so that is not compared.
    """
    place = copied.position
    return (place.node, place.iteration, place.number) == (key.node, key.iteration, key.ordinal)
