"""What goes on in a project, asked when it is deleted."""

from __future__ import annotations

from projections.read.session import Conn, rows

UNENDED_JOBS = (
    "SELECT job_id FROM orchestration_jobs WHERE project_id = %s"
    " AND status IN ('queued', 'leased', 'failed')"
)
JOBS_OF_DELETED = (
    "SELECT job_id FROM orchestration_jobs JOIN deleted_projects USING (project_id)"
    " WHERE status IN ('queued', 'leased', 'failed')"
)
RUNNING_RUNS = "SELECT run_id FROM ingestion_runs WHERE project_id = %s AND status = 'running'"
WEBHOOKS = "SELECT webhook_id FROM webhooks WHERE project_id = %s AND NOT removed"
SCHEDULED_WORK = (
    "SELECT work_item_id FROM scheduled_work WHERE project_id = %s"
    " AND status NOT IN ('removed', 'finished')"
)


def list_unended_jobs(connection: Conn, project_id: str) -> list[str]:
    return [row["job_id"] for row in rows(connection, UNENDED_JOBS, project_id)]


def list_jobs_of_deleted(connection: Conn) -> list[str]:
    """Jobs that have not ended, of all deleted projects."""
    return [row["job_id"] for row in rows(connection, JOBS_OF_DELETED)]


def list_running_runs(connection: Conn, project_id: str) -> list[str]:
    return [row["run_id"] for row in rows(connection, RUNNING_RUNS, project_id)]


def list_webhooks(connection: Conn, project_id: str) -> list[str]:
    return [row["webhook_id"] for row in rows(connection, WEBHOOKS, project_id)]


def list_scheduled_work(connection: Conn, project_id: str) -> list[str]:
    return [row["work_item_id"] for row in rows(connection, SCHEDULED_WORK, project_id)]


def list_projects_to_erase(connection: Conn) -> list[str]:
    """The deleted projects whose data keys are not erased."""
    with_keys = rows(
        connection,
        "SELECT DISTINCT project_id FROM vault_keys JOIN deleted_projects USING (project_id)"
        " WHERE wrapped IS NOT NULL",
    )
    return [str(row["project_id"]) for row in with_keys]


def remove_uploads_of_deleted(connection: Conn) -> None:
    connection.execute(
        "DELETE FROM uploads WHERE project_id IN (SELECT project_id FROM deleted_projects)"
    )
