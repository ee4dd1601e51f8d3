# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Onboarding."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection


class Onboarding(Connection):
    def start_onboarding(
        self, project: str, body: models.onboarding.OnboardingRequest, *, key: str | None = None
    ) -> models.onboarding.PipelineRecord:
        """Start a pipeline; one that its key has started before is answered as it is (200)."""
        return self._write(
            models.onboarding.PipelineRecord,
            "POST",
            "/v1/projects/{project}/onboarding/pipelines",
            at={"project": project},
            key=key,
            body=body,
        )

    def list_onboarding(self, project: str) -> list[models.onboarding.PipelineRecord]:
        """The newest hundred pipelines, newest first."""
        return self._read(
            list[models.onboarding.PipelineRecord],
            "/v1/projects/{project}/onboarding/pipelines",
            at={"project": project},
        )

    def read_onboarding(self, project: str, pipeline_id: str) -> models.onboarding.PipelineRecord:
        """A pipeline with its stages, and what a person may do while it waits."""
        return self._read(
            models.onboarding.PipelineRecord,
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}",
            at={"project": project, "pipeline_id": pipeline_id},
        )

    def list_onboarding_events(
        self, project: str, pipeline_id: str
    ) -> list[models.onboarding.PipelineEvent]:
        """Everything that has happened to a pipeline, oldest first."""
        return self._read(
            list[models.onboarding.PipelineEvent],
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}/events",
            at={"project": project, "pipeline_id": pipeline_id},
        )

    def resume_onboarding(
        self,
        project: str,
        pipeline_id: str,
        body: models.onboarding.ExpectedVersion,
        *,
        key: str | None = None,
    ) -> models.onboarding.PipelineRecord:
        """Go on where the pipeline waits or has failed."""
        return self._write(
            models.onboarding.PipelineRecord,
            "POST",
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}/resume",
            at={"project": project, "pipeline_id": pipeline_id},
            key=key,
            body=body,
        )

    def accept_onboarding(
        self,
        project: str,
        pipeline_id: str,
        body: models.onboarding.ExpectedVersion,
        *,
        key: str | None = None,
    ) -> models.onboarding.PipelineRecord:
        """Take the PRD as it is, although the quality gate has not passed it."""
        return self._write(
            models.onboarding.PipelineRecord,
            "POST",
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}/accept",
            at={"project": project, "pipeline_id": pipeline_id},
            key=key,
            body=body,
        )

    def skip_onboarding_stage(
        self,
        project: str,
        pipeline_id: str,
        body: models.onboarding.SkipRequest,
        *,
        key: str | None = None,
    ) -> models.onboarding.PipelineRecord:
        """Leave out the stage that waits, where that is possible."""
        return self._write(
            models.onboarding.PipelineRecord,
            "POST",
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}/skip",
            at={"project": project, "pipeline_id": pipeline_id},
            key=key,
            body=body,
        )

    def cancel_onboarding(
        self,
        project: str,
        pipeline_id: str,
        body: models.onboarding.ExpectedVersion,
        *,
        key: str | None = None,
    ) -> models.onboarding.PipelineRecord:
        """End the pipeline; what it has made stays."""
        return self._write(
            models.onboarding.PipelineRecord,
            "POST",
            "/v1/projects/{project}/onboarding/pipelines/{pipeline_id}/cancel",
            at={"project": project, "pipeline_id": pipeline_id},
            key=key,
            body=body,
        )
