"""The provider `daytona`: a sandbox in the cloud of Daytona, or on a server of one's own.

Its REST API: create a sandbox, toolbox (files, sessions, logs that are followed), delete. The
workspace travels there and back. The sandbox has a network, to the address of the model proxy
alone, so the proxy must be reachable from there. The snapshot must have Cairn installed.
"""

from __future__ import annotations

import asyncio
import shlex
import socket
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from agents.development.errors import SandboxError
from agents.models.records import get_count, get_text, read_object
from infra.service.development.containers.framed import split_lines
from infra.service.development.containers.provider import WORKER, ProviderName
from infra.service.development.containers.transfer import pack, unpack

ADDRESS = "https://app.daytona.io/api"
PLACE = "/tmp/cairn"
INSIDE = f"{PLACE}/workspace"
ASKING_S = 120.0
STARTS_WITHIN_S = 300.0
LOOK_EVERY_S = 1.0
STOPS_AFTER_MINUTES = 90  # of nothing, in case that nobody deletes it
SESSION = "cairn"
FAILED = ("error", "build_failed", "destroyed", "destroying", "archived")


@dataclass(frozen=True, slots=True)
class DaytonaSettings:
    """``proxy_url``: the model proxy as it is reached from a sandbox."""

    key: str
    snapshot: str
    proxy_url: str
    address: str = ADDRESS
    starts_within_s: float = STARTS_WITHIN_S

    def __repr__(self) -> str:
        return f"DaytonaSettings(snapshot={self.snapshot!r}, address={self.address!r})"


class DaytonaProvider:
    """Each worker is a sandbox of its own, which is deleted behind it."""

    name: ProviderName = "daytona"
    is_tunnelled = False

    def __init__(self, settings: DaytonaSettings) -> None:
        self._settings = settings

    def workspace_inside(self, workspace: Path) -> str:
        return INSIDE

    @asynccontextmanager
    async def start(self, workspace: Path, workflow_id: str) -> AsyncIterator[_SandboxChannel]:
        """Raises SandboxError."""
        headers = {"Authorization": f"Bearer {self._settings.key}"}
        timeout = httpx.Timeout(ASKING_S)
        async with httpx.AsyncClient(headers=headers, timeout=timeout) as client:
            api = _Api(client, self._settings.address.rstrip("/"))
            sandbox = await self._create(api, workflow_id)
            try:
                await self._wait_until_started(api, sandbox)
                channel = _SandboxChannel(api, sandbox)
                await channel.bring(workspace)
                try:
                    yield channel
                except BaseException:  # what was done until then is kept, if that can be
                    with suppress(SandboxError):
                        await channel.fetch(workspace)
                    raise
                await channel.fetch(workspace)
            finally:
                with suppress(SandboxError):  # it stops by itself, and its label names the workflow
                    await api.ask("DELETE", f"/sandbox/{sandbox}")

    async def _create(self, api: _Api, workflow_id: str) -> str:
        addresses = await asyncio.to_thread(_list_addresses, self._settings.proxy_url)
        body = {
            "snapshot": self._settings.snapshot,
            "env": {},
            "labels": {"cairn.workflow": workflow_id},
            "public": False,
            "networkAllowList": ",".join(f"{address}/32" for address in addresses),
            "autoStopInterval": STOPS_AFTER_MINUTES,
            "autoDeleteInterval": 0,
        }
        sandbox = get_text(await api.ask("POST", "/sandbox", json=body), "id")
        if not sandbox:
            raise SandboxError("Daytona has made no sandbox, and gave no reason.")
        return quote(sandbox, safe="")

    async def _wait_until_started(self, api: _Api, sandbox: str) -> None:
        try:
            async with asyncio.timeout(self._settings.starts_within_s):
                while True:
                    record = await api.ask("GET", f"/sandbox/{sandbox}")
                    state = get_text(record, "state")
                    if state == "started":
                        return
                    if state in FAILED:
                        reason = get_text(record, "errorReason") or "no reason given"
                        raise SandboxError(f"A sandbox of Daytona is {state}: {reason}")
                    await asyncio.sleep(LOOK_EVERY_S)
        except TimeoutError:
            raise SandboxError("A sandbox of Daytona did not start in time.") from None


