"""The topic table: what is on each topic, by what key, for how long, who writes and who reads.

Names are without the installation's prefix; ``Settings.topic`` adds it. Everything else that knows
topics (creation, workers, checks, the AsyncAPI document, the list in TOPICS.md) follows this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schemas.envelope import Envelope
from schemas.events.artifact import (
    ArtifactEdited,
    ChangeRefused,
    SectionGenerated,
    SpeculationEnded,
    StateChanged,
    VersionPublished,
    VersionRejected,
)

FOREVER_MS = -1
DAY_MS = 24 * 60 * 60 * 1000
AUDIT_DAYS = 400
RECORD_BYTES = 1024 * 1024
WHOLE_RECORD_BYTES = 8 * 1024 * 1024

KeyFamily = Literal[
    "project_id",
    "source_id",
    "artifact_id",
    "job_id",
    "key_id",
    "pipeline_id",
    "stream_id",
    "conversation_id",
    "outside",
    "origin",
]


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. ``retention_ms`` -1: for ever; ``internal``: not for other systems."""

    name: str
    key: KeyFamily
    events: tuple[str, ...]
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    cleanup: Literal["delete", "compact"] = "delete"
    retention_ms: int = FOREVER_MS
    max_message_bytes: int = RECORD_BYTES
    internal: bool = False


OF_ITS_TYPE = (
    VersionPublished,
    StateChanged,
    VersionRejected,
    SectionGenerated,
    SpeculationEnded,
    ArtifactEdited,
    ChangeRefused,
)
ARTIFACT_EVENTS = ("artifact.version_published", "artifact.state_changed", "artifact.rejected")
AHEAD_EVENTS = ("artifact.section_generated", "artifact.speculation_ended")
EDIT_EVENTS = ("artifact.edited", "artifact.change_refused")

