"""Who is connected is folded from the log: names, ids, secrets by their places."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.bound_secrets import Secrets
from connectors.directory import ConnectorDirectory
from schemas.envelope import Actor, Event, outside_fact
from schemas.events.connector import ConnectorAdded, ConnectorRemoved, Credential
from schemas.events.project import ProjectCreated

AT = datetime(2026, 3, 1, tzinfo=UTC)
SECRETS = Secrets({"FIRST": "one", "SECOND": "two"}, Path("/no/home"))


def a_log(*events: Event, project: str = "prj_shop") -> ConnectorDirectory:
    connected = ConnectorDirectory()
    for number, event in enumerate((ProjectCreated(name="Shop"), *events)):
        connected.apply(
            outside_fact(
                event,
                project_id=project,
                occurred_at=AT,
                actor=Actor(),
                natural_key=str(number),
            )
        )
    return connected


def added(number: int, place: str) -> ConnectorAdded:
    return ConnectorAdded(
        connector_id=f"con_{number}",
        request_key="k",
        service="github",
        target=f"acme/{number}",
        base_url="https://api.github.com",
        credentials=[Credential(role="webhook", location=place)],
        by_global_owner=True,
    )


@pytest.mark.parametrize("named", ["prj_shop", "Shop"])
def test_a_project_is_found_by_its_id_and_by_its_name(named):
    endpoint = a_log(added(1, "env:FIRST")).endpoint("github", named, SECRETS)
    assert endpoint
    assert (endpoint.project_id, endpoint.secrets) == ("prj_shop", (b"one",))


def test_all_connectors_of_the_service_share_the_door():
    connected = a_log(added(1, "env:FIRST"), added(2, "env:SECOND"))
    endpoint = connected.endpoint("github", "Shop", SECRETS)
    assert endpoint
    assert endpoint.secrets == (b"two", b"one")


def test_a_secret_that_is_not_there_opens_nothing():
    connected = a_log(added(1, "env:NOWHERE"), added(2, "file:/nowhere"))
    endpoint = connected.endpoint("github", "Shop", SECRETS)
    assert endpoint
    assert endpoint.secrets == ()


def test_an_unknown_project_and_a_service_not_connected_have_no_secret():
    connected = a_log(added(1, "env:FIRST"))
    assert connected.endpoint("github", "Other", SECRETS) is None
    slack = connected.endpoint("slack", "Shop", SECRETS)
    assert slack
    assert slack.secrets == ()


def test_a_removed_connector_closes_its_door():
    gone = ConnectorRemoved(connector_id="con_1", request_key="k2")
    connected = a_log(added(1, "env:FIRST"), gone)
    endpoint = connected.endpoint("github", "Shop", SECRETS)
    assert endpoint
    assert (endpoint.secrets, connected.of("prj_shop", "github")) == ((), [])


def test_secrets_are_in_no_text_of_a_door():
    endpoint = a_log(added(1, "env:FIRST")).endpoint("github", "Shop", SECRETS)
    assert "one" not in repr(endpoint)
