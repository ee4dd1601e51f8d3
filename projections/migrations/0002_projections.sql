-- The read model: a fold of the topics, rebuilt by `cairn rebuild`. No foreign keys: topics are read
-- at their own pace. Columns of a row that several topics feed are grouped by topic; what follows
-- from several of them is a generated column, so that reading order cannot be seen.

CREATE FUNCTION cairn.words_of(words text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT coalesce(array_to_string(words, ' '), '') $$;

-- How far each partition is folded in.
CREATE TABLE cairn.projection_offsets (
    projection  text NOT NULL,
    topic       text NOT NULL,
    partition   int NOT NULL,
    next_offset bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (projection, topic, partition)
);

-- Where each folded event stands in the log; a second record with its id is a repeat.
CREATE TABLE cairn.event_places (
    event_id    uuid PRIMARY KEY,
    project_id  text NOT NULL,
    event_type  text NOT NULL,
    topic       text NOT NULL,
    partition   int NOT NULL,
    "offset"    bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    updated_from_event_id uuid
);

-- The last accepted sequence number of a project's ledger and of its artifact log.
CREATE TABLE cairn.log_heads (
    project_id text NOT NULL,
    log        text NOT NULL,
    seq        bigint NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, log)
);

CREATE TABLE cairn.projects (
    project_id  text PRIMARY KEY,
    name        text NOT NULL,
    description text NOT NULL,
    vision      text NOT NULL,
    timezone    text NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_from_event_id uuid
);

CREATE TABLE cairn.sources (
    source_id     text PRIMARY KEY,
    project_id    text NOT NULL,
    -- source.v1
    connector     text,
    root          text,
    external_ref  text,
    path          text,
    title         text,
    source_type   text,
    priority_tier int,
    language      text,
    mime          text,
    revised_at    timestamptz,
    -- chunk.v1
    outcome            text,
    revision_seq       int,
    revision_ref       text,
    occurred_at        timestamptz,
    raw_sha256         text,
    raw_normalized_hash text,
    sanitized_hash     text,
    encoding           text,
    line_count         int,
    char_count         int,
    redaction_count    int,
    annotation_count   int,
    max_annotation_severity text,
    chunk_count        int,
    gate_skip_reason   text,
    skip_detail        text,
    hygiene_version    text,
    redactor_version   text,
    annotator_version  text,
    chunk_version      text,
    last_trigger_key   text,
    updated_at         timestamptz,
    -- ingestion.v1
    duplicate_of text,
    removed_at   timestamptz,
    -- of all of them
    state text GENERATED ALWAYS AS (CASE
        WHEN removed_at > updated_at THEN 'removed'
        WHEN outcome IS NULL THEN 'registered'
        WHEN gate_skip_reason IS NOT NULL OR duplicate_of IS NOT NULL THEN 'skipped'
        WHEN sanitized_hash IS NULL THEN 'skipped'
        ELSE 'sanitized' END) STORED,
    skip_reason text GENERATED ALWAYS AS (coalesce(gate_skip_reason,
        CASE WHEN duplicate_of IS NOT NULL THEN 'duplicate_content' END)) STORED,
    updated_from_event_id uuid
);
CREATE INDEX sources_by_project ON cairn.sources (project_id, path);

CREATE TABLE cairn.source_revisions (
    source_id    text NOT NULL,
    revision_seq int NOT NULL,
    project_id   text NOT NULL,
    trigger_key  text NOT NULL,
    outcome      text NOT NULL,
    revision_ref text,
    raw_sha256   text NOT NULL,
    raw_normalized_hash text,
    sanitized_hash text,
    skip_reason  text,
    sanitized_at timestamptz NOT NULL,
    revised_event_id uuid,
    updated_from_event_id uuid,
    PRIMARY KEY (source_id, revision_seq)
);
CREATE INDEX source_revisions_by_hash ON cairn.source_revisions (source_id, sanitized_hash);

-- Chunks and evidence are spans of these; their text is not stored a second time.
CREATE TABLE cairn.source_texts (
    source_id      text NOT NULL,
    sanitized_hash text NOT NULL,
    part_index     int NOT NULL,
    part_count     int NOT NULL,
    project_id     text NOT NULL,
    text           text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (source_id, sanitized_hash, part_index)
);

