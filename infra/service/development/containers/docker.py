"""The provider `docker`: a container without a network, over the socket of a Docker engine.

Docker Engine API, version 1.41 and later: create a container, attach (the connection is taken over
for lines in both directions), start, and delete. The image must have Cairn installed. Git's own
folders of the workspace are covered, as behind the walls of this machine.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from agents.development.errors import ConfigurationError, SandboxError
from agents.models.records import get_text, read_object
from infra.runtime.walls.layout import SANDBOX_ID
from infra.runtime.walls.workspace import Handover, entries_of
from infra.service.development.containers.framed import FrameReader, split_lines
from infra.service.development.containers.provider import WORKER, ProviderName

VERSION = "v1.41"
SOCKET = "/var/run/docker.sock"
UNIX = "unix://"
IMAGE = "cairn:latest"
INSIDE = "/workspace"
ASKING_S = 60.0
STDERR_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class DockerSettings:
    image: str
    socket: str = SOCKET
    memory_bytes: int = 2 * 1024**3
    processes: int = 256
    scratch_bytes: int = 256 * 1024**2


def read_docker_settings(environ: Mapping[str, str]) -> DockerSettings:
    """Raises ConfigurationError for an engine elsewhere."""
    host = environ.get("DOCKER_HOST") or f"{UNIX}{SOCKET}"
    if not host.startswith(UNIX):
        raise ConfigurationError(f"DOCKER_HOST is {host}: a socket of this machine is needed.")
    return DockerSettings(environ.get("SANDBOX_IMAGE") or IMAGE, host.removeprefix(UNIX))


class DockerProvider:
    """Each worker is a container of its own, which is removed behind it."""

    name: ProviderName = "docker"
    is_tunnelled = True

    def __init__(self, settings: DockerSettings) -> None:
        self._settings = settings

    def workspace_inside(self, workspace: Path) -> str:
        return INSIDE

    @asynccontextmanager
    async def start(self, workspace: Path, workflow_id: str) -> AsyncIterator[_AttachedChannel]:
        """Raises SandboxError."""
        body = await asyncio.to_thread(self._word_container, workspace, workflow_id)
        container = get_text(await self._ask("POST", "/containers/create", body), "Id")
        if not container:
            raise SandboxError("The Docker engine has made no container, and gave no reason.")
        channel = _AttachedChannel()
        handover = await asyncio.to_thread(Handover, Path(os.path.realpath(workspace)))
        try:
            await asyncio.to_thread(handover.take)
            await channel.attach(self._settings.socket, container)
            await self._ask("POST", f"/containers/{container}/start")
            await channel.wait_until_ready()
            yield channel
        finally:
            channel.close()
            with suppress(SandboxError):  # a label names what an engine that is away has kept
                await self._ask("DELETE", f"/containers/{container}?force=1&v=1")
            await asyncio.to_thread(handover.give_back)

    def _word_container(self, workspace: Path, workflow_id: str) -> dict[str, Any]:
        settings, is_root = self._settings, os.geteuid() == 0
        user = SANDBOX_ID if is_root else os.geteuid()
        group = SANDBOX_ID if is_root else os.getegid()
        real = Path(os.path.realpath(workspace))
        covered = {
            f"{INSIDE}/{os.path.relpath(entry.path, real)}": entry.is_folder
            for entry in entries_of(real)
            if entry.is_git_directory
        }
        empty = {path: "ro,size=4096" for path, is_folder in covered.items() if is_folder}
        nothing = [f"/dev/null:{path}:ro" for path, is_folder in covered.items() if not is_folder]
        return {
            "Image": settings.image,
            "Cmd": ["python", "-P", "-m", WORKER],
            "WorkingDir": INSIDE,
            "User": f"{user}:{group}",
            "Env": ["HOME=/tmp", "LANG=C.UTF-8"],
            "Labels": {"cairn.workflow": workflow_id},
            "Tty": False,
            "OpenStdin": True,
            "StdinOnce": True,
            "AttachStdin": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "NetworkDisabled": True,
            "HostConfig": {
                "Binds": [f"{real}:{INSIDE}:rw", *nothing],
                "NetworkMode": "none",
                "ReadonlyRootfs": True,
                "Tmpfs": {"/tmp": f"rw,nosuid,nodev,size={settings.scratch_bytes}", **empty},
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"],
                "PidsLimit": settings.processes,
                "Memory": settings.memory_bytes,
                "MemorySwap": settings.memory_bytes,
                "Init": True,
            },
        }

    async def check(self) -> None:
        """Whether the engine answers and has the image. Raises SandboxError."""
        await self._ask("GET", f"/images/{self._settings.image}/json")

    async def _ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        transport = httpx.AsyncHTTPTransport(uds=self._settings.socket)
        try:
            async with httpx.AsyncClient(transport=transport, timeout=ASKING_S) as client:
                url = f"http://docker/{VERSION}{path}"
                answer = await client.request(method, url, json=body)
        except httpx.HTTPError as error:
            raise SandboxError(
                f"No Docker engine answers at {self._settings.socket}: {error or 'silence'}. Start"
                " it, or choose another sandbox in the profile."
            ) from error
        record = read_object(answer.text)
        if answer.status_code >= 400:
            words = get_text(record, "message") or answer.text[:200]
            raise SandboxError(f"The Docker engine refuses ({answer.status_code}): {words}")
        return record


class _AttachedChannel:
    """The connection on which the engine passes on a container's input and output."""

    def __init__(self) -> None:
        self._frames = FrameReader()
        self._writer: asyncio.StreamWriter | None = None

    async def attach(self, socket: str, container: str) -> None:
        """Raises SandboxError."""
        query = "stream=1&stdin=1&stdout=1&stderr=1"
        request = (
            f"POST /{VERSION}/containers/{container}/attach?{query} HTTP/1.1\r\n"
            "Host: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n"
        )
        try:
            async with asyncio.timeout(ASKING_S):
                reader, self._writer = await asyncio.open_unix_connection(socket)
                self._writer.write(request.encode())
                await self._writer.drain()
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as e:
            raise SandboxError(f"The Docker engine did not attach to a container: {e}") from e
        status = head.split(" ", 2)[1:2]
        if status not in (["101"], ["200"]):
            line = head.splitlines()[0]
            raise SandboxError(f"The Docker engine did not attach to a container: {line}")
        self._lines = split_lines(self._frames.read(reader))

    async def wait_until_ready(self) -> None:
        """Raises SandboxError."""
        try:
            async with asyncio.timeout(ASKING_S):
                line = await anext(self._lines, "")
        except TimeoutError:
            line = ""
        if read_object(line).get("ready") is not True:
            errors = self._frames.errors[-STDERR_CHARS:].strip()
            raise SandboxError(f"A worker could not begin in its container: {errors or line!r}")

    async def lines(self) -> AsyncGenerator[str, None]:
        async for line in self._lines:
            yield line

    async def send(self, line: str) -> None:
        if self._writer is None:
            return
        with suppress(ConnectionError):  # that it has ended is seen by its last line
            self._writer.write(line.encode("utf-8", "replace") + b"\n")
            await self._writer.drain()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
