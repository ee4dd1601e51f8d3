# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Ingestion."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection, Pages


class Ingestion(Connection):
    def ingest_sources(
        self,
        project: str,
        body: models.ingestion.Documents | models.ingestion.Repository | models.ingestion.Folder,
        *,
        wait: bool | None = None,
        key: str | None = None,
    ) -> models.ingestion.IngestionStatus:
        """Read documents, a repository by its address, or a folder of the machine of the
        service.

        Follow it at `Location`.
        """
        return self._write(
            models.ingestion.IngestionStatus,
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
    ) -> models.ingestion.IngestionStatus:
        """Read an archive, which is all of its root: what is not in it any more is removed.

        With ``complete`` false it is a part of it, and nothing is removed. One whose first or last
        bytes are no archive's is refused at once (422); one that turns out to be broken when it is
        read has the state ``refused`` at `Location`, with the reason.
        """
        return self._write(
            models.ingestion.IngestionStatus,
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

    def import_exported_file(
        self,
        project: str,
        body: bytes,
        *,
        service: Literal["jira", "slack"],
        path: str | None = None,
        site: str | None = None,
        channel: list[str] | None = None,
        team: str | None = None,
        key: str | None = None,
    ) -> models.ingestion.IngestionStatus:
        """Read a file that was exported from Jira (JSON or CSV) or Slack (zip; the named
        channels).

        With the owner's token of the installation ``path`` may name it, in the place of the body.
        """
        return self._write(
            models.ingestion.IngestionStatus,
            "POST",
            "/v1/projects/{project}/imports",
            at={"project": project},
            query={
                "service": service,
                "path": path,
                "site": site,
                "channel": channel,
                "team": team,
            },
            key=key,
            body=body,
        )

    def list_ingested_documents(
        self, project: str, trigger_key: str
    ) -> Pages[models.ingestion.DocumentResult]:
        """What became of each document of an ingest; those that were refused come first."""
        return self._list(
            models.ingestion.DocumentResult,
            "/v1/projects/{project}/ingestions/{trigger_key}/documents",
            at={"project": project, "trigger_key": trigger_key},
        )

    def read_ingestion(self, project: str, trigger_key: str) -> models.ingestion.IngestionStatus:
        """How far an ingest is; ``settled``: all that follows from it can be read."""
        return self._read(
            models.ingestion.IngestionStatus,
            "/v1/projects/{project}/ingestions/{trigger_key}",
            at={"project": project, "trigger_key": trigger_key},
        )
