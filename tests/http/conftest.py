"""One service with one ingested project and a second one, called over HTTP as a client would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.parcel import write_to
from tests.service import Service, service

PATIENCE_S = 60.0


@dataclass
class Called:
    """A running service: ``client`` asks as owner; ``project`` is ingested, ``other`` is empty."""

    cairn: Service
    url: str
    token: str
    folder: Path
    project: str = ""
    other: str = ""
    tokens: dict[str, str] = field(default_factory=dict)

    def client(self, token: str | None = None) -> httpx.Client:
        given = self.token if token is None else token
        headers = {"authorization": f"Bearer {given}"} if given else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE_S)

    def make_token(self, role: str, *projects: str, **more: Any) -> str:
        wanted = {"name": f"a {role}", "role": role, "projects": list(projects) or None} | more
        with self.client() as owner:
            made = owner.post("/v1/tokens", json=wanted)
        assert made.status_code == 201, made.text
        return str(made.json()["token"])


@pytest.fixture(scope="package")
def called(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Called]:
    folder = tmp_path_factory.mktemp("http") / "parcel"
    write_to(folder)
    with service() as cairn:
        parcel = cairn.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        other = cairn.run("project", "create", "Other", "--idempotency-key", "other")
        cairn.ingest(folder, "Parcel", "first")
        (status,) = cairn.json("status")
        token = (cairn.home / "token").read_text().strip()
        yield Called(cairn, status["http"], token, folder, parcel.strip(), other.strip())


@pytest.fixture(scope="package")
def owner(called: Called) -> Iterator[httpx.Client]:
    with called.client() as client:
        yield client


@pytest.fixture
def ask(owner: httpx.Client, called: Called) -> Callable[..., Any]:
    """The answer to a question about the ingested project; any problem fails the test."""

    def read(path: str, /, **parameters: Any) -> Any:
        answer = owner.get(f"/v1/projects/{called.project}{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return read
