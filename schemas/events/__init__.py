"""Every event, one module an area. ``EVENT_TYPES`` is the register the codec and the tests read."""

from __future__ import annotations

from schemas.envelope import Event
from schemas.events.agent import AGENT_EVENTS
from schemas.events.artifact import (
    ArtifactChanged,
    ArtifactEdited,
    ArtifactSpeculated,
    ChangeRefused,
    LatestSet,
    SectionGenerated,
    SpeculationEnded,
    StateChanged,
    VersionPublished,
    VersionRejected,
)
from schemas.events.atom import AtomAdjudicated, AtomReflected, CandidatesExtracted
from schemas.events.audit import AUDIT_FACTS
from schemas.events.change import ChangeRequested, GenerationRequested
from schemas.events.connector import (
    ConnectorAdded,
    ConnectorRemoved,
    CursorMoved,
    SyncFailed,
    SyncFinished,
    SyncStarted,
)
from schemas.events.connector_item import ItemReceived
from schemas.events.delivery import DELIVERY_EVENTS
from schemas.events.development_talk import TALK_EVENTS
from schemas.events.dlq import DeadLetter, DeadLetterResolved, RecordUndecidable
from schemas.events.extract import ExtractRequested
from schemas.events.hitl import (
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    DocumentRoleDecided,
    MergeDecided,
    MergeUndone,
    ProposalDecided,
)
from schemas.events.hygiene import (
    ChunkCreated,
    DocumentDescribed,
    SourceProcessed,
    SourceSanitized,
)
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    DeepDiveQueued,
    RunStarted,
    RunStopped,
)
from schemas.events.ingestion_request import (
    IngestionRequested,
    RemovalsAccepted,
    RunCancelRequested,
    RunResumeRequested,
    SourceReady,
    SourcesListed,
    SourcesUnchanged,
)
from schemas.events.job import (
    JobAttemptFailed,
    JobCancelled,
    JobClaimed,
    JobDead,
    JobEnqueued,
    JobLeaseExpired,
    JobSucceeded,
)
from schemas.events.judgement import JudgementRequested, PairJudged
from schemas.events.ledger import LedgerChanged
from schemas.events.ledger_retry import LedgerRetryRequested
from schemas.events.memory import MEMORY_EVENTS
from schemas.events.model_calls import CALL_FACTS
from schemas.events.pipeline import PIPELINE_FACTS
from schemas.events.project import (
    BudgetSet,
    ProjectCreated,
    ProjectDeleted,
    ProjectRenamed,
    SettingsChanged,
)
from schemas.events.quality import (
    DimensionScored,
    IterationCompleted,
    QualityRunFinished,
    QualityRunStarted,
    SectionRevised,
)
from schemas.events.schedule import SCHEDULE_FACTS
from schemas.events.source import SourceContentPart, SourceRevised
from schemas.events.stream import StreamFrame
from schemas.events.team import (
    MemberAdded,
    MemberRemoved,
    MemberUpdated,
    PlanSet,
    RebalanceProposed,
    ReportRequested,
)
from schemas.events.testimony import MessageReceived, MessageWithdrawn
from schemas.events.vault import KeyCreated, KeyErased
from schemas.events.webhook import WEBHOOK_FACTS
from schemas.events.workflow import RUN_EVENTS
from schemas.events.workflow_stages import STAGE_EVENTS

_EVENTS: tuple[type[Event], ...] = (
    ProjectCreated,
    ProjectRenamed,
    ProjectDeleted,
    BudgetSet,
    SettingsChanged,
    *SCHEDULE_FACTS,
    *WEBHOOK_FACTS,
    *AUDIT_FACTS,
    KeyCreated,
    KeyErased,
    StreamFrame,
    *PIPELINE_FACTS,
    ItemReceived,
    MessageReceived,
    MessageWithdrawn,
    ConnectorAdded,
    ConnectorRemoved,
    SyncStarted,
    SyncFinished,
    SyncFailed,
    CursorMoved,
    SourceRevised,
    SourceContentPart,
    SourceSanitized,
    DocumentDescribed,
    ChunkCreated,
    SourceProcessed,
    IngestionRequested,
    SourcesListed,
    SourcesUnchanged,
    SourceReady,
    RemovalsAccepted,
    RunCancelRequested,
    RunResumeRequested,
    RunStarted,
    DeepDiveQueued,
    BatchPlanned,
    BatchCommitted,
    RunStopped,
    ExtractRequested,
    CandidatesExtracted,
    AtomReflected,
    AtomAdjudicated,
    MergeDecided,
    ContradictionDecided,
    DocumentRoleDecided,
    AtomVerified,
    AtomUnverified,
    AtomDismissed,
    AtomReincluded,
    MergeUndone,
    ProposalDecided,
    JudgementRequested,
    PairJudged,
    LedgerRetryRequested,
    LedgerChanged,
    ChangeRequested,
    GenerationRequested,
    MemberAdded,
    MemberUpdated,
    MemberRemoved,
    PlanSet,
    RebalanceProposed,
    ReportRequested,
    ArtifactChanged,
    ArtifactSpeculated,
    SectionGenerated,
    SpeculationEnded,
    VersionPublished,
    StateChanged,
    VersionRejected,
    ArtifactEdited,
    ChangeRefused,
    LatestSet,
    QualityRunStarted,
    DimensionScored,
    IterationCompleted,
    SectionRevised,
    QualityRunFinished,
    JobEnqueued,
    JobClaimed,
    JobLeaseExpired,
    JobAttemptFailed,
    JobSucceeded,
    JobDead,
    JobCancelled,
    *CALL_FACTS,
    *AGENT_EVENTS,
    *MEMORY_EVENTS,
    *RUN_EVENTS,
    *STAGE_EVENTS,
    *DELIVERY_EVENTS,
    *TALK_EVENTS,
    DeadLetter,
    RecordUndecidable,
    DeadLetterResolved,
)
EVENT_TYPES: dict[str, type[Event]] = {event.type_name: event for event in _EVENTS}