CREATE TABLE cairn.redaction_findings (
    source_id      text NOT NULL,
    sanitized_hash text NOT NULL,
    redaction_id   text NOT NULL,
    project_id     text NOT NULL,
    rule_id        text NOT NULL,
    type           text NOT NULL,
    line           int NOT NULL,
    char_start     int NOT NULL,
    char_end       int NOT NULL,
    placeholder    text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (source_id, sanitized_hash, redaction_id)
);

CREATE TABLE cairn.chunks (
    chunk_id   text PRIMARY KEY,
    project_id text NOT NULL,
    -- chunk.v1
    source_id      text,
    path           text,
    title          text,
    source_type    text,
    priority_tier  int,
    language       text,
    sanitized_hash text,
    anchor_type    text,
    anchor_start   int,
    anchor_end     int,
    chunk_version  text,
    line_start     int,
    line_end       int,
    structure_path text[],
    structure_fallback boolean,
    part_index     int,
    part_count     int,
    text_hash      text,
    token_estimate int,
    annotation_ids text[],
    gate_skip_reason text,
    skip_detail    text,
    obsolete       boolean NOT NULL DEFAULT false,
    created_event_id uuid,
    -- ingestion.v1
    scheduled_run_id   text,
    scheduled_batch_no int,
    -- ledger.v1
    read_outcome text,
    -- of all of them
    state text GENERATED ALWAYS AS (CASE
        WHEN obsolete THEN 'obsolete'
        WHEN read_outcome = 'extracted' THEN 'extracted'
        WHEN read_outcome IS NOT NULL OR gate_skip_reason IS NOT NULL THEN 'skipped'
        WHEN scheduled_run_id IS NOT NULL THEN 'scheduled'
        ELSE 'pending' END) STORED,
    skip_reason text GENERATED ALWAYS AS (CASE
        WHEN read_outcome = 'extracted' THEN NULL
        ELSE coalesce(read_outcome, gate_skip_reason) END) STORED,
    updated_from_event_id uuid
);
CREATE INDEX chunks_by_source ON cairn.chunks (source_id, sanitized_hash);
CREATE INDEX chunks_by_project ON cairn.chunks (project_id);

CREATE TABLE cairn.chunk_annotations (
    annotation_id  text NOT NULL,
    chunk_id       text NOT NULL,
    project_id     text NOT NULL,
    source_id      text NOT NULL,
    sanitized_hash text NOT NULL,
    annotation_type text NOT NULL,
    rule_id        text NOT NULL,
    severity       text NOT NULL,
    char_start     int NOT NULL,
    char_end       int NOT NULL,
    line_start     int NOT NULL,
    line_end       int NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (annotation_id, chunk_id)
);

CREATE TABLE cairn.ingestion_triggers (
    project_id  text NOT NULL,
    trigger_key text NOT NULL,
    trigger     text NOT NULL,
    root        text NOT NULL,
    lanes       text[] NOT NULL,
    coverage_target text NOT NULL,
    engine      text NOT NULL,
    limits      jsonb NOT NULL,
    requested_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, trigger_key)
);

CREATE TABLE cairn.trigger_listings (
    project_id  text NOT NULL,
    trigger_key text NOT NULL,
    part_index  int NOT NULL,
    part_count  int NOT NULL,
    complete    boolean NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, trigger_key, part_index)
);

CREATE TABLE cairn.trigger_sources (
    project_id  text NOT NULL,
    trigger_key text NOT NULL,
    source_id   text NOT NULL,
    -- ingestion.request.v1
    position    int,
    unchanged   boolean NOT NULL DEFAULT false,
    -- chunk.v1
    outcome        text,
    skip_reason    text,
    sanitized_hash text,
    chunks_to_read int,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, trigger_key, source_id)
);

-- Measurement: when the first content of a trigger was accepted.
CREATE TABLE cairn.trigger_stamps (
    project_id  text NOT NULL,
    trigger_key text NOT NULL,
    first_source_at timestamptz,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, trigger_key)
);

CREATE TABLE cairn.ingestion_runs (
    run_id      text PRIMARY KEY,
    project_id  text NOT NULL,
    lane        text,
    trigger     text,
    trigger_key text,
    root        text,
    coverage_target text,
    engine      text,
    limits      jsonb,
    versions    jsonb,
    basis_seq   bigint,
    source_count int,
    status      text,
    stop_reason text,
    last_successful_chunk_id text,
    batch_count int,
    sources_processed int,
    sources_skipped   int,
    chunks_skipped    int,
    chunks_processed  int,
    chunks_poison     int,
    atoms_created     int,
    atoms_merged      int,
    atoms_obsoleted   int,
    atoms_rejected    int,
    contradictions_found int,
    tokens      bigint,
    cost_usd    double precision,
    withdrawn_batches  int[],
    unfinished_sources text[],
    started_at  timestamptz,
    finished_at timestamptz,
    started_event_id uuid,
    updated_from_event_id uuid
);
CREATE INDEX ingestion_runs_by_project ON cairn.ingestion_runs (project_id, trigger_key);

