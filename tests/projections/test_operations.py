"""Use cases of operation, called as HTTP will call them: connectors, an export, a replay."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.platform.vault import ensure_key_file
from infra.service.connecting.connectors import (
    ConnectorSpec,
    StreamResult,
    StreamStatus,
    add_connector,
    check_connectors,
    define_connector,
    list_streams,
    reconcile_connectors,
    remove_connectors,
    sync_connectors,
)
from infra.service.foundation.publishing import make_request, publish
from infra.service.ingesting.imports import JiraExport, import_export
from infra.service.upkeep.audit import replay_ledger
from schemas import ids
from schemas.events.project import ProjectCreated
from tests.connectors.stand_ins.jira import JiraServer
from tests.connectors.test_exports import issues
from tests.projections.test_projector import projected_story, until_folded

pytestmark = pytest.mark.broker
SPEC = ConnectorSpec(
    "github", "acme/shop", {"token": "env:GH_TOKEN"}, streams=("issues",), by_owner_of_all=True
)


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
            defined = define_connector(SPEC, "key")
            added = await add_connector(shop, {}, "Shop", defined, actor="ana", check=False)
        (stream,) = await list_streams(shop, {}, "Shop")
        assert (stream.connector_id, stream.stream) == (added.connector_id, "issues")
        assert (stream.cursor, stream.lag_s) == (None, None)

        (check,) = await check_connectors(shop, {}, "acme/shop")
        assert "GH_TOKEN" in check.problem and not check.is_readable

        notes: list[Any] = []
        for read in (sync_connectors, reconcile_connectors):
            (result,) = await read(shop, {}, "all", "Shop", tell=notes.append)
            assert (result.stream, result.reason) == ("issues", "refused"), result.error
        assert notes == []

        with pytest.raises(NotFound) as unknown:
            await sync_connectors(shop, {}, "all", None, ["wikis"], tell=notes.append)
        assert unknown.value.code == "unknown_stream"
        removed = await remove_connectors(shop, {}, "acme/shop", actor="ana", key="key")
        assert removed == ("acme/shop",)
        assert await list_streams(shop, {}) == []
        with pytest.raises(NotFound) as gone:
            await check_connectors(shop, {}, "acme/shop")
        assert gone.value.code == "unknown_connector"

    asyncio.run(use())


def test_an_export_is_published_and_counted(shop: Settings, tmp_path: Path):
    path = tmp_path / "issues.json"
    path.write_text(json.dumps(issues()))
    export = JiraExport(path, "acme.atlassian.net")
    imported = asyncio.run(import_export(shop, "Shop", export, actor="ana", tell=lambda note: None))
    counts = imported.counts
    assert (counts.seen, counts.published) == (3, 3)  # two issues and a comment
    assert imported.notices == ()


def test_what_cannot_be_read_of_an_export_is_counted_and_named(shop: Settings, tmp_path: Path):
    path = tmp_path / "issues.csv"
    path.write_text(
        "Issue key;Summary\nSHOP-1;Exports\nghp_0123456789abcdefABCDEF0123456789abcd;b\n"
    )
    export = JiraExport(path, "acme.atlassian.net")
    imported = asyncio.run(import_export(shop, "Shop", export, actor="ana", tell=lambda note: None))
    assert (imported.counts.published, imported.counts.refused) == (1, 1)
    told = "\n".join(imported.notices)
    assert "key is not an issue key" in told and "updated is missing (SHOP-1)" in told
    assert "0123456789abcdef" not in told


def test_a_record_that_cannot_be_read_is_shown_by_sync_and_in_the_list(shop: Settings):
    environ = {"JIRA": "jira-stand-in"}
    with JiraServer(flavour="data-center").beside() as server:
        good = server.open_issue("Exports", "They must be resumable.")
        server.issues[server.open_issue("Imports", "")]["fields"]["description"] = 7
        spec = ConnectorSpec(
            "jira", "SHOP", {"token": "env:JIRA"}, server.url, by_owner_of_all=True
        )

        async def use() -> tuple[StreamResult, StreamStatus]:
            defined = define_connector(spec, "key")
            added = await add_connector(shop, environ, "Shop", defined, actor="ana")
            assert added.missing == ()
            (result,) = await sync_connectors(shop, environ, "all", "Shop", tell=lambda note: None)
            (stream,) = await list_streams(shop, environ, "Shop")
            return result, stream

        result, stream = asyncio.run(use())
    assert good == "SHOP-1"
    assert (result.reason, result.counts.published, result.counts.refused) == (None, 1, 1)
    assert result.notices == ("not read: a body is neither text nor document (SHOP-2)",)
    assert stream.cursor and stream.cursor.problem is None
    assert stream.cursor.notices == ["SHOP-2: a body is neither text nor document"]


def test_a_ledger_replayed_to_its_end_differs_in_nothing(fresh: Settings):
    projected_story(fresh)
    replayed = asyncio.run(replay_ledger(fresh, "Demo"))
    assert replayed.as_of_seq == replayed.head > 0
    assert (replayed.differences, replayed.findings, replayed.is_wrong) == ((), (), False)
    earlier = asyncio.run(replay_ledger(fresh, "Demo", as_of_seq=1))
    assert earlier.differences and not earlier.is_wrong
