# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Connectors."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection


class Connectors(Connection):
    def list_connectors(self, project: str) -> list[models.connectors.ConnectorState]:
        """Connected services, and how far each stream is read."""
        return self._read(
            list[models.connectors.ConnectorState],
            "/v1/projects/{project}/connectors",
            at={"project": project},
        )

    def add_connector(
        self, project: str, body: models.connectors.ConnectorRequest, *, key: str | None = None
    ) -> models.connectors.ConnectorAddition:
        """Connect a service; the same target again replaces what was set before."""
        return self._write(
            models.connectors.ConnectorAddition,
            "POST",
            "/v1/projects/{project}/connectors",
            at={"project": project},
            key=key,
            body=body,
        )

    def read_connector(self, project: str, connector_id: str) -> models.connectors.ConnectorState:
        """A connected service, and how far each stream is read."""
        return self._read(
            models.connectors.ConnectorState,
            "/v1/projects/{project}/connectors/{connector_id}",
            at={"project": project, "connector_id": connector_id},
        )

    def remove_connector(self, project: str, connector_id: str, *, key: str | None = None) -> None:
        """Stop reading a service; what was read stays."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/connectors/{connector_id}",
            at={"project": project, "connector_id": connector_id},
            key=key,
        )

    def check_connector(
        self, project: str, connector_id: str, *, key: str | None = None
    ) -> models.connectors.ConnectorCheck:
        """Ask the service now which streams may be read, and which permission is missing."""
        return self._write(
            models.connectors.ConnectorCheck,
            "POST",
            "/v1/projects/{project}/connectors/{connector_id}/check",
            at={"project": project, "connector_id": connector_id},
            key=key,
        )

    def sync_connector(
        self,
        project: str,
        connector_id: str,
        body: models.connectors.SyncRequest | None = None,
        *,
        key: str | None = None,
    ) -> models.shared.Job:
        """Read what has changed, in a job; the poller does so by itself every ``interval_s``."""
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/connectors/{connector_id}/sync",
            at={"project": project, "connector_id": connector_id},
            key=key,
            body=body,
        )