-- Measurement: when the ledger first held an atom of a run.
CREATE TABLE cairn.run_stamps (
    run_id     text PRIMARY KEY,
    project_id text NOT NULL,
    first_atom_at timestamptz,
    updated_from_event_id uuid
);

CREATE TABLE cairn.ingestion_batches (
    run_id      text NOT NULL,
    batch_no    int NOT NULL,
    project_id  text NOT NULL,
    basis_seq   bigint,
    horizon_end int,
    hint        jsonb,
    source_changes jsonb,
    ledger_seq  bigint,
    committed_at timestamptz,
    tokens      bigint,
    new_atoms   int,
    new_atoms_per_10k_tokens double precision,
    withdrawn   boolean NOT NULL DEFAULT false,
    planned_event_id uuid,
    updated_from_event_id uuid,
    PRIMARY KEY (run_id, batch_no)
);

CREATE TABLE cairn.ledger_change_sets (
    project_id text NOT NULL,
    ledger_seq bigint NOT NULL,
    event_id   uuid NOT NULL,
    caused_by_event_id text NOT NULL,
    prev_hash  text NOT NULL,
    run_id     text,
    batch_no   int,
    position   int,
    kind       text,
    lane       text,
    chunk_id   text,
    outcome    text,
    tokens     bigint,
    cost_usd   double precision,
    reason     text NOT NULL,
    changes    jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, ledger_seq)
);
CREATE INDEX ledger_change_sets_by_cause ON cairn.ledger_change_sets (caused_by_event_id);
CREATE INDEX ledger_change_sets_by_run ON cairn.ledger_change_sets (run_id, ledger_seq);

CREATE TABLE cairn.ledger_atoms (
    atom_id    text PRIMARY KEY,
    project_id text NOT NULL,
    ledger     text NOT NULL,
    kind       text NOT NULL,
    title      text NOT NULL,
    body       text NOT NULL,
    polarity   text,
    severity   text,
    impact     text,
    tags       text[] NOT NULL,
    area       text NOT NULL,
    attributes jsonb NOT NULL,
    atom_fingerprint    text NOT NULL,
    fingerprint_version int NOT NULL,
    confidence       double precision NOT NULL,
    confidence_floor double precision,
    status        text NOT NULL,
    status_reason text NOT NULL,
    evidence_count        int NOT NULL,
    direct_evidence_count int NOT NULL,
    source_count          int NOT NULL,
    stale_evidence_count  int NOT NULL,
    evidence_state text NOT NULL,
    verified_by   text,
    verified_at   timestamptz,
    merged_into   text,
    superseded_by text,
    first_run_id  text NOT NULL,
    last_run_id   text NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at  timestamptz NOT NULL,
    first_provenance  jsonb NOT NULL,
    latest_provenance jsonb NOT NULL,
    first_seq  bigint NOT NULL,
    revision   int NOT NULL,
    search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('simple', title || ' ' || cairn.words_of(tags)
            || ' ' || coalesce(attributes->>'aliases', '')), 'A')
        || setweight(to_tsvector('english', body), 'B')) STORED,
    updated_from_event_id uuid
);
CREATE INDEX ledger_atoms_by_project ON cairn.ledger_atoms (project_id, status, kind);
CREATE INDEX ledger_atoms_by_run ON cairn.ledger_atoms (first_run_id);
CREATE INDEX ledger_atoms_by_tag ON cairn.ledger_atoms USING gin (tags);
CREATE INDEX ledger_atoms_search ON cairn.ledger_atoms USING gin (search);

CREATE TABLE cairn.ledger_atom_history (
    atom_id    text NOT NULL,
    ledger_seq bigint NOT NULL,
    revision   int NOT NULL,
    project_id text NOT NULL,
    record     jsonb NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (atom_id, ledger_seq)
);

