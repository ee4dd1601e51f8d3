"""Every text field of an event says what it holds, and what the outside wrote leaves redacted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations

import pytest
from pydantic import BaseModel

from schemas import string_fields
from schemas.codec import encode
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events import EVENT_TYPES
from schemas.events.connector import ConnectorAdded, Credential, CursorMoved, SyncFailed
from schemas.events.connector_item import ItemReceived
from schemas.events.dlq import DeadLetter
from schemas.events.hitl import AtomDismissed
from schemas.events.ingestion_request import ListedSource, RunCancelRequested, SourcesListed
from schemas.events.project import ProjectCreated
from schemas.events.source import SourceInfo, SourceRevised
from schemas.strings import fields_of, holds_text, parts_of, plan_of, redact_fact
from schemas.topics import key_of
from tests.connectors.redactors import REDACTOR
from tests.hygiene.builders import MIXED

TABLES = ("TEXTS", "NAMES", "CLEANED", "ENCRYPTED", "IDENTIFIERS")
TOKEN = "gh" + "p_" + MIXED[:36]
PASSWORD = MIXED[:14]
AT = datetime(2026, 1, 1, tzinfo=UTC)


def models() -> Iterator[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    ahead: list[type[BaseModel]] = list(EVENT_TYPES.values())
    while ahead:
        model = ahead.pop()
        if model not in seen:
            seen.add(model)
            yield model
            for field in model.model_fields.values():
                ahead += parts_of(field.annotation)


MODELS = sorted(models(), key=lambda model: model.__name__)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_text_field_stands_in_one_table(model: type[BaseModel]):
    tables = {table: fields_of(model, table) for table in TABLES}
    for one, other in combinations(TABLES, 2):
        assert not tables[one] & tables[other], f"{model.__name__}: {one} and {other}"
    known = frozenset().union(*tables.values())
    for name, field in model.model_fields.items():
        if holds_text(field.annotation) or holds_text(field.annotation, bytes):
            assert name in known, (
                f"{model.__name__}.{name} is in no table of schemas/string_fields.py: say who"
                " wrote it, and who has removed its secrets"
            )


def test_the_tables_name_no_field_that_does_not_exist():
    known: dict[str, set[str]] = {}
    for model in MODELS:
        for each in model.__mro__:
            known.setdefault(each.__name__, set()).update(model.model_fields)
    for table in TABLES:
        fields: string_fields.Fields = getattr(string_fields, table)
        for name, listed in fields.items():
            assert set(listed.split()) <= known.get(name, set()), f"{table}: {name}"


class Unknown(Event):
    """An event whose field nobody has thought of."""

    type_name = "unknown.event"
    topic = "project.v1"

    remark: str
    parts: list[SourceInfo] = []

    @property
    def aggregate_id(self) -> str:
        return "-"


def a_fact(event: Event, actor: str = "ana") -> Envelope:
    by = Actor(type="human", id=actor)
    return outside_fact(event, project_id="prj_demo", occurred_at=AT, actor=by)


def a_source(path: str) -> SourceInfo:
    return SourceInfo(
        source_id="src_1",
        root=f"of-{TOKEN}",
        external_ref=f"of-{TOKEN}@{path}",
        path=path,
        title=f"DB password={PASSWORD}",
        source_type="doc",
        priority_tier=3,
    )


def test_a_field_that_no_table_knows_is_redacted():
    event = redact_fact(a_fact(Unknown(remark=f"use {TOKEN}")), REDACTOR).event
    assert isinstance(event, Unknown)
    assert event.remark == "use [REDACTED:GITHUB_TOKEN:1]"


OUTSIDE = [
    ProjectCreated(name=f"Shop {TOKEN}", description=f"password={PASSWORD}", vision=TOKEN),
    ConnectorAdded(
        connector_id="con_1",
        request_key="k",
        service="github",
        target=TOKEN,
        base_url=f"https://api.example/{TOKEN}/",
        options={"clone_url": f"https://ana:{PASSWORD}@git.example/x.git"},
        credentials=[Credential(role="token", location=f"env:{TOKEN}")],
    ),
    SyncFailed(connector_id="con_1", stream="s", position=1, reason="refused", error=TOKEN),
    CursorMoved(connector_id="con_1", stream="s", position=1, cursor="c", problem=TOKEN),
    ItemReceived(
        connector="github",
        external_ref=f"acme/shop/refs/refs/heads/{TOKEN}",
        kind=f"push.{TOKEN}",
        delivery_id=f"d-{TOKEN}",
        key_id="key",
        body=b"",
    ),
    SourceRevised(
        source=a_source(f"keys/{TOKEN}.md"),
        trigger_key="k",
        byte_count=0,
        raw_sha256="",
        key_id="key",
        content=b"",
    ),
    SourcesListed(
        trigger_key="k",
        root=TOKEN,
        complete=True,
        part_index=0,
        part_count=1,
        sources=[ListedSource(source_id="src_1", path=TOKEN, source_type="doc", priority_tier=3)],
    ),
    RunCancelRequested(run_id="run_1", request_key="k", reason=f"password={PASSWORD} leaked"),
    AtomDismissed(atom_id="atm_1", expected_revision=1, actor_role="pm", rationale=TOKEN),
    DeadLetter(
        stage="s",
        origin_topic="t",
        origin_partition=0,
        origin_offset=0,
        origin_key=f"github|{TOKEN}",
        error_class="E",
        error=f"{TOKEN} cannot be read",
        attempts=1,
    ),
]


@pytest.mark.parametrize("event", OUTSIDE, ids=lambda event: event.type_name)
def test_no_secret_of_the_outside_is_written(event: Event):
    fact = redact_fact(a_fact(event, actor=f"ana {TOKEN}"), REDACTOR)
    written = encode(fact.recorded(AT)) + key_of(fact).encode()
    for secret in (TOKEN, PASSWORD):
        assert secret.encode() not in written
    assert b"[REDACTED:" in written


@pytest.mark.parametrize("event", OUTSIDE, ids=lambda event: event.type_name)
def test_the_same_fact_again_has_the_same_id(event: Event):
    one = redact_fact(a_fact(event), REDACTOR)
    assert redact_fact(a_fact(event), REDACTOR) == one
    assert redact_fact(one, REDACTOR) == one


def test_deliveries_that_differ_by_a_secret_only_stay_two():
    facts = [
        redact_fact(a_fact(OUTSIDE[4].model_copy(update={"delivery_id": each})), REDACTOR)
        for each in (f"d-{TOKEN}", f"d-{TOKEN[:-1]}Z")
    ]
    assert len({fact.event_id for fact in facts}) == len({fact.natural_key for fact in facts}) == 2


def test_a_fact_without_secrets_is_left_as_it_is():
    place = Credential(role="token", location="file:/run/secrets/jira-token")
    added = OUTSIDE[1].model_copy(
        update={
            "target": "acme/secret-store",
            "base_url": "https://api.example/",
            "options": {"site": "x.example"},
            "credentials": [
                place,
                Credential(role="webhook", location="env:GITHUB_WEBHOOK_SECRET"),
            ],
        }
    )
    fact = a_fact(added)
    assert redact_fact(fact, REDACTOR) is fact


def test_what_stages_repeat_costs_nothing():
    derived = ("atom.", "chunk.", "ledger.", "artifact.", "extract.", "quality.", "vault.")
    for name, model in EVENT_TYPES.items():
        if name.startswith(derived):
            assert plan_of(model) == {}, name
