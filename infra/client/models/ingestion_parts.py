"""What the models of the area Ingestion are made of."""

from __future__ import annotations

from infra.client.connection import Model


class DocumentBody(Model):
    path: str
    text: str
