"""The operations of the area Webhooks."""

from __future__ import annotations

from typing import Any

from infra.client.connection import Connection
from infra.client.models.webhooks import Accepted


class Webhooks(Connection):
    def receive_delivery(
        self, service: str, project: str, body: dict[str, Any], *, key: str | None = None
    ) -> Accepted:
        """Take a delivery; the secret of the connector has signed it as its service does."""
        return self._write(
            Accepted,
            "POST",
            "/v1/webhooks/{service}/{project}",
            at={"service": service, "project": project},
            key=key,
            body=body,
        )
