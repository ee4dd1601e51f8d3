"""What every text field of an event holds: who wrote it, and who has removed its secrets from it.

A field that stands in none of these tables counts as ``TEXTS``: a new field is redacted before
anybody has thought of it. A test names every field without a place here. Keys are the names of the
classes, values their fields.
"""

from __future__ import annotations

from collections.abc import Mapping

Fields = Mapping[str, str]

# Words of people and of the outside. The publisher removes their secrets.
TEXTS: Fields = {
    "ProjectCreated": "name description vision timezone",
    "SettingsChanged": "timezone",
    "ScheduleCreated": "title agent payload",
    "ScheduleUpdated": "title",
    "WorkItemReceived": "title payload",
    "WorkItemFinished": "detail",
    "ConnectorAdded": "target base_url options",
    "Credential": "place",
    "SyncFailed": "error",
    "CursorMoved": "problem notices",
    "SourceInfo": "title mime declared_charset",
    "SourceRevised": "unread_detail",
    "ListingNotice": "detail",
    "RunCancelRequested": "reason",
    "PersonDecided": "rationale",
    "ContradictionDecided": "escalated_to",
    "EditedStatement": "text",
    "ChangeRequested": "editor",
    "ToldTask": "title required_skills",
    "JobRecord": "payload result last_error created_by",
    "MemberAdded": "name role skills",
    "MemberUpdated": "name role skills",
    "DeadLetter": "origin_key error",
    "AgentCitation": "path snippet",
    "AgentOutput": "output response error",
    "RequestReceived": "text",
    "Routed": "message_to_agent thought",
    "ThoughtRecorded": "thought",
    "ToolCalled": "arguments",
    "ToolReturned": "answer",
    "EffectRecorded": "answer",
    "ConfirmationRequested": "arguments summary",
    "ConfirmationGiven": "arguments reason given_by",
    "Responded": "text error",
    "PipelineRecord": "sources",
    "StageRecord": "error reason",
    "PipelineWaits": "reason",
    "PipelineFailed": "error",
    "PayloadRecorded": "prompt response",
}

# The same where they name something: two that differ by a secret only stay two.
NAMES: Fields = {
    "ItemReceived": "external_ref kind delivery_id",
    "SourceInfo": "root external_ref path",
    "IngestionRequested": "root",
    "SourcesListed": "root",
    "ListedSource": "path",
    "ListingNotice": "path",
    "RemovalsAccepted": "root",
}

# Taken from a text that stage 0 has redacted, or from a fact that was published before.
CLEANED: Fields = {
    "SourceSanitized": "text",
    "ChunkCreated": "path title structure_path text_payload skip_detail root",
    "DocumentOption": "heading under",
    "SourceProcessed": "source skip_detail",
    "ChunkRef": "structure_path",
    "SourceReady": "processed",
    "RunStarted": "root",
    "RunStopped": "stop_detail",
    "ExtractRequested": "project_state",
    "CandidatesExtracted": "gaps",
    "Reading": "structure_path error",
    "Candidate": "kind title body impact tags attributes entities",
    "CandidateRow": "snippet speaker speaker_role",
    "Relation": "to",
    "Judged": "adjudication",
    "Finding": "detail",
    "AtomAdjudicated": "rationale",
    "LedgerChanged": "reason",
    "Change": "reason detail",
    "AtomRecord": "title body impact tags attributes status_reason verified_by",
    "Resolution": "actor rationale",
    "EvidenceRow": "structure_path snippet speaker speaker_role",
    "EntityMention": "mention",
    "MergeOp": "actor reason mentions_made",
    "MergeCandidate": "differing_tokens decided_by",
    "ContradictionRecord": "explanation rationale decided_by escalated_to",
    "TitledAtom": "title",
    "OpenContradiction": "title_a title_b",
    "HumanDecision": "decision rationale actor_id refusal",
    "ArtifactChanged": "reason",
    "EditAnswer": "editor",
    "ArtifactSnapshot": "title rendered_markdown edited_by",
    "Section": "title gap edited_by",
    "Statement": "text written_by",
    "Suggestion": "gap",
    "Member": "name role skills",
    "FeatureFields": "required_skills",
    "TaskFields": "upstream_title solutions required_skills domain",
    "OwnedTask": "title required_skills",
    "SprintPlanFields": "goal assumptions",
    "PlanItem": "reason",
    "UnplannedTask": "reason",
    "StandupSummary": "highlights risks",
    "SprintReport": "goal risks",
    "DeliveryForecast": "assumptions",
    "ReviewFinding": "detail",
    "ArtifactChange": "reason",
    "LoopRecord": "gaps_remaining",
    "ContinuationRecord": "coverage_assessment gaps_remaining made_from",
    "SectionCritique": "critique",
    "QualityRun": "error",
    "DimensionScore": "critique",
    "SectionGenerated": "title",
    "VersionPublished": "reason",
    "DeadLetter": "value",
    "StreamFrame": "data",
    # As it was used: a replay must read the same.
    "AnswerRecorded": "answer",
}

