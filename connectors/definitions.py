"""The connected services, folded from ``project.v1``, and the secrets they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from connectors.connector import SourceRefused, UnknownSource
from connectors.transport import Secret
from schemas import ids
from schemas.envelope import Envelope
from schemas.events.connector import ConnectorAdded, ConnectorRemoved, CursorMoved
from schemas.events.project import ProjectDeleted

MAX_SECRET_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Definition:
    """One connected service of one project, as last added."""

    project_id: str
    added: ConnectorAdded

    @property
    def connector_id(self) -> str:
        return self.added.connector_id

    @property
    def credentials(self) -> dict[str, str]:
        return {each.role: each.location for each in self.added.credentials}


def connector_id(project_id: str, service: str, base_url: str, target: str) -> str:
    """The same target of the same service is the same connector, however often it is added."""
    return ids.derive_id("con", project_id, service, base_url, target)


def definitions(
    facts: Iterable[Envelope], earlier: dict[str, Definition] | None = None
) -> dict[str, Definition]:
    """The connectors by id, in the order in which they were first added."""
    by_id = {} if earlier is None else earlier
    for fact in facts:
        match fact.event:
            case ConnectorAdded() as event:
                by_id[event.connector_id] = Definition(fact.project_id, event)
            case ConnectorRemoved() as event:
                by_id.pop(event.connector_id, None)
            case ProjectDeleted():
                for known_id, definition in list(by_id.items()):
                    if definition.project_id == fact.project_id:
                        del by_id[known_id]
            case _:
                pass
    return by_id


Cursors = dict[str, dict[str, CursorMoved]]


def cursors(facts: Iterable[Envelope], earlier: Cursors | None = None) -> Cursors:
    """The last cursor of each stream, by connector and stream."""
    by_stream = {} if earlier is None else earlier
    for fact in facts:
        if isinstance(fact.event, CursorMoved):
            by_stream.setdefault(fact.event.connector_id, {})[fact.event.stream] = fact.event
    return by_stream


def secret_at(place: str, environ: Mapping[str, str]) -> Secret:
    """Reads the secret of ``env:NAME`` or ``file:PATH``.

    Raises SourceRefused when there is none.
    """
    kind, _, name = place.partition(":")
    if kind == "env":
        if not environ.get(name, "").strip():
            raise SourceRefused(
                f"The environment variable {name} is not set: set it to the secret."
            )
        return Secret(environ[name].strip())
    try:
        with Path(name).expanduser().open("rb") as file:
            text = file.read(MAX_SECRET_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceRefused(f"The secret file {name} cannot be read: check its path.") from error
    if not text:
        raise SourceRefused(f"The secret file {name} is empty.")
    return Secret(text)


def check_credential(written: str) -> str:
    """Returns ``written`` if it names a place; refuses a secret itself.

    Raises UnknownSource.
    """
    kind, _, name = written.partition(":")
    if kind not in ("env", "file") or not name:
        raise UnknownSource(
            "Give the place of a credential, env:NAME or file:PATH, not the credential itself."
        )
    return written
