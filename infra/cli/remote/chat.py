"""Conversations with the agents over HTTP. Who asks is the person of the token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from infra.cli.remote.asking import adopt, ask_of, client_of, unchecked
from infra.client.client import Client
from infra.client.models.chat import Decide, Say, Turn
from infra.client.models.chat_parts import DocumentToKeep
from infra.platform.settings import Settings
from infra.service.asking.agent_turns import TurnCheckpoint
from infra.service.asking.agents import BegunTurn, ChatRequest, ConfirmationAnswer, TurnFrame
from infra.service.asking.turn_frames import ENDS, PAUSES
from infra.service.foundation.progress import Tell, follow


async def begin_turn(settings: Settings, request: ChatRequest, *, actor: str) -> BegunTurn:
    body = Say(
        message=request.text,
        conversation_id=request.conversation_id,
        wait=False,
        documents=[DocumentToKeep(name=one.name, text=one.text) for one in request.documents],
    )

    def begin(client: Client, project_id: str) -> BegunTurn:
        return _begun(project_id, client.say(project_id, body, key=request.key))

    return await ask_of(settings, request.project, begin)


async def answer_confirmation(
    settings: Settings, project: str, answer: ConfirmationAnswer, *, actor: str, role: str
) -> BegunTurn:
    body = Decide(
        decision=unchecked(answer.decision),
        arguments=None if answer.arguments is None else dict(answer.arguments),
        reason=answer.reason,
        wait=False,
    )

    def decide(client: Client, project_id: str) -> BegunTurn:
        turn = client.answer_confirmation(project_id, answer.confirmation_id, body)
        return _begun(project_id, turn)

    return await ask_of(settings, project, decide)


def follow_turn(settings: Settings, turn: BegunTurn) -> AsyncGenerator[TurnFrame, None]:
    async def work(tell: Tell[TurnFrame]) -> None:
        await asyncio.to_thread(_follow, settings, turn, tell)

    return follow(work)


async def replay_turn(settings: Settings, project: str, turn_id: str) -> TurnCheckpoint:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(TurnCheckpoint, client.replay_turn(known, turn_id)),
    )


def _follow(settings: Settings, turn: BegunTurn, tell: Tell[TurnFrame]) -> None:
    """Frames that a decision was taken on before are not told again."""
    with client_of(settings) as client:
        for frame in client.follow_stream(turn.turn_id):
            seq = int(frame.id.rpartition("-")[2])
            if seq > turn.after:
                tell(TurnFrame(seq, frame.event, frame.data))
                if frame.event in ENDS | PAUSES:
                    return


def _begun(project_id: str, turn: Turn) -> BegunTurn:
    return BegunTurn(project_id, turn.conversation_id, turn.turn_id, turn.job_id, turn.after)
