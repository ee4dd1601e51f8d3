"""The model worker: the one process that knows the keys of model providers and their library.

It listens on loopback and demands a token. Both stand in a file of CAIRN_HOME that this user alone
can read, and stay the same over restarts. After a number of calls it puts a new process image in
its own place, since the library's memory grows; the socket stays open, so callers only wait.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from agents.models.catalogue import CLAUDE_CLI
from agents.models.client import WorkerClient, WorkerPlace
from infra.platform import loop
from infra.platform.files import write_whole
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.runtime.local.process import port_is_free
from infra.service.foundation.programs import MachinePrograms
from infra.service.models.file import ModelsFile, list_key_variables, read_fit_models

SOCKET = "CAIRN_MODEL_WORKER_SOCKET"  # the descriptor that a recycled worker hands on
# All that the worker's environment holds: how to find Python, its home and the way out. No address
# or password of database or broker, no key of the vault.
VARIABLES = frozenset(
    ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "LANG", "LC_ALL")
    + ("TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "K_SERVICE", "COVERAGE_PROCESS_START")
    + ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    + ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
    + ("USER", "LOGNAME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "NODE_EXTRA_CA_CERTS")
    + ("CAIRN_HOME", "CAIRN_PROCESS_NAME", "CAIRN_LOG_LEVEL", "CAIRN_MODELS")
    + ("CAIRN_OLLAMA_TTL_SECONDS", "CAIRN_OLLAMA_ENABLE_IN_CLOUD", "CAIRN_MODEL_FORMAT", SOCKET)
)

log = get("models")


def is_model_configured(settings: Settings) -> bool:
    """Whether there is work for the worker. A file that is unfit names no model."""
    known = read_fit_models(settings)
    return known.has_model or known.has_research or known.has_program


def find_model_worker(settings: Settings) -> WorkerClient | None:
    """Who asks the model worker of this home; None where none has ever run here."""
    place = _read_place(settings)
    if place is None:
        return None
    return WorkerClient(place.address, place.token, lambda: _read_place(settings))


def keep_variables(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    """What the model worker gets of an environment: its own variables, and the keys of providers
    that the file of models names.
    """
    kept = VARIABLES | list_key_variables(settings)
    return {name: value for name, value in environ.items() if name in kept}


def run_model_worker(
    settings: Settings,
    environ: Mapping[str, str],
    tell_ready: Callable[[], None],
    most_calls: int,
) -> None:
    """Answer calls until told to stop. Does not return: a recycled worker begins anew."""
    listening = _listen(settings, environ)
    place = _keep_place(settings, listening)
    # Loads the library; who asks meanwhile waits on the socket.
    from agents.models.claude_program import ClaudeProgram, RoutedProviders
    from agents.models.ollama import OllamaModels
    from agents.models.relay import Relay
    from agents.models.serving import serve_calls
    from agents.models.worker import LibraryProviders
    from infra.service.models import proxy_serving
    from infra.service.models.proxy_door import ProxyDoor

    at_proxy = proxy_serving.listen(settings)
    file = ModelsFile(settings, environ)
    # Cloud Run has no Ollama beside it.
    is_allowed = settings.ollama_enable_in_cloud or not environ.get("K_SERVICE")
    ollama = OllamaModels(ttl_s=settings.ollama_ttl_seconds, is_allowed=is_allowed)
    library = LibraryProviders(file.read, ollama, sends_format=settings.model_format == "auto")
    claude = ClaudeProgram(
        MachinePrograms(), lambda: file.read().find_provider(CLAUDE_CLI.name), environ
    )
    providers = RoutedProviders(library, claude)

    async def serve() -> None:
        door, is_over = ProxyDoor(settings, Relay(file.read)), asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(proxy_serving.serve_door(door, at_proxy, is_over))
            await serve_calls(listening, place.token, providers, most_calls)
            is_over.set()

    tell_ready()
    log.info("models.listening", address=place.address)
    loop.run(serve())
    log.info("models.recycled", calls=most_calls)
    os.set_inheritable(listening.fileno(), True)
    again = dict(environ) | {SOCKET: str(listening.fileno())}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], again)


def _place_file(settings: Settings) -> Path:
    return settings.run_folder / "model-worker.json"


def _read_place(settings: Settings) -> WorkerPlace | None:
    try:
        known = json.loads(_place_file(settings).read_text())
        return WorkerPlace(str(known["address"]), str(known["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _listen(settings: Settings, environ: Mapping[str, str]) -> socket.socket:
    """The socket that was handed on, else a new one, at the address of the last start if free."""
    if handed_on := environ.get(SOCKET):
        listening = socket.socket(fileno=int(handed_on))
        os.set_inheritable(listening.fileno(), False)
        return listening
    known = _read_place(settings)
    port = int(known.address.rpartition(":")[2]) if known else 0
    return socket.create_server(("127.0.0.1", port if port_is_free(port) else 0), backlog=512)


def _keep_place(settings: Settings, listening: socket.socket) -> WorkerPlace:
    known = _read_place(settings)
    host, port = listening.getsockname()[:2]
    place = WorkerPlace(f"{host}:{port}", known.token if known else secrets.token_urlsafe(32))
    written = json.dumps({"address": place.address, "token": place.token})
    write_whole(_place_file(settings), written, mode=0o600)
    return place