CREATE TABLE cairn.ledger_evidence (
    evidence_id text PRIMARY KEY,
    project_id  text NOT NULL,
    atom_id     text NOT NULL,
    source_id   text NOT NULL,
    sanitized_hash text NOT NULL,
    chunk_id    text NOT NULL,
    structure_path text[] NOT NULL,
    char_start  int NOT NULL,
    char_end    int NOT NULL,
    line_start  int NOT NULL,
    line_end    int NOT NULL,
    snippet     text NOT NULL,
    evidence_type text NOT NULL,
    impact_indicator boolean NOT NULL,
    stale       boolean NOT NULL,
    stale_since_seq bigint,
    run_id      text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('english', snippet)) STORED,
    updated_from_event_id uuid
);
CREATE INDEX ledger_evidence_by_atom ON cairn.ledger_evidence (atom_id);
CREATE INDEX ledger_evidence_by_source ON cairn.ledger_evidence (source_id);
CREATE INDEX ledger_evidence_by_chunk ON cairn.ledger_evidence (chunk_id);
CREATE INDEX ledger_evidence_search ON cairn.ledger_evidence USING gin (search);

CREATE TABLE cairn.ledger_atom_entities (
    atom_id        text NOT NULL,
    entity_atom_id text NOT NULL,
    mention        text NOT NULL,
    project_id     text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (atom_id, entity_atom_id, mention)
);
CREATE INDEX ledger_atom_entities_by_entity ON cairn.ledger_atom_entities (entity_atom_id);

