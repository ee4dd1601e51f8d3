-- Frames for clients that follow a project or a run live. The record's place orders those of one stream;
-- who waits for frames is woken when some have been committed.

CREATE TABLE cairn.stream_frames (
    event_id    uuid PRIMARY KEY,
    project_id  text NOT NULL,
    stream_id   text NOT NULL,
    seq         bigint NOT NULL DEFAULT -1,
    name        text NOT NULL,
    data        text NOT NULL,
    is_last     boolean NOT NULL,
    recorded_at timestamptz,
    updated_from_event_id uuid
);
CREATE INDEX stream_frames_in_order ON cairn.stream_frames (stream_id, seq);
CREATE INDEX stream_frames_by_age ON cairn.stream_frames (recorded_at);

CREATE FUNCTION cairn.tell_of_frames() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN PERFORM pg_notify('cairn_frames', ''); RETURN NULL; END $$;
CREATE TRIGGER stream_frames_told AFTER INSERT ON cairn.stream_frames
    FOR EACH STATEMENT EXECUTE FUNCTION cairn.tell_of_frames();
