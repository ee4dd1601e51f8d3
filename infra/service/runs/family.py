"""The events by which one family of runs tells what every run tells.

Turns of conversations are one family, on `agent.v1`. Another one names its own events here, each
with the fields that the log reads; whatever else it tells is its own affair.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from schemas.codec import utc_millis
from schemas.envelope import Actor, Event
from schemas.events.agent import EffectPosition

Frame = tuple[str, dict[str, Any]]


class Answered(Protocol):
    """The record of an effect; ``answer`` is a JSON text."""

    @property
    def position(self) -> EffectPosition: ...
    @property
    def answer(self) -> str: ...


class Recorded(Answered, Protocol):
    """The record of an effect that is no call of a tool; ``kind`` says which one."""

    @property
    def kind(self) -> Any: ...


class Returned(Answered, Protocol):
    """The record of a call of ``tool``."""

    @property
    def tool(self) -> str: ...
    @property
    def is_error(self) -> bool: ...


class Called(Protocol):
    """A call of ``tool`` that is about to be made; ``arguments`` is a JSON text."""

    @property
    def position(self) -> EffectPosition: ...
    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> str: ...


class Asked(Protocol):
    """A person is asked about a call; ``summary`` says in a sentence what it would do, ``more``
    how many further calls are asked about with it.
    """

    @property
    def ordinal(self) -> int: ...
    @property
    def confirmation_id(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def more(self) -> int: ...


class Decided(Protocol):
    """What the person has decided; ``arguments`` is a JSON text where they were changed."""

    @property
    def confirmation_id(self) -> str: ...
    @property
    def decision(self) -> Any: ...
    @property
    def arguments(self) -> str | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def given_by(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Family:
    """``begun`` is the first event of a run, by the person who asks, ``ended`` its last one.

    ``said`` are the fields of ``begun`` with that person's words, ``fixed`` the places in what was
    read of tables that say where the run is and who asks, which no fork changes. ``frame_of`` gives
    what whoever follows a run live sees of the other events; None: nothing. ``between`` are further
    events that no step of the run leads to: they stand where they came, and a run passes by them.
    """

    begun: type[Event]
    called: type[Called]
    returned: type[Returned]
    recorded: type[Recorded]
    asked: type[Asked]
    decided: type[Decided]
    ended: type[Event]
    frame_of: Callable[[Any], Frame | None]
    agent: Actor
    said: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    between: tuple[type[Event], ...] = ()

    @property
    def without_step(self) -> tuple[type, ...]:
        """The events that no step of the run leads to."""
        return (self.asked, self.decided, *self.between)


@dataclass(frozen=True, slots=True)
class RunPlace:
    """A run of a project, and who asks for it. ``fields`` are those that say in each of its events
    which run it belongs to.
    """

    project_id: str
    run_id: str
    asked_by: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of a run as its log has it; ``ordinal`` counts from 0 without gaps."""

    ordinal: int
    event: Event
    occurred_at: datetime


def write_event(event: Event) -> str:
    """The content of an event in the one form in which it is compared."""
    return json.dumps(event.model_dump(), ensure_ascii=False, sort_keys=True, default=_write_time)


def _write_time(value: object) -> str:
    if isinstance(value, datetime):
        return utc_millis(value).isoformat()
    raise TypeError(f"no event holds a {type(value).__name__}")
