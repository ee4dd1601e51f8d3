"""What was asked of the API: each write before it is done, and what came of it.

Also writes that were refused. Key ``project_id``; `-` where a write is about no project.
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


class _AuditedWrite(Event):
    """About one write. ``audit_id`` grows with time, also from one database to the next."""

    topic: ClassVar[str] = "audit.v1"

    audit_id: int

    @property
    def local_key(self) -> str:
        return str(self.audit_id)

    @property
    def aggregate_id(self) -> str:
        return str(self.audit_id)


class WriteBegun(_AuditedWrite):
    """Somebody has asked for a write, which is done after this was recorded, if at all.

    ``token_id`` names the token, or the session of an issuer, and opens nothing. ``key`` is the
    request's idempotency key, ``reason`` what a person gave where one is asked for. ``spoken_by``:
    who has asked on behalf of ``actor``, where that is another one.
    """

    type_name: ClassVar[str] = "audit.write_begun"

    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str = ""
    reason: str = ""
    spoken_by: str = ""


class WriteEnded(_AuditedWrite):
    """A write was answered. ``code`` is ``done`` or that of a problem."""

    type_name: ClassVar[str] = "audit.write_ended"

    status: int
    code: str


AUDIT_FACTS: tuple[type[Event], ...] = (WriteBegun, WriteEnded)
