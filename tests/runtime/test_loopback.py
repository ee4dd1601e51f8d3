"""What runs on this machine is asked without a proxy; all else as the environment says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from infra.platform.addresses import exempt_loopback, is_loopback

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server on all loopback addresses that answers each request with 204."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("0.0.0.0", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.5"])
def test_a_proxy_is_not_asked_for_this_machine(
    host: str, port: int, monkeypatch: pytest.MonkeyPatch
):
    url = f"http://{host}:{port}"
    environ = {"HTTP_PROXY": NOBODY, "CAIRN_URL": url, "NO_PROXY": ""}
    exempt_loopback(environ)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert httpx.get(url).status_code == 204


def test_others_are_asked_through_the_proxy_unless_no_proxy_names_them(
    port: int, monkeypatch: pytest.MonkeyPatch
):
    environ = {"HTTP_PROXY": f"http://127.0.0.1:{port}", "NO_PROXY": "inside.invalid"}
    exempt_loopback(environ)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert httpx.get("http://outside.invalid/").status_code == 204
    with pytest.raises(httpx.ConnectError):
        httpx.get("http://inside.invalid/")


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://127.9.9.9/x", True),
        ("http://[::1]:80", True),
        ("http://localhost", True),
        ("http://localhost.invalid", False),
        ("http://10.0.0.1", False),
        ("no address [", False),
        ("", False),
    ],
)
def test_what_is_this_machine(url: str, here: bool):
    assert is_loopback(url) is here
