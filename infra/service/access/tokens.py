"""Tokens of the HTTP API: who calls, in which role, for which projects, until when.

A token is 256 random bits that are shown once and stored as their SHA-256. It needs no slow hash,
because nobody can guess it. Whoever can read CAIRN_HOME is owner, so `ensure_owner_token` keeps one
there.
"""

from __future__ import annotations

import getpass
import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, cast, get_args

from infra.platform import postgres
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.projects import list_project_ids
from projections.read.session import Conn, ReadModel, rows
from schemas.ids import derive_id

ApiRole = Literal["owner", "pm", "member", "viewer", "operator", "privacy_officer"]
ROLES: tuple[ApiRole, ...] = get_args(ApiRole)
PREFIX = "cairn_"
TOKEN_BYTES = 32
LOCAL_TOKEN = "local"  # the name of the key behind the token of CAIRN_HOME

_COLUMNS = "t.token_id, t.name, t.role, t.projects, t.created_by, t.created_at, t.expires_at"
TOKENS = Listing(
    "tokens",
    f"{_COLUMNS}, t.revoked_at",
    "api_tokens t",
    {"t.created_at": "timestamptz", "t.token_id": "text"},
)
LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. ``projects`` None: all of them."""

    token_id: str
    name: str
    role: ApiRole
    projects: frozenset[str] | None

    def may_see(self, project_id: str) -> bool:
        return self.projects is None or project_id in self.projects


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


class NewToken(Token):
    """``token`` is shown this once."""

    token: str


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


def create_token(connection: Conn, spec: TokenSpec, by: Caller, key: str) -> NewToken:
    """Make a token that can do no more than ``by`` can.

    Raises Forbidden for projects that ``by`` does not have, NotFound for one that does not exist,
    Conflict when ``key`` has made a token before.
    """
    _check_projects(connection, spec, by)
    return _insert(connection, spec, by.name, _token_id(by.token_id, key))


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


def ensure_owner_token(settings: Settings) -> Path:
    """Keep a token with all rights in CAIRN_HOME/token, mode 0600. Raises DatabaseUnavailable.

    One that is there and valid stays; a new one replaces one that is not.
    """
    path = settings.home / "token"
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        if find_caller(connection, read_owner_token(settings)) is None:
            spec = TokenSpec(_login_name(), "owner", None)
            made = _insert(connection, spec, LOCAL_TOKEN, _token_id(LOCAL_TOKEN, draw_secret()))
            write_whole(path, made.token + "\n")
    return path


def read_owner_token(settings: Settings) -> str:
    """The token of CAIRN_HOME; empty when there is none."""
    try:
        return (settings.home / "token").read_text().strip()
    except (OSError, ValueError):
        return ""


def draw_secret() -> str:
    return PREFIX + secrets.token_urlsafe(TOKEN_BYTES)


def caller_of_row(token_id: str, name: str, role: str, projects: Collection[str] | None) -> Caller:
    known = None if projects is None else frozenset(projects)
    return Caller(token_id, name, cast(ApiRole, role), known)


def _check_projects(connection: Conn, spec: TokenSpec, by: Caller) -> None:
    if spec.projects is None:
        if by.projects is not None:
            raise Forbidden(
                "Your token is good for some projects only, so it makes none for all: name"
                " projects.",
                code="token_exceeds_yours",
            )
        return
    if not spec.projects:
        raise Invalid("Name at least one project, or leave projects out.", code="projects_missing")
    for project_id in spec.projects:
        if not by.may_see(project_id) or project_id not in list_project_ids(connection, project_id):
            raise NotFound(f"There is no project {project_id}.", code="unknown_project")


def _insert(connection: Conn, spec: TokenSpec, created_by: str, token_id: str) -> NewToken:
    token = draw_secret()
    made = rows(
        connection,
        "INSERT INTO api_tokens AS t (token_id, token_sha256, name, role, projects, created_by,"
        " expires_at) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (token_id) DO NOTHING"
        f" RETURNING {_COLUMNS}",
        *(token_id, _hash(token), spec.name, spec.role),
        *(list(spec.projects) if spec.projects is not None else None, created_by),
        spec.expires_at,
    )
    if not made:
        raise Conflict(
            f"This key has made token {token_id} before, and a token is shown only once: revoke"
            " that one and make another.",
            code="token_made_before",
            detail={"token_id": token_id},
        )
    return NewToken(**made[0], token=token)


def _within(by: Caller) -> Condition:
    """The tokens that can do no more than ``by`` can."""
    if by.projects is None:
        return ("true",)
    return ("t.projects <@ %s::text[]", sorted(by.projects))


def _token_id(owner: str, key: str) -> str:
    return derive_id("tok", owner, key)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "owner"
