"""After PostgreSQL is lost, log and master key give back contents, keys, tables, audit and costs.

What is lost is told, and no token of before opens anything. All of it without internet and without
a container engine. At the end the log is damaged, too.
"""

from __future__ import annotations

import shutil
from typing import Any

import httpx
import pytest

from infra.platform import postgres
from infra.platform.vault import vault_of
from infra.runtime.local.http_address import read_address
from infra.runtime.local.process import wait_until
from infra.service.access.tokens import read_owner_token
from infra.store.model_charges import NewCharge, reserve, settle
from projections.read.projects import find_project
from schemas.codec import decode
from schemas.events.model_calls import ModelCall
from schemas.events.source import SourceContentPart, SourceRevised
from tests.end_to_end.alone import can_reach_others, no_keys, only_loopback, plant_engines
from tests.end_to_end.damage import assert_damage_holds_nobody_back
from tests.end_to_end.looking import records
from tests.parcel import write_to
from tests.service import COMMAND_PATIENCE_S, Service, service


@pytest.mark.broker
@pytest.mark.slow
def test_every_content_can_be_read_after_the_database_is_lost(tmp_path):
    folder = tmp_path / "parcel"
    write_to(folder)
    path, asked = plant_engines(tmp_path)
    with only_loopback() as is_alone, service(PATH=path, **no_keys()) as cairn:
        assert not (is_alone and can_reach_others())
        cairn.run("project", "create", "Parcel", "--idempotency-key", "parcel")
        cairn.ingest(folder, "Parcel", "first")
        held = make_tokens(cairn)
        charge(cairn, "Parcel")
        sums, contents = cairn.checksums("Parcel"), opened(cairn)
        audited, costs = read_audit(cairn), cairn.json("costs", "--project", "Parcel")
        assert len(contents) > 10
        assert {"create_token", "revoke_token"} <= {row["operation"] for row in audited}
        assert costs[-1]["cost_usd"] == 0.25
        (status,) = cairn.json("status")
        assert status["loss"] == []

        cairn.down()
        shutil.rmtree(cairn.home / "postgres")
        told = hear(cairn, "up", "--detach")

        assert opened(cairn) == contents
        assert cairn.checksums("Parcel") == sums
        (status,) = cairn.json("status")
        assert status["vault"] == []
        assert any(line.startswith("Lost: tokens") for line in status["loss"])
        assert all(line in told for line in status["loss"])
        for token in held:
            assert ask(cairn, token).status_code == 401
        assert read_audit(cairn)[: len(audited)] == audited
        assert cairn.json("costs", "--project", "Parcel") == costs
        (folder / "docs" / "later.md").write_text("# Later\n\nParcels are weighed at the door.\n")
        cairn.ingest(folder, "Parcel", "second")
        assert len(key_ids(cairn)) == 1
        assert len(opened(cairn)) > len(contents)
        cairn.run("verify-log")
        rebuilt = hear(cairn, "rebuild")
        assert all(line in rebuilt for line in status["loss"])
        (told_again,) = cairn.json("status")
        assert told_again["loss"] == status["loss"]
        assert_damage_holds_nobody_back(cairn, "Parcel", tmp_path / "behind")
        assert not asked.exists()


def hear(cairn: Service, *arguments: str) -> str:
    """What a command says to the person who waits for it."""
    process = cairn.start(*arguments)
    _, said = process.communicate(timeout=COMMAND_PATIENCE_S)
    assert process.returncode == 0, said
    return said


def make_tokens(cairn: Service) -> list[str]:
    """Three tokens: that of the owner, one that is valid, and one that was revoked."""
    owner = read_owner_token(cairn.settings_now())
    with httpx.Client(base_url=url_of(cairn), headers={"Authorization": f"Bearer {owner}"}) as api:
        wanted = {"name": "integrator", "role": "pm"}
        valid, revoked = (api.post("/v1/tokens", json=wanted).json() for _ in range(2))
        api.delete(f"/v1/tokens/{revoked['token_id']}").raise_for_status()
    assert ask(cairn, revoked["token"]).status_code == 401
    assert ask(cairn, valid["token"]).status_code == 200
    return [owner, valid["token"], revoked["token"]]


def charge(cairn: Service, project: str) -> None:
    """A call of a model has cost a quarter of a dollar, and all facts so far are on the log."""
    with postgres.connect(cairn.settings_now().conninfo, autocommit=True) as connection:
        call = ModelCall(
            call_id="call_1", agent="reader", stage="map", provider="lab", model="m",
            asked_model="m", tier="fast", prompt_version="p1", attempt=1, input_tokens=10,
            output_tokens=5, cached_tokens=0, cache_write_tokens=0, usage_estimated=False,
            cost_usd=0.25, price_known=True, latency_ms=5, outcome="answered",
            request_hash="hash",
        )  # fmt: skip
        project_id = find_project(connection, project)
        new = NewCharge(project_id, "cor-1", call, 0.25, 15)
        assert reserve(connection, new) == []
        settle(connection, new, None, None)

        def is_published() -> bool:
            waiting = "SELECT 1 FROM outbox WHERE published_at IS NULL"
            return connection.execute(waiting).fetchone() is None

        assert wait_until(is_published, timeout_s=60)


def read_audit(cairn: Service) -> list[dict[str, Any]]:
    answer = ask(cairn, read_owner_token(cairn.settings_now()), "/v1/admin/audit?limit=1000")
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def ask(cairn: Service, token: str, path: str = "/v1/me") -> httpx.Response:
    return httpx.get(url_of(cairn) + path, headers={"Authorization": f"Bearer {token}"})


def url_of(cairn: Service) -> str:
    url = read_address(cairn.settings_now())
    assert url
    return url


def opened(cairn: Service) -> list[bytes]:
    """Every content on the log, in clear."""
    vault = vault_of(cairn.settings_now())
    return sorted(vault.decrypt(event.key_id, event.content) for event in sealed(cairn))


def key_ids(cairn: Service) -> set[str]:
    return {event.key_id for event in sealed(cairn)}


def sealed(cairn: Service) -> list[SourceContentPart | SourceRevised]:
    events = [decode(value).event for _, value in records(cairn, "source.v1")]
    return [event for event in events if isinstance(event, SourceContentPart | SourceRevised)]
