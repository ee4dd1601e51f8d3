"""Jira and Slack opened from a definition: who we are, what is missing, what is told to nobody."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.connector import SourceRefused, UnknownSource
from connectors.definitions import Definition
from connectors.jira.api import Jira, by_client
from connectors.jira.service import JIRA
from connectors.rate_limits import Budget
from connectors.service import Capability, Restricted, ServiceContext
from connectors.slack.service import SLACK
from connectors.transport import Secret, Transport
from schemas.codec import encode
from schemas.events.connector import ConnectorAdded, ConnectorService
from schemas.events.ingestion_request import IngestionRequested
from schemas.events.testimony import MessageReceived
from tests.connectors.intake.worlds import KeyRing
from tests.connectors.memory_broker import AT, PROJECT, MemoryBroker
from tests.connectors.stand_ins.jira import JiraServer
from tests.connectors.stand_ins.slack import SlackServer


async def no_titles(root: str, paths: Any) -> dict[str, str]:
    return {}


def an_opening(
    service: ConnectorService,
    target: str,
    url: str,
    secrets: dict[str, str],
    restricted: Restricted | None = None,
    **options: str,
) -> ServiceContext:
    added = ConnectorAdded(
        connector_id="con_1",
        request_key="k",
        service=service,
        target=target,
        base_url=url,
        options=options,
    )
    held = {role: Secret(value) for role, value in secrets.items()}
    return ServiceContext(
        Definition(PROJECT, added), held, Budget(percent=100), no_titles, restricted
    )


async def synced(opening: ServiceContext, broker: MemoryBroker) -> None:
    service: Any = JIRA if opening.definition.added.service == "jira" else SLACK
    async with service.open(opening) as opened:
        engine = broker.engine("con_1", opening.definition.added.service, opening.budget)
        for stream in opened.streams:
            assert (await engine.sync(stream)).error == ""


@pytest.mark.parametrize(
    ("secrets", "flavour"),
    [
        ({"token": "jira-stand-in"}, "data-center"),
        ({"email": "ada@acme.invalid", "token": "secret"}, "cloud"),
    ],
)
def test_jira_by_personal_token_and_by_account(secrets: dict[str, str], flavour: str) -> None:
    async def run() -> None:
        async with JiraServer(flavour=flavour).running() as server:
            server.open_issue("Exports", "The export must be resumable.")
            broker = MemoryBroker()
            await synced(an_opening("jira", "SHOP", server.url, secrets, site="acme"), broker)
            assert len(broker.contents) == 1

    asyncio.run(run())


def test_an_oauth_client_gets_its_token_anew_in_time() -> None:
    class Late:
        now_at = datetime(2026, 1, 1, tzinfo=UTC)

        def now(self) -> datetime:
            return self.now_at

    async def run() -> None:
        async with JiraServer().running() as server:
            clock = Late()
            access = by_client(Secret("app"), Secret("secret"), server.url, clock)
            async with Transport(server.url, access, Budget(percent=100)) as transport:
                jira = Jira("SHOP", transport)
                await jira.check()
                await jira.check()
                assert server.tokens == 1
                clock.now_at += timedelta(minutes=56)
                await jira.check()
                assert server.tokens == 2

    asyncio.run(run())


def test_a_missing_permission_is_named() -> None:
    async def run() -> None:
        async with JiraServer(may_browse=False).running() as server:
            opening = an_opening("jira", "SHOP", server.url, {"token": "jira-stand-in"})
            async with JIRA.open(opening) as opened:
                (missing,) = await opened.check()
                assert not missing.granted and missing.missing.startswith("Browse Projects")
        async with SlackServer().running() as slack:
            opening = a_slack(slack, MemoryBroker())
            async with SLACK.open(opening) as opened:
                assert await opened.check() == [Capability("C1", True)]
                scopes = {
                    "conversations.info": "channels:read",
                    "conversations.history": "channels:history",
                    "users.list": "users:read",
                }
                slack.broken = {
                    method: {"error": "missing_scope", "needed": scope}
                    for method, scope in scopes.items()
                }
            async with SLACK.open(opening) as opened:
                (missing,) = await opened.check()
                assert not missing.granted
                assert all(scope in missing.missing for scope in scopes.values())

    asyncio.run(run())


def a_slack(
    server: SlackServer, broker: MemoryBroker, target: str = "T1", channels: str = "C1"
) -> ServiceContext:
    keys = KeyRing()
    restricted = Restricted(keys.mark, keys.seal, broker.publish)
    secrets = {"token": "xoxb-stand-in"}
    return an_opening("slack", target, server.url, secrets, restricted, project_channels=channels)


def test_chat_is_testimony_first_and_no_record_holds_its_words_or_names_in_clear() -> None:
    async def run() -> None:
        async with SlackServer().running() as server:
            first = server.say("The export must be resumable MARK1, says Ada.")
            server.say("Ben is incompetent MARK2.", "U1", first)
            broker = MemoryBroker()
            await synced(a_slack(server, broker), broker)
            events = [fact.event for fact in broker.log]
            before = events[: [type(event) for event in events].index(IngestionRequested)]
            told = [event for event in before if isinstance(event, MessageReceived)]
            assert [event.risk_class for event in told] == ["none", "medium"]
            (content,) = broker.contents.values()
            assert b"MARK1" in content and b"MARK2" not in content and b"Ada" not in content
            log = b"".join(encode(fact.recorded(AT)) for fact in broker.log)
            for word in (b"MARK1", b"MARK2", b"Ada", b"Ben", b"U1", b"resumable"):
                assert word not in log

    asyncio.run(run())


def test_a_channel_that_was_left_is_in_no_other_channels_way() -> None:
    async def run() -> None:
        async with SlackServer().running() as server:
            server.say("The export must be resumable.")
            broker = MemoryBroker()
            async with SLACK.open(a_slack(server, broker, channels="C1,C2")) as opened:
                engine = broker.engine("con_1", "slack", Budget(percent=100))
                synced = [await engine.sync(stream) for stream in opened.streams]
                is_reconcilable = [await engine.reconcile(stream) for stream in opened.streams]
                granted = [each.granted for each in await opened.check()]
            assert [each.reason for each in synced] == [None, "not_found"]
            assert [each.reason for each in is_reconcilable] == [None, "not_found"]
            assert granted == [True, False]
            assert len(broker.contents) == 1

    asyncio.run(run())


def test_a_token_for_another_workspace_is_refused() -> None:
    async def run() -> None:
        async with SlackServer().running() as server:
            with pytest.raises(SourceRefused, match="T2"):
                async with SLACK.open(a_slack(server, MemoryBroker(), "T2")):
                    pass

    asyncio.run(run())


def test_slack_without_the_restricted_log_is_not_read() -> None:
    async def run() -> None:
        opening = an_opening("slack", "T1", "http://127.0.0.1:1/", {"token": "x"})
        with pytest.raises(SourceRefused):
            async with SLACK.open(opening):
                pass

    asyncio.run(run())


@pytest.mark.parametrize("target", ["", "shop", "T1/C1", "../T1"])
def test_a_target_that_is_no_workspace_is_refused(target: str) -> None:
    with pytest.raises(UnknownSource):
        SLACK.check_target(target)
