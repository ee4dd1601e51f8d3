"""Identifiers: derived from what they name, never random.

A deterministic id is a prefix plus the first 32 hex digits of the SHA-256 of its parts joined by
line feeds. An event id is a version 5 UUID over event type, project and natural key. Nothing that
enters an id depends on time, attempt, worker, partition or offset.
"""

from __future__ import annotations

import hashlib
import uuid

EVENT_NAMESPACE = uuid.UUID("b3e4243e-be75-5d1a-9eeb-89a9730aba65")
ID_HEX_DIGITS = 32
# What an id may begin with: rules that look for secrets know an id by it.
ID_PREFIXES = (
    "ann", "art", "atm", "brn", "chk", "chn", "cnd", "cnf", "cnv", "con", "cst", "ctr",
    "dlq", "dlv", "dvs", "eff", "evd", "gen", "hitl", "job", "llm", "lnk", "mem", "mop",
    "mrg", "mry", "msg", "onb", "pg", "prj", "psg", "qlr", "reb", "red", "run", "sev",
    "src", "stm", "syn", "tok", "trn", "tst", "wfl", "whk", "wrk",
)  # fmt: skip


def sha256_hex(data: bytes | str) -> str:
    """The lowercase hex SHA-256; text is hashed as UTF-8."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def derive_id(prefix: str, *parts: str | int) -> str:
    """``prefix_`` plus 32 hex digits; ``prefix`` without its underscore, e.g. ``"atm"``."""
    return f"{prefix}_{sha256_hex(chr(10).join(str(part) for part in parts))[:ID_HEX_DIGITS]}"


def derive_event_id(event_type: str, project_id: str, natural_key: str) -> uuid.UUID:
    """The same fact always gets the same id, so that a repeat can be recognised."""
    return uuid.uuid5(EVENT_NAMESPACE, f"{event_type}\n{project_id}\n{natural_key}")


def project_id(idempotency_key: str) -> str:
    return derive_id("prj", "project", idempotency_key)


def source_id(project: str, connector: str, external_ref: str) -> str:
    return derive_id("src", project, connector, external_ref)


def chunk_id(
    source: str, sanitized_hash: str, anchor_type: str, start: int, end: int, chunk_version: str
) -> str:
    return derive_id("chk", source, sanitized_hash, anchor_type, start, end, chunk_version)


def atom_id(project: str, kind: str, fingerprint: str, *exact: str) -> str:
    """Id of a statement; ``exact``, its title and body, when another has the fingerprint already.

    The fingerprint knows no case and few marks, so ``-v`` and ``-V`` have the same.
    """
    return derive_id("atm", project, kind, fingerprint, *exact)


def evidence_id(atom: str, chunk: str, start: int, end: int) -> str:
    return derive_id("evd", atom, chunk, start, end)


def link_id(from_atom: str, to_atom: str, link_type: str) -> str:
    return derive_id("lnk", from_atom, to_atom, link_type)


def pair_id(prefix: str, project: str, atom_a: str, atom_b: str) -> str:
    """Id of an unordered pair: ``ctr`` for a contradiction, ``mrg`` for a merge candidate."""
    return derive_id(prefix, project, *sorted((atom_a, atom_b)))


def merge_op_id(causing_event: str, ordinal: int) -> str:
    return derive_id("mop", causing_event, ordinal)


def hitl_event_id(project: str, causing_event: str) -> str:
    return derive_id("hitl", project, causing_event)


def annotation_id(source: str, sanitized_hash: str, rule: str, start: int, end: int) -> str:
    return derive_id("ann", source, sanitized_hash, rule, start, end)


def run_id(project: str, trigger_key: str, lane: str) -> str:
    return derive_id("run", project, trigger_key, lane)


def job_id(project: str, job_type: str, idempotency_key: str, earlier: int = 0) -> str:
    """Id of a job; ``earlier`` counts the dead ones that had the same key before it."""
    parts = (project, job_type, idempotency_key)
    return derive_id("job", *parts, *([earlier] if earlier else []))


def workflow_id(project: str, idempotency_key: str) -> str:
    return derive_id("wfl", project, idempotency_key)


def consultation_id(project: str, idempotency_key: str) -> str:
    return derive_id("cst", project, idempotency_key)


def brainstorm_id(project: str, idempotency_key: str) -> str:
    return derive_id("brn", project, idempotency_key)


def chain_id(project: str, idempotency_key: str) -> str:
    return derive_id("chn", project, idempotency_key)


def loop_id(project: str, artifact_seq: int, phase: str) -> str:
    """Id of one loop of generation, which is that of its stream."""
    return derive_id("gen", project, artifact_seq, phase)


def artifact_id(project: str, artifact_type: str, key: str) -> str:
    return derive_id("art", project, artifact_type, key)
