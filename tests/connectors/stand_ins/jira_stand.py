"""Jira under the contract tests: issues and their comments, Cloud and Data Center."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.connectors.hooks import Hooks
from tests.connectors.jira_side import SITE, JiraSide, a_site
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.stand_ins.jira import JiraServer
from tests.connectors.stand_ins.unconditional import Unconditional, at_once


class JiraStand(Unconditional[JiraServer]):
    service = "jira"

    def __init__(self, side: JiraSide) -> None:
        super().__init__(side, side.server)
        self._jira = side

    def hooks(self, broker: MemoryBroker, chance: random.Random) -> Hooks:
        """What Jira sends of the project's changes, beside what it answers."""
        at, rows = self._at, self._jira.rows
        return Hooks("jira", at.project, broker, chance, lambda: at.now, rows, {"site": SITE})

    def create(self, text: str) -> str:
        return self._at.open_issue(text, text)

    def reply(self, handle: str, text: str) -> str:
        key = handle.partition("/")[0]
        return f"{key}/{self._at.comment(key, text)}"

    def edit(self, handle: str, text: str) -> None:
        key, _, number = handle.partition("/")
        if number:
            self._at.edit_comment(key, number, text)
        else:
            self._at.edit(key, description=text)

    def delete(self, handle: str) -> None:
        key, _, number = handle.partition("/")
        if number:
            self._at.delete_comment(key, number)
        else:
            self._at.delete_issue(key)

    def wait(self, seconds: int) -> None:
        self._at.wait(seconds)

    def deny(self) -> None:
        self._at.may_browse = False


@asynccontextmanager
async def jira_cloud_stand() -> AsyncIterator[JiraStand]:
    async with a_site("cloud", sleep=at_once) as side:
        yield JiraStand(side)


@asynccontextmanager
async def jira_data_center_stand() -> AsyncIterator[JiraStand]:
    async with a_site("data-center", sleep=at_once) as side:
        yield JiraStand(side)
