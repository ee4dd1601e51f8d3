"""Tokens of the HTTP API: who calls, in which role, for which projects, until when.

A token is 256 random bits that are shown once and stored as their SHA-256. It needs no slow hash,
because nobody can guess it. Whoever can read CAIRN_HOME is owner, so `ensure_owner_token` keeps one
there.
"""

from __future__ import annotations

import getpass
import secrets
from pathlib import Path

from infra.platform import postgres
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.store.tokens import Caller, Token, TokenSpec, find_caller, insert_token, is_known_name
from projections.read.projects import list_project_ids
from projections.read.session import Conn
from schemas.ids import derive_id

PREFIX = "cairn_"
TOKEN_BYTES = 32
LOCAL_TOKEN = "local"  # the name of the key behind the token of CAIRN_HOME


class NewToken(Token):
    """``token`` is shown this once."""

    token: str


def create_token(connection: Conn, spec: TokenSpec, by: Caller, key: str) -> NewToken:
    """Make a token that can do no more than ``by`` can.

    Raises Forbidden for projects that ``by`` does not have, NotFound for one that does not exist,
    Conflict when ``key`` has made a token before.
    """
    _check_projects(connection, spec, by)
    _check_name(connection, spec, by)
    return _insert(connection, spec, by.name, _token_id(by.token_id, key))


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


def _check_name(connection: Conn, spec: TokenSpec, by: Caller) -> None:
    """What belongs to a person is told by their name, so nobody takes that of somebody else, but
    for whoever may see all there is. Raises Forbidden.
    """
    if by.projects is not None and spec.name != by.name and is_known_name(connection, spec.name):
        raise Forbidden(
            f"Somebody is called {spec.name} already: choose another name.", code="name_taken"
        )


def _insert(connection: Conn, spec: TokenSpec, created_by: str, token_id: str) -> NewToken:
    token = draw_secret()
    kept = insert_token(connection, spec, token, token_id=token_id, created_by=created_by)
    if kept is None:
        raise Conflict(
            f"This key has made token {token_id} before, and a token is shown only once: revoke"
            " that one and make another.",
            code="token_made_before",
            detail={"token_id": token_id},
        )
    return NewToken(**kept.model_dump(), token=token)


def _token_id(owner: str, key: str) -> str:
    return derive_id("tok", owner, key)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "owner"
