"""The application object over a database of its own: for tests that need no running service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.platform import postgres
from infra.platform.settings import Settings
from infra.service.access.tokens import ensure_owner_token, read_owner_token
from tests.databases import migrated_beside, new_name


@dataclass
class Apart:
    settings: Settings
    app: FastAPI
    client: TestClient
    """It asks as owner."""

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with postgres.connect(self.settings.conninfo, autocommit=True) as connection:
            cursor = connection.execute(query.encode(), values)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def apart(installation: Settings, home: Path, **changes: object) -> Iterator[Apart]:
    """An application with a migrated database in the servers of ``installation``."""
    name = new_name()
    url = migrated_beside(installation.conninfo, name)
    names = {"home": home, "database_url": url, "topic_prefix": name}
    settings = installation.model_copy(update=names | changes)
    ensure_owner_token(settings)
    app = create_app(settings)
    # The origin is what a browser sends with each form.
    origin = "http://localhost"
    headers = {"authorization": f"Bearer {read_owner_token(settings)}", "origin": origin}
    with TestClient(app, base_url=origin, headers=headers) as client:
        yield Apart(settings, app, client)
