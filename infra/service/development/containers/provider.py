"""Where a worker runs: the port that `process`, `docker` and `daytona` implement."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal, Protocol

ProviderName = Literal["process", "docker", "daytona"]
WORKER = "infra.service.development.containers.worker"


class Channel(Protocol):
    """A worker that runs, and the lines between it and the host."""

    def lines(self) -> AsyncGenerator[str, None]:
        """What the worker writes, until it ends."""
        ...

    async def send(self, line: str) -> None: ...


class ContainerProvider(Protocol):
    @property
    def name(self) -> ProviderName: ...

    @property
    def is_tunnelled(self) -> bool:
        """Whether the container has no network, so that the proxy is asked through the host."""
        ...

    def start(self, workspace: Path, workflow_id: str) -> AbstractAsyncContextManager[Channel]:
        """A worker over ``workspace``; behind the block nothing of the container is left.

        Raises SandboxError: the container cannot be made, and nothing was run outside of one.
        """
        ...

    def workspace_inside(self, workspace: Path) -> str:
        """The path of ``workspace`` as the worker sees it."""
        ...
