"""What waits for the words of a model: projects, and the artifacts of a list."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from projections.read.session import Conn, ReadModel, select

# A section that rules have worded and nobody has edited.
BY_RULE = '[{"engine": "heuristic", "state": "generated"}]'
WAITING = """
    SELECT p.project_id, max(n.input_ledger_seq) AS ledger_seq FROM projects p
    JOIN artifact_positions n ON n.project_id = p.project_id
    WHERE NOT EXISTS (SELECT 1 FROM ingestion_runs r
            WHERE r.project_id = p.project_id AND r.status = 'running')
        AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.project_id = p.project_id
            AND a.updated_at > now() - interval '1 second' * %s)
        AND EXISTS (SELECT 1 FROM artifacts a WHERE a.project_id = p.project_id
            AND a.artifact_type = ANY(%s) AND a.content @> %s::jsonb)
    GROUP BY p.project_id
    HAVING NOT EXISTS (SELECT 1 FROM orchestration_jobs j
            WHERE j.project_id = p.project_id AND j.job_type = 'synthesis'
            AND j.idempotency_key = %s || max(n.input_ledger_seq))
    ORDER BY p.project_id
"""
# A plan or report in which rules have worded what a model may; of reports the newest of a kind.
WAITING_DOCUMENTS = """
    SELECT a.project_id, a.artifact_id, a.version
    FROM projects p JOIN artifacts a USING (project_id)
    WHERE a.number <> '' AND a.updated_at <= now() - interval '1 second' * %s
        AND EXISTS (SELECT 1 FROM jsonb_each(%s::jsonb) worded, jsonb_array_elements(a.content) said
            WHERE worded.key = a.artifact_type AND worded.value ? (said->>'section_id')
                AND said->>'engine' = 'heuristic' AND said->>'state' = 'generated')
        AND NOT EXISTS (SELECT 1 FROM artifacts b
            WHERE b.project_id = a.project_id AND a.artifact_type = 'report'
                AND b.artifact_type = 'report' AND b.number > a.number
                AND b.fields->>'report_type' = a.fields->>'report_type')
        AND NOT EXISTS (SELECT 1 FROM ingestion_runs r
            WHERE r.project_id = a.project_id AND r.status = 'running')
        AND NOT EXISTS (SELECT 1 FROM orchestration_jobs j
            WHERE j.project_id = a.project_id AND j.job_type = 'synthesis'
                AND (j.idempotency_key = %s || a.artifact_id || '|' || a.version
                    OR j.status IN ('queued', 'leased', 'failed')))
    ORDER BY a.project_id, a.artifact_id
"""
LISTED = """
    SELECT artifact_id, title FROM artifacts
    WHERE project_id = %s AND artifact_type = %s AND number <> '' ORDER BY number, artifact_id
"""


class UnwordedProject(ReadModel):
    """A project with sections that only rules have worded, at a settled position."""

    project_id: str
    ledger_seq: int


class ListedItem(ReadModel):
    artifact_id: str
    title: str


def list_unworded_projects(
    connection: Conn, types: list[str], key_prefix: str, quiet_s: float
) -> list[UnwordedProject]:
    """Where nothing has changed for ``quiet_s`` and no run is under way, and no job was made for
    the position, whose key is the prefix and the position.
    """
    return select(connection, UnwordedProject, WAITING, quiet_s, types, BY_RULE, key_prefix)


class UnwordedDocument(ReadModel):
    """A version of a plan or report of which only rules have worded something."""

    project_id: str
    artifact_id: str
    version: int


def list_unworded_documents(
    connection: Conn, sections: Mapping[str, Collection[str]], key_prefix: str, quiet_s: float
) -> list[UnwordedDocument]:
    """Those that have stood for ``quiet_s`` in projects that nothing is under way in. ``sections``
    are those that may be worded, by type; a job has the prefix, artifact and version as its key.
    """
    sections_json = json.dumps({name: sorted(ids) for name, ids in sections.items()})
    return select(
        connection, UnwordedDocument, WAITING_DOCUMENTS, quiet_s, sections_json, key_prefix
    )


def list_listed_items(connection: Conn, project_id: str, artifact_type: str) -> list[ListedItem]:
    """The present items of a type by number."""
    return select(connection, ListedItem, LISTED, project_id, artifact_type)
