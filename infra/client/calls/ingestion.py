"""The operations of the area Ingestion."""

from __future__ import annotations

from typing import Literal

from infra.client.connection import Connection
from infra.client.models.ingestion import Documents, Recorded, Repository, TriggerProgress


class Ingestion(Connection):
    def ingest_sources(
        self,
        project: str,
        body: Documents | Repository,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> Recorded:
        """Read documents, or a repository by its address."""
        return self._write(
            Recorded,
            "POST",
            "/v1/projects/{project}/sources",
            at={"project": project},
            query={"wait": wait},
            key=key,
            body=body,
        )

    def ingest_uploaded_archive(
        self,
        project: str,
        body: bytes,
        *,
        name: str,
        root: str | None = None,
        complete: bool | None = None,
        accept_removals: bool | None = None,
        lane: Literal["preview", "deep", "both"] | None = None,
        target: Literal["tier1", "mandatory", "best_effort"] | None = None,
        engine: Literal["heuristic", "model"] | None = None,
        wait: bool | None = None,
        key: str | None = None,
    ) -> Recorded:
        """Read an archive, which is all of its root: what is not in it any more is removed.

        With ``complete`` false it is a part of it, and nothing is removed.
        """
        return self._write(
            Recorded,
            "POST",
            "/v1/projects/{project}/archives",
            at={"project": project},
            query={
                "name": name,
                "root": root,
                "complete": complete,
                "accept_removals": accept_removals,
                "lane": lane,
                "target": target,
                "engine": engine,
                "wait": wait,
            },
            key=key,
            body=body,
        )

    def read_ingestion(self, project: str, trigger_key: str) -> TriggerProgress:
        """How far an ingest is; ``settled``: all that follows from it can be read."""
        return self._read(
            TriggerProgress,
            "/v1/projects/{project}/ingestions/{trigger_key}",
            at={"project": project, "trigger_key": trigger_key},
        )
