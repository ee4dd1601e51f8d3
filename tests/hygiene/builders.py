"""Sources, and fake secrets that are put together at run time so that no scanner stops a commit."""

from __future__ import annotations

from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceInfo, SourceRevised
from schemas.source_kinds import language_of, priority_tier_of, source_type_of
from streams.hygiene.stage import Cleaned, Policy, clean, decide

MIXED = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzAbCdEfGh1234567"
HEX_DIGITS = "0f3a9b7c5d1e8264" * 4


def a_source(path: str = "notes.md", charset: str | None = None) -> SourceInfo:
    kind = source_type_of(path)
    return SourceInfo(
        source_id="src_demo",
        root="demo",
        external_ref=f"demo@{path}",
        path=path,
        source_type=kind,
        priority_tier=priority_tier_of(kind),
        language=language_of(path),
        declared_charset=charset,
    )


def cleaned(
    content: str | bytes,
    path: str = "notes.md",
    *,
    force: bool = False,
    policy: Policy | None = None,
    charset: str | None = None,
) -> Cleaned:
    raw = content.encode() if isinstance(content, str) else content
    return clean(a_source(path, charset), raw, force, policy or Policy())


def a_revision(path: str = "notes.md", trigger: str = "t1") -> SourceRevised:
    return SourceRevised(
        source=a_source(path),
        trigger_key=trigger,
        byte_count=0,
        raw_sha256="00",
        key_id="k",
        content=b"",
    )


def answered(content: str, previous: SourceProcessed | None = None) -> SourceProcessed:
    marker = decide(previous, a_revision(), cleaned(content))[-1]
    assert isinstance(marker, SourceProcessed)
    return marker


def a_private_key(body_lines: int = 3) -> str:
    border = "-----{} RSA PRIVATE" + " KEY-----"
    body = [MIXED + "+/" + str(line) for line in range(body_lines)]
    return "\n".join([border.format("BEGIN"), *body, border.format("END")])
