-- Passages: the sanitized text in pieces of some lines, for search. Sources folded before this have
-- none until they change or until `cairn rebuild`.

-- Words apart: what joins them is a blank, and of a name like maxRetryCount the parts follow at the end.
CREATE FUNCTION cairn.search_words(content text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT regexp_replace(content, '[^[:alnum:]]+', ' ', 'g')
        || CASE WHEN content ~ '[[:lower:]][[:upper:]]' THEN ' ' || coalesce((
            SELECT string_agg(regexp_replace(name[1], '([[:lower:][:digit:]])([[:upper:]])', '\1 \2', 'g'), ' ')
            FROM regexp_matches(content, '[[:alnum:]]*[[:lower:]][[:upper:]][[:alnum:]]*', 'g') AS name), '')
        ELSE '' END $$;

CREATE TABLE cairn.passages (
    passage_id     text PRIMARY KEY,
    project_id     text NOT NULL,
    chunk_id       text NOT NULL,
    source_id      text NOT NULL,
    sanitized_hash text NOT NULL,
    path           text NOT NULL,
    title          text NOT NULL,
    structure_path text[] NOT NULL,
    -- What the text continues: the header of its table, the line that introduces its list.
    lead           text NOT NULL,
    char_start     int NOT NULL,
    char_end       int NOT NULL,
    line_start     int NOT NULL,
    line_end       int NOT NULL,
    text           text NOT NULL,
    obsolete       boolean NOT NULL DEFAULT false,
    search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('english', cairn.search_words(
            coalesce(structure_path[cardinality(structure_path)], '') || ' ' || lead)), 'A')
        || setweight(to_tsvector('english', cairn.search_words(
            title || ' ' || cairn.words_of(structure_path[1:cardinality(structure_path) - 1]))), 'B')
        || setweight(to_tsvector('english', cairn.search_words(path)), 'C')
        || to_tsvector('english', cairn.search_words(text))) STORED,
    updated_from_event_id uuid
);
CREATE INDEX passages_by_source ON cairn.passages (source_id, char_start);
CREATE INDEX passages_by_project ON cairn.passages (project_id, passage_id) WHERE NOT obsolete;
CREATE INDEX passages_search ON cairn.passages USING gin (search) WHERE NOT obsolete;
