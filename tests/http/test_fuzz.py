"""The whole document is fuzzed, as every role and as another project.

Whatever is sent: no answer is a fault, every answer is one that the document names, nothing of the
ingested project reaches a token of another one, and no role writes what it may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from infra.http.openapi import WRITING
from infra.service.tokens import ROLES
from tests.http.conftest import Called

pytestmark = [pytest.mark.broker, pytest.mark.slow]
EXAMPLES = 6  # of each operation and caller
CHECKS = (status_code_conformance, content_type_conformance, response_schema_conformance)
OTHER = "an owner of another project"
CALLERS = (*ROLES, OTHER, "")


@pytest.fixture(scope="module")
def tokens(called: Called) -> dict[str, str]:
    mine = {role: called.make_token(role, called.project) for role in ROLES}
    mine["owner"] = called.make_token("owner")  # good for all projects: it makes some, too
    return mine | {OTHER: called.make_token("owner", called.other), "": ""}


@pytest.fixture(scope="module")
def document(called: Called) -> dict[str, Any]:
    with httpx.Client(base_url=called.url) as stranger:
        return dict(stranger.get("/v1/openapi.json").json())


@pytest.fixture(scope="module")
def known(called: Called) -> Iterator[dict[str, list[str]]]:
    """Ids that exist, so that what is generated also reaches what is behind the first look-up."""
    with called.client() as owner:
        base = f"/v1/projects/{called.project}"

        def ids(path: str, name: str) -> list[str]:
            items = owner.get(base + path, params={"limit": 3}).json()["items"]
            return [str(item[name]) for item in items if item[name]]

        yield {
            "project": [called.project],
            "atom_id": ids("/atoms", "atom_id"),
            "known_id": ids("/atoms", "atom_id"),
            "source_id": ids("/sources", "source_id"),
            "run_id": ids("/ingestion-runs", "run_id"),
            "artifact_id": ids("/artifacts", "artifact_id"),
            "version": ["1"],
            "type": ["prd"],
            "trigger_key": ["first"],
        }


@pytest.mark.parametrize("caller", CALLERS, ids=lambda name: name.replace(" ", "_") or "nobody")
def test_whatever_is_sent_no_answer_is_a_fault_a_leak_or_a_forbidden_write(
    caller: str,
    called: Called,
    tokens: dict[str, str],
    document: dict[str, Any],
    known: dict[str, list[str]],
):
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=called.url)
    operations: Any = schema.get_all_operations()
    with called.client(tokens[caller]) as client:
        for found in operations:
            fuzz(found.ok(), client, caller, called, known)


def fuzz(
    operation: Any, client: httpx.Client, caller: str, called: Called, known: dict[str, list[str]]
) -> None:
    strategy = operation.as_strategy()
    roles = operation.definition.raw["x-roles"]
    role = "owner" if caller == OTHER else caller

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy, choice=st.data())
    def send(case: Any, choice: st.DataObject) -> None:
        for name in case.path_parameters or {}:
            is_kept = operation.method == "delete" and name == "source_id"  # others read it
            if name in known and not is_kept and choice.draw(st.booleans()):
                case.path_parameters[name] = choice.draw(st.sampled_from(known[name]))
        given = {k: str(v) for k, v in client.headers.items() if k == "authorization"}
        response = case.call(headers=given)
        told = f"{operation.label} as {caller or 'nobody'}: {response.status_code}"
        assert response.status_code != 500, told
        if response.status_code not in (429,):
            case.validate_response(response, checks=CHECKS)
        if roles and role not in roles:
            assert response.status_code in (400, 401, 403, 404, 429), told
        if caller == OTHER and called.project in (case.path_parameters or {}).values():
            assert response.status_code in (400, 404, 413, 429), told
        if caller == OTHER:
            assert called.project not in response.text or response.status_code == 404, told
        if operation.method in WRITING and role not in roles:
            assert response.status_code >= 400, told

    send()
