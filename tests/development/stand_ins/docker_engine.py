"""A stand-in for a Docker engine: its API on a socket file, and a process where it has a container.

It speaks the real protocol as far as the provider uses it: JSON answers, a connection that is taken
over by ``attach``, and output in frames of eight bytes and a content. No walls are around the
process, so it shows the protocol and nothing of isolation.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
KNOWN_IMAGES = ("cairn:test",)


class DockerEngine:
    """``requests``: all that was asked, ``containers``: those that were not removed."""

    def __init__(self, worker: str, *, floods: bool = False) -> None:
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self.containers: dict[str, dict[str, Any]] = {}
        self._worker, self._floods = worker, floods

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.splitlines()[0].split(" ")
            fields = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if line)
            content = await reader.readexactly(int(fields.get("content-length", 0)))
            body = json.loads(content) if content else {}
            self.requests.append((method, path, body))
            await self._answer(method, path, body, fields, reader, writer)
        writer.close()

    async def _answer(
        self,
        method: str,
        path: str,
        body: dict[str, Any],
        fields: dict[str, str],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        *_, last = (part for part in path.split("?")[0].split("/") if part)
        container = next((it for it in self.containers if it in path), None)
        if path.endswith("/containers/create"):
            if body["Image"] not in KNOWN_IMAGES:
                return send(writer, 404, {"message": f"No such image: {body['Image']}"})
            self.containers["c0ffee"] = {"body": body}
            return send(writer, 201, {"Id": "c0ffee", "Warnings": []})
        if "/images/" in path:
            image = path.split("/images/")[1].removesuffix("/json")
            if image not in KNOWN_IMAGES:
                return send(writer, 404, {"message": f"No such image: {image}"})
            return send(writer, 200, {"RepoTags": [image]})
        if container is None:
            return send(writer, 404, {"message": "No such container"})
        if last == "attach":
            assert fields["upgrade"] == "tcp"
            writer.write(
                b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
                b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
            )
            started = self.containers[container]["started"] = asyncio.Event()
            await started.wait()
            return await self._pass_on(self.containers[container], reader, writer)
        if last == "start":
            await self._start(self.containers[container])
            self.containers[container]["started"].set()
            return send(writer, 204, None)
        process = self.containers.pop(container).get("process")
        if process and process.returncode is None:
            process.kill()
            await process.wait()
        return send(writer, 204, None)

    async def _start(self, container: dict[str, Any]) -> None:
        workspace, inside, _ = container["body"]["HostConfig"]["Binds"][0].split(":")
        container["paths"] = (inside, workspace)
        pipe = asyncio.subprocess.PIPE
        container["process"] = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", self._worker),
            **{"stdin": pipe, "stdout": pipe, "stderr": pipe, "cwd": workspace},
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        )

    async def _pass_on(
        self,
        container: dict[str, Any],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        process = container["process"]
        inside, workspace = (path.encode() for path in container["paths"])

        async def pass_input() -> None:
            while piece := await reader.read(1 << 16):
                process.stdin.write(piece.replace(b'"' + inside + b'"', b'"' + workspace + b'"'))
                await process.stdin.drain()

        async def pass_output(stream: asyncio.StreamReader, number: int) -> None:
            while piece := await stream.read(1 if self._floods else 1 << 16):
                writer.write(struct.pack(">B3xI", number, len(piece)) + piece)
                await writer.drain()

        giving = asyncio.create_task(pass_input())
        writer.write(struct.pack(">B3xI", 2, 8) + b"warning\n")
        await asyncio.gather(pass_output(process.stdout, 1), pass_output(process.stderr, 2))
        giving.cancel()


def send(writer: asyncio.StreamWriter, status: int, record: dict[str, Any] | None) -> None:
    content = b"" if record is None else json.dumps(record).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)


@asynccontextmanager
async def docker_engine(socket: Path, worker: str, **given: bool) -> AsyncIterator[DockerEngine]:
    engine = DockerEngine(worker, **given)
    server = await asyncio.start_unix_server(engine.serve, str(socket))
    try:
        yield engine
    finally:
        server.close()
