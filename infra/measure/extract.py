"""One document each: hygiene, chunks, reading and reflection, as in stages 0 to 1b."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from connectors.documents import Documents, Unread
from infra.measure.offsets import Places
from infra.measure.rows import Options, Row
from schemas.events.atom import AtomReflected, Judged
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.events.ingestion_request import Engine
from schemas.events.source import SourceInfo
from schemas.ids import derive_id, sha256_hex
from schemas.source_kinds import RENDERED_SUFFIXES, priority_tier_of, source_type_of, suffix_of
from streams.hygiene.stage import Cleaned, clean
from streams.reflection import reflect

NAME_WITHOUT_PATH = "document.md"


def answer_all(rows: Iterable[Row], options: Options) -> Iterator[dict[str, Any]]:
    """The atoms of each document; with the format ``spans`` one line for each evidence row."""
    for row in rows:
        cleaned = clean_row(row)
        yield from tell(row, cleaned, map(read_and_reflect, cleaned.chunks), options)


def tell(
    row: Row, cleaned: Cleaned, reflected: Iterable[AtomReflected], options: Options
) -> Iterator[dict[str, Any]]:
    """The lines of one document."""
    answer = _answer(row, cleaned, reflected)
    if options.format == "spans":
        yield from _spans(answer)
    else:
        yield answer


def clean_row(row: Row) -> Cleaned:
    """The document of a row as stage 0 hands it on."""
    return clean_document(_path_of(row), row["text"])


def _path_of(row: Row) -> str:
    return str(row.get("path") or NAME_WITHOUT_PATH)


def _spans(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for atom in answer["atoms"]:
        for row in atom["evidence"]:
            yield {
                "doc_id": answer["id"],
                "kind": atom["kind"],
                "char_start": row["char_start"],
                "char_end": row["char_end"],
                "confidence": atom["confidence"],
            }


def _answer(row: Row, cleaned: Cleaned, reflected: Iterable[AtomReflected]) -> dict[str, Any]:
    text, path = row["text"], _path_of(row)
    is_rendered = (
        suffix_of(path) in RENDERED_SUFFIXES
    )  # its places are those of the text made of it
    places = Places(cleaned.text if is_rendered else text, cleaned.text)
    atoms: list[dict[str, Any]] = []
    rejected: list[dict[str, Any]] = []
    for judged in reflected:
        atoms += [_atom(it, places) for it in judged.accepted]
        rejected += [_rejection(it) for it in judged.rejected]
    answer: dict[str, Any] = {"id": row["id"], "atoms": atoms, "rejected": rejected}
    if cleaned.skip_reason:
        answer["skip_reason"] = cleaned.skip_reason
    return answer


def read_and_reflect(chunk: ChunkCreated) -> AtomReflected:
    """What reading and reflection make of a chunk, as in a deep run."""
    return reflect(OfflineReader().read(ReadRequest(request_for(chunk), chunk)), chunk)


def clean_document(path: str, text: str, root: str = "") -> Cleaned:
    """The document as stage 0 would hand it on, of the repository ``root`` where that is known."""
    kind = source_type_of(path)
    source = SourceInfo(
        source_id=derive_id("src", "eval", path),
        root=root,
        external_ref=f"{root}@{path}",
        path=path,
        title=path.rsplit("/", 1)[-1],
        source_type=kind,
        priority_tier=priority_tier_of(kind),
    )
    given = text.encode()
    try:
        with Documents() as documents:
            return clean(source, documents.text_of(path, given))
    except Unread as error:
        return Cleaned(sha256_hex(given), skip_reason=error.reason, skip_detail=error.detail)


def request_for(
    chunk: ChunkCreated, engine: Engine = "heuristic", position: int = 0, batch_size: int = 0
) -> ExtractRequested:
    """The request to read a chunk in the deep lane, as a batch of its document would have it."""
    return ExtractRequested(
        run_id="eval",
        batch_no=0,
        position=position,
        batch_size=batch_size,
        lane="deep",
        chunk_id=chunk.chunk_id,
        source_id=chunk.source_id,
        engine=engine,
        chunk_partition=0,
        chunk_offset=0,
    )


def _atom(judged: Judged, places: Places) -> dict[str, Any]:
    candidate = judged.candidate
    evidence = []
    for row in judged.rows:
        start, end = places.given(row.char_start, row.char_end)
        evidence.append({"char_start": start, "char_end": end, "snippet": row.snippet})
    return {
        "kind": candidate.kind,
        "title": candidate.title,
        "body": candidate.body,
        "confidence": judged.confidence_after,
        "status": judged.status,
        "attributes": candidate.attributes,
        "evidence": evidence,
    }


def _rejection(judged: Judged) -> dict[str, Any]:
    candidate = judged.candidate
    codes = [finding.code for finding in judged.findings]
    return {"kind": candidate.kind, "title": candidate.title, "codes": codes}
