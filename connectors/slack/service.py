"""Slack as a service that can be connected: by a bot's token, for the channels of the project.

``project_channels`` names the channels whose threads become sources. Messages elsewhere are only
testimony and arrive only as events. Without the restricted log nothing is read, because each
message is recorded there first.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from connectors.connector import SourceRefused, UnknownSource
from connectors.credentials import bearer
from connectors.definitions import Definition
from connectors.service import Capability, OpenService, Restricted, ServiceContext
from connectors.slack.api import PUBLIC, Slack
from connectors.slack.items import Channel
from connectors.slack.streams import Testify, Threads, UnreadableChannel, Workspace
from connectors.testimony import pseudonym_of, risk_of
from connectors.testimony.messages import testimony_of
from connectors.transport import AccessLost, Transport
from infra.platform.addresses import without_credentials
from infra.platform.clock import SystemClock

_TEAM = re.compile(r"[TE][A-Z0-9]{1,30}")


def project_channels(definition: Definition) -> frozenset[str]:
    """The ids of the channels that are the project's; all others are testimony only."""
    named = definition.added.options.get("project_channels", "")
    return frozenset(each.strip() for each in named.split(",") if each.strip())


@dataclass(frozen=True)
class SlackService:
    base_url: str = PUBLIC
    streams: tuple[str, ...] = ()  # a channel is a stream: `--option project_channels=C1,C2`
    roles: tuple[tuple[str, ...], ...] = (("token",),)

    def check_target(self, target: str) -> str:
        if not _TEAM.fullmatch(target):
            raise UnknownSource(
                f"{without_credentials(target)!r} is not a workspace id: write one like T0123ABCD."
            )
        return target

    def names(self, definition: Definition) -> tuple[str, ...]:
        return tuple(sorted(project_channels(definition)))

    @asynccontextmanager
    async def open(self, context: ServiceContext) -> AsyncIterator[OpenService]:
        added, restricted = context.definition.added, context.restricted
        if restricted is None:
            raise SourceRefused("Slack cannot be read without the restricted testimony log.")
        authorise = bearer(context.secrets["token"])
        async with Transport(added.base_url, authorise, context.budget) as transport:
            slack = Slack(transport)
            if await slack.team() != added.target:
                raise SourceRefused(f"The token is not for the workspace {added.target}.")
            workspace = workspace_of(slack, context.definition.project_id, restricted)
            streams = [
                await stream_of(added.target, channel_id, workspace)
                for channel_id in sorted(project_channels(context.definition))
            ]

            async def check() -> list[Capability]:
                return [await capability(slack, stream) for stream in streams]

            yield OpenService(streams, check)


async def stream_of(
    team: str, channel_id: str, workspace: Workspace
) -> Threads | UnreadableChannel:
    """A channel's threads. A channel that we cannot read does not stop the others."""
    try:
        name = await workspace.slack.channel_name(channel_id)
    except AccessLost as error:
        if error.reason == "unauthorised":
            raise
        return UnreadableChannel(Channel(team, channel_id, channel_id), error)
    return Threads(Channel(team, channel_id, name), workspace)


def workspace_of(slack: Slack, project_id: str, restricted: Restricted) -> Workspace:
    """A workspace whose people are pseudonyms and whose messages become testimony first."""

    def pseudonym(member_id: str) -> str:
        return pseudonym_of(restricted.mark, project_id, "slack", member_id)

    testify = testimony_recorder(project_id, restricted)
    return Workspace(slack, pseudonym, is_without_risk, SystemClock(), testify)


def testimony_recorder(project_id: str, restricted: Restricted) -> Testify:
    """A function that publishes messages as encrypted testimony before items are made."""

    async def testify(channel: Channel, messages: list[dict[str, Any]]) -> None:
        facts = [
            fact
            for message in messages
            for fact in testimony_of(
                message,
                channel.team,
                channel.channel_id,
                project_id=project_id,
                mark=restricted.mark,
                seal=restricted.seal,
            )
        ]
        if facts:
            await restricted.publish(facts)

    return testify


def is_without_risk(words: str) -> bool:
    """Whether a message may become part of a source."""
    return risk_of(words).risk_class == "none"


async def capability(slack: Slack, stream: Threads | UnreadableChannel) -> Capability:
    """Whether a channel can be read; names each missing scope or invitation."""

    async def history() -> None:
        await slack.history(stream.name, limit=1)

    async def members() -> None:
        async for _ in slack.members():
            break

    missing = [str(stream.why)] if isinstance(stream, UnreadableChannel) else []
    for ask in (history, members):
        try:
            await ask()
        except AccessLost as error:
            missing.append(str(error))
    return Capability(stream.name, not missing, " ".join(dict.fromkeys(missing)))


SLACK = SlackService()
