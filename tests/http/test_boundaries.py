"""What reaches the API from where it should not: pages, hosts, proxies, bodies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from infra.http.bodies import MAX_BODY_BYTES
from infra.http.hosts import is_origin_of
from infra.platform.settings import Settings, SettingsError
from tests.http.apart import Apart, apart

broker = pytest.mark.broker
PROXY = "192.0.2.7"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def api(installation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    home: Path = tmp_path_factory.mktemp("boundaries")
    with apart(installation, home, http_hosts="cairn.example.org", http_proxies=PROXY) as made:
        del made.client.headers["origin"]
        yield made


@broker
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:80", "127.0.0.2", ""])
def test_another_host_is_refused_for_reads_and_writes(api: Apart, host: str):
    for method in ("GET", "POST"):
        answer = api.client.request(method, "/v1/tokens", headers={"host": host}, json={})
        assert (answer.status_code, answer.json()["code"]) == (400, "host_not_allowed")


@broker
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://localhost:8000"},
        {"origin": "https://localhost:8000"},
        {"origin": "http://localhost.evil.example"},
        {"origin": "http://localhost@evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_origin_or_port_writes_nothing(api: Apart, headers: dict[str, str]):
    body = {"name": "x", "role": "viewer"}
    refused = api.client.post("/v1/tokens", json=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")
    assert api.client.get("/v1/tokens", headers=headers).status_code == 200


@broker
@pytest.mark.parametrize("path", ["/console/sign-in", "/console/sessions/end", "/v1/tokens"])
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "Multipart/Form-Data; b=x"])
def test_a_form_that_names_no_origin_does_nothing(api: Apart, path: str, kind: str):
    headers = {"content-type": kind}
    refused = api.client.post(path, content=b"name=x&role=owner", headers=headers)
    assert refused.status_code == 403
    assert "A form needs the Origin" in refused.text


@broker
def test_the_console_changes_nothing_without_an_origin_whatever_is_sent(api: Apart):
    for content, kind in ((b"{}", "application/json"), (b"", "text/plain"), (b"x", "")):
        headers = {"content-type": kind}
        refused = api.client.post("/console/sign-in", content=content, headers=headers)
        assert (refused.status_code, "A form needs" in refused.text) == (403, True)


@broker
def test_a_page_of_this_server_and_a_program_may_write(api: Apart):
    body = {"name": "x", "role": "viewer"}
    for headers in ({}, {"origin": "http://localhost", "sec-fetch-site": "same-origin"}):
        assert api.client.post("/v1/tokens", json=body, headers=headers).status_code == 201
    behind_tls = {"host": "cairn.example.org", "origin": "https://cairn.example.org"}
    assert api.client.post("/v1/tokens", json=body, headers=behind_tls).status_code == 201


def test_an_origin_is_compared_with_its_port():
    assert is_origin_of("http://a:8080", "A:8080")
    assert is_origin_of("https://a:443", "a")
    assert is_origin_of("http://[::1]:8080", "[::1]:8080")
    assert not is_origin_of("http://a:8080", "a:8081")
    assert not is_origin_of("http://a", "a:443")
    assert not is_origin_of("file://", "")


@broker
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/tokens", "application/json"),
        ("/v1/tokens", "text/plain"),
        ("/v1/admin/dlq/none/retry", "application/octet-stream"),
    ],
)
def test_no_route_reads_more_than_the_limit_of_a_chunked_body(api: Apart, path: str, kind: str):
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 2 * MAX_BODY_BYTES:
            sent += MIB
            yield b" " * MIB

    headers = {"content-type": kind, "idempotency-key": f"large {kind}".replace(" ", "-")}
    answer = api.client.post(path, content=endless(), headers=headers)
    refused = {"text/plain": (415, "media_type_not_supported")}.get(kind, (413, "body_too_large"))
    assert (answer.status_code, answer.json()["code"]) == refused


@broker
def test_a_stranger_sends_a_short_body_at_most(api: Apart):
    form = {"content-type": "application/x-www-form-urlencoded", "origin": "http://localhost"}
    for content, expected in (("token=x", 403), ("token=" + "x" * 20_000, 413)):
        answer = api.client.post(
            "/console/sign-in", content=content, headers=form | {"authorization": ""}
        )
        assert answer.status_code == expected


@broker
def test_forwarded_addresses_are_believed_from_the_proxy_alone(
    installation: Settings, tmp_path: Path
):
    """Strangers have one rate an address: who could name another one each time had none."""
    slow = {"http_proxies": PROXY, "http_rate": 0.01}  # the second request is one too many
    with apart(installation, tmp_path, **slow) as api:
        assert [_ask(api, "198.51.100.1", f"203.0.113.{n}") for n in range(3)] == [200, 429, 429]
        assert {_ask(api, PROXY, f"203.0.113.{n}") for n in range(3)} == {200}


def test_proxies_are_addresses_or_networks():
    given = Settings.from_env({"CAIRN_HTTP_PROXIES": "127.0.0.1, 10.0.0.0/8"})
    assert given.http_proxies == "127.0.0.1, 10.0.0.0/8"
    for wrong in ("*", "proxy.example", "10.0.0.1/8", "127.0.0.1,"):
        with pytest.raises(SettingsError, match="CAIRN_HTTP_PROXIES"):
            Settings.from_env({"CAIRN_HTTP_PROXIES": wrong})


def _ask(api: Apart, sender: str, forwarded: str) -> int:
    stranger = TestClient(api.app, base_url="http://localhost", client=(sender, 1))
    return stranger.get("/health", headers={"x-forwarded-for": forwarded}).status_code


@broker
def test_no_problem_names_a_folder_of_this_machine(api: Apart):
    """What cannot be read, written or fetched is named, and where it is kept is not."""
    home = api.settings.home
    (home / "uploads").write_text("in the way of uploads")
    (home / "secrets.toml").mkdir()
    archive = {"content": b"no archive", "headers": {"content-type": "application/octet-stream"}}
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/v1/projects/prj_none/archives?name=a.zip", archive),
        ("GET", f"/v1/projects/{home}/atoms", {}),
        ("GET", f"/v1{home}", {}),
        ("GET", "/v1/jobs/none", {}),
        ("POST", "/v1/admin/dlq/none/retry", {}),
        ("GET", "/console/static/../../../../etc/passwd", {}),
    ]
    for method, path, given in asked:
        answer = api.client.request(method, path, **given)
        assert answer.status_code >= 400, path
        message = str(answer.json()["message"]) + str(answer.json()["detail"])
        assert str(home) not in message, (path, message)
