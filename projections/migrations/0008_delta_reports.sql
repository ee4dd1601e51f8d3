-- What a run found changed at its sources, and what of the artifacts was written again (spec 06 §8).

-- What the end of the run told the ledger of sources; batches have a column of that name, too.
ALTER TABLE cairn.ingestion_runs ADD COLUMN source_changes jsonb;

CREATE VIEW cairn.delta_reports AS
SELECT r.run_id, r.project_id, r.trigger, r.trigger_key, r.root, r.lane, r.status,
    added.files AS files_added,
    told.modified AS files_modified, told.removed AS files_removed, told.renamed AS files_renamed,
    read.chunks AS chunks_reextracted, told.reanchored AS chunks_reanchored,
    touched.atoms AS atoms_touched, touched.changes AS atom_changes,
    written.recomputed AS sections_recomputed, written.kept AS sections_kept,
    written.ledger_seq AS settled_at
FROM cairn.ingestion_runs r
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT s.path ORDER BY s.path)
            FILTER (WHERE c.one ->> 'kind' = 'revised'), '{}') AS modified,
        coalesce(array_agg(DISTINCT s.path ORDER BY s.path)
            FILTER (WHERE c.one ->> 'kind' = 'removed'), '{}') AS removed,
        coalesce(array_agg(DISTINCT o.path || ' -> ' || s.path)
            FILTER (WHERE c.one ->> 'kind' = 'renamed'), '{}') AS renamed,
        coalesce(array_agg(DISTINCT s.path)
            FILTER (WHERE c.one ->> 'kind' = 'renamed'), '{}') AS renamed_to,
        coalesce(sum(jsonb_array_length(c.one -> 'reanchored')), 0)::int AS reanchored
    FROM (SELECT b.source_changes FROM cairn.ingestion_batches b
            WHERE b.run_id = r.run_id AND NOT b.withdrawn
        UNION ALL SELECT r.source_changes) told_in (changes)
    CROSS JOIN LATERAL jsonb_array_elements(coalesce(told_in.changes, '[]')) c (one)
    LEFT JOIN cairn.sources s ON s.source_id = c.one ->> 'source_id'
    LEFT JOIN cairn.sources o ON o.source_id = c.one ->> 'other_source_id'
) told
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT s.path ORDER BY s.path), '{}') AS files
    FROM cairn.chunks k
    JOIN cairn.sources s USING (source_id)
    JOIN cairn.source_revisions v USING (source_id)
    WHERE k.scheduled_run_id = r.run_id AND v.revision_seq = 1 AND v.trigger_key = r.trigger_key
        AND s.path <> ALL (told.renamed_to)
) added
CROSS JOIN LATERAL (
    SELECT count(*)::int AS chunks FROM cairn.ledger_change_sets t
    WHERE t.run_id = r.run_id AND t.kind = 'chunk' AND t.outcome = 'extracted'
) read
CROSS JOIN LATERAL (
    SELECT (SELECT min(t.ledger_seq) FROM cairn.ledger_change_sets t WHERE t.run_id = r.run_id) AS first,
        (SELECT count(DISTINCT h.atom_id)::int FROM cairn.ledger_atom_history h
            JOIN cairn.ledger_change_sets t USING (project_id, ledger_seq)
            WHERE t.run_id = r.run_id) AS atoms,
        (SELECT coalesce(jsonb_object_agg(counted.op, counted.n), '{}') FROM (
            SELECT c.one ->> 'op' AS op, count(*) AS n FROM cairn.ledger_change_sets t
            CROSS JOIN LATERAL jsonb_array_elements(t.changes) c (one)
            WHERE t.run_id = r.run_id AND starts_with(c.one ->> 'op', 'atom_')
            GROUP BY c.one ->> 'op') counted) AS changes
) touched
LEFT JOIN LATERAL (
    -- Of each artifact the version that stood at the run's settled position. Another run that ended
    -- while this one went on may have written what this one changed: counted is since its first change.
    SELECT p.input_ledger_seq AS ledger_seq,
        jsonb_agg(said.section ORDER BY said.section ->> 'artifact_type', said.section ->> 'artifact_id',
            said.position) FILTER (WHERE said.again) AS recomputed,
        jsonb_agg(said.section ORDER BY said.section ->> 'artifact_type', said.section ->> 'artifact_id',
            said.position) FILTER (WHERE NOT said.again) AS kept
    FROM cairn.artifact_positions p
    LEFT JOIN LATERAL (
        SELECT jsonb_build_object('artifact_type', v.artifact_type, 'artifact_id', v.artifact_id,
                'section_id', s.section_id) AS section, s.position,
            EXISTS (SELECT 1 FROM cairn.artifact_versions w
                WHERE w.artifact_id = v.artifact_id AND s.section_id = ANY (w.recomputed_sections)
                    AND w.input_ledger_seq BETWEEN touched.first AND p.input_ledger_seq) AS again
        FROM (SELECT DISTINCT ON (w.artifact_id) w.* FROM cairn.artifact_versions w
                WHERE w.project_id = p.project_id AND w.input_ledger_seq <= p.input_ledger_seq
                ORDER BY w.artifact_id, w.version DESC) v
        JOIN cairn.artifact_sections s USING (artifact_id, version)
        WHERE s.statement_count > 0 OR s.section_id = ANY (v.recomputed_sections)
    ) said ON true
    WHERE p.settled_run_id = r.run_id
        -- The versions that stood then come by other topics: settled is what is there.
        AND NOT EXISTS (
            SELECT 1 FROM (
                SELECT p.artifact_id, p.version
                UNION ALL SELECT i.one ->> 'artifact_id', (i.one ->> 'version')::int
                FROM jsonb_array_elements(p.items) i (one)
            ) stood (artifact_id, version)
            WHERE stood.version > 0 AND NOT EXISTS (SELECT 1 FROM cairn.artifact_versions v
                WHERE v.artifact_id = stood.artifact_id AND v.version = stood.version))
    GROUP BY p.project_id, p.artifact_seq, p.input_ledger_seq
) written ON true;
