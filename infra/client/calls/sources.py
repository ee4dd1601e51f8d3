# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Sources."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Sources(Connection):
    def list_sources(
        self,
        project: str,
        *,
        skipped: bool | None = None,
        reason: str | None = None,
        path: str | None = None,
        updated_since: str | None = None,
    ) -> Pages[models.sources.SourceState]:
        """Sources by root and path; ``skipped``: only those that are not read, each with its
        reason.

        ``updated_since`` tells also which were removed.
        """
        return self._list(
            models.sources.SourceState,
            "/v1/projects/{project}/sources",
            at={"project": project},
            query={
                "skipped": skipped,
                "reason": reason,
                "path": path,
                "updated_since": updated_since,
            },
        )

    def read_source(self, project: str, source_id: str) -> models.sources.SourceDetail:
        """A source with its text as it was read: secrets are replaced in it."""
        return self._read(
            models.sources.SourceDetail,
            "/v1/projects/{project}/sources/{source_id}",
            at={"project": project, "source_id": source_id},
        )

    def remove_source(
        self, project: str, source_id: str, *, key: str | None = None
    ) -> models.sources.SourceRemoval:
        """Withdraw all evidence of a source; what no other source says is obsolete then.

        `GET …/ingestions/{trigger_key}` tells how far it is. A complete ingest of the root brings
        the source back where it still holds it.
        """
        return self._write(
            models.sources.SourceRemoval,
            "DELETE",
            "/v1/projects/{project}/sources/{source_id}",
            at={"project": project, "source_id": source_id},
            key=key,
        )

    def list_chunks(
        self,
        project: str,
        *,
        source_id: str | None = None,
        state: Literal["pending", "scheduled", "extracted", "skipped"] | None = None,
    ) -> Pages[models.sources.Chunk]:
        """The pieces in which sources are read, by source and place, without their text."""
        return self._list(
            models.sources.Chunk,
            "/v1/projects/{project}/chunks",
            at={"project": project},
            query={"source_id": source_id, "state": state},
        )

    def read_chunk(self, project: str, chunk_id: str) -> models.sources.ChunkDetail:
        """A chunk with its text as it was read."""
        return self._read(
            models.sources.ChunkDetail,
            "/v1/projects/{project}/chunks/{chunk_id}",
            at={"project": project, "chunk_id": chunk_id},
        )

    def explain(
        self, project: str, *, path: str, line: int | None = None
    ) -> models.sources.Explanation:
        """What became of each sentence of a source: an atom, refused, or left out, and why."""
        return self._read(
            models.sources.Explanation,
            "/v1/projects/{project}/explain",
            at={"project": project},
            query={"path": path, "line": line},
        )

    def read_coverage(self, project: str) -> models.sources.Coverage:
        """What has been read, by tier and area, and where the ledger has gaps."""
        return self._read(
            models.sources.Coverage, "/v1/projects/{project}/coverage", at={"project": project}
        )

    def read_past_coverage(
        self, project: str, *, as_of: str | None = None, as_of_seq: int | None = None
    ) -> models.sources.PastCoverage:
        """What had been read at ``as_of``, or by change set ``as_of_seq``; give one of both.

        How many chunks there were to be read then is not kept.
        """
        return self._read(
            models.sources.PastCoverage,
            "/v1/projects/{project}/coverage/past",
            at={"project": project},
            query={"as_of": as_of, "as_of_seq": as_of_seq},
        )
