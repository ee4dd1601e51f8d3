"""Tokens of the API as rows: who has one, in which role, for which projects, until when.

A token is stored as its SHA-256 alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast, get_args

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows
from projections.read.streams import Stream
from projections.read.viewer import Viewer

ApiRole = Literal["owner", "pm", "member", "viewer", "operator", "privacy_officer"]
ROLES: tuple[ApiRole, ...] = get_args(ApiRole)

_COLUMNS = "t.token_id, t.name, t.role, t.projects, t.created_by, t.created_at, t.expires_at"
TOKENS = Listing(
    "tokens",
    f"{_COLUMNS}, t.revoked_at",
    "api_tokens t",
    {"t.created_at": "timestamptz", "t.token_id": "text"},
)
KNOWN_NAME = """
    SELECT 1 AS known FROM api_tokens WHERE name = %s
    UNION ALL SELECT 1 FROM conversations WHERE owner = %s
    UNION ALL SELECT 1 FROM memories WHERE namespace = %s LIMIT 1
"""
LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. ``projects`` None: all of them.

    ``has_home``: the token is that of CAIRN_HOME, so it is somebody who may read and write all that
    the service may on its machine. They may name its files, and speak for others. ``spoken_by``:
    who speaks, where that is not the person of this name.
    """

    token_id: str
    name: str
    role: ApiRole
    projects: frozenset[str] | None
    has_home: bool = False
    spoken_by: str = ""

    @property
    def viewer(self) -> Viewer:
        return Viewer(self.name, self.projects)

    def may_see(self, project_id: str) -> bool:
        return self.projects is None or project_id in self.projects

    def may_follow(self, stream: Stream) -> bool:
        """Whether the stream is theirs: one of the assistant is for its owner alone,
        as long as they see the projects that were chosen in its conversation."""
        if stream.owner:
            return self.name == stream.owner and all(map(self.may_see, stream.chosen))
        return self.may_see(stream.project_id)


@dataclass(frozen=True, slots=True)
class TokenSpec:
    """What a new token is to be; ``projects`` None: good for all."""

    name: str
    role: ApiRole
    projects: tuple[str, ...] | None
    expires_at: datetime | None = None


class Token(ReadModel):
    """A token without its secret. ``projects`` None: good for all projects."""

    token_id: str
    name: str
    role: ApiRole
    projects: list[str] | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = None


def is_known_name(connection: Conn, name: str) -> bool:
    """Whether a token or something that belongs to a person has this name."""
    return bool(rows(connection, KNOWN_NAME, name, name, f"user:{name}"))


def find_caller(connection: Conn, token: str) -> Caller | None:
    """Who has this token; None when nobody has it, or it has expired or was revoked."""
    found = rows(
        connection,
        f"SELECT token_id, name, role, projects FROM api_tokens WHERE token_sha256 = %s AND {LIVE}",
        _hash(token),
    )
    return next(iter(caller_of_row(**row) for row in found), None)


def find_caller_by_id(connection: Conn, token_id: str) -> Caller | None:
    """Whose token this is; None when there is none, or it has expired or was revoked."""
    found = rows(
        connection,
        f"SELECT token_id, name, role, projects FROM api_tokens WHERE token_id = %s AND {LIVE}",
        token_id,
    )
    return next(iter(caller_of_row(**row) for row in found), None)


def list_tokens(
    connection: Conn, by: Caller, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Token]:
    """A page of the tokens that ``by`` may revoke, oldest first. Raises Refusal."""
    found, following = page_of(connection, TOKENS, [_within(by)], cursor, limit)
    return Page(items=[Token(**row) for row in found], next_cursor=following)


def revoke_token(connection: Conn, token_id: str, by: Caller) -> Token:
    """End a token. Raises NotFound for one that ``by`` may not see."""
    condition, *parameters = _within(by)
    found = rows(
        connection,
        "UPDATE api_tokens t SET revoked_at = coalesce(t.revoked_at, now())"
        f" WHERE t.token_id = %s AND {condition} RETURNING {_COLUMNS}, t.revoked_at",
        *(token_id, *parameters),
    )
    if not found:
        raise NotFound(f"There is no token {token_id}.", code="unknown_token")
    return Token(**found[0])


def insert_token(
    connection: Conn, spec: TokenSpec, token: str, *, token_id: str, created_by: str
) -> Token | None:
    """Keep a new token; None where there was one with this id before."""
    kept = rows(
        connection,
        "INSERT INTO api_tokens AS t (token_id, token_sha256, name, role, projects, created_by,"
        " expires_at) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (token_id) DO NOTHING"
        f" RETURNING {_COLUMNS}, t.revoked_at",
        *(token_id, _hash(token), spec.name, spec.role),
        *(list(spec.projects) if spec.projects is not None else None, created_by),
        spec.expires_at,
    )
    return next((Token(**row) for row in kept), None)


def caller_of_row(token_id: str, name: str, role: str, projects: Collection[str] | None) -> Caller:
    known = None if projects is None else frozenset(projects)
    return Caller(token_id, name, cast(ApiRole, role), known)


def _within(by: Caller) -> Condition:
    """The tokens that can do no more than ``by`` can."""
    if by.projects is None:
        return ("true",)
    return ("t.projects <@ %s::text[]", sorted(by.projects))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