# Content under a data key of the vault.
ENCRYPTED: Fields = {
    "KeyCreated": "wrapped",
    "ItemReceived": "body",
    "MessageReceived": "nonce ciphertext",
    "SourceRevised": "content",
    "SourceContentPart": "content",
}

# Ids, hashes, versions, codes and places that Cairn makes, and marks of services.
IDENTIFIERS: Fields = {
    "_KeyEvent": "key_id subject",
    "ItemReceived": "key_id",
    "MessageReceived": (
        "testimony_id author_pseudonym channel_ref_hash thread_ref_hash edited risk_rules "
        "risk_version key_id"
    ),
    "MessageWithdrawn": "testimony_id",
    "_WorkItem": "work_item_id",
    "WorkItemReceived": "rule occasion agent connector done_by",
    "WorkItemRouted": "agent job_id",
    "WorkItemFinished": "job_id",
    "HeartbeatTicked": "due",
    "Recurrence": "at first_day",
    "QuietHours": "start end",
    "_Definition": "connector_id request_key",
    "ConnectorAdded": "streams",
    "Credential": "role",
    "_Sync": "connector_id stream",
    "SyncFailed": "reason",
    "CursorMoved": "connector_id stream cursor",
    "SourceRevised": "trigger_key revision_ref raw_sha256 key_id",
    "SourceInfo": "source_id language",
    "SourceContentPart": "source_id trigger_key key_id",
    "SourceSanitized": "source_id raw_normalized_hash sanitized_hash encoding",
    "Redaction": "redaction_id rule_id type placeholder",
    "Annotation": "annotation_id rule_id",
    "Versions": "hygiene redactor annotator chunk",
    "ChunkCreated": (
        "chunk_id source_id source_type language sanitized_hash chunk_version text_hash"
    ),
    "SourceProcessed": (
        "trigger_key revision_ref raw_sha256 raw_normalized_hash sanitized_hash "
        "previous_sanitized_hash encoding"
    ),
    "ChunkRef": "chunk_id text_hash",
    "IngestionRequested": "trigger_key limits",
    "SourcesListed": "trigger_key removed",
    "ListedSource": "source_id",
    "ListingNotice": "code",
    "SourcesUnchanged": "trigger_key source_ids",
    "RemovalsAccepted": "run_id source_ids",
    "RunCancelRequested": "run_id request_key",
    "RunResumeRequested": "run_id request_key",
    "RunStarted": "run_id trigger_key engine versions source_ids resumed_from",
    "DeepDiveQueued": "contradiction_id run_id chunk_ids",
    "BatchPlanned": "run_id",
    "NextBatchHint": "selected_chunk_ids",
    "CandidateChunk": "chunk_id source_id",
    "SourceChange": "source_id other_source_id old_hash new_hash",
    "Reanchored": "from_chunk_id to_chunk_id",
    "BatchCommitted": "run_id last_successful_chunk_id",
    "RunStopped": "run_id unfinished_sources removals_held",
    "ExtractRequested": "run_id chunk_id source_id project_state_version",
    "Reading": (
        "run_id chunk_id source_id sanitized_hash engine provider model prompt_version "
        "extractor_version project_state_version"
    ),
    "Candidate": "candidate_id",
    "AtomReflected": "reflection_version",
    "AtomAdjudicated": "reason provider model prompt_version",
    "Finding": "rule code",
    "MergeDecided": "merge_candidate_id",
    "ContradictionDecided": "contradiction_id",
    "AtomDecided": "atom_id",
    "LedgerChanged": "prev_hash caused_by_event_id",
    "Turn": "run_id chunk_id outcome engine",
    "Change": "target_id other_id",
    "AtomRecord": "atom_id atom_fingerprint merged_into superseded_by first_run_id last_run_id",
    "Provenance": (
        "source_id sanitized_hash chunk_id run_id engine provider model prompt_version "
        "extractor_version"
    ),
    "Resolution": "action hitl_event_id",
    "EvidenceRow": "evidence_id atom_id source_id sanitized_hash chunk_id run_id",
    "LinkRecord": "link_id from_atom_id to_atom_id run_id",
    "EntityMention": "atom_id entity_atom_id",
    "MergeOp": (
        "merge_op_id winner_atom_id loser_atom_id candidate_id fingerprint_winner "
        "fingerprint_loser evidence_added run_id caused_by_event_id links_made links_ended"
    ),
    "MergeCandidate": "merge_candidate_id atom_a_id atom_b_id hitl_event_id",
    "ContradictionRecord": (
        "contradiction_id atom_a_id atom_b_id run_id resolution_kind hitl_event_id"
    ),
    "WorkingSummary": "state_version",
    "TitledAtom": "atom_id",
    "OpenContradiction": "contradiction_id severity",
    "HumanDecision": "hitl_event_id action target_id actor_role",
    "ArtifactChanged": "caused_by_event_id settled_run_id recomputed_sections reason_codes",
    "ArtifactSnapshot": (
        "artifact_id number content_hash engine model prompt_version run_id "
        "upstream_artifact_ids blocked_by quality_run_id"
    ),
    "Section": "section_id content_hash input_hash engine model prompt_version",
    "Suggestion": "input_hash",
    "EditAnswer": "artifact_id section_ids uncited_atom_ids model",
    "ChangeRequested": "artifact_id model prompt_version",
    "ToldTask": "feature_id assignee_id",
    "OwnedTask": "feature_id assignee_id",
    "SectionEdit": "section_id input_hash",
    "Statement": "statement_id contradiction_ids artifact_ids backed_by",
    "Citation": "atom_id",
    "InsightFields": "atom_ids source_ids",
    "EpicFields": "prd_section_ids atom_ids feature_ids",
    "FeatureFields": (
        "epic_id atom_ids contradiction_ids_considered risk_atom_ids start_date end_date depends_on"
    ),
    "TaskFields": (
        "feature_id upstream_atom_ids atom_ids risk_atom_ids depends_on assignee_id sprint_id"
    ),
    "PlanItem": "task_id assignee_id",
    "UnplannedTask": "task_id",
    "SprintPlanFields": "start_date end_date risk_atom_ids",
    "MemberStandup": "member_id done doing blocked",
    "StandupSummary": "date citations",
    "SprintReport": "sprint_id completed carried_over added citations",
    "DeliveryForecast": "as_of p50_date p85_date risk_atom_ids",
    "ReportFields": "as_of",
    "Absence": "first_day last_day",
    "Member": "member_id",
    "MemberUpdated": "member_id",
    "MemberAdded": "member_id",
    "MemberRemoved": "member_id",
    "Team": "plan_start",
    "PlanSet": "start_day",
    "ReportRequested": "as_of",
    "ReviewFinding": "code section_id statement_id",
    "ArtifactChange": "recomputed_sections reason_codes",
    "LoopRecord": "phase engine",
    "ContinuationRecord": "artifact_id",
    "QualityRun": "quality_run_id artifact_id engine model revised_sections",
    "SectionCritique": "section_id",
    "StreamFrame": "stream_id name",
    "PipelineRecord": "pipeline_id idempotency_key actions created_by",
    "Attached": "artifact_type artifact_ids",
    "DimensionScore": "name failing_sections",
    "QualityEvent": "quality_run_id artifact_id",
    "QualityRunStarted": "dimensions engine model",
    "IterationCompleted": "failing_dimensions failing_sections",
    "SectionRevised": "previous_content_hash",
    "ArtifactSpeculated": "caused_by_event_id",
    "SpeculationEnd": "artifact_id confirmed recomputed withdrawn",
    "SectionGenerated": "artifact_id",
    "VersionPublished": "recomputed_sections",
    "StateChanged": "artifact_id reason_codes blocking_contradiction_ids",
    "VersionRejected": "artifact_id",
    "BudgetSet": "agent",
    "ModelCall": (
        "call_id agent stage run_id workflow_id provider model asked_model tier prompt_version "
        "fallback_from error_class request_hash"
    ),
    "CallOverBudget": "scope",
    "FallbackUsed": "call_id request_hash agent from_model to_model reason",
    "PayloadRecorded": "call_id",
    "AnswerRecorded": "request_hash",
    "JobRecord": ("job_id idempotency_key lease_owner error_class correlation_id"),
    "DeadLetter": "stage origin_topic error_class",
    "AgentCitation": "cited_id",
    "AgentOutput": "agent result_type",
    "EffectPlace": "effect_id node input_hash",
    "AgentEvent": "conversation_id turn_id",
    "RequestReceived": "role",
    "Routed": "agent next_agent",
    "ThoughtRecorded": "agent",
    "ToolCalled": "tool",
    "ToolReturned": "tool",
    "ReviewRequested": "agent",
    "ConfirmationRequested": "confirmation_id tool",
    "ConfirmationGiven": "confirmation_id",
    "Responded": "agent",
}
