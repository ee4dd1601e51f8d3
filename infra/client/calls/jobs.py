# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Jobs."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Jobs(Connection):
    def list_jobs(
        self,
        project: str,
        *,
        status: Literal["queued", "leased", "succeeded", "failed", "dead", "cancelled"]
        | None = None,
        job_type: str | None = None,
    ) -> Pages[models.shared.Job]:
        """Jobs, newest first."""
        return self._list(
            models.shared.Job,
            "/v1/projects/{project}/jobs",
            at={"project": project},
            query={"status": status, "job_type": job_type},
        )

    def enqueue_job(
        self, project: str, body: models.shared.NewJob, *, key: str | None = None
    ) -> models.shared.Job:
        """Put a job into the queue; the same key again gives the same job. Only work that a
        schedule may start: reading folders of the machine, and upkeep, are for the
        installation's owner.
        """
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/jobs",
            at={"project": project},
            key=key,
            body=body,
        )

    def read_job(self, project: str, job_id: str) -> models.shared.Job:
        """A job as it is now."""
        return self._read(
            models.shared.Job,
            "/v1/projects/{project}/jobs/{job_id}",
            at={"project": project, "job_id": job_id},
        )

    def list_job_history(self, project: str, job_id: str) -> list[models.shared.Transition]:
        """What has happened to a job, oldest first."""
        return self._read(
            list[models.shared.Transition],
            "/v1/projects/{project}/jobs/{job_id}/history",
            at={"project": project, "job_id": job_id},
        )

    def cancel_job(self, project: str, job_id: str, *, key: str | None = None) -> models.shared.Job:
        """End a job; one that runs is stopped."""
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/jobs/{job_id}/cancel",
            at={"project": project, "job_id": job_id},
            key=key,
        )

    def retry_job(self, project: str, job_id: str, *, key: str | None = None) -> models.shared.Job:
        """Try a failed, dead or cancelled job again, with all its attempts."""
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/jobs/{job_id}/retry",
            at={"project": project, "job_id": job_id},
            key=key,
        )
