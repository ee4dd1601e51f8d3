"""A stand-in for Daytona's API on loopback: a folder and processes where it has a sandbox.

Paths below ``/tmp/cairn`` of a sandbox are those of its folder here. No walls are around it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from infra.service.development.containers.provider import WORKER

ROOT = Path(__file__).parents[3]
PLACE = "/tmp/cairn"
KEY = "dtn_stand-in"


class Daytona:
    """``sandboxes``: those that were not deleted, each with what it was created with."""

    def __init__(self, folder: Path, worker: str, snapshots: tuple[str, ...] = ("cairn",)) -> None:
        self.sandboxes: dict[str, dict[str, Any]] = {}
        self.created: list[dict[str, Any]] = []
        self._folder, self._worker, self._snapshots = folder, worker, snapshots
        self._looks = 0

    def routes(self) -> list[web.RouteDef]:
        toolbox = "/api/toolbox/{id}/toolbox"
        session = f"{toolbox}/process/session"
        return [
            web.post("/api/sandbox", self.create),
            web.get("/api/sandbox/{id}", self.show),
            web.delete("/api/sandbox/{id}", self.delete),
            web.post(f"{toolbox}/files/upload", self.upload),
            web.get(f"{toolbox}/files/download", self.download),
            web.post(f"{toolbox}/process/execute", self.execute),
            web.post(session, self.open_session),
            web.post(session + "/{session}/exec", self.run),
            web.get(session + "/{session}/command/{command}/logs", self.follow),
        ]

    async def create(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"message": "Unauthorized", "statusCode": 401}, status=401)
        body = await request.json()
        if body["snapshot"] not in self._snapshots:
            return web.json_response({"message": "Snapshot not found"}, status=400)
        self.created.append(body)
        self.sandboxes["sbx-1"] = body
        (self._folder / "cairn").mkdir(exist_ok=True)
        return web.json_response({"id": "sbx-1", "state": "creating"})

    async def show(self, request: web.Request) -> web.Response:
        self._looks += 1
        state = "started" if self._looks > 1 else "creating"
        return web.json_response({"id": "sbx-1", "state": state})

    async def delete(self, request: web.Request) -> web.Response:
        del self.sandboxes[request.match_info["id"]]
        return web.json_response({})

    async def upload(self, request: web.Request) -> web.Response:
        data = await request.post()
        file = data["file"]
        assert isinstance(file, web.FileField)
        self._here(request.query["path"]).write_bytes(file.file.read())
        return web.json_response({})

    async def download(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(self._here(request.query["path"]))

    async def execute(self, request: web.Request) -> web.Response:
        process = await self._start((await request.json())["command"], None)
        output, _ = await process.communicate()
        return web.json_response({"exitCode": process.returncode, "result": output.decode()})

    async def open_session(self, request: web.Request) -> web.Response:
        return web.json_response({}, status=201)

    async def run(self, request: web.Request) -> web.Response:
        self._running = await self._start((await request.json())["command"], self._worker)
        return web.json_response({"cmdId": "cmd-1"}, status=202)

    async def follow(self, request: web.Request) -> web.StreamResponse:
        assert request.query["follow"] == "true"
        answer = web.StreamResponse()
        await answer.prepare(request)
        assert self._running.stdout
        while piece := await self._running.stdout.read(4096):
            await answer.write(b"\1\1\1" + piece if piece.startswith(b"{") else piece)
        return answer

    def _here(self, path: str) -> Path:
        return Path(path.replace(PLACE, str(self._folder / "cairn")))

    async def _start(self, command: str, worker: str | None) -> asyncio.subprocess.Process:
        here = command.replace(PLACE, str(self._folder / "cairn"))
        if worker:
            here = here.replace(f"python -P -m {WORKER}", f"{sys.executable} -P -m {worker}")
            request = self._folder / "cairn" / "request"
            request.write_text(request.read_text().replace(PLACE, str(self._folder / "cairn")))
        return await asyncio.create_subprocess_shell(
            here,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        )


@asynccontextmanager
async def daytona_server(folder: Path, worker: str) -> AsyncIterator[tuple[Daytona, str]]:
    folder.mkdir(exist_ok=True)
    server = Daytona(folder, worker)
    application = web.Application(client_max_size=1 << 30)
    application.add_routes(server.routes())
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield server, f"http://127.0.0.1:{port}/api"
    finally:
        await runner.cleanup()
