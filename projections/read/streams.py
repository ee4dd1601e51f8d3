"""Frames of live streams, in the order of the log."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property

from infra.platform.errors import NotFound
from projections.read.session import Conn, ReadModel, rows, select
from schemas.envelope import SERVICE_WIDE

NONE = "'{}'::text[]"
# The projects that were chosen in a conversation: a message may quote those before it.
CHOSEN = """ARRAY(SELECT DISTINCT c.data ->> 'project' FROM agent_events c
            WHERE c.conversation_id = {conversation} AND c.ordinal = 0)"""
STREAM = f"""
    SELECT project_id, created_at, '' AS owner, {NONE} AS chosen
    FROM projects WHERE project_id = %s
    UNION ALL
    SELECT project_id, p.created_at, '', {NONE}
    FROM ingestion_runs JOIN projects p USING (project_id)
    WHERE run_id = %s
    UNION ALL
    SELECT project_id, p.created_at, '', {NONE} FROM quality_runs JOIN projects p USING (project_id)
    WHERE quality_run_id = %s
    UNION ALL
    SELECT project_id, p.created_at, '', {NONE}
    FROM onboarding_pipelines JOIN projects p USING (project_id)
    WHERE pipeline_id = %s
    UNION ALL
    (SELECT project_id, p.created_at, '', {NONE}
    FROM orchestration_jobs JOIN projects p USING (project_id)
    WHERE correlation_id = %s AND job_type IN ('agent_turn', 'workflow', 'delivery') LIMIT 1)
    UNION ALL
    (SELECT project_id, to_timestamp(0), '', {NONE} FROM orchestration_jobs
    WHERE correlation_id = %s
        AND job_type IN ('workflow', 'delivery') AND project_id = '{SERVICE_WIDE}' LIMIT 1)
    UNION ALL
    SELECT project_id, to_timestamp(0), '', {NONE} FROM workflows
    WHERE workflow_id = %s AND project_id = '{SERVICE_WIDE}'
    UNION ALL
    (SELECT project_id, to_timestamp(0), payload -> 'assistant' ->> 'owner',
        payload -> 'assistant' ->> 'project'
            || {CHOSEN.format(conversation="payload ->> 'conversation_id'")}
    FROM orchestration_jobs
    WHERE correlation_id = %s AND job_type = 'agent_turn' AND project_id = '{SERVICE_WIDE}'
        AND payload ? 'assistant' LIMIT 1)
    UNION ALL
    SELECT project_id, to_timestamp(0), data ->> 'owner',
        {CHOSEN.format(conversation="e.conversation_id")}
    FROM agent_events e
    WHERE turn_id = %s AND ordinal = 0 AND project_id = '{SERVICE_WIDE}'
    UNION ALL
    (SELECT project_id, p.created_at, '', {NONE}
    FROM stream_frames JOIN projects p USING (project_id)
    WHERE stream_id = %s LIMIT 1)
"""
FRAME = "stream_id, seq, name, data, is_last"
# What a project tells and its pipeline tells, too, for as long as the pipeline lasts.
TOLD_BY_PIPELINES = (
    *("run", "progress", "atoms", "contradictions", "insight", "prd_section", "epic", "feature"),
    *("task", "sprint_plan", "artifact_state", "quality_started", "assessment_progress"),
    *("dimension_score", "iteration_feedback", "section_revised", "final_tier"),
)
# A pipeline's stream is that part of its project's: so the two have one order.
OF_PIPELINE = f"""
    SELECT p.pipeline_id AS stream_id, f.seq, f.name, f.data, f.seq = bounds.last AS is_last
    FROM onboarding_pipelines p
    CROSS JOIN LATERAL (SELECT '{{"pipeline_id":"' || p.pipeline_id || '"' AS begin) own
    CROSS JOIN LATERAL (
        SELECT min(b.seq) FILTER (WHERE b.name = 'pipeline_started') AS first,
            coalesce(min(b.seq) FILTER (WHERE b.name = 'done'), {2**62}) AS last
        FROM stream_frames b WHERE b.stream_id = p.project_id
            AND b.name IN ('pipeline_started', 'done') AND starts_with(b.data, own.begin)
    ) bounds
    JOIN stream_frames f ON f.stream_id = p.project_id
        AND f.seq >= bounds.first AND f.seq <= bounds.last
        AND (f.name IN ({", ".join(f"'{name}'" for name in TOLD_BY_PIPELINES)})
            OR starts_with(f.data, own.begin))
"""
PAGE = f"""
    SELECT {FRAME} FROM stream_frames WHERE stream_id = %s AND seq > %s ORDER BY seq LIMIT %s
