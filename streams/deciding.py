"""How a writer is asked for decisions and given records, so that none of them stops it.

Both shells go through it, the live one and the one in memory. ``streams.undecidable`` says why and
what becomes of what raises; here is the order of tries. A decision is taken on one of three rungs:
as it is due, then without what raises in it, then without effect. It goes down a rung when the
writer raises, and when the decision cannot be written, or not be folded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from schemas.envelope import SERVICE_WIDE, SYSTEM, Envelope, Event, outside_fact
from schemas.events.dlq import DeadLetterResolved
from schemas.events.hygiene import ChunkCreated
from schemas.ids import derive_id
from streams.stage import Decision, Record, Step, Writer
from streams.undecidable import (
    OF_THE_MACHINE,
    TRIES,
    Failure,
    Trouble,
    build,
    describe,
    kept,
    make_record_letter,
)

WHOLE, IN_PART, NOTHING = range(3)
Place = tuple[str, int, int]


class FoldFailed(Exception):
    """A record cannot be folded; the state may be half changed and has to be taken back."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A decision and the rung it was taken on."""

    decision: Decision
    rung: int

    @property
    def event_id(self) -> UUID:
        return self.decision.commit_record.event_id


class Decider:
    """Takes the decisions of one writer and partition."""

    def __init__(self, writer: Writer[Any]) -> None:
        self._writer = writer
        self._refused: dict[tuple[UUID, int], Failure] = {}
        self._unwritable: set[tuple[UUID, int]] = set()
        self._failures: Counter[tuple[UUID, int]] = Counter()

    def next(self, state: Any, place: Place) -> Taken | None:
        """The next decision, or None; ``place`` is the one that its commit record will take."""
        while True:
            try:
                taken = self._try(state, place)
            except Resting:
                continue
            return taken

    def refuse(self, taken: Taken, failure: Failure, *, for_good: bool = False) -> None:
        """It was not folded, or ``for_good`` cannot be written: three tries, then a lower rung."""
        key = (taken.event_id, taken.rung)
        self._failures[key] += 1
        if for_good:
            self._unwritable.add(key)
        if for_good or self._failures[key] >= TRIES:
            self._refused[key] = failure

    def is_refused(self, taken: Taken) -> bool:
        """Whether not even its own rung can be folded: its record is passed over then."""
        return (taken.event_id, taken.rung) in self._refused

    def _try(self, state: Any, place: Place) -> Taken | None:
        failure: Failure | None = None
        for attempt in range(1, TRIES + 1):
            try:
                decision = self._writer.decide(state)
            except OF_THE_MACHINE:
                raise  # the decision is taken after a restart
            except Exception as error:
                failure = describe(error) if attempt == TRIES else None
            else:
                if decision is None:
                    return None
                taken = Taken(decision, WHOLE)
                if not self.is_refused(taken):
                    return taken
                failure = self._refused[(taken.event_id, WHOLE)]
                break
        assert failure is not None
        return self._go_down(state, make_trouble(self._writer, place, failure))

    def _go_down(self, state: Any, trouble: Trouble) -> Taken:
        """The decision on the first rung below that it can be taken on."""
        for rung in (NOTHING,) if trouble.is_too_large else (IN_PART, NOTHING):
            try:
                decision = self._writer.give_up(state, trouble, whole=rung == NOTHING)
            except OF_THE_MACHINE:
                raise
            except Exception as error:
                trouble = trouble.of(error)
                continue
            taken = Taken(decision, rung)
            if (taken.event_id, rung) in self._unwritable:
                continue
            if rung == NOTHING or not self.is_refused(taken):
                return taken
        self._writer.rest(state)
        raise Resting


class Resting(Exception):
    """Not even an answer without effect could be made: the project has nothing due any more."""


class Folder:
    """Gives records to one writer; one that raises three times is passed over from then on."""

    def __init__(self, writer: Writer[Any]) -> None:
        self._writer = writer
        self._failures: Counter[Place] = Counter()
        self.given_up: dict[Place, Trouble] = {}

    def fold(self, state: Any, record: Record) -> Envelope | None:
        """The record is in the state. What is to be told of one that was passed over, once.

        Raises FoldFailed: what was folded since the last commit is to be folded again.
        """
        place = (record.topic, record.partition, record.offset)
        if trouble := self.given_up.get(place):
            letter_id = fold_letter_id(self._writer.name, place)
            cause, again = record.envelope, self.pass_over(state, record, letter_id)
            return make_record_letter(trouble, cause, cause.project_id, kept(again))
        try:
            self._writer.evolve(state, record)
        except OF_THE_MACHINE:
            raise
        except Exception as error:
            self._failures[place] += 1
            if self._failures[place] >= TRIES:
                self.given_up[place] = make_trouble(self._writer, place, describe(error))
            raise FoldFailed from error
        return None

    def pass_over(self, state: Any, record: Record, letter_id: str = "") -> Envelope | None:
        """No more of the record is in the state than its place, and who is answered."""
        try:
            return self._writer.pass_over(state, record, letter_id)
        except OF_THE_MACHINE:
            raise
        except Exception:  # so nothing of it is: the next record is folded all the same
            return None


def make_trouble(writer: Writer[Any], place: Place, failure: Failure) -> Trouble:
    return Trouble(writer.name, version_of(writer), *place, failure)


def version_of(writer: Writer[Any]) -> str:
    """Names the code that decides and folds for the writer."""
    return f"{build()}/{writer.state_version}"


def answer_without(
    step: Step, cause: Envelope, chunk: ChunkCreated | None, error_class: str
) -> list[Event]:
    """What a step answers to a fact that it failed on for good; nothing where nobody waits."""
    if step.give_up is None:
        return []
    try:
        return step.give_up(cause, chunk, error_class)
    except OF_THE_MACHINE:
        raise
    except Exception:
        return []


def fold_letter_id(stage: str, place: Place) -> str:
    """The id of the letter about a record that a stage cannot fold."""
    topic, partition, offset = place
    return derive_id("dlq", f"{stage}|{topic}|{partition}|{offset}")


def settle_fold(stage: str, place: Place, at: datetime) -> Envelope:
    """What is told of a record that was passed over, and that another version has folded."""
    event = DeadLetterResolved(dead_letter_id=fold_letter_id(stage, place), stage=stage)
    return outside_fact(event, project_id=SERVICE_WIDE, occurred_at=at, actor=SYSTEM)
