"""With which account a provider is asked: the chosen project's own, else the installation's.

Which project may use which secret, and where it may be sent, `connectors/bound_secrets.py` decides
at each use, so that a change of `secrets.toml` holds at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from connectors.bound_secrets import SecretNotAllowed, Secrets
from connectors.connector import SourceRefused
from connectors.definitions import Definition
from connectors.http_client import check_base_url
from connectors.providers.calling import Account
from connectors.providers.definition import ProviderDefinition
from connectors.registry import Budgets
from connectors.transport import Secret
from infra.platform.settings import Settings
from infra.service.connecting.registry import load_registry

# The plain credentials of connectors that a provider of the same name can be asked with.
PLAIN: Mapping[str, frozenset[str]] = {
    "github": frozenset(("token",)),
    "slack": frozenset(("token",)),
    "jira": frozenset(("email", "token")),
}
WHOLE_LIMIT = 100  # percent: a person waits, and connectors leave others their share
# A process asks each account with one budget, whatever turn it works on.
_BUDGETS = Budgets()


class AccountMissing(Exception):
    """A provider cannot be asked; the message says what is missing and how to give it."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts for one project, or for none. ``connectors`` are the project's own."""

    secrets: Secrets
    project_id: str | None
    connectors: Sequence[Definition] = ()
    budgets: Budgets = field(default_factory=lambda: _BUDGETS)

    def find(self, definition: ProviderDefinition) -> Account:
        """The account to ask a provider with now. Raises AccountMissing."""
        for connector in self.connectors:
            if _is_plain(connector, definition.name):
                try:
                    return self._of_connector(connector)
                except SourceRefused:  # not allowed, or not set: the next may be
                    continue
        return self._of_installation(definition)

    def _of_connector(self, connector: Definition) -> Account:
        """Raises SourceRefused where the secret is not there, or may not be used."""
        url, places = connector.added.base_url, connector.credentials
        given = {
            role: self.secrets.find_for(connector, role, url)
            for role in PLAIN[connector.added.service]
        }
        named = [f"{role} {places[role]}" for role in sorted(given)]
        return Account(
            url,
            given["token"],
            given.get("email"),
            self.budgets.of_account(url, *named, percent=WHOLE_LIMIT),
            f"the connector of {connector.added.target}",
        )

    def _of_installation(self, definition: ProviderDefinition) -> Account:
        credential = definition.credential
        url = self._address_of(definition)
        try:
            secret = self._find(credential.place, url)
            user = self._find(credential.user, url) if credential.user else None
        except SecretNotAllowed as error:
            raise AccountMissing(f"{definition.title} cannot be used here. {error}") from error
        except SourceRefused as error:
            raise AccountMissing(_tell_missing(definition)) from error
        places = [place for place in (credential.user, credential.place) if place]
        return Account(
            url,
            secret,
            user,
            self.budgets.of_account(url, *places, percent=WHOLE_LIMIT),
            _variable(credential.place),
        )

    def _find(self, place: str, url: str) -> Secret:
        return self.secrets.find_own(place, self.project_id, url)

    def _address_of(self, definition: ProviderDefinition) -> str:
        if not definition.base_url.startswith("env:"):
            return definition.base_url
        variable = _variable(definition.base_url)
        address = self.secrets.environ.get(variable, "").strip()
        if not address:
            raise AccountMissing(_tell_missing(definition))
        try:
            return check_base_url(address)
        except SourceRefused as error:
            raise AccountMissing(f"{definition.title}: {variable} is wrong. {error}") from error


async def open_accounts(
    settings: Settings, environ: Mapping[str, str], project_id: str | None
) -> Accounts:
    """The accounts as of now. Raises BrokerUnavailable where a project is given."""
    connectors: list[Definition] = []
    if project_id is not None:
        registry = await load_registry(settings, environ)
        connectors = [it for it in registry.definitions.values() if it.project_id == project_id]
    return Accounts(Secrets(environ, settings.home), project_id, tuple(connectors))


def _is_plain(connector: Definition, service: str) -> bool:
    return (
        connector.added.service == service
        and PLAIN.get(service, frozenset()) <= set(connector.credentials)
        and service in PLAIN
    )


def _tell_missing(definition: ProviderDefinition) -> str:
    credential = definition.credential
    places = (definition.base_url, credential.user, credential.place)
    names = [_variable(place) for place in places if place and place.startswith("env:")]
    listed = " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
    many = "s" if len(names) > 1 else ""
    how = f" {_variable(credential.place)} is {credential.help}." if credential.help else ""
    return (
        f"{definition.title} is not configured: set the environment variable{many} {listed} where"
        f" Cairn runs, and start it again.{how}"
    )


def _variable(place: str) -> str:
    return place.removeprefix("env:")
