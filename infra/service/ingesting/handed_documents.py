"""Documents that somebody hands to the agents: each becomes a source of the project.

They go the way of everything that is ingested, from hygiene on; the turn holds only their paths.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.project.state import HANDED as HANDED
from infra.platform.errors import Forbidden, Invalid
from infra.platform.settings import Settings
from schemas.ids import sha256_hex

ROOT = "chat"  # of all sources that came in conversations
MOST_DOCUMENTS, LONGEST_DOCUMENT, LONGEST_NAME = 20, 2 * 1024 * 1024, 150
MAY_HAND = ("owner", "pm", "member")
PASTED = "pasted"  # the folder of what came without a file
NO_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class HandedDocument:
    """A text with the name of its file."""

    name: str
    text: str


def check_documents(documents: Sequence[HandedDocument], role: str) -> None:
    """Raises Forbidden for who may add no source, Invalid for what cannot be one."""
    if not documents:
        return
    if role not in MAY_HAND:
        raise Forbidden(
            f"The role {role} may not add sources: send the message without the document.",
            code="role_not_allowed",
        )
    if len(documents) > MOST_DOCUMENTS:
        raise Invalid(
            f"A message takes at most {MOST_DOCUMENTS} documents: send the rest with the next one,"
            " or ingest a folder.",
            code="too_many_documents",
        )
    for one in documents:
        if not one.text.strip() or len(one.text) > LONGEST_DOCUMENT:
            raise Invalid(
                f"The document {one.name[:80]!r} is empty or longer than {LONGEST_DOCUMENT:,}"
                " characters: larger ones are ingested as files.",
                code="document_invalid",
            )
        if "/" in one.name or not one.name.strip() or len(one.name) > LONGEST_NAME:
            raise Invalid(
                f"The name of a document has 1 to {LONGEST_NAME} characters and no slash:"
                f" {one.name[:80]!r} has not.",
                code="document_name_invalid",
            )


async def keep_documents(
    settings: Settings,
    project_id: str,
    folder: str,
    documents: Sequence[HandedDocument],
    *,
    actor: str,
    key: str,
) -> list[str]:
    """Ingest the documents below ``folder``; their paths as sources. The same key, the same ones.

    A document of a name that the folder has is a new revision of it. Raises as `ingest`.
    """
    from infra.service.ingesting.ingestion import IngestRequest
    from infra.service.ingesting.upload_checks import Document
    from infra.service.ingesting.uploaded_sources import ingest_documents

    paths = [f"{folder}/{_file_name(one.name)}" for one in documents]
    request = IngestRequest(
        sources=("",),
        project=project_id,
        actor=actor,
        key=f"{key}|documents",
        key_may_repeat=True,
        as_name=ROOT,
        partial=True,
    )
    texts = [Document(path, one.text) for path, one in zip(paths, documents, strict=True)]
    await ingest_documents(settings, request, texts)
    return [f"{ROOT}/{path}" for path in paths]


async def keep_pasted(
    settings: Settings, project_id: str, title: str, text: str, *, actor: str, role: str, key: str
) -> str:
    """Ingest a text that was pasted into a conversation; its path. Raises as `keep_documents`."""
    document = HandedDocument(name_pasted(title, text), text)
    check_documents([document], role)
    (path,) = await keep_documents(settings, project_id, PASTED, [document], actor=actor, key=key)
    return path


def name_pasted(title: str, text: str) -> str:
    """The name of a text that was pasted; the same text has the same name."""
    words = "-".join(re.findall(r"[^\W_]+", title.lower()))[:60].strip("-")
    return f"{words or 'text'}-{sha256_hex(text)[:8]}{NO_SUFFIX}"


def tell_kept(paths: Sequence[str]) -> str:
    """What the answer of a turn says of the documents that came with the message."""
    named = ", ".join(paths)
    one = len(paths) == 1
    return (
        f"{'This is a source' if one else 'These are sources'} of the project now: {named}."
        f" {'It is' if one else 'They are'} being read; then answers cite what"
        f" {'it says' if one else 'they say'}."
    )


def _file_name(name: str) -> str:
    bare = " ".join(name.split())
    return bare if "." in bare.strip(".") else f"{bare}{NO_SUFFIX}"
