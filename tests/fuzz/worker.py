"""The process that reads inputs by our public ways in, and judges what came of each.

A finding is an exception that is no documented refusal, a refusal that does not name its source, a
word of a file outside of the root, a program that ran, a process that is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from connectors import sandbox
from connectors.connector import SourceRefused, SourceUnavailable, UnknownSource
from connectors.jira.export import records_in
from connectors.recognise import open_source
from connectors.rendering import render
from connectors.service_items import ServiceItem
from connectors.slack.export import SlackExport
from infra.runtime.local.process import wait_until
from tests.connectors.slack_side import admits, pseudonym
from tests.connectors.webhooks.doors import a_door
from tests.connectors.webhooks.senders import Sent
from tests.connectors.worlds import a_repository
from tests.fuzz.inputs import World

MARK = b"c4n4ry-0f-th3-0uts1d3"
REFUSALS = (SourceRefused, SourceUnavailable, UnknownSource)
MEMORY_BYTES = 3 * 1024**3
CPU_S = 2  # of a child, so that what runs to its limit does not eat the campaign
STATUSES = {200, 202, 400, 401, 408, 409, 413, 503}


class Finding(Exception):
    """Something that must not be."""


class Judge:
    """Reads inputs in a world of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.outside.mkdir(parents=True)
        world.secret.write_bytes(MARK)
        world.program.write_text(f"#!/bin/sh\ntouch {world.ran}\ncat\n")
        world.program.chmod(0o755)
        for hook in ("post-index-change", "pre-auto-gc", "reference-transaction"):
            shutil.copy(world.program, world.outside / hook)
        more = f"[core]\n\tfsmonitor = {world.program}\n\tpager = {world.program}\n"
        (world.outside / "more.config").write_text(more)
        self.tree = a_repository(world.folder / "tree", {"a.md": b"good\n", "b/c.md": b"good\n"})
        (self.tree / ".git" / "secret.md").write_bytes(MARK)
        (self.tree / "link").symlink_to(world.outside)
        (self.tree / "a.md").write_bytes(
            b"edit\n"
        )  # as long as before: git must look at what is in it
        self.sound = {
            name: (self.tree / ".git" / name).read_bytes() for name in ("config", "index")
        }

    def outcome_of(self, target: str, file: Path) -> str:
        """`read` or `refused`. Raises Finding, and whatever is a crash."""
        try:
            self._look_for_mark(target, getattr(self, target)(file))
            outcome = "read"
        except REFUSALS as error:
            self._look_for_mark(target, [str(error).encode("utf-8", "replace")])
            named = file.name if target not in ("git_index", "git_config") else str(self.tree)
            if named not in str(error):
                raise Finding(f"a refusal that does not name its source: {error}") from error
            outcome = "refused"
        if self.world.ran.exists():
            self.world.ran.unlink()
            raise Finding("a program of the source ran")
        if not wait_until(lambda: not psutil.Process().children(), timeout_s=10):
            raise Finding("a child process is left")
        return outcome

    def _look_for_mark(self, target: str, told: list[bytes]) -> None:
        if any(MARK in each for each in told):
            raise Finding("a file outside of the root was read")

    def tar(self, file: Path) -> list[bytes]:
        return self._read(file)

    def zip(self, file: Path) -> list[bytes]:
        return self._read(file)

    def git_index(self, file: Path) -> list[bytes]:
        with self._tree_with({"index": file.read_bytes()}, b"* text\n"):
            return self._read(self.tree)

    def git_config(self, file: Path) -> list[bytes]:
        given = {name: bytes.fromhex(it) for name, it in json.loads(file.read_bytes()).items()}
        with self._tree_with({"config": given["config"]}, given["attributes"]):
            return self._read(self.tree)

    def jira_export(self, file: Path) -> list[bytes]:
        return [
            render(item) for item in records_in(file, "acme").items if isinstance(item, ServiceItem)
        ]

    def slack_export(self, file: Path) -> list[bytes]:
        export = SlackExport(file)
        try:
            channels = export.channels()
            return [
                render(item)
                for channel in channels
                for item in export.threads(channel, pseudonym, admits).items
            ]
        finally:
            export.close()

    def webhook(self, file: Path) -> list[bytes]:
        given = json.loads(file.read_bytes())
        sent = Sent(given["service"], bytes.fromhex(given["body"]), given["headers"])
        return asyncio.run(self._delivered(sent))

    async def _delivered(self, sent: Sent) -> list[bytes]:
        async with a_door(self.world.folder) as door:
            try:
                status, answer = await door.send(sent)
            except (aiohttp.ClientError, UnicodeError):
                return []  # a header that no client sends
            assert door.server
            if door.server.broken is not None:
                raise door.server.broken
            if status not in STATUSES:
                raise Finding(f"an answer of status {status}")
            return [json.dumps(answer).encode()]

    def _read(self, source: Path) -> list[bytes]:
        told: list[bytes] = []
        opened = open_source(str(source), None, self.world.folder / "clones", lambda line: None)
        with opened.list() as listing:
            told += [notice.path.encode() for notice in listing.notices]
            for item in listing.items:
                told.append(item.path.encode())
                with contextlib.suppress(SourceUnavailable):
                    told.append(item.read())
        return told

    @contextlib.contextmanager
    def _tree_with(self, files: dict[str, bytes], attributes: bytes) -> Iterator[None]:
        for name, content in (self.sound | files).items():
            (self.tree / ".git" / name).write_bytes(content)
        (self.tree / ".gitattributes").write_bytes(attributes)
        yield


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sandbox.CPU_S = CPU_S
    judge = Judge(World(Path(sys.argv[1])))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        target, file = json.loads(line)
        answer: dict[str, Any]
        try:
            answer = {"outcome": judge.outcome_of(target, Path(file))}
        except Finding as error:
            answer = {"finding": str(error)}
        except Exception as error:
            answer = {"finding": f"{type(error).__name__}: {error}"[:2_000]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