CREATE TABLE cairn.ledger_links (
    link_id      text PRIMARY KEY,
    project_id   text NOT NULL,
    from_atom_id text NOT NULL,
    to_atom_id   text NOT NULL,
    link_type    text NOT NULL,
    weight       double precision NOT NULL,
    created_by   text NOT NULL,
    run_id       text,
    active       boolean NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX ledger_links_by_from ON cairn.ledger_links (from_atom_id);
CREATE INDEX ledger_links_by_to ON cairn.ledger_links (to_atom_id);

CREATE TABLE cairn.ledger_merge_ops (
    merge_op_id  text PRIMARY KEY,
    project_id   text NOT NULL,
    ledger_seq   bigint NOT NULL,
    op           text NOT NULL,
    winner_atom_id text NOT NULL,
    loser_atom_id  text,
    candidate_id   text,
    similarity   double precision NOT NULL,
    fingerprint_winner text NOT NULL,
    fingerprint_loser  text,
    confidence_before double precision NOT NULL,
    confidence_after  double precision NOT NULL,
    evidence_added text[] NOT NULL,
    actor        text NOT NULL,
    run_id       text,
    reason       text NOT NULL,
    caused_by_event_id text NOT NULL,
    occurred_at  timestamptz NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX ledger_merge_ops_by_winner ON cairn.ledger_merge_ops (winner_atom_id);
CREATE INDEX ledger_merge_ops_by_project ON cairn.ledger_merge_ops (project_id, ledger_seq);

CREATE TABLE cairn.ledger_merge_candidates (
    merge_candidate_id text PRIMARY KEY,
    project_id text NOT NULL,
    atom_a_id  text NOT NULL,
    atom_b_id  text NOT NULL,
    similarity double precision NOT NULL,
    differing_tokens text[] NOT NULL,
    state      text NOT NULL,
    opened_seq bigint NOT NULL,
    decided_by text,
    updated_from_event_id uuid
);

CREATE TABLE cairn.ledger_contradictions (
    contradiction_id text PRIMARY KEY,
    project_id  text NOT NULL,
    atom_a_id   text NOT NULL,
    atom_b_id   text NOT NULL,
    contradiction_type text NOT NULL,
    severity    text NOT NULL,
    status      text NOT NULL,
    explanation text NOT NULL,
    detected_by text NOT NULL,
    run_id      text,
    opened_seq  bigint NOT NULL,
    updated_seq bigint NOT NULL,
    resolution_kind text,
    rationale   text,
    decided_by  text,
    reopened    boolean NOT NULL,
    updated_from_event_id uuid
);
CREATE INDEX ledger_contradictions_by_a ON cairn.ledger_contradictions (atom_a_id);
CREATE INDEX ledger_contradictions_by_b ON cairn.ledger_contradictions (atom_b_id);

CREATE TABLE cairn.ledger_rejections (
    run_id       text NOT NULL,
    candidate_id text NOT NULL,
    project_id   text NOT NULL,
    batch_no     int NOT NULL,
    lane         text NOT NULL,
    chunk_id     text NOT NULL,
    source_id    text NOT NULL,
    rejected     text NOT NULL,
    kind         text NOT NULL,
    title        text NOT NULL,
    findings     jsonb NOT NULL,
    rejected_rows jsonb NOT NULL,
    candidate    jsonb NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (run_id, candidate_id)
);

CREATE TABLE cairn.project_working_summary (
    project_id    text PRIMARY KEY,
    state_version text NOT NULL,
    ledger_seq    bigint NOT NULL,
    summary       jsonb NOT NULL,
    updated_from_event_id uuid
);

-- Positions at which the artifact writer has settled, also when it published nothing.
CREATE TABLE cairn.artifact_positions (
    project_id   text NOT NULL,
    artifact_seq bigint NOT NULL,
    artifact_id  text NOT NULL,
    artifact_type text NOT NULL,
    settled_run_id text,
    input_ledger_seq bigint NOT NULL,
    outcome      text NOT NULL,
    version      int NOT NULL,
    artifact_state text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (project_id, artifact_seq)
);

CREATE TABLE cairn.artifacts (
    artifact_id   text PRIMARY KEY,
    project_id    text NOT NULL,
    -- artifact.latest.v1
    artifact_type text,
    number        text,
    title         text,
    version       int,
    artifact_state text,
    content       jsonb,
    content_hash  text,
    rendered_markdown text,
    lane          text,
    engine        text,
    model         text,
    prompt_version text,
    run_id        text,
    input_ledger_seq bigint,
    upstream_artifact_ids text[],
    blocked_by    text[],
    updated_at    timestamptz,
    -- artifact.prd.v1
    state_before  text,
    reason_codes  text[],
    created_at    timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX artifacts_by_project ON cairn.artifacts (project_id, artifact_type);

CREATE VIEW cairn.prds AS SELECT * FROM cairn.artifacts WHERE artifact_type = 'prd';

CREATE TABLE cairn.artifact_versions (
    artifact_id   text NOT NULL,
    version       int NOT NULL,
    project_id    text NOT NULL,
    artifact_type text NOT NULL,
    content       jsonb NOT NULL,
    content_hash  text NOT NULL,
    rendered_markdown text NOT NULL,
    lane          text NOT NULL,
    engine        text NOT NULL,
    model         text,
    prompt_version text,
    run_id        text,
    input_ledger_seq bigint NOT NULL,
    recomputed_sections text[] NOT NULL,
    reason        text NOT NULL,
    published_at  timestamptz NOT NULL,
    event_id      uuid NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, version)
);
CREATE INDEX artifact_versions_by_run ON cairn.artifact_versions (run_id);

CREATE TABLE cairn.artifact_sections (
    artifact_id text NOT NULL,
    version     int NOT NULL,
    section_id  text NOT NULL,
    project_id  text NOT NULL,
    position    int NOT NULL,
    title       text NOT NULL,
    state       text NOT NULL,
    gap         text NOT NULL,
    statement_count int NOT NULL,
    content_hash text NOT NULL,
    input_hash  text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, version, section_id)
);

CREATE TABLE cairn.artifact_citations (
    artifact_id   text NOT NULL,
    version       int NOT NULL,
    section_id    text NOT NULL,
    statement_id  text NOT NULL,
    atom_id       text NOT NULL,
    atom_revision int NOT NULL,
    project_id    text NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, version, section_id, statement_id, atom_id)
);
CREATE INDEX artifact_citations_by_atom ON cairn.artifact_citations (atom_id);
CREATE INDEX artifact_citations_by_statement ON cairn.artifact_citations (statement_id);

CREATE TABLE cairn.artifact_rejections (
    artifact_id text NOT NULL,
    version     int NOT NULL,
    project_id  text NOT NULL,
    findings    jsonb NOT NULL,
    rejected_at timestamptz NOT NULL,
    updated_from_event_id uuid,
    PRIMARY KEY (artifact_id, version)
);

CREATE TABLE cairn.dead_letters (
    dead_letter_id text PRIMARY KEY,
    project_id     text NOT NULL,
    stage          text NOT NULL,
    origin_topic   text NOT NULL,
    origin_partition int NOT NULL,
    origin_offset  bigint NOT NULL,
    origin_key     text NOT NULL,
    value          bytea,
    error_class    text NOT NULL,
    error          text NOT NULL,
    attempts       int NOT NULL,
    recorded_at    timestamptz,
    updated_from_event_id uuid
);
