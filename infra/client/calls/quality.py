"""The operations of the area Quality."""

from __future__ import annotations

from infra.client.connection import Connection, Pages
from infra.client.models.quality import (
    Edit,
    QualityRunDetail,
    QualityRunRequest,
    QualityRunRow,
    SectionText,
)
from infra.client.models.shared import Job


class Quality(Connection):
    def start_quality_run(
        self, project: str, body: QualityRunRequest, *, key: str | None = None
    ) -> Job:
        """Judge an artifact in the background; the job's result names the run."""
        return self._write(
            Job,
            "POST",
            "/v1/projects/{project}/quality-runs",
            at={"project": project},
            key=key,
            body=body,
        )

    def list_quality_runs(self, project: str) -> Pages[QualityRunRow]:
        """Judgements, oldest first."""
        return self._list(
            QualityRunRow, "/v1/projects/{project}/quality-runs", at={"project": project}
        )

    def read_quality_run(self, project: str, run_id: str) -> QualityRunDetail:
        """A judgement: tiers, scores and a critique of each dimension, and every event of it."""
        return self._read(
            QualityRunDetail,
            "/v1/projects/{project}/quality-runs/{run_id}",
            at={"project": project, "run_id": run_id},
        )

    def edit_prd_section(
        self, project: str, section_id: str, body: SectionText, *, key: str | None = None
    ) -> Edit:
        """Write a section of the PRD anew, or answer its suggestion; later runs only suggest."""
        return self._write(
            Edit,
            "PUT",
            "/v1/projects/{project}/prd/sections/{section_id}",
            at={"project": project, "section_id": section_id},
            key=key,
            body=body,
        )
