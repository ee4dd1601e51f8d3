"""A web process in the process of a test, so that commands find a service of their home."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import structlog
import uvicorn
from pydantic import BaseModel, TypeAdapter

from infra.http.app import create_app
from infra.http.connections import Connections
from infra.http.serve import options_of
from infra.platform.settings import Settings
from infra.runtime.local.http_address import record_address
from infra.runtime.local.process import wait_until
from infra.service.access.tokens import ensure_owner_token

STARTS_WITHIN_S = 60.0

T = TypeVar("T")


def as_client(kind: type[T], answered: BaseModel) -> T:
    """What the service answers as the client reads it."""
    return TypeAdapter(kind).validate_json(answered.model_dump_json())


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """The API over the servers that ``settings`` name, found by ``settings.home``; its address."""
    settings.run_folder.mkdir(parents=True, exist_ok=True)
    ensure_owner_token(settings)
    app = create_app(settings.model_copy(update={"http": "127.0.0.1:0"}), os.environ)
    options = options_of(Connections())
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, **options))
    thread = threading.Thread(target=server.run, daemon=True)
    before = structlog.get_config()
    # What it logs is not what a command prints, which is caught in this process.
    structlog.configure(**(before | {"logger_factory": structlog.PrintLoggerFactory(sys.stderr)}))
    thread.start()
    try:
        assert wait_until(lambda: server.started, timeout_s=STARTS_WITHIN_S)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        record_address(settings, f"http://{host}:{port}")
        yield f"http://{host}:{port}"
    finally:
        app.state.api.hub.end()
        server.should_exit = True
        thread.join()
        structlog.configure(**before)
