"""Live streams over HTTP: everything once and in order, through kills, for slow clients too."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from infra.platform import postgres
from infra.runtime.local.process import wait_until
from projections.read import streams
from projections.read.session import reading
from tests.http.conftest import Called
from tests.http.listening import Following, listen

pytestmark = pytest.mark.broker
PATIENCE_S = 120
CLIENTS, STALLED, FRAMES = 40, 5, 800
MORE = '{"more":"' + "x" * 500 + '"}'  # so that what is on its way outgrows every buffer between
SEQ = re.compile(rb"^id: [0-9a-f]+-(\d+)$", re.M)
LAST = f"-{FRAMES - 1}\nevent: progress\ndata: {MORE}\n\n".encode()
FRAMES_AT_ONCE = """
    INSERT INTO stream_frames (event_id, project_id, stream_id, seq, name, data, is_last)
    SELECT gen_random_uuid(), %s, %s, seq, 'progress', %s, false FROM generate_series(0, %s) AS seq
"""


@pytest.fixture
def page(called: Called) -> Iterator[Path]:
    """A page of the ingested folder, which a test may change; it is put back afterwards."""
    path = called.folder / "README.md"
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


def frames_in_table(called: Called, stream_id: str, after: int) -> list[int]:
    with reading(called.cairn.settings_now().conninfo) as connection:
        return [each.seq for each in streams.list_frames(connection, stream_id, after, 10_000)]


def test_an_ingest_is_told_live_through_a_kill_of_the_server(called: Called, page: Path):
    following = Following(called, called.project)
    following.start()
    assert following.is_open.wait(PATIENCE_S)
    page.write_text(page.read_text() + "\nThe service must print a label for each parcel.\n")
    ingest = called.cairn.start(
        *("ingest", str(called.folder), "--project", "Parcel", "--wait"),
        *("--idempotency-key", "told-live"),
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


def test_a_loop_has_a_stream_with_all_its_items_whoever_left_in_the_middle(
    called: Called, ask: Callable[..., Any]
):
    loops = ask("/generation-loops", limit=100)["items"]
    with called.client() as client:
        loop, whole = next(
            (loop, whole)
            for loop in loops
            if len(whole := list(listen(client, loop["stream_id"]))) > 6  # three items or more
        )
        left = list(islice(listen(client, loop["stream_id"]), 4))
        rest = list(listen(client, loop["stream_id"], left[-1].id))

    assert [*left, *rest] == whole
    item, total = whole[2].name, whole[-1].data["total"]
    assert [each.name for each in whole] == ["started", "phase", *[item] * total, "phase", "done"]
    assert whole[-1].data["stop_reason"] == loop["stop_reason"]
    for made in whole[2:-2]:  # also what a later list holds no more
        assert ask(f"/artifacts/{made.data['id']}")["artifact_type"] == item


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
        opened, ended = threading.Event(), threading.Event()

        def follow() -> None:
            place = f"/v1/streams/{called.project}"
            with called.client(made["token"]) as client, client.stream("GET", place) as answer:
                opened.set()
                for _ in answer.iter_bytes():
                    pass
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        assert opened.wait(PATIENCE_S)
        assert owner.delete(f"/v1/tokens/{made['token_id']}").status_code in (200, 204)

        assert ended.wait(PATIENCE_S)


def clients(called: Called) -> int:
    """How many clients follow a stream, as the server counts them."""
    with called.client() as client:
        (line,) = re.findall(r"^cairn_stream_clients{} (\d+)$", client.get("/metrics").text, re.M)
    return int(line)


async def read_all(url: str, token: str, stream_id: str, opened: asyncio.Semaphore) -> bytes:
    """What comes on a stream up to the last frame, over a plain socket."""
    sock = await asyncio.to_thread(connect, url, token, stream_id)
    reader, writer = await asyncio.open_connection(sock=sock)
    await reader.readuntil(b"\r\n\r\n")
    opened.release()
    body = bytearray()
    while LAST not in body[-70_000:] and (chunk := await reader.read(65_536)):
        body += chunk
    writer.close()
    return bytes(body)


def connect(url: str, token: str, stream_id: str) -> socket.socket:
    """A client with little room that has asked for the stream and has read nothing of it.

    It speaks HTTP/1.0, so that frames come as they are, without the marks of chunks between.
    """
    address = urlsplit(url)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    sock.connect((address.hostname, address.port))
    sock.sendall(
        f"GET /v1/streams/{stream_id} HTTP/1.0\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n".encode()
    )
    return sock


def add_frames(called: Called, project: str) -> None:
    """All frames are in the table at once, as if the projector had been far behind."""
    with postgres.connect(called.cairn.settings_now().conninfo) as connection:
        connection.execute(FRAMES_AT_ONCE, (project, project, MORE, FRAMES - 1))


def test_everybody_gets_everything_while_some_do_not_read(called: Called):
    stream = make_project(called)
    assert wait_until(lambda: is_followable(called, stream), timeout_s=PATIENCE_S)

    async def follow_all() -> list[bytes]:
        opened = asyncio.Semaphore(0)
        tasks = [
            asyncio.create_task(read_all(called.url, called.token, stream, opened))
            for _ in range(CLIENTS)
        ]
        for _ in range(CLIENTS):
            await opened.acquire()
        await asyncio.to_thread(add_frames, called, stream)
        return await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)

    stalled = [connect(called.url, called.token, stream) for _ in range(STALLED)]
    bodies = asyncio.run(follow_all())
    for sock in stalled:
        sock.close()

    for body in bodies:
        assert [int(n) for n in SEQ.findall(body)] == list(range(FRAMES))


def make_project(called: Called) -> str:
    with called.client() as owner:
        made = owner.post("/v1/projects", json={"name": f"Crowd {secrets.token_hex(4)}"})
    return str(made.json()["project_id"])


def is_followable(called: Called, stream_id: str) -> bool:
    """Whether the table of projects has it by now."""
    with called.client() as client, client.stream("GET", f"/v1/streams/{stream_id}") as answer:
        return answer.status_code == 200
