"""The operations of the area Views."""

from __future__ import annotations

from typing import Literal

from infra.client.connection import Connection, Pages
from infra.client.models.views import (
    ArtifactView,
    Contradiction,
    Delta,
    InstallationStatus,
    NearCopy,
    Phase,
    ProjectOfId,
    TraceReason,
)


class Views(Connection):
    def read_installation_status(self) -> InstallationStatus:
        """Processes, addresses, versions, and the lag of every stage."""
        return self._read(InstallationStatus, "/v1/status")

    def find_project_of_id(self, known_id: str) -> ProjectOfId:
        """The project that something belongs to."""
        return self._read(ProjectOfId, "/v1/ids/{known_id}", at={"known_id": known_id})

    def read_view(self, project: str, artifact_type: str) -> ArtifactView:
        """All artifacts of a type, what is written ahead of them, and what is no longer there."""
        return self._read(
            ArtifactView,
            "/v1/projects/{project}/views/{artifact_type}",
            at={"project": project, "artifact_type": artifact_type},
        )

    def list_contradiction_pairs(
        self,
        project: str,
        *,
        status: Literal["open", "escalated", "resolved", "dismissed", "all"] | None = None,
    ) -> Pages[Contradiction]:
        """Contradictions with both titles, the gravest first."""
        return self._list(
            Contradiction,
            "/v1/projects/{project}/contradiction-pairs",
            at={"project": project},
            query={"status": status},
        )

    def list_near_copies(self, project: str) -> list[NearCopy]:
        """Sources that are read and are nearly copies of others, by path."""
        return self._read(
            list[NearCopy], "/v1/projects/{project}/near-copies", at={"project": project}
        )

    def list_phases(self, project: str) -> dict[str, list[Phase]]:
        """When each phase of a run began and ended, by the id of the run."""
        return self._read(
            dict[str, list[Phase]], "/v1/projects/{project}/phases", at={"project": project}
        )

    def list_deltas(self, project: str) -> Pages[Delta]:
        """What each merged pull request or push changed."""
        return self._list(Delta, "/v1/projects/{project}/deltas", at={"project": project})

    def list_reasons(self, project: str, known_id: str) -> list[TraceReason]:
        """The decisions about an id, oldest first, with the rule or code of each."""
        return self._read(
            list[TraceReason],
            "/v1/projects/{project}/trace/{known_id}/reasons",
            at={"project": project, "known_id": known_id},
        )
