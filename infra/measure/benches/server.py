"""An HTTP server of a bench's own, in a process of its own, over the database of the bench."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.http_address import read_address
from infra.service.access.tokens import ensure_owner_token, read_owner_token

STARTS_WITHIN_S = 60.0
# Serves the HTTP API at an address, with secrets of connectors, and tells once it is ready.
Serve = Callable[[Settings, Mapping[str, str], str, Callable[[], None]], None]


@dataclass(frozen=True, slots=True)
class Served:
    """Where a server listens, an owner's token for it, and its process."""

    url: str
    token: str
    pid: int


@contextmanager
def serving(conninfo: str, serve: Serve) -> Iterator[Served]:
    """A server without a limit of its rate, ended with the block. Raises Unavailable."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench-", ignore_cleanup_errors=True) as home:
        settings = Settings(home=Path(home), database_url=conninfo, http_rate=100_000)
        settings.run_folder.mkdir(parents=True)
        ensure_owner_token(settings)
        apart = multiprocessing.get_context("spawn")
        ready = apart.Event()
        process = apart.Process(target=_serve, args=(serve, settings, ready), daemon=True)
        process.start()
        try:
            if not ready.wait(STARTS_WITHIN_S):
                raise Unavailable(f"The API did not listen within {STARTS_WITHIN_S:.0f} s.")
            url, token = read_address(settings), read_owner_token(settings)
            assert url and process.pid
            yield Served(url, token, process.pid)
        finally:
            process.terminate()
            process.join()


def _serve(serve: Serve, settings: Settings, ready: Event) -> None:
    """What the server logs does not get between the figures."""
    with contextlib.redirect_stdout(sys.stderr):
        serve(settings, {}, "127.0.0.1:0", ready.set)