TOPICS: tuple[Topic, ...] = (
    Topic(
        "project.v1",
        "project_id",
        (
            "project.created",
            "project.renamed",
            "project.deleted",
            "project.settings_changed",
            "project.budget_set",
            "connector.added",
            "connector.removed",
        ),
        ("cli",),
        ("projections", "connectors"),
    ),
    Topic(
        "vault.key.v1",
        "key_id",
        ("vault.key_created", "vault.key_erased"),
        ("vault",),
        ("vault",),
        cleanup="compact",
        internal=True,
    ),
    Topic(
        "connector.item.v1",
        "outside",
        (
            "connector.item_received",
            "connector.sync_started",
            "connector.sync_finished",
            "connector.sync_failed",
        ),
        ("webhooks", "connectors"),
        ("intake", "operators"),
        retention_ms=30 * DAY_MS,
        max_message_bytes=WHOLE_RECORD_BYTES,
        internal=True,
    ),
    Topic(
        "connector.cursor.v1",
        "outside",
        ("connector.cursor_moved",),
        ("connectors",),
        ("connectors",),
        cleanup="compact",
    ),
    Topic(
        "tdl.intake.v1",
        "project_id",
        ("tdl.message_received", "tdl.message_withdrawn"),
        ("intake",),
        ("operators",),
        internal=True,
    ),
    Topic(
        "source.v1",
        "source_id",
        ("source.content_part", "source.revised"),
        ("feeder",),
        ("hygiene", "projections"),
        internal=True,
    ),
    Topic("hygiene.v1", "source_id", ("source.sanitized",), ("hygiene",), ("projections",)),
    Topic(
        "chunk.v1",
        "source_id",
        ("chunk.created", "source.processed"),
        ("hygiene",),
        ("repartitioner", "map_preview", "map_deep", "reflect", "adjudicate", "projections"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "ingestion.request.v1",
        "project_id",
        (
            "ingestion.requested",
            "ingestion.sources_listed",
            "ingestion.sources_unchanged",
            "ingestion.source_ready",
            "ingestion.removals_accepted",
            "ingestion.cancel_requested",
            "ingestion.resume_requested",
        ),
        ("cli", "feeder", "repartitioner"),
        ("run_control", "projections"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "extract.preview.v1",
        "source_id",
        ("extract.requested",),
        ("run_control",),
        ("map_preview",),
        retention_ms=14 * DAY_MS,
        internal=True,
    ),
    Topic(
        "extract.deep.v1",
        "source_id",
        ("extract.requested",),
        ("run_control",),
        ("map_deep",),
        retention_ms=14 * DAY_MS,
        internal=True,
    ),
    Topic(
        "atom.candidate.v1",
        "source_id",
        ("atom.candidates_extracted",),
        ("map_preview", "map_deep"),
        ("reflect",),
    ),
    Topic(
        "atom.validated.v1",
        "project_id",
        ("atom.reflected", "atom.adjudicated"),
        ("reflect", "adjudicate"),
        ("adjudicate", "ledger", "projections"),
    ),
    Topic(
        "ingestion.v1",
        "project_id",
        (
            "ingestion.run_started",
            "ingestion.deep_dive_queued",
            "ingestion.batch_planned",
            "ingestion.batch_committed",
            "ingestion.run_stopped",
        ),
        ("run_control",),
        ("run_control", "ledger", "frame", "projections"),
    ),
    Topic(
        "hitl.v1",
        "project_id",
        (
            "hitl.merge_decided",
            "hitl.contradiction_decided",
            "hitl.atom_verified",
            "hitl.atom_unverified",
            "hitl.atom_dismissed",
            "hitl.atom_reincluded",
            "hitl.merge_undone",
            "hitl.proposal_decided",
        ),
        ("cli",),
        ("ledger", "projections"),
    ),
    Topic(
        "ledger.control.v1",
        "project_id",
        ("ledger.judgement_requested", "ledger.pair_judged", "ledger.retry_requested"),
        ("ledger", "judge", "operators"),
        ("judge", "ledger"),
    ),
    Topic(
        "ledger.v1",
        "project_id",
        ("ledger.changed",),
        ("ledger",),
        ("ledger", "run_control", "reduce", "frame", "projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "team.v1",
        "project_id",
        (
            "team.member_added",
            "team.member_updated",
            "team.member_removed",
            "team.plan_set",
            "rebalance.proposed",
        ),
        ("cli",),
        ("reduce", "frame", "projections"),
    ),
    Topic(
        "schedule.v1",
        "project_id",
        (
            "schedule.created",
            "schedule.updated",
            "schedule.removed",
            "heartbeat.ticked",
            "work_item.received",
            "work_item.routed",
            "work_item.deferred",
            "work_item.finished",
        ),
        ("cli", "intake", "jobs"),
        ("projections",),
    ),
    Topic(
        "webhook.v1",
        "project_id",
        (
            "webhook.added",
            "webhook.changed",
            "webhook.secret_rotated",
            "webhook.removed",
            "webhook.disabled",
            "webhook.delivery_ended",
        ),
        ("cli", "jobs"),
        ("projections",),
        internal=True,
    ),
    Topic(
        "audit.v1",
        "project_id",
        ("audit.write_begun", "audit.write_ended"),
        ("jobs",),
        ("projections",),
        retention_ms=AUDIT_DAYS * DAY_MS,
        internal=True,
    ),
    Topic(
        "reduce.request.v1",
        "project_id",
        ("reduce.report_requested", "reduce.change_requested", "reduce.generation_requested"),
        ("cli", "jobs"),
        ("reduce",),
    ),
    Topic(
        "reduce.v1",
        "project_id",
        ("artifact.changed", "artifact.speculated"),
        ("reduce",),
        ("reduce", "publish", "frame"),
        max_message_bytes=WHOLE_RECORD_BYTES,
        internal=True,
    ),
    Topic(
        "artifact.insight.v1",
        "artifact_id",
        ARTIFACT_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.prd.v1",
        "artifact_id",
        ARTIFACT_EVENTS + AHEAD_EVENTS + EDIT_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.epic.v1",
        "artifact_id",
        ARTIFACT_EVENTS + AHEAD_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.feature.v1",
        "artifact_id",
        ARTIFACT_EVENTS + AHEAD_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.task.v1",
        "artifact_id",
        ARTIFACT_EVENTS + AHEAD_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.sprint-plan.v1",
        "artifact_id",
        ARTIFACT_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.report.v1",
        "artifact_id",
        ARTIFACT_EVENTS,
        ("publish",),
        ("projections", "downstream"),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "artifact.latest.v1",
        "artifact_id",
        ("artifact.latest_set",),
        ("publish",),
        ("projections", "downstream"),
        cleanup="compact",
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "quality.v1",
        "artifact_id",
        (
            "quality.run_started",
            "quality.dimension_scored",
            "quality.iteration_completed",
            "quality.section_revised",
            "quality.run_finished",
        ),
        ("publish", "cli", "jobs"),
        ("projections", "frame", "downstream"),
    ),
    Topic(
        "stream.v1",
        "stream_id",
        ("stream.frame",),
        ("frame", "jobs"),
        ("projections",),
        retention_ms=7 * DAY_MS,
        internal=True,
    ),
    Topic(
        "pipeline.v1",
        "pipeline_id",
        (
            "pipeline.started",
            "pipeline.stage_changed",
            "pipeline.artifact_attached",
            "pipeline.waiting_for_human",
            "pipeline.resumed",
            "pipeline.completed",
            "pipeline.failed",
            "pipeline.cancelled",
        ),
        ("jobs",),
        ("frame", "projections"),
    ),
    Topic(
        "job.v1",
        "job_id",
        (
            "job.enqueued",
            "job.claimed",
            "job.lease_expired",
            "job.attempt_failed",
            "job.succeeded",
            "job.dead",
            "job.cancelled",
        ),
        ("jobs",),
        ("projections",),
        retention_ms=365 * DAY_MS,
    ),
    Topic(
        "llm.call.v1",
        "project_id",
        ("llm.call_completed", "llm.call_failed", "llm.fallback_used", "llm.budget_exceeded"),
        ("jobs",),
        ("projections",),
    ),
    Topic(
        "llm.payload.v1",
        "project_id",
        ("llm.payload_recorded",),
        ("jobs",),
        ("projections",),
        retention_ms=90 * DAY_MS,
        max_message_bytes=WHOLE_RECORD_BYTES,
        internal=True,
    ),
    Topic(
        "llm.answer.v1",
        "project_id",
        ("llm.answer_recorded",),
        ("models",),
        ("projections",),
        max_message_bytes=WHOLE_RECORD_BYTES,
        internal=True,
    ),
    Topic(
        "agent.v1",
        "conversation_id",
        (
            "agent.request_received",
            "agent.routed",
            "agent.thought_recorded",
            "agent.tool_called",
            "agent.tool_returned",
            "agent.effect_recorded",
            "agent.result_produced",
            "agent.review_requested",
            "agent.limit_reached",
            "agent.confirmation_requested",
            "agent.confirmation_given",
            "agent.responded",
        ),
        ("jobs",),
        ("projections",),
        max_message_bytes=WHOLE_RECORD_BYTES,
    ),
    Topic(
        "dlq.v1",
        "origin",
        ("dlq.recorded", "dlq.undecidable", "dlq.resolved"),
        ("all stages",),
        ("projections", "operators"),
        internal=True,
    ),
)
BY_NAME: dict[str, Topic] = {topic.name: topic for topic in TOPICS}


def is_kept_whole(name: str) -> bool:
    """Whether the topic keeps every record for ever, so that a missing one means a loss."""
    topic = BY_NAME[name]
    return topic.cleanup == "delete" and topic.retention_ms == FOREVER_MS


def topic_of(envelope: Envelope) -> Topic:
    """The topic of a fact: an extraction request goes to the topic of its lane, a fact about one
    artifact to the topic of the artifact's type.
    """
    event = envelope.event
    if event.type_name == "extract.requested":
        return BY_NAME[f"extract.{envelope.lane}.v1"]
    if isinstance(event, OF_ITS_TYPE):
        return BY_NAME[f"artifact.{event.artifact_type.replace('_', '-')}.v1"]
    return BY_NAME[event.topic]


def key_of(envelope: Envelope) -> str:
    """The record key. All facts with one key have one writer and keep their order."""
    match topic_of(envelope).key:
        case "project_id":
            return envelope.project_id
        case "source_id":
            event = envelope.event
            return str(getattr(event, "source_id", None) or event.aggregate_id)
        case _:
            return envelope.event.aggregate_id
