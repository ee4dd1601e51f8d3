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
HOSTILE = """\
# Upload rules

The service must refuse a hostile label named <script>alert(1)</script> because it is hostile.

Uploads must not contain <b hx-get="/v1/tokens" hx-trigger="load">markup</b> of any kind.

The 🚚 name of a parcel must keep \u202ebidi\u202c text as it was written. Labels must be short.
"""
ORDERS = (
    "Every write to the order store must be acknowledged by the leader and by two followers before"
    " the client sees a success, so that the loss of one machine"
)
PARCELS = (
    "Each parcel of the night shift must be weighed by the front scale and by two couriers before"
    " the driver signs a receipt, so that the theft of one crate"
)
DISAGREEING = {
    "hostile.md": HOSTILE,
    "orders.md": f"# Orders\n\n{ORDERS} never loses an order.\n\n{PARCELS} never empties a"
    " shelf.\n",
    "audit.md": f"# Audit\n\n{ORDERS} is noticed by nobody at all.\n\n{PARCELS} is noticed by"
    " nobody at all.\n",
    "architecture.md": "# Sign-in\n\nAuth uses JWT tokens.\n\nThe store uses PostgreSQL.\n",
    "adr/0001-session-cookies.md": "# 1. Session cookies\n\nStatus: accepted\n\n## Decision\n\n"
    "Auth uses session cookies.\n",
}


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

    def client(self, token: str | None = None, address: str | None = None) -> httpx.Client:
        """``address``: of loopback, for a stranger whom no other test's questions slow down."""
        given = self.token if token is None else token
        headers = {"authorization": f"Bearer {given}"} if given else {}
        way = httpx.HTTPTransport(local_address=address)
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE_S, transport=way)

    def make_token(self, role: str, *projects: str, **more: Any) -> str:
        wanted = {"name": f"a {role}", "role": role, "projects": list(projects) or None} | more
        with self.client() as owner:
            made = owner.post("/v1/tokens", json=wanted)
        assert made.status_code == 201, made.text
        return str(made.json()["token"])


def audited(client: httpx.Client) -> Iterator[dict[str, Any]]:
    """Every write that was asked for, page by page: the oldest come first."""
    asked: dict[str, Any] = {"limit": 1000}
    while True:
        page = client.get("/v1/admin/audit", params=asked).json()
        yield from page["items"]
        if not page["next_cursor"]:
            return
        asked["cursor"] = page["next_cursor"]


@pytest.fixture(scope="package")
def called(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Called]:
    folder = tmp_path_factory.mktemp("http") / "parcel"
    write_to(folder)
    with service(YARD_TOKEN="a key of the yard") as cairn:
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


@pytest.fixture(scope="package")
def shown(called: Called, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A project of its own for the console, with hostile text and a contradiction."""
    folder = tmp_path_factory.mktemp("shown")
    for name, text in DISAGREEING.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    project = called.cairn.run("project", "create", "Shown", "--idempotency-key", "shown")
    called.cairn.ingest(folder, "Shown", "shown")
    return project.strip()


@pytest.fixture
def ask(owner: httpx.Client, called: Called) -> Callable[..., Any]:
    """The answer to a question about the ingested project; any problem fails the test."""

    def read(path: str, /, **parameters: Any) -> Any:
        answer = owner.get(f"/v1/projects/{called.project}{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return read
