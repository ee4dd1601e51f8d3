"""From any id down to the bytes it rests on, and up to the artifacts that cite it.

One answer shape for every kind of id: a node with its facts, the record that holds it, and child
nodes. A statement leads to atoms, an atom to evidence, a row of evidence to chunk, source revision
and run.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import field_validator

from infra.platform.errors import NotFound
from projections.read.belonging import check_belongs
from projections.read.session import Conn, ReadModel, Row, rows, select
from projections.read.sources import read_chunk_text

PLACES = (
    'SELECT event_id, event_type, topic, partition, "offset", recorded_at'
    " FROM event_places WHERE event_id = ANY(%s::uuid[]) ORDER BY recorded_at, event_type, event_id"
)


class EventPosition(ReadModel):
    """Where a record stands in the log."""

    event_id: UUID
    event_type: str
    topic: str
    partition: int
    offset: int
    recorded_at: datetime


class TraceNode(ReadModel):
    """``what`` names the kind of thing; ``facts`` are its own; ``events``: the records of it."""

    what: str
    id: str
    facts: Row
    events: list[EventPosition] = []
    children: list[TraceNode] = []

    @field_validator("facts")
    @classmethod
    def _plain(cls, facts: Row) -> Row:
        """Times and ids as text, so that the facts are the same behind HTTP."""
        return {name: _text_of(value) for name, value in facts.items()}

    def flat(self) -> Row:
        """For programs: the facts stand beside the rest."""
        return {
            "what": self.what,
            "id": self.id,
            **self.facts,
            "events": [event.model_dump() for event in self.events],
            "children": [child.flat() for child in self.children],
        }


def _text_of(value: Any) -> Any:
    if isinstance(value, datetime):
        iso_text = value.astimezone(UTC).isoformat(timespec="milliseconds")
        return iso_text.removesuffix("+00:00") + "Z"
    return str(value) if isinstance(value, UUID) else value


def trace(connection: Conn, project_id: str, known_id: str) -> TraceNode:
    """The tree of an id: statement, artifact, atom, evidence, chunk, source or run.

    Raises NotFound when nothing of the project is called so.
    """
    check_belongs(connection, project_id, known_id)
    prefix = known_id.partition("_")[0]
    tracer = TRACERS.get(prefix, _trace_statement)
    node = tracer(connection, known_id)
    if node is None:
        raise NotFound(
            f"Nothing is called {known_id}: give the id of a statement, artifact (art_), atom"
            " (atm_), evidence row (evd_), chunk (chk_), source (src_) or run (run_).",
            code="unknown_id",
        )
    return node


def _trace_statement(connection: Conn, statement_id: str) -> TraceNode | None:
    """A statement of the latest version that has it, with the atoms it cites."""
    records = rows(
        connection,
        "SELECT v.artifact_id, v.artifact_type, v.version, c.section_id, v.content, v.event_id,"
        " v.lane, v.engine, v.model, v.prompt_version, v.run_id, v.input_ledger_seq"
        " FROM artifact_citations c JOIN artifact_versions v USING (artifact_id, version)"
        " WHERE c.statement_id = %s ORDER BY v.version DESC LIMIT 1",
        statement_id,
    )
    if not records:
        return None
    facts = records[0]
    text = _statement_text(facts.pop("content"), statement_id)
    events = _events(connection, facts.pop("event_id"))
    cited = rows(
        connection,
        "SELECT atom_id, atom_revision FROM artifact_citations WHERE artifact_id = %s"
        " AND version = %s AND statement_id = %s ORDER BY atom_id",
        *(facts["artifact_id"], facts["version"], statement_id),
    )
    atoms = [_trace_atom(connection, row["atom_id"], up=False) for row in cited]
    run_node = _trace_run(connection, facts["run_id"]) if facts["run_id"] else None
    children = [node for node in (*atoms, run_node) if node is not None]
    return TraceNode(
        what="statement",
        id=statement_id,
        facts={"text": text} | facts,
        events=events,
        children=children,
    )


def _statement_text(sections: list[dict[str, Any]], statement_id: str) -> str:
    return next(
        (
            str(line["text"])
            for section in sections
            for line in section["statements"]
            if line["statement_id"] == statement_id
        ),
        "",
    )


def _trace_artifact(connection: Conn, artifact_id: str) -> TraceNode | None:
    """An artifact with the atoms of its present version, each once."""
    facts = _one(
        connection,
        "SELECT artifact_type, number, title, version, artifact_state, lane, engine, model,"
        " prompt_version, run_id, input_ledger_seq, content_hash FROM artifacts"
        " WHERE artifact_id = %s",
        artifact_id,
    )
    if facts is None:
        return None
    versions = rows(
        connection,
        "SELECT event_id FROM artifact_versions WHERE artifact_id = %s AND version = %s",
        *(artifact_id, facts["version"]),
    )
    cited = rows(
        connection,
        "SELECT DISTINCT atom_id FROM artifact_citations WHERE artifact_id = %s AND version = %s"
        " ORDER BY atom_id",
        *(artifact_id, facts["version"]),
    )
    children = [_trace_run(connection, facts["run_id"]) if facts["run_id"] else None]
    children += [_trace_atom(connection, row["atom_id"], up=False) for row in cited]
    return TraceNode(
        what="artifact",
        id=artifact_id,
        facts=facts,
        events=_events(connection, *(row["event_id"] for row in versions)),
        children=[node for node in children if node is not None],
    )


def _trace_atom(connection: Conn, atom_id: str, *, up: bool = True) -> TraceNode | None:
    """An atom with its evidence; ``up``: with the artifacts that cite it too."""
    facts = _one(
        connection,
        "SELECT project_id, kind, title, body, status, confidence, evidence_state, revision,"
        " merged_into, superseded_by, first_provenance, latest_provenance FROM ledger_atoms"
        " WHERE atom_id = %s",
        atom_id,
    )
    if facts is None:
        return None
    changes = rows(
        connection,
        "SELECT c.event_id, c.caused_by_event_id::uuid AS cause FROM ledger_atom_history h"
        " JOIN ledger_change_sets c USING (project_id, ledger_seq) WHERE h.atom_id = %s"
        " ORDER BY h.ledger_seq",
        atom_id,
    )
    held = rows(
        connection,
        "SELECT evidence_id FROM ledger_evidence WHERE atom_id = %s ORDER BY stale, evidence_id",
        atom_id,
    )
    children = [_trace_evidence(connection, row["evidence_id"], up=False) for row in held]
    children += _list_citing(connection, atom_id) if up else []
    events = [event for row in changes for event in (row["cause"], row["event_id"])]
    return TraceNode(
        what="atom",
        id=atom_id,
        facts=facts,
        events=_events(connection, *events),
        children=[node for node in children if node is not None],
    )


def _list_citing(connection: Conn, atom_id: str) -> list[TraceNode | None]:
    """The statements of present artifact versions that cite the atom."""
    records = rows(
        connection,
        "SELECT c.statement_id, c.section_id, a.artifact_id, a.artifact_type, a.title, a.version,"
        " v.content, v.event_id FROM artifact_citations c"
        " JOIN artifacts a USING (artifact_id, version)"
        " JOIN artifact_versions v USING (artifact_id, version)"
        " WHERE c.atom_id = %s ORDER BY a.artifact_id, c.section_id, c.statement_id",
        atom_id,
    )
    return [
        TraceNode(
            what="cited by",
            id=row["statement_id"],
            facts={
                "text": _statement_text(row["content"], row["statement_id"]),
                **{name: row[name] for name in ("section_id", "artifact_id", "artifact_type")},
                "version": row["version"],
            },
            events=_events(connection, row["event_id"]),
        )
        for row in records
    ]


def _trace_evidence(connection: Conn, evidence_id: str, *, up: bool = True) -> TraceNode | None:
    """A quote with its chunk and run; ``up``: with its atom and who cites that."""
    facts = _one(
        connection,
        "SELECT atom_id, source_id, sanitized_hash, chunk_id, char_start, char_end, line_start,"
        " line_end, snippet, evidence_type, stale, run_id, speaker, speaker_role, stated_at"
        " FROM ledger_evidence"
        " WHERE evidence_id = %s",
        evidence_id,
    )
    if facts is None:
        return None
    children = [
        _trace_chunk(connection, facts["chunk_id"]),
        _trace_run(connection, facts["run_id"]),
    ]
    if up:
        about = _one(
            connection,
            "SELECT kind, title, status, confidence FROM ledger_atoms WHERE atom_id = %s",
            facts["atom_id"],
        )
        above = _list_citing(connection, facts["atom_id"])
        children.append(
            TraceNode(
                what="backs atom",
                id=facts["atom_id"],
                facts=about or {},
                events=[],
                children=[n for n in above if n],
            )
        )
    return TraceNode(
        what="evidence",
        id=evidence_id,
        facts=facts,
        events=[],
        children=[node for node in children if node is not None],
    )


def _trace_chunk(connection: Conn, chunk_id: str) -> TraceNode | None:
    """A chunk with its text and the source revision it was cut from."""
    facts = _one(
        connection,
        "SELECT source_id, path, sanitized_hash, anchor_type, anchor_start, anchor_end, line_start,"
        " line_end, structure_path, state, skip_reason, chunk_version, created_event_id"
        " FROM chunks WHERE chunk_id = %s",
        chunk_id,
    )
    if facts is None:
        return None
    events = _events(connection, facts.pop("created_event_id"))
    facts["text"] = read_chunk_text(connection, chunk_id)
    revised = _trace_revision(connection, facts["source_id"], facts["sanitized_hash"])
    return TraceNode(
        what="chunk", id=chunk_id, facts=facts, events=events, children=[revised] if revised else []
    )


def _trace_revision(
    connection: Conn, source_id: str, sanitized_hash: str | None = None
) -> TraceNode | None:
    """A source's latest revision, or the latest with this sanitized hash."""
    facts = _one(
        connection,
        "SELECT s.connector, s.root, s.path, s.source_type, s.state, r.revision_seq,"
        " r.revision_ref, r.trigger_key, r.outcome, r.skip_reason, r.raw_sha256,"
        " r.raw_normalized_hash, r.sanitized_hash, s.hygiene_version, s.redactor_version,"
        " s.annotator_version, s.chunk_version, r.revised_event_id,"
        " r.updated_from_event_id AS processed_event_id, (SELECT x.updated_from_event_id"
        "   FROM source_texts x WHERE x.source_id = r.source_id"
        "   AND x.sanitized_hash = r.sanitized_hash AND x.part_index = 0) AS sanitized_event_id"
        " FROM source_revisions r JOIN sources s USING (source_id) WHERE r.source_id = %s"
        " AND r.sanitized_hash IS NOT DISTINCT FROM coalesce(%s, r.sanitized_hash)"
        " ORDER BY r.revision_seq DESC LIMIT 1",
        *(source_id, sanitized_hash),
    )
    if facts is None:
        return None
    named = [facts.pop(f"{step}_event_id") for step in ("revised", "sanitized", "processed")]
    return TraceNode(
        what="source revision", id=source_id, facts=facts, events=_events(connection, *named)
    )


