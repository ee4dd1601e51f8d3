"""What a client hands in over HTTP is kept, encrypted, until a job has read it.

It lies in the database and not in a file, so that any worker on any machine finds it, and so that
it and its job are there together or not at all. Decided against: waiting in the request, since a
repository takes minutes to fetch, and 800 notes as long as stage 0 takes for them.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from connectors.recognise import check_root_name
from infra.platform.errors import Refusal, Unavailable
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import vault_of
from infra.service.foundation.database import ask, transact
from infra.service.ingesting.ingestion import IngestRequest, Lane, check_request
from infra.service.ingesting.upload_checks import Document, RefusedDocument
from infra.service.models.engines import choose_engine
from infra.store import uploads as store
from infra.store.jobs import queue
from infra.store.jobs.queue import NewJob
from projections.read.session import Conn
from schemas.envelope import Actor
from schemas.events.ingestion_request import CoverageTarget, Engine

MIB = 1024 * 1024
WAITING_BYTES, WAITING_BYTES_OF_A_PROJECT = 1024 * MIB, 256 * MIB
DOCUMENTS = TypeAdapter(list[Document])


UploadKind = Literal["documents", "archive", "repository", "folder", "jira", "slack"]


class Upload(BaseModel):
    """What one request brings, but for the bytes of an archive."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: UploadKind
    actor: str
    root: str | None = None
    documents: tuple[Document, ...] = ()
    archive_name: str = ""
    address: str = ""
    path: str = ""  # of the machine, of a folder or an exported file
    any_folder: bool = False
    site: str = ""
    channels: tuple[str, ...] = ()
    team: str = ""
    partial: bool = False
    accept_removals: bool = False
    lane: Lane = "both"
    target: CoverageTarget = "best_effort"
    limits: dict[str, float] = {}
    engine: Engine | None = None

    def request(self, project_id: str, key: str, *, key_may_repeat: bool = False) -> IngestRequest:
        """The ingest that it asks for, but for the source."""
        return IngestRequest(
            sources=("",),
            project=project_id,
            actor=self.actor,
            key=key,
            key_may_repeat=key_may_repeat,
            lane=self.lane,
            as_name=self.root,
            accept_removals=self.accept_removals,
            any_folder=self.any_folder,
            partial=self.partial,
            target=self.target,
            limits=self.limits,
            engine=self.engine,
        )


def check_upload(settings: Settings, upload: Upload, project_id: str, key: str) -> None:
    """Raises Invalid for limits, an engine, a key or a name of the root that cannot be."""
    check_request(upload.request(project_id, key))
    choose_engine(settings, upload.engine)
    if upload.root is not None:
        check_root_name(upload.root)


async def keep_upload(
    settings: Settings,
    project_id: str,
    upload: Upload,
    content: bytes = b"",
    *,
    refused: list[RefusedDocument],
    key: str,
) -> str:
    """Keep an upload and enqueue the job that reads it; the job's id. The same key, the same job.

    An upload that was refused before anything of it was recorded makes room for another one under
    its key. Raises Unavailable where too much waits already, VaultUnconfigured, …Unavailable.
    """
    whole = upload.model_dump_json().encode() + b"\n" + content
    vault = vault_of(settings)
    key_id, sealed = await in_thread(lambda: vault.encrypt(project_id, whole, place=_place_of(key)))

    def keep(connection: Conn) -> str:
        with connection.transaction():
            _check_room(connection, project_id, len(sealed))
            attempt = store.put_upload(
                connection,
                store.NewUpload(
                    project_id=project_id,
                    key=key,
                    key_id=key_id,
                    content=sealed,
                    root=upload.root,
                    refused=[asdict(each) for each in refused],
                ),
            )
            job_id, _ = queue.enqueue(
                connection,
                NewJob(
                    project_id=project_id,
                    job_type="ingestion",
                    key=key if attempt == 1 else f"{key}|{attempt}",
                    payload={"upload": key},
                    created_by=f"human:{upload.actor}",
                    priority="urgent",
                ),
                Actor(type="human", id=upload.actor),
            )
            store.note_job(connection, project_id, key, job_id)
        return job_id

    return await transact(settings, keep)


async def open_upload(settings: Settings, project_id: str, key: str) -> tuple[Upload, bytes]:
    """What was kept under the key. Raises Refusal when it is there no more."""
    kept = await ask(settings, lambda connection: store.find_content(connection, project_id, key))
    if kept is None:
        raise Refusal(
            "What was sent is not kept any more: it was read or refused, or nobody could read it"
            f" for {store.CONTENT_DAYS} days. Send it again.",
            code="upload_gone",
        )
    vault, (key_id, sealed) = vault_of(settings), kept
    whole = await in_thread(lambda: vault.decrypt(key_id, sealed, _place_of(key)))
    head, _, content = whole.partition(b"\n")
    return Upload.model_validate_json(head), content


async def find_outcome(settings: Settings, project_id: str, key: str) -> dict[str, Any] | None:
    """What came of an upload that was recorded; None before."""
    return await ask(settings, lambda connection: store.find_outcome(connection, project_id, key))


async def close_upload(
    settings: Settings,
    project_id: str,
    key: str,
    *,
    outcome: dict[str, Any] | None = None,
    problem: dict[str, Any] | None = None,
    frees_key: bool = False,
) -> None:
    """Note what came of an upload; its content is gone.

    ``frees_key``: nothing of it was recorded, so its idempotency key may bring something else.
    """

    def close(connection: Conn) -> None:
        with connection.transaction():
            store.close_upload(connection, project_id, key, outcome=outcome, problem=problem)
            if frees_key:
                store.free_key(connection, project_id, key)

    await transact(settings, close)


def _check_room(connection: Conn, project_id: str, size_bytes: int) -> None:
    """Raises Unavailable when so much waits to be read that no more is taken."""
    of_project, of_all = store.count_waiting_bytes(connection, project_id)
    for bytes_, most, whose in (
        (of_project, WAITING_BYTES_OF_A_PROJECT, "the project"),
        (of_all, WAITING_BYTES, "the service"),
    ):
        if bytes_ + size_bytes > most:
            raise Unavailable(
                f"{bytes_ // MIB} MiB that were sent to {whose} wait to be read, of"
                f" {most // MIB} MiB at most: send this again when some of it has been read.",
                code="uploads_full",
            )


def _place_of(key: str) -> str:
    return f"upload|{key}"
