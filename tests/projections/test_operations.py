"""Use cases of operation, called as HTTP will call them: connectors, an export, a replay."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from infra import service
from infra.errors import NotFound
from infra.service.publishing import make_request, publish
from infra.settings import Settings
from infra.vault import ensure_key_file
from schemas import ids
from schemas.events.project import ProjectCreated
from tests.connectors.test_exports import issues
from tests.projections.test_projector import projected_story, until_folded

pytestmark = pytest.mark.broker
SPEC = service.ConnectorSpec("github", "acme/shop", {"token": "env:GH_TOKEN"}, streams=("issues",))


@pytest.fixture
def shop(fresh: Settings) -> Settings:
    """An installation whose tables know the empty project Shop, without any process."""
    created = make_request(ProjectCreated(name="Shop"), ids.project_id("shop"), "ana", "shop")

    async def create() -> None:
        await publish(fresh, [created])
        await until_folded(fresh)

    asyncio.run(create())
    key_file = ensure_key_file(fresh.home / "vault.key")
    return fresh.model_copy(update={"vault_key_file": key_file})


def test_a_connector_is_added_once_checked_read_and_removed(shop: Settings):
    async def use() -> None:
        for _ in range(2):
            defined = service.define_connector(SPEC, "key")
            added = await service.add_connector(shop, {}, "Shop", defined, actor="ana", check=False)
        (stream,) = await service.list_streams(shop, {}, "Shop")
        assert (stream.connector_id, stream.stream) == (added.connector_id, "issues")
        assert (stream.cursor, stream.lag_s) == (None, None)

        (check,) = await service.check_connectors(shop, {}, "acme/shop")
        assert "GH_TOKEN" in check.problem and not check.is_readable

        notes: list[Any] = []
        for read in (service.sync_connectors, service.reconcile_connectors):
            (result,) = await read(shop, {}, "all", "Shop", tell=notes.append)
            assert (result.stream, result.reason) == ("issues", "refused"), result.error
        assert notes == []

        with pytest.raises(NotFound) as unknown:
            await service.sync_connectors(shop, {}, "all", None, ["wikis"], tell=notes.append)
        assert unknown.value.code == "unknown_stream"
        removed = await service.remove_connectors(shop, {}, "acme/shop", actor="ana", key="key")
        assert removed == ("acme/shop",)
        assert await service.list_streams(shop, {}) == []
        with pytest.raises(NotFound) as gone:
            await service.check_connectors(shop, {}, "acme/shop")
        assert gone.value.code == "unknown_connector"

    asyncio.run(use())


def test_an_export_is_published_and_counted(shop: Settings, tmp_path: Path):
    path = tmp_path / "issues.json"
    path.write_text(json.dumps(issues()))
    export = service.JiraExport(path, "acme.atlassian.net")
    counts = asyncio.run(
        service.import_export(shop, "Shop", export, actor="ana", tell=lambda note: None)
    )
    assert (counts.seen, counts.published) == (3, 3)  # two issues and a comment


def test_a_ledger_replayed_to_its_end_differs_in_nothing(fresh: Settings):
    projected_story(fresh)
    replayed = asyncio.run(service.replay_ledger(fresh, "Demo"))
    assert replayed.as_of_seq == replayed.head > 0
    assert (replayed.differences, replayed.findings, replayed.is_wrong) == ((), (), False)
    earlier = asyncio.run(service.replay_ledger(fresh, "Demo", as_of_seq=1))
    assert earlier.differences and not earlier.is_wrong
