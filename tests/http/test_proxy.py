"""Live streams through nginx, as people run it: with buffering and compression on."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from infra.runtime.local.process import keep_ports, port_answers, wait_until
from infra.service.foundation.publishing import make_request, publish
from schemas.events.stream import StreamFrame
from tests.http.conftest import Called
from tests.http.listening import Heard, parse
from tests.packages import find_program

pytestmark = pytest.mark.broker
PATIENCE_S = 60
CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    gzip on; gzip_proxied any; gzip_types text/event-stream; gzip_min_length 0;
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass {behind}; proxy_http_version 1.1; proxy_buffering on; }}
    }}
}}
"""


@pytest.fixture
def proxy(called: Called, tmp_path: Path) -> Iterator[str]:
    """The address of nginx in front of the service."""
    nginx = find_program("nginx", "nginx-light")
    (port,) = keep_ports(tmp_path / "ports.json", 1)
    written = tmp_path / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    written.write_text(
        CONFIGURATION.format(folder=tmp_path, port=port, behind=called.url, user=user)
    )
    process = subprocess.Popen([nginx, "-c", str(written), "-p", str(tmp_path)])
    try:
        assert wait_until(lambda: port_answers(port), timeout_s=PATIENCE_S)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def publish_frame(called: Called, ordinal: int) -> None:
    frame = StreamFrame(
        stream_id=called.project, ordinal=ordinal, name="progress", data=f'{{"through":{ordinal}}}'
    )
    fact = make_request(frame, called.project, "ada")
    asyncio.run(publish(called.cairn.settings_now(), [fact]))


def next_of(frames: Iterator[Heard]) -> int:
    """The next frame that this test has published."""
    return next(int(each.data["through"]) for each in frames if "through" in each.data)


def test_each_frame_comes_through_nginx_before_the_next_one_is_published(
    called: Called, proxy: str
):
    with called.client() as owner:
        token = owner.post(f"/v1/projects/{called.project}/stream-token", json={}).json()
    with (
        httpx.Client(base_url=proxy, timeout=PATIENCE_S) as browser,
        browser.stream("GET", token["stream_url"]) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-encoding"] == "gzip"
        frames = parse(answer.iter_lines())
        for ordinal in (7_001, 7_002, 7_003):
            publish_frame(called, ordinal)
            assert next_of(frames) == ordinal
