"""Live streams over HTTP: everything once and in order, through kills, for slow clients too."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from infra.local.process import wait_until
from infra.service.publishing import make_request, publish
from projections.read import streams
from projections.read.session import reading
from schemas.events.stream import StreamFrame
from tests.http.conftest import Called
from tests.http.listening import Following, listen

pytestmark = pytest.mark.broker
PATIENCE_S = 120
CLIENTS, STALLED, FRAMES = 100, 10, 2_000
MORE = "x" * 300  # so that what is on its way outgrows every buffer between
LAST = f'data: {{"n":{FRAMES - 1},"more":"{MORE}"}}\n'.encode()


@pytest.fixture
def page(called: Called) -> Iterator[Path]:
    """A page of the ingested folder, which a test may change; it is put back afterwards."""
    path = called.folder / "README.md"
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


def frames_in_table(called: Called, stream_id: str, after: int) -> list[int]:
    with reading(called.cairn.settings_now().conninfo) as connection:
        return [each.seq for each in streams.frames(connection, stream_id, after, 10_000)]


def publish_frames(called: Called, stream_id: str, ordinals: range) -> None:
    facts = [
        make_request(
            StreamFrame(
                stream_id=stream_id,
                ordinal=ordinal,
                name="progress",
                data=f'{{"n":{ordinal},"more":"{MORE}"}}',
            ),
            called.project,
            "ada",
        )
        for ordinal in ordinals
    ]
    asyncio.run(publish(called.cairn.settings_now(), facts))


def test_an_ingest_is_told_live_through_a_kill_of_the_server(called: Called, page: Path):
    following = Following(called, called.project)
    following.start()
    assert wait_until(lambda: following.connections > 0, timeout_s=PATIENCE_S)
    page.write_text(page.read_text() + "\nThe service must print a label for each parcel.\n")
    ingest = called.cairn.start(
        *("ingest", str(called.folder), "--project", "Parcel", "--wait"),
        *("--idempotency-key", "told live"),
    )
    assert wait_until(lambda: following.has("run", status="running"), timeout_s=PATIENCE_S)
    killed = called.cairn.kill("web")
    assert killed and wait_until(
        lambda: called.cairn.runs_again("web", killed), timeout_s=PATIENCE_S
    )
    _, error = ingest.communicate(timeout=PATIENCE_S)
    assert ingest.returncode == 0, error
    first = following.heard[0].seq
    expected = frames_in_table(called, called.project, first - 1)
    assert wait_until(lambda: len(following.heard) >= len(expected), timeout_s=PATIENCE_S)
    following.stop = True

    assert [frame.seq for frame in following.heard] == expected
    assert following.connections > 1
    told = {frame.name for frame in following.heard}
    assert {"run", "progress", "phase", "prd_section", "settled"} <= told


def test_a_run_is_told_from_its_beginning_and_a_client_that_has_all_gets_no_more(
    called: Called, ask: Callable[..., Any]
):
    run = ask("/ingestion-runs")["items"][0]["run_id"]
    with called.client() as client:
        frames = list(listen(client, run))
        rest = list(listen(client, run, frames[1].id))
        over = client.get(f"/v1/streams/{run}", headers={"last-event-id": frames[-1].id})

    assert (frames[0].data["status"], frames[-1].name) == ("running", "done")
    assert rest == frames[2:]
    assert over.status_code == 204


def test_an_unknown_frame_gives_a_reset_and_then_everything(
    called: Called, ask: Callable[..., Any]
):
    run = ask("/ingestion-runs")["items"][0]["run_id"]
    with called.client() as client:
        whole = list(listen(client, run))
        for unknown in (f"{whole[0].id}999999", "ab12-3"):
            again = list(listen(client, run, unknown))
            assert again[0].name == "reset" and again[1:] == whole
        malformed = client.get(f"/v1/streams/{run}", headers={"last-event-id": "yesterday"})

    assert malformed.status_code == 400
    assert malformed.json()["code"] == "event_id_invalid"


def test_a_stream_of_another_project_is_not_there(called: Called):
    stranger = called.make_token("pm", called.other)
    with called.client(stranger) as client:
        theirs = client.get(f"/v1/streams/{called.project}")
        nobodys = client.get("/v1/streams/run_nobody")

    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.json()["code"] == nobodys.json()["code"] == "stream_unknown"


def test_a_revoked_token_ends_its_streams(called: Called):
    with called.client() as owner:
        made = owner.post(
            "/v1/tokens", json={"name": "short", "role": "pm", "projects": [called.project]}
        ).json()
        before, ended = clients(called), threading.Event()

        def follow() -> None:
            with called.client(made["token"]) as client:
                list(listen(client, called.project))
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        assert wait_until(lambda: clients(called) > before, timeout_s=PATIENCE_S)
        assert owner.delete(f"/v1/tokens/{made['token_id']}").status_code in (200, 204)

        assert ended.wait(PATIENCE_S)


def clients(called: Called) -> int:
    """How many clients follow a stream, as the server counts them."""
    with called.client() as client:
        (line,) = re.findall(r"^cairn_stream_clients{} (\d+)$", client.get("/metrics").text, re.M)
    return int(line)


async def read_all(url: str, token: str, stream_id: str, opened: asyncio.Semaphore) -> bytes:
    """The whole body of a finite stream, over a plain socket."""
    sock = await asyncio.to_thread(connect, url, token, stream_id)
    reader, writer = await asyncio.open_connection(sock=sock)
    await reader.readuntil(b"\r\n\r\n")
    opened.release()
    body = bytearray()
    while chunk := await reader.read(65_536):
        body += chunk
        if LAST in body[-65_536 - len(LAST) :]:
            break
    writer.close()
    return bytes(body)


def connect(url: str, token: str, stream_id: str) -> socket.socket:
    """A client with little room that has asked for the stream and has read nothing of it."""
    address = urlsplit(url)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    sock.connect((address.hostname, address.port))
    sock.sendall(
        f"GET /v1/streams/{stream_id} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n".encode()
    )
    return sock


def test_everybody_gets_everything_while_some_do_not_read(called: Called):
    stream = called.project

    before = clients(called)
    stalled = [connect(called.url, called.token, stream) for _ in range(STALLED)]

    async def follow_all() -> list[bytes]:
        opened = asyncio.Semaphore(0)
        tasks = [
            asyncio.create_task(read_all(called.url, called.token, stream, opened))
            for _ in range(CLIENTS)
        ]
        for _ in range(CLIENTS):
            await opened.acquire()
        for start in range(0, FRAMES, 500):
            await asyncio.to_thread(publish_frames, called, stream, range(start, start + 500))
        return await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)

    bodies = asyncio.run(follow_all())

    whole = re.compile(rf'^data: {{"n":(\d+),"more":"{MORE}"}}$'.encode(), re.M)
    for body in bodies:
        assert [int(n) for n in whole.findall(body)] == list(range(FRAMES))
    assert wait_until(lambda: clients(called) <= before, timeout_s=PATIENCE_S)
    for sock in stalled:
        sock.close()
