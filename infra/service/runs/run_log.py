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
from infra.service.runs.answers import as_text, make_answer, position_of, raise_for, tell_unknown
from infra.service.runs.copied_run import CopiedRun, stand_alike
from infra.service.runs.family import (
    Answered,
    Asked,
    Decided,
    Family,
    RunEvent,
    RunPlace,
    write_event,
)
from infra.service.runs.frames import QUESTION, frame_of, show_question
from infra.service.runs.run_facts import RunFacts
from schemas.codec import utc_millis
from schemas.envelope import Envelope, Event
from schemas.ids import sha256_hex
from schemas.strings import Redactor

Publish = Callable[[Sequence[Envelope]], Awaitable[None]]
Check = Callable[[], Awaitable[None]]
E = TypeVar("E")

CHECKED = frozenset(("model", "tool"))  # kinds of effects that touch the outside
LEFT_OPEN = (
    " The tool {tool} was called before and has not answered: what it does may or may not have"
    " completed."
)


class RunDiverged(Conflict):
    """The run does not go the way that its events say: its program has changed meanwhile."""

    code = "turn_diverged"  # as it was released, when turns were the only runs


class RunLog:
    """The events of one run. ``publish`` None: a replay, in which nothing is made or told.

    ``attempt`` names this try at the run among others. ``check`` raises where the run is not this
    process's any more: no model or tool is called then.
    """

    def __init__(
        self,
        family: Family,
        place: RunPlace,
        known: Sequence[RunEvent],
        redactor: Redactor,
        publish: Publish | None,
        attempt: str = "",
        check: Check | None = None,
    ) -> None:
        self._family, self._place = family, place
        self._facts, self._publish, self._check = RunFacts(family, place, redactor), publish, check
        self._copied = CopiedRun(family)
        ordered = sorted(known, key=lambda each: each.ordinal)
        self._known = {each.ordinal: (each.event, each.occurred_at) for each in ordered}
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
        self._copied = CopiedRun(self._family, events)

    def rewind(self) -> None:
        """The run begins again: what it has told by now answers it."""
        self._next = 0

    async def record(self, kind: type[Event], /, **fields: Any) -> datetime:
        """The event of this step is in the log; the time that it has there."""
        await self._pass_confirmations()
        ordinal, self._next = self._next, self._next + 1
        if ordinal not in self._known:
            self._check_missing(ordinal, kind.type_name)
            self._check_kind(ordinal, self._copied.find(ordinal), kind)
            return await self._add(kind, ordinal, fields)
        event, at = self._known[ordinal]
        self._check_kind(ordinal, event, kind)
        if self.is_replay:
            self._check_same(ordinal, event, self._facts.write(kind, ordinal, fields, at).event)
        await self._show(event, ordinal, at)
        return at

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        """See ``agents.runs.effects``."""
        family, position = self._family, position_of(key)
        is_once = bool(given.get("once"))
        was_begun = is_once and any(it.position == position for it in self.all_of(family.called))
        if kind == "tool":
            await self._pass_confirmations()
            await self._check_held()
            called = as_text(self._facts.clean(given["args"]))
            await self._record(
                family.called, position=position, tool=given["tool"], arguments=called
            )
        answer = await self._find_answer(key, kind)
        if answer is None and was_begun:
            answer = tell_unknown(given["tool"])
        if answer is None:
            if kind in CHECKED:
                await self._check_held()
            answer = self._facts.clean(await make_answer(kind, make))
        told: dict[str, Any] = {"position": position, "answer": as_text(answer)}
        if kind == "tool":
            failed = bool(answer.get("is_error"))
            await self._record(family.returned, tool=given["tool"], is_error=failed, **told)
        else:
            await self._record(family.recorded, **told, **{"kind": kind})
        return raise_for(answer)

    def is_asked(self, confirmation_id: str) -> bool:
        return self._find_question(confirmation_id) is not None

    async def request_confirmation(self, confirmation_id: str, **asked: Any) -> None:
        """A person is asked about a call, once."""
        await self._pass_confirmations()
        if not self.is_asked(confirmation_id):
            await self._record(self._family.asked, confirmation_id=confirmation_id, **asked)

    async def ask_again(self, confirmation_id: str, more: int) -> None:
        """Show the question about a call that still waits: who follows the run from now on has not
        seen it.
        """
        if (asked := self._find_question(confirmation_id)) is not None:
            await self.tell(QUESTION, show_question(asked, more, self._last + 1))

    async def take_decision(
        self, confirmation_id: str, arguments: Json | None = None, **given: Any
    ) -> None:
        """What was decided about a call is in the log; the first decision is final."""
        if any(one.confirmation_id == confirmation_id for one in self.all_of(self._family.decided)):
            return
        text = None if arguments is None else as_text(self._facts.clean(arguments))
        await self.append(
            self._family.decided, confirmation_id=confirmation_id, arguments=text, **given
        )

    async def copy_decisions(self) -> None:
        """The decisions that the run that is copied holds in this place are this run's, too."""
        await self._pass_confirmations()

    def list_decisions(self) -> dict[str, Decision]:
        """All decisions of the run by confirmation, in their order."""
        return {
            given.confirmation_id: Decision(
                kind=given.decision,
                arguments=None if given.arguments is None else json.loads(given.arguments),
                decided_by=given.given_by or None,
                reason=given.reason,
            )
            for given in self.all_of(self._family.decided)
        }

    def list_told(self, kind: type[E]) -> list[E]:
        """The events of a kind that the run has come by, in their order."""
        passed = (self._known.get(ordinal) for ordinal in range(self._next))
        return [known[0] for known in passed if known and isinstance(known[0], kind)]

    def list_decided(self) -> list[tuple[str, Json, Decision]]:
        """The calls about which somebody has decided: tool, arguments and decision of each, in the
        order of the decisions.
        """
        asked = {one.confirmation_id: one for one in self.all_of(self._family.asked)}
        return [
            (asked[known].tool, json.loads(asked[known].arguments), decision)
            for known, decision in self.list_decisions().items()
            if known in asked
        ]

    def list_open_questions(self) -> list[str]:
        """The confirmations that nobody has decided about, in their order."""
        decided = self.list_decisions()
        asked = [one.confirmation_id for one in self.all_of(self._family.asked)]
        return [one for one in asked if one not in decided]

    def describe_replay(self) -> tuple[int, str]:
        """How many events a replay has told again, and the SHA-256 of their contents in a row."""
        return len(self._told_again), sha256_hex("\n".join(self._told_again))

    @property
    def has_ended(self) -> bool:
        return any(True for _ in self.all_of(self._family.ended))

    def tell_open_calls(self) -> str:
        """Sentences about the calls without an answer; empty where there are none."""
        answered = {one.position.effect_id for one in self.all_of(self._family.returned)}
        calls = self.all_of(self._family.called)
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
        await self._publish([self._facts.tell((event, dict(data)), self._told, self._attempt)])

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

    async def _check_held(self) -> None:
        """Raises what ``check`` raises. What the log holds is only read again."""
        if self._check is not None and self._next > self._last:
            await self._check()

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
            copied = self._copied.find(self._next)
            if copied is None:
                return None
            if self._is_answer(copied, kind) and stand_alike(copied, key):
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
        """What was asked and decided in between has no step of its own. A decision that the run
        that is copied holds here comes now.
        """
        while True:
            event, _ = self._known.get(self._next, (None, None))
            if event is None and (copied := self._copied.find_decision(self._next)):
                await self._copy_decision(copied)
            elif event is None or not isinstance(event, self._family.without_step):
                return
            elif self.is_replay:
                self._told_again.append(write_event(event))
            self._next += 1

    async def _copy_decision(self, copied: Decided) -> None:
        """The same decision about this run's own question. Raises RunDiverged where it has none."""
        number = self._copied.find_question(copied)
        asked, _ = self._known.get(-1 if number is None else number, (None, None))
        if not isinstance(asked, self._family.asked):
            raise self.diverge(self._next, "decides about a call that this run has not asked about")
        await self.append(
            self._family.decided,
            confirmation_id=asked.confirmation_id,
            decision=copied.decision,
            arguments=copied.arguments,
            reason=copied.reason,
            given_by=copied.given_by,
        )

    def _find_question(self, confirmation_id: str) -> Asked | None:
        for asked in self.all_of(self._family.asked):
            if asked.confirmation_id == confirmation_id:
                return asked
        return None

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

    async def _add(self, kind: type[Event], ordinal: int, fields: Json) -> datetime:
        assert self._publish is not None  # a replay was refused before
        at = utc_millis(SystemClock().now())
        fact = self._facts.write(kind, ordinal, fields, at)
        if self._copied.is_other_call(ordinal, fact.event):
            raise self.diverge(ordinal, "is about another call than the one that it would make now")
        await self._publish([fact])
        self._known[ordinal] = (fact.event, at)
        await self._show(fact.event, ordinal, at, is_new=True)
        return at

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

    async def _show(
        self, event: Event, ordinal: int, at: datetime, *, is_new: bool = False
    ) -> None:
        """The frame of an event; a repeat of it counts once. A question is shown when it is new,
        and again where the run waits for it; not where the copied run decides.
        """
        frame = frame_of(self._family, event)
        if frame is None or self._publish is None:
            return
        if isinstance(event, self._family.asked) and (
            not is_new or self._copied.is_decided_next(ordinal)
        ):
            return
        await self._publish([self._facts.show(event, frame, ordinal, at)])

    def _is_answer(self, event: Event, kind: str) -> TypeGuard[Answered]:
        """Whether it is the record of an effect of this kind."""
        if isinstance(event, self._family.recorded):
            return bool(event.kind == kind)
        return kind == "tool" and isinstance(event, self._family.returned)

    def all_of(self, kind: type[E]) -> Iterator[E]:
        return (event for event, _ in self._known.values() if isinstance(event, kind))
