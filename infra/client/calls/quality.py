# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Quality."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Quality(Connection):
    def start_quality_run(
        self, project: str, body: models.quality.QualityRunRequest, *, key: str | None = None
    ) -> models.shared.Job:
        """Judge an artifact in the background; the job's result names the run."""
        return self._write(
            models.shared.Job,
            "POST",
            "/v1/projects/{project}/quality-runs",
            at={"project": project},
            key=key,
            body=body,
        )

    def list_quality_runs(self, project: str) -> Pages[models.quality.QualityRunRow]:
        """Judgements, oldest first."""
        return self._list(
            models.quality.QualityRunRow,
            "/v1/projects/{project}/quality-runs",
            at={"project": project},
        )

    def read_quality_run(self, project: str, run_id: str) -> models.quality.QualityRunDetail:
        """A judgement: tiers, scores and a critique of each dimension, and every event of it."""
        return self._read(
            models.quality.QualityRunDetail,
            "/v1/projects/{project}/quality-runs/{run_id}",
            at={"project": project, "run_id": run_id},
        )

    def edit_prd_section(
        self,
        project: str,
        section_id: str,
        body: models.quality.SectionText,
        *,
        key: str | None = None,
    ) -> models.quality.Edit:
        """Write a section of the PRD anew, or answer its suggestion; later runs only suggest."""
        return self._write(
            models.quality.Edit,
            "PUT",
            "/v1/projects/{project}/prd/sections/{section_id}",
            at={"project": project, "section_id": section_id},
            key=key,
            body=body,
        )
