"""What `check-cluster` tells of three brokers with TLS and ACLs, and a broker that is killed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from infra.platform import kafka
from infra.platform.settings import Settings
from infra.service.upkeep.cluster_check import Remark, check_cluster
from infra.service.upkeep.rights import PARTS
from schemas.topics import TOPICS
from tests.certificates import Authority
from tests.cluster.brokers import ADMIN, Brokers
from tests.cluster.clustered import ACCOUNTS, SERVICE, check, documents
from tests.cluster.database import Database

SOURCES = ("README.md", "docs/glossary.rst")

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.timeout(1_500),
]
Parts = tuple[Brokers, Database, Path]


def settings_of(parts: Parts, account: str, **changed: object) -> Settings:
    brokers, database, folder = parts
    settings = brokers.as_user(Settings(home=folder / "none"), account)
    return settings.model_copy(update={"database_url": database.address} | changed)


def missing(settings: Settings, processes: list[str]) -> list[Remark]:
    return [each for each in check_cluster(settings, processes) if each.standing == "missing"]


def topics_of(brokers: Brokers) -> set[str]:
    return {name for name in brokers.admin().list_topics(timeout=60).topics if name[0] != "_"}


@pytest.fixture
def empty(parts: Parts) -> Parts:
    """No topics are there, whatever other tests have left."""
    admin = parts[0].admin()  # held until it has answered
    if found := topics_of(parts[0]):
        for deleted in admin.delete_topics([*found]).values():
            deleted.result(60)
    return parts


@pytest.fixture
def with_topics(parts: Parts) -> Parts:
    asyncio.run(kafka.create_topics(settings_of(parts, SERVICE), TOPICS))
    return parts


def test_an_empty_cluster_is_checked_and_nothing_is_written(empty: Parts) -> None:
    parts, before = empty, topics_of(empty[0])
    remarks = check_cluster(settings_of(parts, SERVICE), ACCOUNTS[SERVICE])
    assert [each for each in remarks if each.standing != "ok"] == []
    told = {each.about for each in remarks}
    assert {"broker clock", "broker TLS", "brokers", "topics", "database TLS"} <= told
    assert topics_of(parts[0]) == before


def test_what_is_missing_is_told_with_what_to_do(empty: Parts) -> None:
    parts, (_, database, folder) = empty, empty
    (topics,) = missing(settings_of(parts, "cairn-reader"), ["reader"])
    assert (topics.about, "start the service first" in topics.sentence) == ("topics", True)
    wanted: dict[str, dict[str, Any]] = {
        "CAIRN_REPLICATION is 5": {"replication": 5},
        "CAIRN_KAFKA_SASL_MECHANISM": {"kafka_sasl_password": SecretStr("guessed")},
        "CAIRN_KAFKA_SSL_CAFILE": {"kafka_ssl_cafile": Authority(folder, "other").file},
        "sslmode": {"database_url": database.address.replace("verify-full", "disable")},
        "CAIRN_DATABASE_URL": {"database_url": database.address.replace("/cairn?", "/no?")},
    }
    for sentence, changed in wanted.items():
        found = missing(settings_of(parts, SERVICE, **changed), ACCOUNTS[SERVICE])
        assert any(sentence in each.sentence for each in found), (sentence, found)
    hidden = missing(settings_of(parts, SERVICE, topic_prefix="other"), ["reader"])
    assert any("grant Describe on other.*" in each.sentence for each in hidden)


def test_a_killed_broker_and_moved_leaders_change_nothing(parts: Parts, tmp_path: Path) -> None:
    check(*parts, documents(tmp_path / "parcel", SOURCES), rounds=1)


def test_rights_and_settings_of_topics_are_compared_with_those_wanted(with_topics: Parts) -> None:
    parts = with_topics
    for account, processes in ACCOUNTS.items():
        assert missing(settings_of(parts, account), processes) == []
    assert missing(settings_of(parts, ADMIN), list(PARTS)) == []
    found = {each.about for each in missing(settings_of(parts, "cairn-reader"), ["writer"])}
    assert {"topic cairn.ledger.v1", "group cairn-ledger"} <= found
    assert "topic cairn.hygiene.v1" not in found
    changed = settings_of(parts, SERVICE, partitions=5, min_insync_replicas=1)
    sentences = [each.sentence for each in missing(changed, ["projector"])]
    assert any("set CAIRN_PARTITIONS=3" in each for each in sentences)
    assert any("min.insync.replicas is 2: set 1" in each for each in sentences)
