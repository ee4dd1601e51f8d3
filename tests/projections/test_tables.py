"""The list of tables and the migrations say the same."""

from __future__ import annotations

from projections.fold import FOLDS, PROJECTED_TOPICS
from projections.tables import OPERATIONAL, TABLES
from schemas.topics import BY_NAME, TOPICS
from tests.projections.conftest import ReadModel

OF_THE_API = {"api_tokens", "api_requests", "saved_views"}
OF_THE_API |= {"uploads", "sent_decisions"}
OF_THE_CONSOLE = {"console_sessions", "console_links"}
OF_THE_QUEUE = {"orchestration_jobs", "outbox", "onboarding_pipelines"}
OF_MODELS = {"model_charges", "model_answers"}
NO_FOLD = {"projection_offsets", "vault_keys", "migrations"} | OF_THE_API | OF_THE_QUEUE | OF_MODELS
OF_WEBHOOKS = {"webhook_messages_seen", "webhook_deliveries"}
NO_FOLD |= OF_THE_CONSOLE | OF_WEBHOOKS


def test_every_table_of_the_schema_is_listed_with_its_key(model: ReadModel):
    keys = model.rows(
        "SELECT c.relname, (SELECT array_agg(a.attname::text ORDER BY k.place)"
        "   FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)"
        "   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum)"
        " FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
        " WHERE c.relnamespace = 'cairn'::regnamespace AND c.relkind = 'r'"
    )
    in_database = {name: tuple(key) for name, key in keys if name not in NO_FOLD}
    assert in_database == {table.name: table.key for table in TABLES}


def test_operational_and_merged_columns_exist_and_every_row_names_its_project(model: ReadModel):
    columns: dict[str, set[str]] = {}
    for table, column in model.rows(
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'cairn'"
    ):
        columns.setdefault(table, set()).add(column)
    for table in TABLES:
        named = table.operational | set(table.merge) | {"project_id", OPERATIONAL}
        assert named <= columns[table.name], table.name


def test_every_topic_that_names_the_projections_is_read():
    named = {topic.name for topic in TOPICS if "projections" in topic.consumers}
    assert named <= set(PROJECTED_TOPICS)


def test_every_folded_event_is_on_a_projected_topic():
    on_topics = {event for name in PROJECTED_TOPICS for event in BY_NAME[name].events}
    assert set(FOLDS) <= on_topics
