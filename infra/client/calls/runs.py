# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Runs."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Runs(Connection):
    def list_runs(self, project: str, *, trigger_key: str | None = None) -> Pages[models.runs.Run]:
        """Runs, oldest first."""
        return self._list(
            models.runs.Run,
            "/v1/projects/{project}/ingestion-runs",
            at={"project": project},
            query={"trigger_key": trigger_key},
        )

    def read_run(self, project: str, run_id: str) -> models.runs.Run:
        """A run with what it has done so far."""
        return self._read(
            models.runs.Run,
            "/v1/projects/{project}/ingestion-runs/{run_id}",
            at={"project": project, "run_id": run_id},
        )

    def read_run_report(self, project: str, run_id: str) -> models.runs.DeltaReport:
        """What had changed for the run, and what it read and wrote again."""
        return self._read(
            models.runs.DeltaReport,
            "/v1/projects/{project}/ingestion-runs/{run_id}/report",
            at={"project": project, "run_id": run_id},
        )

    def list_batches(self, project: str, run_id: str) -> Pages[models.runs.RunBatch]:
        """The batches of a run in order, with what each of them brought."""
        return self._list(
            models.runs.RunBatch,
            "/v1/projects/{project}/ingestion-runs/{run_id}/batches",
            at={"project": project, "run_id": run_id},
        )

    def list_next_batches(
        self, project: str, *, run_id: str | None = None
    ) -> list[models.runs.Batch]:
        """The last batch of each run, newest run first, and the ranking behind the choice."""
        return self._read(
            list[models.runs.Batch],
            "/v1/projects/{project}/next-batch-hint",
            at={"project": project},
            query={"run_id": run_id},
        )

    def cancel_run(
        self,
        project: str,
        run_id: str,
        body: models.runs.CancelRequest | None = None,
        *,
        key: str | None = None,
    ) -> models.runs.RunRequest:
        """End a run at its next batch border; what it has not read stays to be read."""
        return self._write(
            models.runs.RunRequest,
            "POST",
            "/v1/projects/{project}/ingestion-runs/{run_id}/cancel",
            at={"project": project, "run_id": run_id},
            key=key,
            body=body,
        )

    def resume_run(
        self,
        project: str,
        run_id: str,
        body: models.runs.ResumeRequest | None = None,
        *,
        key: str | None = None,
    ) -> models.runs.RunRequest:
        """Begin a new run over what an ended run left."""
        return self._write(
            models.runs.RunRequest,
            "POST",
            "/v1/projects/{project}/ingestion-runs/{run_id}/resume",
            at={"project": project, "run_id": run_id},
            key=key,
            body=body,
        )

    def accept_removals(
        self, project: str, run_id: str, *, key: str | None = None
    ) -> models.runs.AcceptedRemovals:
        """Remove the sources whose removal a run has blocked because they were too many."""
        return self._write(
            models.runs.AcceptedRemovals,
            "POST",
            "/v1/projects/{project}/ingestion-runs/{run_id}/accept-removals",
            at={"project": project, "run_id": run_id},
            key=key,
        )
