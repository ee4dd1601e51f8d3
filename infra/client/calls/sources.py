"""The operations of the area Sources."""

from __future__ import annotations

from infra.client.connection import Connection, Pages
from infra.client.models.sources import Coverage, Explanation, SourceState, WholeSource


class Sources(Connection):
    def list_sources(
        self,
        project: str,
        *,
        skipped: bool | None = None,
        reason: str | None = None,
        path: str | None = None,
    ) -> Pages[SourceState]:
        """Sources by root and path; ``skipped``: only those that are not read, each with its
        reason.
        """
        return self._list(
            SourceState,
            "/v1/projects/{project}/sources",
            at={"project": project},
            query={"skipped": skipped, "reason": reason, "path": path},
        )

    def read_source(self, project: str, source_id: str) -> WholeSource:
        """A source with its text as it was read: secrets are replaced in it."""
        return self._read(
            WholeSource,
            "/v1/projects/{project}/sources/{source_id}",
            at={"project": project, "source_id": source_id},
        )

    def explain(self, project: str, *, path: str, line: int | None = None) -> Explanation:
        """What became of each sentence of a source: an atom, refused, or left out, and why."""
        return self._read(
            Explanation,
            "/v1/projects/{project}/explain",
            at={"project": project},
            query={"path": path, "line": line},
        )

    def read_coverage(self, project: str) -> Coverage:
        """What has been read, by tier and area, and where the ledger has gaps."""
        return self._read(Coverage, "/v1/projects/{project}/coverage", at={"project": project})