def _trace_run(connection: Conn, run_id: str) -> TraceNode | None:
    """An ingestion run: who read, under which versions and limits."""
    facts = _one(
        connection,
        "SELECT lane, trigger, trigger_key, root, engine, status, stop_reason, versions, limits,"
        " batch_count, started_event_id FROM ingestion_runs WHERE run_id = %s",
        run_id,
    )
    if facts is None:
        return None
    planned = rows(
        connection,
        "SELECT planned_event_id FROM ingestion_batches WHERE run_id = %s ORDER BY batch_no",
        run_id,
    )
    named = [facts.pop("started_event_id"), *(row["planned_event_id"] for row in planned)]
    return TraceNode(what="run", id=run_id, facts=facts, events=_events(connection, *named))


def _one(connection: Conn, query: str, *parameters: Any) -> Row | None:
    records = rows(connection, query, *parameters)
    return records[0] if records else None


def _events(connection: Conn, *event_ids: Any) -> list[EventPosition]:
    known_ids = [str(event_id) for event_id in event_ids if event_id is not None]
    return select(connection, EventPosition, PLACES, known_ids) if known_ids else []


TRACERS: dict[str, Callable[[Conn, str], TraceNode | None]] = {
    "art": _trace_artifact,
    "atm": _trace_atom,
    "evd": _trace_evidence,
    "chk": _trace_chunk,
    "src": _trace_revision,
    "run": _trace_run,
}