"""
PAGE_OF_PIPELINE = f"""
    {OF_PIPELINE} WHERE p.pipeline_id = %s AND f.seq > %s ORDER BY f.seq LIMIT %s
"""
NEWS = f"""
    SELECT {FRAME.replace("stream_id, seq", "f.stream_id, f.seq")}
    FROM unnest(%s::text[], %s::bigint[]) AS known (stream_id, seq)
    JOIN stream_frames f ON f.stream_id = known.stream_id AND f.seq > known.seq
    ORDER BY f.stream_id, f.seq LIMIT %s
"""
ENDS_OF = """
    SELECT max(seq) AS last, bool_or(is_last) AS is_over, bool_or(seq = %s) AS is_known
"""
ENDS = f"{ENDS_OF} FROM stream_frames WHERE stream_id = %s"
ENDS_OF_PIPELINE = f"{ENDS_OF} FROM ({OF_PIPELINE} WHERE p.pipeline_id = %s) frames"


class Stream(ReadModel):
    """A stream that exists. One of the assistant is for its ``owner`` alone, as long as they see
    the ``chosen`` projects of its conversation.

    ``epoch`` belongs to this stream alone and changes when its project is made anew in another log:
    the places of frames are comparable within one stream only.
    """

    stream_id: str
    project_id: str
    epoch: str
    owner: str = ""
    chosen: tuple[str, ...] = ()

    @property
    def is_endless(self) -> bool:
        return self.stream_id == self.project_id


class Frame(ReadModel):
    stream_id: str
    seq: int
    name: str
    data: str
    is_last: bool

    @cached_property
    def wire(self) -> bytes:
        """The frame as it travels, behind the epoch of its id; made once for all who get it."""
        return f"-{self.seq}\nevent: {self.name}\ndata: {self.data}\n\n".encode()


class StreamEnds(ReadModel):
    """Where a stream stands. ``is_known``: the frame that was asked about is still there."""

    last: int
    is_over: bool
    is_known: bool


def read_stream(connection: Conn, stream_id: str) -> Stream:
    """The stream of a project, of a run, or of what has frames. Raises NotFound."""
    for row in rows(connection, STREAM, *[stream_id] * 10):
        epoch = _epoch(stream_id, row.pop("created_at"))
        chosen = sorted(filter(None, row.pop("chosen")))
        return Stream(stream_id=stream_id, epoch=epoch, chosen=tuple(chosen), **row)
    raise unknown_stream(stream_id)


def unknown_stream(stream_id: str) -> NotFound:
    """The same words for a stream that is not there and for one that is not theirs."""
    return NotFound(
        f"There is no stream {stream_id}: give the id of a project, a run, a pipeline, a turn or a"
        " workflow.",
        code="stream_unknown",
        detail={"stream_id": stream_id},
    )


def read_ends(connection: Conn, stream_id: str, seq: int = -1) -> StreamEnds:
    """Where the stream stands, and whether frame ``seq`` is there."""
    query = ENDS_OF_PIPELINE if _is_pipeline(stream_id) else ENDS
    (row,) = rows(connection, query, seq, stream_id)
    return StreamEnds(
        last=-1 if row["last"] is None else row["last"],
        is_over=bool(row["is_over"]),
        is_known=bool(row["is_known"]),
    )


def list_frames(connection: Conn, stream_id: str, after: int, limit: int) -> list[Frame]:
    """The first ``limit`` frames behind ``after``. A pipeline's are a part of its project's."""
    query = PAGE_OF_PIPELINE if _is_pipeline(stream_id) else PAGE
    return select(connection, Frame, query, stream_id, after, limit)


def list_frames_behind(connection: Conn, offsets: Mapping[str, int], limit: int) -> list[Frame]:
    """Of each stream in ``offsets`` the frames behind that one, a stream after the other.

    ``limit`` counts those of pipelines by themselves.
    """
    frames = select(connection, Frame, NEWS, list(offsets), list(offsets.values()), limit)
    for stream_id, seq in offsets.items():
        if _is_pipeline(stream_id):
            frames += list_frames(connection, stream_id, seq, limit)
    return frames


def _is_pipeline(stream_id: str) -> bool:
    return stream_id.startswith("onb_")


def _epoch(stream_id: str, created_at: datetime) -> str:
    """Made of the log alone, so that it is the same after a rebuild."""
    made = f"{stream_id} {int(created_at.timestamp() * 1000)}"
    return hashlib.sha256(made.encode()).hexdigest()[:12]
