# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Operation."""

from __future__ import annotations

from typing import Any

from infra.client import models
from infra.client.connection import Connection, Pages


class Operation(Connection):
    def check_health(self) -> models.operation.Health:
        """The process serves requests; what it rests on may not."""
        return self._read(models.operation.Health, "/health")

    def check_ready(self) -> models.operation.Readiness:
        """Broker, database and topics are there; 503 says which one is not."""
        return self._read(models.operation.Readiness, "/ready", also=(503,))

    def read_metrics(self) -> str:
        """Counts and lag in the text form of Prometheus."""
        return self._read(str, "/metrics")

    def read_openapi(self) -> dict[str, Any]:
        """This document; also at `/openapi.json`, where tools look for it."""
        return self._read(dict[str, Any], "/v1/openapi.json")

    def read_capabilities(self) -> models.operation.Capabilities:
        """Version, engines, kinds of connectors, formats, roles, areas and limits."""
        return self._read(models.operation.Capabilities, "/v1/capabilities")

    def list_dead_letters(
        self, *, resolved: bool | None = None
    ) -> Pages[models.operation.DeadLetter]:
        """Records that could not be processed, of the projects of the token."""
        return self._list(
            models.operation.DeadLetter, "/v1/admin/dlq", query={"resolved": resolved}
        )

    def retry_dead_letter_once(
        self, dead_letter_id: str, *, key: str | None = None
    ) -> models.operation.RetriedDeadLetter:
        """Publish the record of a dead letter once more."""
        return self._write(
            models.operation.RetriedDeadLetter,
            "POST",
            "/v1/admin/dlq/{dead_letter_id}/retry",
            at={"dead_letter_id": dead_letter_id},
            key=key,
        )

    def read_audit(self) -> Pages[models.operation.AuditRow]:
        """Every write that was asked for over HTTP, oldest first."""
        return self._list(models.operation.AuditRow, "/v1/admin/audit")

    def read_project_audit(self, project: str) -> Pages[models.operation.AuditRow]:
        """Every write to the project that was asked for over HTTP, oldest first."""
        return self._list(
            models.operation.AuditRow, "/v1/projects/{project}/audit", at={"project": project}
        )
