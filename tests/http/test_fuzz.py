"""The whole document is fuzzed, as every role and as another project.

Whatever is sent: no answer is a fault, every answer is one that the document names, nothing of the
ingested project reaches a token of another one, and no role writes what it may not.
CAIRN_TEST_EXAMPLES=30 is the long form.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests
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
from tests.http.conftest import PATIENCE_S, Called

EXAMPLES = int(os.environ.get("CAIRN_TEST_EXAMPLES", 3))  # of each operation, sent by each caller
pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(600 + 60 * EXAMPLES)]
CHECKS = (status_code_conformance, content_type_conformance, response_schema_conformance)
OTHER = "an owner of another project"


@pytest.fixture(scope="module")
def tokens(called: Called) -> dict[str, str]:
    mine = {role: called.make_token(role, called.project) for role in ROLES}
    mine["owner"] = called.make_token("owner")  # good for all projects: it makes some, too
    return {"": "", OTHER: called.make_token("owner", called.other)} | mine


@pytest.fixture(scope="module")
def document(called: Called) -> dict[str, Any]:
    with httpx.Client(base_url=called.url, timeout=PATIENCE_S) as stranger:
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


def test_whatever_is_sent_no_answer_is_a_fault_a_leak_or_a_forbidden_write(
    called: Called,
    tokens: dict[str, str],
    document: dict[str, Any],
    known: dict[str, list[str]],
):
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=called.url, request_timeout=PATIENCE_S)
    operations: Any = schema.get_all_operations()
    with requests.Session() as session:
        for found in operations:
            fuzz(found.ok(), session, tokens, called, known)


def fuzz(
    operation: Any,
    session: requests.Session,
    tokens: dict[str, str],
    called: Called,
    known: dict[str, list[str]],
) -> None:
    """What is generated once is sent by each caller."""

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), choice=st.data())
    def send(case: Any, choice: st.DataObject) -> None:
        for name in case.path_parameters or {}:
            is_kept = operation.method == "delete" and name == "source_id"  # others read it
            if name in known and not is_kept and choice.draw(st.booleans()):
                case.path_parameters[name] = choice.draw(st.sampled_from(known[name]))
        for caller, token in tokens.items():
            given = {"authorization": f"Bearer {token}"} if token else {}
            response = case.call(headers=given, session=session)
            told = f"{operation.label} as {caller or 'nobody'}: {response.status_code}"
            if response.status_code != 429:
                case.validate_response(response, checks=CHECKS)
            check(operation, case, caller, called.project, response, told)
            if operation.path != "/v1/status":  # which names the home to who may operate
                assert str(called.cairn.home) not in response.text, told

    send()


def check(operation: Any, case: Any, caller: str, project: str, response: Any, told: str) -> None:
    """No fault, nothing that the role does not allow, nothing of another project."""
    role = "owner" if caller == OTHER else caller
    roles = operation.definition.raw["x-roles"]
    assert response.status_code != 500, told
    if roles and role not in roles:
        assert response.status_code in (400, 401, 403, 404, 429), told
    if caller == OTHER and project in (case.path_parameters or {}).values():
        unsigned = (401,) if operation.definition.raw["x-signed"] else ()  # whoever asks
        assert response.status_code in (400, 404, 413, 429, *unsigned), told
    if caller == OTHER:
        assert project not in response.text or response.status_code == 404, told
    if operation.method in WRITING and role not in roles:
        assert response.status_code >= 400, told
