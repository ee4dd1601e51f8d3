"""What to do about an error or a note, as it is done on the command line; by code."""

from __future__ import annotations

import shlex

from infra.platform.errors import Refusal

SEE_STATUS = "See `cairn status`, then try again."
HINTS = {
    "already_running": "`cairn status` shows it, `cairn down` stops it.",
    "broker_unavailable": SEE_STATUS,
    "broker_unconfigured": "Run `cairn up --detach` or set CAIRN_KAFKA_BOOTSTRAP.",
    "connector_check_failed": "Or connect it unasked with --no-check.",
    "database_disk_full": "`cairn status` shows how much is free.",
    "database_unavailable": SEE_STATUS,
    "database_unconfigured": "Run `cairn up --detach` or set CAIRN_DATABASE_URL.",
    "decision_unanswered": "See `cairn status`, then ask again with --idempotency-key {key}.",
    "home_of_another_user": "Run `cairn` as that user, or set CAIRN_HOME.",
    "hygiene_stalled": "See whether a worker runs with `cairn status`.",
    "many_sources_gone": (
        "If this is something else of the same name, give it a name of its own by --as NAME."
    ),
    "no_design": "Ask for it with `cairn brainstorm say`.",
    "no_model": "Add one with `cairn models add`.",
    "no_artifact_yet": "See `cairn runs`.",
    "no_removals_held": "`cairn runs --project {project}` shows which one does.",
    "not_ready": "`cairn down` stops it.",
    "not_running": "Start it with `cairn up --detach`.",
    "projector_running": "`cairn status` shows it.",
    "rebuild_would_shrink": (
        "See `cairn verify-log` and mend the log, or take what is left with"
        " `cairn rebuild --accept-smaller`."
    ),
    "root_name_ambiguous": "--as names one root: give one SOURCE with it.",
    "same_root": "Give it alone, with a name of its own by --as NAME.",
    "tables_behind": "See whether the projector runs with `cairn status`.",
    "topic_missing": "Run `cairn up`, which makes it, or check CAIRN_TOPIC_PREFIX.",
    "unknown_brainstorm": "See `cairn brainstorm list`.",
    "unknown_consultation": "See `cairn oracle list`.",
    "unknown_profile": "See `cairn profiles list`.",
    "walls_missing": "Install bubblewrap, then see `cairn sandbox check`.",
    "walls_broken": "See `cairn sandbox check`.",
    "unknown_workflow": "See `cairn workflow list`.",
    "unknown_gate": "See `cairn workflow status {workflow_id}`.",
    "workflow_not_halted": "See `cairn workflow status {workflow_id}`.",
    "unknown_connector": "See `cairn connector list`.",
    "unknown_dead_letter": "See `cairn dlq list`.",
    "dead_letter_of_tables": "After an upgrade: `cairn rebuild`.",
    "dead_letter_of_fold": "After an upgrade: `cairn down`, then `cairn up`.",
    "job_not_retriable": "See `cairn jobs show {job_id}`.",
    "unknown_job": "See `cairn jobs list`.",
    "unknown_merge": "See `cairn merges`.",
    "unknown_project": "See `cairn project list`.",
    "unknown_run": "See `cairn runs`.",
    "unknown_stream": "See `cairn connector list`.",
    "unknown_target": "`--json` of `cairn atoms`, `contradictions` and `merges` shows ids.",
}


def with_hint(said: Refusal) -> str:
    """The message of an error, and what to do about it where something can be done."""
    message, hint = str(said), HINTS.get(said.code)
    if hint is None:
        return message
    quoted = {name: shlex.quote(str(value)) for name, value in said.detail.items()}
    return f"{message} {hint.format_map(quoted)}"
