"""The application layer: one function for each thing a user can do.

A use case takes plain values, publishes or reads, returns a frozen result and raises errors with
codes (`infra/errors.py`). It prints nothing and knows no terminal, request or tool call; the
command line, HTTP and MCP parse, call one use case and render.

The imports below are for type checkers. At run time a module is loaded when one of its names is
first used, so that a short command does not wait for all of them.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infra.service.agent_tools import AgentTool as AgentTool
    from infra.service.agent_tools import list_agent_tools as list_agent_tools
    from infra.service.agent_turns import TurnCheckpoint as TurnCheckpoint
    from infra.service.agent_turns import replay_turn as replay_turn
    from infra.service.agents import BegunTurn as BegunTurn
    from infra.service.agents import ChatRequest as ChatRequest
    from infra.service.agents import ConfirmationAnswer as ConfirmationAnswer
    from infra.service.agents import TurnFrame as TurnFrame
    from infra.service.agents import answer_confirmation as answer_confirmation
    from infra.service.agents import begin_turn as begin_turn
    from infra.service.agents import describe_agent_graph as describe_agent_graph
    from infra.service.agents import follow_turn as follow_turn
    from infra.service.assignments import suggest_assignments as suggest_assignments
    from infra.service.audit import REPLAY_SCHEMA as REPLAY_SCHEMA
    from infra.service.audit import ReplayedLedger as ReplayedLedger
    from infra.service.audit import hash_tables as hash_tables
    from infra.service.audit import rebuild_tables as rebuild_tables
    from infra.service.audit import replay_ledger as replay_ledger
    from infra.service.audit import verify_log as verify_log
    from infra.service.cluster_check import Remark as Remark
    from infra.service.cluster_check import check_cluster as check_cluster
    from infra.service.connectors import AddedConnector as AddedConnector
    from infra.service.connectors import ConnectorCheck as ConnectorCheck
    from infra.service.connectors import ConnectorSpec as ConnectorSpec
    from infra.service.connectors import MissingPermission as MissingPermission
    from infra.service.connectors import StreamResult as StreamResult
    from infra.service.connectors import StreamStatus as StreamStatus
    from infra.service.connectors import add_connector as add_connector
    from infra.service.connectors import check_connectors as check_connectors
    from infra.service.connectors import define_connector as define_connector
    from infra.service.connectors import list_streams as list_streams
    from infra.service.connectors import reconcile_connectors as reconcile_connectors
    from infra.service.connectors import remove_connectors as remove_connectors
    from infra.service.connectors import sync_connectors as sync_connectors
    from infra.service.costs import BudgetSpec as BudgetSpec
    from infra.service.costs import BudgetState as BudgetState
    from infra.service.costs import read_budgets as read_budgets
    from infra.service.costs import read_call as read_call
    from infra.service.costs import read_costs as read_costs
    from infra.service.costs import set_budget as set_budget
    from infra.service.dead_letters import RetriedLetter as RetriedLetter
    from infra.service.dead_letters import list_dead_letters as list_dead_letters
    from infra.service.dead_letters import retry_dead_letter as retry_dead_letter
    from infra.service.decisions import Decider as Decider
    from infra.service.decisions import Decision as Decision
    from infra.service.decisions import Resolution as Resolution
    from infra.service.decisions import answer_proposal as answer_proposal
    from infra.service.decisions import dismiss_atom as dismiss_atom
    from infra.service.decisions import dismiss_contradiction as dismiss_contradiction
    from infra.service.decisions import escalate_contradiction as escalate_contradiction
    from infra.service.decisions import reinclude_atom as reinclude_atom
    from infra.service.decisions import resolve_contradiction as resolve_contradiction
    from infra.service.decisions import review_merge as review_merge
    from infra.service.decisions import undo_decision as undo_decision
    from infra.service.decisions import undo_merge as undo_merge
    from infra.service.decisions import unverify_atom as unverify_atom
    from infra.service.decisions import verify_atom as verify_atom
    from infra.service.edits import PrdEdit as PrdEdit
    from infra.service.edits import edit_prd_section as edit_prd_section
    from infra.service.explaining import Explanation as Explanation
    from infra.service.explaining import explain_source as explain_source
    from infra.service.exporting import read_export as read_export
    from infra.service.features import FeatureText as FeatureText
    from infra.service.features import change_feature as change_feature
    from infra.service.features import create_feature as create_feature
    from infra.service.handed_documents import HANDED as HANDED
    from infra.service.handed_documents import HandedDocument as HandedDocument
    from infra.service.http_address import choose_address as choose_address
    from infra.service.http_address import read_address as read_address
    from infra.service.imports import Imported as Imported
    from infra.service.imports import JiraExport as JiraExport
    from infra.service.imports import SlackZip as SlackZip
    from infra.service.imports import import_export as import_export
    from infra.service.ingestion import IngestRequest as IngestRequest
    from infra.service.ingestion import MilestoneReached as MilestoneReached
    from infra.service.ingestion import SourceIngested as SourceIngested
    from infra.service.ingestion import SourceListed as SourceListed
    from infra.service.ingestion import SourceProgress as SourceProgress
    from infra.service.ingestion import check_limits as check_limits
    from infra.service.ingestion import ingest as ingest
    from infra.service.installation import connect as connect
    from infra.service.intake import run_intake as run_intake
    from infra.service.item_changes import ItemRequest as ItemRequest
    from infra.service.jobs import EnqueuedJob as EnqueuedJob
    from infra.service.jobs import JobRequest as JobRequest
    from infra.service.jobs import cancel_job as cancel_job
    from infra.service.jobs import enqueue_job as enqueue_job
    from infra.service.jobs import list_jobs as list_jobs
    from infra.service.jobs import read_job as read_job
    from infra.service.jobs import read_job_history as read_job_history
    from infra.service.jobs import retry_job as retry_job
    from infra.service.jobs import run_jobs as run_jobs
    from infra.service.ledger_reader import LedgerReader as LedgerReader
    from infra.service.ledger_reader import open_ledger_reader as open_ledger_reader
    from infra.service.lost_database import describe_loss as describe_loss
    from infra.service.model_entries import ProviderSpec as ProviderSpec
    from infra.service.model_setup import Trial as Trial
    from infra.service.model_setup import add_provider as add_provider
    from infra.service.model_setup import remove_provider as remove_provider
    from infra.service.model_setup import try_provider as try_provider
    from infra.service.models import ProviderState as ProviderState
    from infra.service.models import list_models as list_models
    from infra.service.onboarding import StartedPipeline as StartedPipeline
    from infra.service.onboarding import accept_onboarding as accept_onboarding
    from infra.service.onboarding import cancel_onboarding as cancel_onboarding
    from infra.service.onboarding import list_onboarding as list_onboarding
    from infra.service.onboarding import read_onboarding as read_onboarding
    from infra.service.onboarding import read_onboarding_events as read_onboarding_events
    from infra.service.onboarding import resume_onboarding as resume_onboarding
    from infra.service.onboarding import skip_onboarding_stage as skip_onboarding_stage
    from infra.service.onboarding import start_onboarding as start_onboarding
    from infra.service.outgoing_webhooks import Delivery as Delivery
    from infra.service.outgoing_webhooks import NewWebhook as NewWebhook
    from infra.service.outgoing_webhooks import Webhook as Webhook
    from infra.service.outgoing_webhooks import WebhookChange as WebhookChange
    from infra.service.outgoing_webhooks import WebhookSpec as WebhookSpec
    from infra.service.outgoing_webhooks import add_webhook as add_webhook
    from infra.service.outgoing_webhooks import change_webhook as change_webhook
    from infra.service.outgoing_webhooks import list_deliveries as list_deliveries
    from infra.service.outgoing_webhooks import list_webhooks as list_webhooks
    from infra.service.outgoing_webhooks import read_webhook as read_webhook
    from infra.service.outgoing_webhooks import remove_webhook as remove_webhook
    from infra.service.outgoing_webhooks import replay_delivery as replay_delivery
    from infra.service.outgoing_webhooks import rotate_webhook_secret as rotate_webhook_secret
    from infra.service.outgoing_webhooks import send_test_message as send_test_message
    from infra.service.planning import request_report as request_report
    from infra.service.polling import run_poller as run_poller
    from infra.service.progress import Note as Note
    from infra.service.projects import Project as Project
    from infra.service.projects import create_project as create_project
    from infra.service.projects import delete_project as delete_project
    from infra.service.projects import rename_project as rename_project
    from infra.service.publishing import draw_key as draw_key
    from infra.service.quality import GateRequest as GateRequest
    from infra.service.quality import QualityGraph as QualityGraph
    from infra.service.quality import describe_quality_graph as describe_quality_graph
    from infra.service.quality import list_quality_runs as list_quality_runs
    from infra.service.quality import read_quality_run as read_quality_run
    from infra.service.quality import run_quality as run_quality
    from infra.service.reads import View as View
    from infra.service.reads import list_atoms as list_atoms
    from infra.service.reads import list_contradiction_pairs as list_contradiction_pairs
    from infra.service.reads import list_contradictions as list_contradictions
    from infra.service.reads import list_decisions as list_decisions
    from infra.service.reads import list_deltas as list_deltas
    from infra.service.reads import list_merges as list_merges
    from infra.service.reads import list_near_copies as list_near_copies
    from infra.service.reads import list_next_batches as list_next_batches
    from infra.service.reads import list_past_atoms as list_past_atoms
    from infra.service.reads import list_past_contradictions as list_past_contradictions
    from infra.service.reads import list_phases as list_phases
    from infra.service.reads import list_projects as list_projects
    from infra.service.reads import list_proposals as list_proposals
    from infra.service.reads import list_reasons as list_reasons
    from infra.service.reads import list_rejections as list_rejections
    from infra.service.reads import list_runs as list_runs
    from infra.service.reads import list_sources as list_sources
    from infra.service.reads import list_waiting as list_waiting
    from infra.service.reads import read_coverage as read_coverage
    from infra.service.reads import read_names as read_names
    from infra.service.reads import read_past_coverage as read_past_coverage
    from infra.service.reads import read_past_prd as read_past_prd
    from infra.service.reads import read_prd as read_prd
    from infra.service.reads import read_run_report as read_run_report
    from infra.service.reads import read_view as read_view
    from infra.service.reads import search_ledger as search_ledger
    from infra.service.reads import trace as trace
    from infra.service.rights import PARTS as PARTS
    from infra.service.rights import as_command as as_command
    from infra.service.rights import rights_of as rights_of
    from infra.service.runs import AcceptedRemovals as AcceptedRemovals
    from infra.service.runs import accept_removals as accept_removals
    from infra.service.runs import cancel_run as cancel_run
    from infra.service.runs import resume_run as resume_run
    from infra.service.schedule_starts import start_schedule as start_schedule
    from infra.service.schedules import ProjectSettings as ProjectSettings
    from infra.service.schedules import QuietHours as QuietHours
    from infra.service.schedules import ScheduledWork as ScheduledWork
    from infra.service.schedules import WorkChange as WorkChange
    from infra.service.schedules import WorkRequest as WorkRequest
    from infra.service.schedules import list_schedules as list_schedules
    from infra.service.schedules import read_project_settings as read_project_settings
    from infra.service.schedules import read_schedule as read_schedule
    from infra.service.schedules import remove_schedule as remove_schedule
    from infra.service.schedules import schedule_work as schedule_work
    from infra.service.schedules import set_project_settings as set_project_settings
    from infra.service.schedules import update_schedule as update_schedule
    from infra.service.sessions import create_console_link as create_console_link
    from infra.service.setup import find_vault_problems as find_vault_problems
    from infra.service.setup import prepare_servers as prepare_servers
    from infra.service.sprints import SprintText as SprintText
    from infra.service.sprints import change_sprint as change_sprint
    from infra.service.sprints import create_sprint as create_sprint
    from infra.service.status import InstallationStatus as InstallationStatus
    from infra.service.status import read_status as read_status
    from infra.service.tasks import TaskText as TaskText
    from infra.service.tasks import change_task as change_task
    from infra.service.tasks import create_task as create_task
    from infra.service.team import Member as Member
    from infra.service.team import MemberChange as MemberChange
    from infra.service.team import add_member as add_member
    from infra.service.team import list_members as list_members
    from infra.service.team import remove_member as remove_member
    from infra.service.team import set_plan as set_plan
    from infra.service.team import update_member as update_member
    from infra.service.tokens import ensure_owner_token as ensure_owner_token
    from infra.service.touching import find_touched as find_touched
    from infra.settings import Settings as Settings


def __getattr__(name: str) -> Any:
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


@cache
def _modules() -> dict[str, str]:
    """Where each name comes from: the imports above, read as text."""
    imports = (
        node
        for node in ast.walk(ast.parse(Path(__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("infra.")
    )
    return {alias.name: str(node.module) for node in imports for alias in node.names}
