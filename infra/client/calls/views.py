# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Views."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Views(Connection):
    def read_installation_status(self) -> models.views.InstallationStatus:
        """Processes, addresses, versions, and the lag of every stage."""
        return self._read(models.views.InstallationStatus, "/v1/status")

    def export_project(self, project: str) -> models.views.Export:
        """PRD, ledger and evidence as files of a site that opens without a server.

        The same position of the ledger gives the same files.
        """
        return self._read(
            models.views.Export, "/v1/projects/{project}/export", at={"project": project}
        )

    def find_project_of_id(self, known_id: str) -> models.views.ProjectOfId:
        """The project that something belongs to."""
        return self._read(models.views.ProjectOfId, "/v1/ids/{known_id}", at={"known_id": known_id})

    def read_view(self, project: str, artifact_type: str) -> models.views.ArtifactView:
        """All artifacts of a type, what is written ahead of them, and what is no longer there."""
        return self._read(
            models.views.ArtifactView,
            "/v1/projects/{project}/views/{artifact_type}",
            at={"project": project, "artifact_type": artifact_type},
        )

    def list_contradiction_pairs(
        self,
        project: str,
        *,
        status: Literal["open", "escalated", "resolved", "dismissed", "all"] | None = None,
    ) -> Pages[models.views.Contradiction]:
        """Contradictions with both titles, the gravest first."""
        return self._list(
            models.views.Contradiction,
            "/v1/projects/{project}/contradiction-pairs",
            at={"project": project},
            query={"status": status},
        )

    def list_near_copies(self, project: str) -> list[models.views.NearCopy]:
        """Sources that are read and are nearly copies of others, by path."""
        return self._read(
            list[models.views.NearCopy],
            "/v1/projects/{project}/near-copies",
            at={"project": project},
        )

    def list_phases(self, project: str) -> dict[str, list[models.views.Phase]]:
        """When each phase of a run began and ended, by the id of the run."""
        return self._read(
            dict[str, list[models.views.Phase]],
            "/v1/projects/{project}/phases",
            at={"project": project},
        )

    def list_deltas(self, project: str) -> Pages[models.views.Delta]:
        """What each merged pull request or push changed."""
        return self._list(
            models.views.Delta, "/v1/projects/{project}/deltas", at={"project": project}
        )

    def list_reasons(self, project: str, known_id: str) -> list[models.views.TraceReason]:
        """The decisions about an id, oldest first, with the rule or code of each."""
        return self._read(
            list[models.views.TraceReason],
            "/v1/projects/{project}/trace/{known_id}/reasons",
            at={"project": project, "known_id": known_id},
        )
