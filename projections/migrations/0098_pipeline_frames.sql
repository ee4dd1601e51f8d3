-- Where a pipeline begins and ends in the stream of its project, whose frames it tells as its own.
CREATE INDEX stream_frames_of_pipelines ON cairn.stream_frames (stream_id, seq)
    WHERE name IN ('pipeline_started', 'done');
