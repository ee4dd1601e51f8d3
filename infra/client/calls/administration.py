# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Administration."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Administration(Connection):
    def rebuild_tables(
        self, body: models.administration.RebuildRequest | None = None, *, key: str | None = None
    ) -> models.shared.Job:
        """Fold the log again and correct the tables that differ; they stay readable meanwhile."""
        return self._write(models.shared.Job, "POST", "/v1/admin/rebuild", key=key, body=body)

    def verify_log(self, *, key: str | None = None) -> models.shared.Job:
        """Check every record: places, schemas, ids, hashes, sequences, quotes, citations."""
        return self._write(models.shared.Job, "POST", "/v1/admin/verify-log", key=key)

    def replay_ledger(
        self, body: models.administration.ReplayRequest, *, key: str | None = None
    ) -> models.shared.Job:
        """Fold a ledger again beside the tables, and count the rows that differ from now."""
        return self._write(models.shared.Job, "POST", "/v1/admin/replay", key=key, body=body)

    def list_projections(self) -> list[models.administration.ProjectionPosition]:
        """How far the tables hold each partition of the log."""
        return self._read(list[models.administration.ProjectionPosition], "/v1/admin/projections")

    def read_checksums(self, project: str) -> dict[str, str]:
        """SHA-256 of each table of a project, once the tables hold all that the log holds now."""
        return self._read(
            dict[str, str], "/v1/projects/{project}/checksums", at={"project": project}
        )

    def list_all_jobs(
        self,
        *,
        status: Literal["queued", "leased", "succeeded", "failed", "dead", "cancelled"]
        | None = None,
        job_type: str | None = None,
    ) -> Pages[models.shared.Job]:
        """The jobs of all projects and of the service as a whole, newest first."""
        return self._list(
            models.shared.Job, "/v1/jobs", query={"status": status, "job_type": job_type}
        )

    def enqueue_any_job(
        self, body: models.shared.NewJob, *, key: str | None = None
    ) -> models.shared.Job:
        """Put work of the service as a whole into the queue."""
        return self._write(models.shared.Job, "POST", "/v1/jobs", key=key, body=body)

    def read_any_job(self, job_id: str) -> models.shared.Job:
        """A job of a project of the token, or of the service as a whole."""
        return self._read(models.shared.Job, "/v1/jobs/{job_id}", at={"job_id": job_id})

    def list_history_of_any_job(self, job_id: str) -> list[models.shared.Transition]:
        """What has happened to a job, oldest first."""
        return self._read(
            list[models.shared.Transition], "/v1/jobs/{job_id}/history", at={"job_id": job_id}
        )

    def cancel_any_job(self, job_id: str, *, key: str | None = None) -> models.shared.Job:
        """End a job of a project of the token; one that runs is stopped."""
        return self._write(
            models.shared.Job, "POST", "/v1/jobs/{job_id}/cancel", at={"job_id": job_id}, key=key
        )

    def retry_any_job(self, job_id: str, *, key: str | None = None) -> models.shared.Job:
        """Try a failed, dead or cancelled job of a project of the token again."""
        return self._write(
            models.shared.Job, "POST", "/v1/jobs/{job_id}/retry", at={"job_id": job_id}, key=key
        )
