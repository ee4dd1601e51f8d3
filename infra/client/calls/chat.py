# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Chat."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Chat(Connection):
    def say(
        self, project: str, body: models.chat.ChatMessageRequest, *, key: str | None = None
    ) -> models.chat.Turn:
        """Ask the agents. The answer comes when the turn is done, or frame by frame."""
        return self._write(
            models.chat.Turn,
            "POST",
            "/v1/projects/{project}/chat",
            at={"project": project},
            key=key,
            body=body,
        )

    def list_conversations(self, project: str) -> Pages[models.chat.Conversation]:
        """Conversations, oldest first."""
        return self._list(
            models.chat.Conversation,
            "/v1/projects/{project}/conversations",
            at={"project": project},
        )

    def read_conversation(
        self, project: str, conversation_id: str
    ) -> models.chat.ConversationDetail:
        """All that was said in a conversation, and the calls in it with what was decided of
        them.
        """
        return self._read(
            models.chat.ConversationDetail,
            "/v1/projects/{project}/conversations/{conversation_id}",
            at={"project": project, "conversation_id": conversation_id},
        )

    def replay_turn(self, project: str, turn_id: str) -> models.chat.TurnCheckpoint:
        """The state of the agents at the end of an answered turn, run again from its records."""
        return self._read(
            models.chat.TurnCheckpoint,
            "/v1/projects/{project}/turns/{turn_id}/checkpoint",
            at={"project": project, "turn_id": turn_id},
        )

    def answer_confirmation(
        self,
        project: str,
        confirmation_id: str,
        body: models.chat.ConfirmationReply,
        *,
        key: str | None = None,
    ) -> models.chat.Turn:
        """Decide about a call that waits; the turn goes on, and its answer comes as of a
        question.
        """
        return self._write(
            models.chat.Turn,
            "POST",
            "/v1/projects/{project}/confirmations/{confirmation_id}",
            at={"project": project, "confirmation_id": confirmation_id},
            key=key,
            body=body,
        )

    def read_graph(self, name: str) -> models.chat.Graph:
        """A graph of agents, `project` or `quality`, as it is compiled; never as a picture
        (501).
        """
        return self._read(models.chat.Graph, "/v1/agents/graphs/{name}", at={"name": name})
