"""The log of a run, as the agents of the assistant see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from agents.runs.confirmations import tell_declined
from agents.runs.loop_guard import name_call
from infra.service.asking.turn_log import TurnLog
from schemas.events.agent import AgentEvent

E = TypeVar("E", bound=AgentEvent)


class LogRecords:
    """See ``agents.assistant.run``."""

    def __init__(self, turn_log: TurnLog) -> None:
        self._log = turn_log
        self._declined = {
            name_call(tool, arguments): tell_declined(decision.decided_by is None, decision.reason)
            for tool, arguments, decision in turn_log.list_decided()
            if decision.kind == "reject"
        }

    @property
    def is_resumed(self) -> bool:
        return self._log.is_resumed

    async def record(self, kind: type[AgentEvent], /, **fields: Any) -> datetime:
        return await self._log.record(kind, **fields)

    def list_told(self, kind: type[E]) -> Sequence[E]:
        return self._log.list_told(kind)

    def is_asked(self, confirmation_id: str) -> bool:
        return self._log.is_asked(confirmation_id)

    def list_declined(self) -> Mapping[str, str]:
        return self._declined
