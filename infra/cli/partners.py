"""Who a conversation is with: the agents of a project, or the assistant. Both take the same talk,
and both have logs of what was asked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from infra.cli.calls import Cairn
from infra.client.connection import Pages
from infra.client.models.assistant import AssistantCheckpoint, AssistantMessage
from infra.client.models.chat import ChatMessageRequest, TurnCheckpoint
from infra.client.models.chat_parts import AttachedDocument
from infra.client.models.shared import (
    AskedTurn,
    ConfirmationReply,
    StoppedConversation,
    Turn,
    TurnComparison,
    TurnEvents,
    TurnFork,
)
from schemas.time_zones import is_time_zone

LOCAL_TIME = Path("/etc/localtime")  # on most machines a link to the zone's file
ZONES = "/zoneinfo/"


class Partner(Protocol):
    """``conversation`` None: a new one begins. All raise what the service refuses."""

    def say(
        self,
        text: str,
        conversation: str | None,
        documents: Sequence[AttachedDocument] = (),
        key: str | None = None,
    ) -> Turn:
        """Begin a turn."""

    def answer(self, confirmation_id: str, decided: ConfirmationReply) -> Turn:
        """Decide about a call that waits; its turn goes on."""

    def stop(self, conversation: str) -> StoppedConversation: ...

    def list_turns(self, conversation: str | None) -> Pages[AskedTurn]: ...

    def list_events(self, turn: str) -> TurnEvents: ...

    def replay(self, turn: str) -> TurnCheckpoint | AssistantCheckpoint: ...

    def fork(self, turn: str, body: TurnFork, key: str) -> Turn: ...

    def compare(self, turn: str, other: str) -> TurnComparison: ...


@dataclass(frozen=True, slots=True)
class ProjectAgents:
    cairn: Cairn
    project_id: str

    def say(
        self,
        text: str,
        conversation: str | None,
        documents: Sequence[AttachedDocument] = (),
        key: str | None = None,
    ) -> Turn:
        body = ChatMessageRequest(
            message=text, conversation_id=conversation, wait=False, documents=list(documents)
        )
        return self.cairn.say(self.project_id, body, key=key)

    def answer(self, confirmation_id: str, decided: ConfirmationReply) -> Turn:
        return self.cairn.answer_confirmation(self.project_id, confirmation_id, decided)

    def stop(self, conversation: str) -> StoppedConversation:
        return self.cairn.stop_conversation(self.project_id, conversation)

    def list_turns(self, conversation: str | None) -> Pages[AskedTurn]:
        return self.cairn.list_turns(self.project_id, conversation=conversation)

    def list_events(self, turn: str) -> TurnEvents:
        return self.cairn.list_turn_events(self.project_id, turn)

    def replay(self, turn: str) -> TurnCheckpoint:
        return self.cairn.replay_turn(self.project_id, turn)

    def fork(self, turn: str, body: TurnFork, key: str) -> Turn:
        return self.cairn.fork_turn(self.project_id, turn, body, key=key)

    def compare(self, turn: str, other: str) -> TurnComparison:
        return self.cairn.compare_turns(self.project_id, turn, other=other)


@dataclass(frozen=True, slots=True)
class Assistant:
    """``project_id``, ``workflow`` and ``time_zone`` go with each message; each may be empty."""

    cairn: Cairn
    project_id: str = ""
    workflow: str = ""
    time_zone: str = ""

    def say(
        self,
        text: str,
        conversation: str | None,
        documents: Sequence[AttachedDocument] = (),
        key: str | None = None,
    ) -> Turn:
        body = AssistantMessage(
            message=text,
            conversation_id=conversation,
            project=self.project_id,
            workflow=self.workflow,
            time_zone=self.time_zone,
            wait=False,
        )
        return self.cairn.say_to_assistant(body, key=key)

    def answer(self, confirmation_id: str, decided: ConfirmationReply) -> Turn:
        return self.cairn.answer_own_confirmation(confirmation_id, decided)

    def stop(self, conversation: str) -> StoppedConversation:
        return self.cairn.stop_own_conversation(conversation)

    def list_turns(self, conversation: str | None) -> Pages[AskedTurn]:
        return self.cairn.list_own_turns(conversation=conversation)

    def list_events(self, turn: str) -> TurnEvents:
        return self.cairn.list_own_turn_events(turn)

    def replay(self, turn: str) -> AssistantCheckpoint:
        return self.cairn.replay_own_turn(turn)

    def fork(self, turn: str, body: TurnFork, key: str) -> Turn:
        return self.cairn.fork_own_turn(turn, body, key=key)

    def compare(self, turn: str, other: str) -> TurnComparison:
        return self.cairn.compare_own_turns(turn, other=other)


def partner_of(cairn: Cairn, project: str | None) -> Partner:
    """The agents of the project; where none is named, the assistant."""
    if project is None:
        return Assistant(cairn)
    return ProjectAgents(cairn, cairn.project_of(project))


def find_time_zone() -> str:
    """The IANA name of this machine's time zone; empty where it cannot be told."""
    target = os.path.realpath(LOCAL_TIME)
    name = os.environ.get("TZ", "").removeprefix(":") or target.partition(ZONES)[2]
    return name if is_time_zone(name) else ""
