"""The list of tables and the migrations say the same."""

from __future__ import annotations

from projections.beyond_the_log import BEYOND_THE_LOG
from projections.fold import FOLDS, PROJECTED_TOPICS
from projections.tables import OPERATIONAL, TABLES
from schemas.topics import BY_NAME, TOPICS
from streams.hygiene.redaction.strings import redact_text
from tests.projections.conftest import ReadModel

NO_FOLD = [name for each in BEYOND_THE_LOG for name in each.tables]


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


def test_every_table_is_made_again_from_the_log_or_said_to_be_lost(model: ReadModel):
    in_database = model.rows(
        "SELECT relname FROM pg_class WHERE relnamespace = 'cairn'::regnamespace AND relkind = 'r'"
    )
    listed = [*NO_FOLD, *(table.name for table in TABLES)]
    assert sorted(listed) == sorted(name for (name,) in in_database)
    for each in BEYOND_THE_LOG:
        assert redact_text(f"{each.holds}; {each.loss}") == f"{each.holds}; {each.loss}"


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