class _Api:
    def __init__(self, client: httpx.AsyncClient, address: str) -> None:
        self._client, self._address = client, address

    async def ask(self, method: str, path: str, **given: Any) -> Mapping[str, Any]:
        """Raises SandboxError."""
        async with self.open(method, path, **given) as answer:
            return read_object((await answer.aread()).decode("utf-8", "replace"))

    @asynccontextmanager
    async def open(self, method: str, path: str, **given: Any) -> AsyncIterator[httpx.Response]:
        """An answer whose body is read by the caller. Raises SandboxError."""
        try:
            async with self._client.stream(method, f"{self._address}{path}", **given) as answer:
                if answer.status_code >= 300:
                    text = (await answer.aread()).decode("utf-8", "replace")
                    words = get_text(read_object(text), "message") or text[:200]
                    raise SandboxError(f"Daytona refuses ({answer.status_code}): {words}")
                yield answer
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SandboxError(f"{self._address} does not answer: {error or 'silence'}") from error


class _SandboxChannel:
    """A sandbox with a workspace in it; the first line that is sent starts its worker."""

    def __init__(self, api: _Api, sandbox: str) -> None:
        self._api, self._toolbox = api, f"/toolbox/{sandbox}/toolbox"
        self._command = ""

    async def bring(self, workspace: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
            archive = Path(folder) / "workspace.tgz"
            await asyncio.to_thread(pack, workspace, archive)
            await self._execute(f"mkdir -p {INSIDE}")
            with archive.open("rb") as file:
                await self._upload(f"{PLACE}/workspace.tgz", file)
        await self._execute(f"tar -xzf {PLACE}/workspace.tgz -C {INSIDE}")

    async def fetch(self, workspace: Path) -> None:
        """Have the workspace here hold what it holds there. Raises SandboxError."""
        await self._execute(f"tar -czf {PLACE}/result.tgz -C {INSIDE} .")
        with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
            archive = Path(folder) / "result.tgz"
            path = f"{self._toolbox}/files/download"
            params = {"path": f"{PLACE}/result.tgz"}
            async with self._api.open("GET", path, params=params) as answer:
                with archive.open("wb") as file:
                    async for piece in answer.aiter_bytes():
                        file.write(piece)
            await asyncio.to_thread(unpack, archive, workspace)

    async def send(self, line: str) -> None:
        """The request. A worker with a network asks nothing else of its host."""
        if self._command:
            return
        await self._upload(f"{PLACE}/request", line.encode("utf-8", "replace") + b"\n")
        session = f"{self._toolbox}/process/session"
        await self._api.ask("POST", session, json={"sessionId": SESSION})
        worker = f"python -P -m {WORKER} 2>{PLACE}/errors"
        run = f"cd {INSIDE} && cat {PLACE}/request | {worker}"
        record = await self._api.ask(
            "POST", f"{session}/{SESSION}/exec", json={"command": run, "runAsync": True}
        )
        self._command = get_text(record, "cmdId")
        if not self._command:
            raise SandboxError("Daytona has started no worker, and gave no reason.")

    async def lines(self) -> AsyncGenerator[str, None]:
        command = quote(self._command, safe="")
        path = f"{self._toolbox}/process/session/{SESSION}/command/{command}/logs"
        timeout = httpx.Timeout(ASKING_S, read=None)  # the driver has its own limit
        follow = {"follow": "true"}
        async with (
            self._api.open("GET", path, params=follow, timeout=timeout) as logs,
            aclosing(split_lines(logs.aiter_bytes())) as lines,
        ):
            async for line in lines:
                yield line.replace("\1", "")  # newer servers mark standard output with it

    async def _execute(self, command: str) -> None:
        body = {"command": f"sh -c {shlex.quote(command)}", "timeout": int(ASKING_S)}
        record = await self._api.ask("POST", f"{self._toolbox}/process/execute", json=body)
        if get_count(record, "exitCode") != 0:
            words = get_text(record, "result")[:500]
            raise SandboxError(f"A sandbox of Daytona cannot run {command!r}: {words}")

    async def _upload(self, path: str, content: Any) -> None:
        url = f"{self._toolbox}/files/upload"
        await self._api.ask("POST", url, params={"path": path}, files={"file": content})


def _list_addresses(url: str) -> list[str]:
    """The addresses to which a sandbox may speak. Raises SandboxError."""
    host = urlsplit(url).hostname or ""
    try:
        entries = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        raise SandboxError(f"The model proxy {host!r} has no address: {error}") from error
    return sorted({str(address[4][0]) for address in entries})
