"""Slack under the contract tests: one channel's threads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.connectors.slack_side import SlackSide, a_workspace
from tests.connectors.stand_ins.slack import SlackServer
from tests.connectors.stand_ins.unconditional import Unconditional, at_once


class SlackStand(Unconditional[SlackServer]):
    service = "slack"

    def __init__(self, side: SlackSide) -> None:
        super().__init__(side, side.server)

    def create(self, text: str) -> str:
        return self._at.say(text)

    def reply(self, handle: str, text: str) -> str:
        root = handle.partition("/")[0]
        return f"{root}/{self._at.say(text, 'U2', root)}"

    def edit(self, handle: str, text: str) -> None:
        self._at.edit(handle.rpartition("/")[2], text)

    def delete(self, handle: str) -> None:
        """A whole thread when it is its first message: nobody deletes a thread in one go."""
        for reply in self._at.replies(handle):
            self._at.delete(reply["ts"])
        self._at.delete(handle.rpartition("/")[2])

    def wait(self, seconds: int) -> None:
        self._at.wait(seconds)

    def deny(self) -> None:
        self._at.broken["conversations.history"] = {"error": "not_in_channel"}


@asynccontextmanager
async def slack_stand() -> AsyncIterator[SlackStand]:
    async with a_workspace(sleep=at_once) as side:
        yield SlackStand(side)
