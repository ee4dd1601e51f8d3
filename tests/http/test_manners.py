"""What every HTTP client may expect: problems in one form, HEAD, Allow, ETags, compression, and no
parameter that is quietly ignored.
"""

from __future__ import annotations

import asyncio
import re
from itertools import count
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.http.routes import AREAS
from infra.http.transfer import AnswerHead, has_tag, takes_gzip
from infra.platform.settings import Settings


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none"))


ADDRESSES = map(str, count())


def stranger(app: FastAPI) -> TestClient:
    """A client with an address, and so a rate, of its own."""
    address = (next(ADDRESSES), 1)
    return TestClient(
        app, base_url="http://localhost", raise_server_exceptions=False, client=address
    )


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return stranger(app)


def code_of(answer: Any) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["correlation_id"] == answer.headers["x-correlation-id"]
    return answer.status_code, problem["code"]


def test_what_no_route_answers_is_a_problem(client: TestClient):
    assert code_of(client.get("/v1/nothing")) == (404, "unknown_path")
    assert code_of(client.post("/v1")) == (404, "unknown_path")
    assert code_of(client.get("/health", headers={"host": "evil.example"})) == (
        400,
        "host_not_allowed",
    )


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/health", "GET, HEAD"),
        ("PUT", "/v1/tokens", "GET, HEAD, POST"),
        ("HEAD", "/v1/projects/prj_1/archives", "POST"),
        ("OPTIONS", "/v1/projects/prj_1/sources/src_1", "DELETE, GET, HEAD"),
    ],
)
def test_a_method_that_is_not_taken_is_told_those_that_are(
    client: TestClient, method: str, path: str, allowed: str
):
    answer = client.request(method, path)
    assert answer.headers["allow"] == allowed
    assert answer.status_code == 405
    assert method == "HEAD" or code_of(answer) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/projects/prj%001",
        "/v1/projects/%00/atoms/atm_1",
        "/v1/projects/prj_1/atoms/atm_%00",
        "/v1/streams/run_%00",
        "/v1/jobs/%00",
        "/v1/projects/prj_1/atoms?tag=%00",
    ],
)
def test_a_nul_in_an_id_or_parameter_is_refused_before_anything_is_looked_up(
    client: TestClient, path: str
):
    assert code_of(client.get(path)) == (400, "nul_not_allowed")


def test_an_unknown_parameter_is_named_beside_those_that_there_are(client: TestClient):
    answer = client.get("/health?limt=3&secret%0Aname=value")
    assert code_of(answer) == (422, "unknown_parameter")
    assert answer.json()["detail"] == {"unknown": ["limt", "secret?name"], "known": []}
    assert "value" not in answer.text
    long = client.get("/health", params={"a" * 500: "1"} | {f"p{n}": "1" for n in range(40)})
    assert len(long.json()["detail"]["unknown"]) == 10
    assert len(long.text) < 1_000


@pytest.mark.parametrize("path", ["/health", "/v1/openapi.json", "/openapi.json"])
def test_head_answers_as_get_without_a_body(client: TestClient, path: str):
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers, "x-correlation-id": ""} == {**got.headers, "x-correlation-id": ""}


def test_every_read_answers_head(app: FastAPI):
    for area in AREAS:
        for route in area.routes:
            if "GET" in route.methods:  # type: ignore[attr-defined]
                path = re.sub(r"\{[^}]*\}", "known", route.path)  # type: ignore[attr-defined]
                assert stranger(app).head(path).status_code not in (404, 405, 429), path


def test_the_head_of_a_stream_ends():
    left = []

    async def stream(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"frame", "more_body": True})
        left.append(await receive())

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing else comes")

    asyncio.run(AnswerHead(stream)({"type": "http", "method": "HEAD"}, receive, send))
    assert left == [{"type": "http.disconnect"}]
    assert [(each.get("body"), each.get("more_body")) for each in sent] == [
        (None, None),
        (b"", False),
    ]


def test_what_the_client_has_already_is_not_sent_again(client: TestClient):
    first = client.get("/v1/openapi.json")
    tag = first.headers["etag"]
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = client.get("/openapi.json", headers={"if-none-match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get("/openapi.json", headers={"if-none-match": '"other"'}).status_code == 200
    assert client.head("/openapi.json", headers={"if-none-match": tag}).status_code == 304


def test_a_read_is_compressed_where_the_client_takes_it(client: TestClient):
    plain = client.get("/v1/openapi.json", headers={"accept-encoding": "identity"})
    packed = client.get("/v1/openapi.json", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 5
    assert packed.json() == plain.json()
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    short = client.get("/health", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in short.headers


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("br", False),
        ("", False),
        ("gzipped", False),
    ],
)
def test_gzip_is_taken_as_the_client_says(accepted: str, takes: bool):
    assert takes_gzip(accepted) is takes


def test_an_etag_is_compared_without_its_weakness():
    assert has_tag('"a"', 'W/"a"')
    assert has_tag('W/"b" , W/"a"', 'W/"a"')
    assert not has_tag("", 'W/"a"')
    assert not has_tag('"aa"', 'W/"a"')


def test_the_document_is_made_once(app: FastAPI, client: TestClient):
    made = app.openapi()
    assert client.get("/openapi.json").json() == made
    assert app.openapi() is made


def test_the_docs_show_every_operation_code_and_model_and_load_nothing_from_elsewhere(
    app: FastAPI, client: TestClient
):
    page = client.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    document = app.openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert f"<code>{method.upper()} {path}</code> {operation['operationId']}" in page.text
    assert all(f'id="model-{name}"' in page.text for name in document["components"]["schemas"])
    assert all(f"<code>{code}</code>" in page.text for code in document["x-problem-codes"])
    assert not re.findall(r'(?:src|href)="(?!/|#)', page.text)
    assert not re.findall(r"<script(?! src=)| on[a-z]+=| style=", page.text)
    targets = set(re.findall(r'href="#([^"]+)"', page.text))
    assert targets <= set(re.findall(r' id="([^"]+)"', page.text))
    assert client.head("/docs").status_code == 200
