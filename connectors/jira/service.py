"""Jira as a service that can be connected: Cloud by API token or OAuth, Data Center by token."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from connectors.connector import UnknownSource
from connectors.credentials import bearer
from connectors.definitions import Definition
from connectors.jira.api import Flavour, Jira, by_account, by_client, check_project
from connectors.jira.streams import STREAMS, Issues
from connectors.service import Capability, OpenService, ServiceContext
from connectors.transport import AccessLost, Authorise, Transport
from schemas.events.connector import ConnectorAdded

LEAVE_OUT = "leave-out"


@dataclass(frozen=True)
class JiraService:
    """Options of a definition: ``flavour`` (``cloud``, ``data-center``), ``site``.

    ``restricted=leave-out`` leaves out what only some people may read at the site, and
    ``fields=leave-out`` the fields of text that the site has added.
    """

    base_url: str = ""  # every site has its own
    streams: tuple[str, ...] = STREAMS
    roles: tuple[tuple[str, ...], ...] = (
        ("email", "token"),
        ("client-id", "client-secret"),
        ("token",),
    )

    def check_target(self, target: str) -> str:
        return check_project(target)

    def names(self, definition: Definition) -> tuple[str, ...]:
        return tuple(definition.added.streams) or self.streams

    @asynccontextmanager
    async def open(self, context: ServiceContext) -> AsyncIterator[OpenService]:
        added = context.definition.added
        unknown = sorted(set(added.streams) - set(STREAMS))
        if unknown:
            raise UnknownSource(f"Jira has no stream {unknown[0]!r}: there is {STREAMS[0]}.")
        flavour = flavour_of(context)
        async with Transport(added.base_url, authorisation(context), context.budget) as transport:
            jira = Jira(added.target, transport, flavour, added.options.get("site", ""))

            async def check() -> list[Capability]:
                try:
                    await jira.check()
                except AccessLost:
                    return [Capability("issues", False, "Browse Projects (OAuth: read:jira-work)")]
                return [Capability("issues", True)]

            issues = Issues(jira, reads(added, "restricted"), reads(added, "fields"))
            yield OpenService([issues], check)


def reads(added: ConnectorAdded, option: str) -> bool:
    """Whether a definition leaves in what the option is about. Raises UnknownSource."""
    choice = added.options.get(option, "read")
    if choice not in ("read", LEAVE_OUT):
        raise UnknownSource(f"{option}={choice!r} is not known: use read or {LEAVE_OUT}.")
    return choice == "read"


def flavour_of(context: ServiceContext) -> Flavour:
    """As the definition says; otherwise a lone token belongs to Data Center."""
    flavour = context.definition.added.options.get("flavour", "")
    if flavour not in ("", "cloud", "data-center"):
        raise UnknownSource(f"{flavour!r} is not a kind of Jira: use cloud or data-center.")
    if flavour:
        return "cloud" if flavour == "cloud" else "data-center"
    return "data-center" if set(context.secrets) == {"token"} else "cloud"


def authorisation(context: ServiceContext) -> Authorise:
    secrets = context.secrets
    if "email" in secrets:
        return by_account(secrets["email"], secrets["token"])
    if "client-id" in secrets:
        return by_client(secrets["client-id"], secrets["client-secret"])
    return bearer(secrets["token"])  # Data Center's personal one, or Cloud's that others renew


JIRA = JiraService()
