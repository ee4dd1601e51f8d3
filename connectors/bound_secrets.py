"""Which secret may be used by which project, and to which hosts it may be sent.

The operator declares it in `secrets.toml` of CAIRN_HOME, one table a secret:

    ["env:CONNECTOR_GITHUB"]        # or "file:NAME", a file of the folder `secrets`
    projects = ["prj_1"]            # or ["*"]
    hosts = ["github.example.org"]  # none named: the service's own

What the file does not name may be used only by connectors that an owner of all projects has added.
It is checked whenever a secret is used, so a change of the file holds at once, also for connectors
that were added before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from connectors.connector import SourceRefused
from connectors.definitions import Definition, secret_at
from connectors.service import WEBHOOK
from connectors.transport import Secret
from infra.platform.addresses import is_loopback, is_well_formed, without_credentials

SENT_BY_GIT = frozenset(("token", "app-key"))  # for an App's key: the token that it gets
FILE, FOLDER = "secrets.toml", "secrets"  # of CAIRN_HOME
MAX_FILE_BYTES = 1024 * 1024
ANY_PROJECT = "*"
# Hosts of our own choice, by service: no definition can name others without leave.
OWN_HOSTS: Mapping[str, frozenset[str]] = {
    "github": frozenset(("api.github.com", "github.com")),
    "bitbucket": frozenset(("api.bitbucket.org", "bitbucket.org")),
    "slack": frozenset(("slack.com",)),
    "jira": frozenset(("api.atlassian.com",)),  # every site has an address of its own
}
Host = Annotated[str, Field(min_length=1, max_length=300)]


class SecretNotAllowed(SourceRefused):
    """A secret may not be used by this project, or not be sent to this host."""

    code = "secret_not_allowed"


class Binding(BaseModel):
    """What the operator allows of one secret. None: what ``secrets.toml`` says of no project, or
    of no host.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    projects: tuple[str, ...] | None = None
    hosts: tuple[Host, ...] | None = None


UNBOUND = Binding()
_BINDINGS = TypeAdapter(dict[str, Binding])


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of connectors: variables of ``environ`` and files; ``home`` is CAIRN_HOME."""

    environ: Mapping[str, str] = field(repr=False)
    home: Path

    def find(self, definition: Definition, role: str) -> Secret:
        """The secret of a role, to be used here and sent nowhere.

        Raises SecretNotAllowed, SourceRefused.
        """
        self.check_project(definition, role)
        return secret_at(definition.credentials[role], self.environ)

    def find_for(self, definition: Definition, role: str, url: str) -> Secret:
        """The secret of a role, to be sent to the host of ``url``.

        Raises SecretNotAllowed, SourceRefused.
        """
        self.check_host(definition, role, url)
        return secret_at(definition.credentials[role], self.environ)

    def find_own(self, place: str, project_id: str | None, url: str) -> Secret:
        """A secret that the operator has named for all of the installation, to be sent to the host
        of ``url``. What the file says of it holds; ``project_id``: for whom, None for no project.

        Raises SecretNotAllowed, SourceRefused.
        """
        name = self.name_of(place)
        binding, host = self._binding(name), host_of(url)
        allowed = binding.projects
        if allowed is not None and ANY_PROJECT not in allowed and project_id not in allowed:
            raise _refuse_project(name, project_id or ANY_PROJECT)
        if binding.hosts is not None and host not in {_written_host(it) for it in binding.hosts}:
            raise _refuse_host(name, host or without_credentials(url))
        return secret_at(place, self.environ)

    def check_project(self, definition: Definition, role: str) -> None:
        """Raises SecretNotAllowed unless the definition's project may use the secret."""
        name = self.name_of(definition.credentials[role])
        allowed = self._binding(name).projects
        project = definition.project_id
        if allowed is None:
            is_allowed = definition.added.by_global_owner
        else:
            is_allowed = ANY_PROJECT in allowed or project in allowed
        if not is_allowed:
            raise _refuse_project(name, project)

    def check_host(self, definition: Definition, role: str, url: str) -> None:
        """Raises SecretNotAllowed unless the project may use it and it may go where ``url`` is."""
        self.check_project(definition, role)
        name, added = self.name_of(definition.credentials[role]), definition.added
        allowed = self._binding(name).hosts
        host = host_of(url)
        if allowed is None:
            is_allowed = added.by_global_owner or host in OWN_HOSTS.get(added.service, ())
        else:
            is_allowed = host in {_written_host(each) for each in allowed}
        if not host or not is_allowed:
            raise _refuse_host(name, host or without_credentials(url))

    def check(self, definition: Definition) -> None:
        """Raises SecretNotAllowed unless each secret may be used as the definition says."""
        added = definition.added
        for role in definition.credentials:
            if role == WEBHOOK:
                self.check_project(definition, role)
                continue
            self.check_host(definition, role, added.base_url)
            if (clone_url := added.options.get("clone_url")) and role in SENT_BY_GIT:
                self.check_host(definition, role, clone_url)

    def name_of(self, place: str) -> str:
        """A place as `secrets.toml` names it: a file of the folder for secrets without its path."""
        kind, _, written = place.partition(":")
        if kind != "file":
            return place
        path = Path(written).expanduser().absolute()
        return f"file:{path.name}" if path.parent == self.home / FOLDER else f"file:{path}"

    def _binding(self, name: str) -> Binding:
        """Raises SecretNotAllowed for a file that cannot be used: then no secret is."""
        try:
            with (self.home / FILE).open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1).decode()
            if len(text) > MAX_FILE_BYTES:
                raise ValueError("it is too long")
            return _BINDINGS.validate_python(tomllib.loads(text)).get(name, UNBOUND)
        except FileNotFoundError:
            return UNBOUND
        except (OSError, ValueError) as error:
            if isinstance(error, ValidationError):
                first = error.errors()[0]
                why = f"{'.'.join(str(each) for each in first['loc'])}: {first['msg']}"
            else:
                why = "it cannot be read" if isinstance(error, OSError) else str(error)
            raise SecretNotAllowed(
                f"{FILE} of CAIRN_HOME cannot be used ({why[:200]}), so no secret is: whoever runs"
                " the service corrects it.",
                code="secrets_file_unfit",
            ) from error


def _refuse_project(name: str, project: str) -> SecretNotAllowed:
    whose = (
        "A conversation without a project" if project == ANY_PROJECT else f"The project {project}"
    )
    return SecretNotAllowed(
        f"{whose} may not use the secret {name}: whoever runs the service allows it in {FILE} of"
        f' CAIRN_HOME, below ["{name}"] with projects = ["{project}"].',
        detail={"secret": name, "project": project},
    )


def _refuse_host(name: str, host: str) -> SecretNotAllowed:
    return SecretNotAllowed(
        f"The secret {name} may not be sent to {host}: whoever runs the service allows it in"
        f' {FILE} of CAIRN_HOME, below ["{name}"] with hosts = ["{host}"].',
        detail={"secret": name, "host": host},
    )


def host_of(url: str) -> str:
    """The host of an https address, with its port where that is not 443; empty for any other.

    An address with a user in it has no host here: what stands before an @ may be meant to deceive.
    Only services on this machine may be asked in clear; they are written `host:port` too.
    """
    if not is_well_formed(url):
        return ""
    parts = urlsplit(url)
    is_private = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))
    if not is_private or "@" in parts.netloc or not parts.hostname:
        return ""
    host = parts.hostname.rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    usual = 443 if parts.scheme == "https" else 80
    return shown if parts.port in (None, usual) else f"{shown}:{parts.port}"


def _written_host(text: str) -> str:
    return host_of(f"https://{text.strip()}") or text
