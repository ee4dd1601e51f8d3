"""The services that can be connected, by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from connectors.bitbucket.service import BITBUCKET
from connectors.connector import UnknownSource
from connectors.definitions import Definition
from connectors.github.service import GITHUB
from connectors.jira.service import JIRA
from connectors.rate_limits import Budget
from connectors.service import WEBHOOK, Service
from connectors.slack.service import SLACK
from schemas.events.connector import ConnectorAdded

SERVICES: dict[str, Service] = {
    "github": GITHUB,
    "jira": JIRA,
    "slack": SLACK,
    "bitbucket": BITBUCKET,
}


@dataclass(slots=True)
class Budgets:
    """One budget per account: connectors with the same credential share a rate limit."""

    _known: dict[tuple[str, ...], Budget] = field(default_factory=dict)

    def of(self, added: ConnectorAdded) -> Budget:
        places = sorted(f"{each.role} {each.location}" for each in added.credentials)
        return self.of_account(added.base_url, *places, percent=added.budget_percent)

    def of_account(self, base_url: str, *places: str, percent: int) -> Budget:
        """The budget of the account whose credentials are at these places."""
        return self._known.setdefault((base_url, *places), Budget(percent=percent))


def service_of(name: str) -> Service:
    """Raises UnknownSource for a service that cannot be connected."""
    if name not in SERVICES:
        raise UnknownSource(f"There is no service {name!r}: connect one of {', '.join(SERVICES)}.")
    return SERVICES[name]


def stream_names(definition: Definition) -> tuple[str, ...]:
    """The streams that are polled; none if the connector has only a webhook."""
    if set(definition.credentials) <= {WEBHOOK}:
        return ()
    return service_of(definition.added.service).names(definition)
