# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Artifacts."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Artifacts(Connection):
    def list_artifacts(
        self,
        project: str,
        *,
        type: str | None = None,
        state: str | None = None,
        updated_since: str | None = None,
    ) -> Pages[models.artifacts.ArtifactSummary]:
        """Artifacts (PRD, features, tasks…) by type and number, without their text.

        ``updated_since`` tells also which say nothing any more: they have an empty ``number``.
        """
        return self._list(
            models.artifacts.ArtifactSummary,
            "/v1/projects/{project}/artifacts",
            at={"project": project},
            query={"type": type, "state": state, "updated_since": updated_since},
        )

    def list_speculative(self, project: str, type: str) -> list[models.shared.SpeculativeArtifact]:
        """Sections that are written while a run goes on, before any version is published."""
        return self._read(
            list[models.shared.SpeculativeArtifact],
            "/v1/projects/{project}/speculative/{type}",
            at={"project": project, "type": type},
        )

    def read_artifact(self, project: str, artifact_id: str) -> models.artifacts.ArtifactDetail:
        """An artifact; every statement cites its atoms with the places they come from."""
        return self._read(
            models.artifacts.ArtifactDetail,
            "/v1/projects/{project}/artifacts/{artifact_id}",
            at={"project": project, "artifact_id": artifact_id},
        )

    def read_past_artifact(
        self,
        project: str,
        artifact_id: str,
        *,
        as_of: str | None = None,
        as_of_seq: int | None = None,
    ) -> models.artifacts.VersionDetail:
        """The version of an artifact that stood at ``as_of``, or the last one that was made of
        the ledger up to change set ``as_of_seq``; give one of both.
        """
        return self._read(
            models.artifacts.VersionDetail,
            "/v1/projects/{project}/artifacts/{artifact_id}/past",
            at={"project": project, "artifact_id": artifact_id},
            query={"as_of": as_of, "as_of_seq": as_of_seq},
        )

    def read_markdown(self, project: str, artifact_id: str, *, as_of: str | None = None) -> str:
        """The present version as markdown, or the one that stood at ``as_of``."""
        return self._read(
            str,
            "/v1/projects/{project}/artifacts/{artifact_id}/markdown",
            at={"project": project, "artifact_id": artifact_id},
            query={"as_of": as_of},
        )

    def list_versions(
        self, project: str, artifact_id: str
    ) -> Pages[models.artifacts.ArtifactVersion]:
        """The versions of an artifact, oldest first, without their text."""
        return self._list(
            models.artifacts.ArtifactVersion,
            "/v1/projects/{project}/artifacts/{artifact_id}/versions",
            at={"project": project, "artifact_id": artifact_id},
        )

    def read_version(
        self, project: str, artifact_id: str, version: str
    ) -> models.artifacts.VersionDetail:
        """A version as it was published."""
        return self._read(
            models.artifacts.VersionDetail,
            "/v1/projects/{project}/artifacts/{artifact_id}/versions/{version}",
            at={"project": project, "artifact_id": artifact_id, "version": version},
        )

    def list_generation_loops(
        self, project: str, *, phase: str | None = None
    ) -> Pages[models.artifacts.GenerationLoop]:
        """Loops, newest first; each has a stream that shows its items and ends with their
        number.
        """
        return self._list(
            models.artifacts.GenerationLoop,
            "/v1/projects/{project}/generation-loops",
            at={"project": project},
            query={"phase": phase},
        )
