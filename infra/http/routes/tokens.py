"""Make, list and revoke tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.responses import Response

from infra.http.access import EVERYONE, OWNERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.platform.errors import Invalid
from infra.service.access import tokens
from infra.service.access.tokens import NewToken
from infra.store import tokens as store
from infra.store.tokens import ApiRole, Token, TokenSpec
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Tokens"])


class TokenRequest(BaseModel):
    """``name`` is who acts by this token: it stands in the log beside what they do.

    Without ``projects`` it is good for all of them.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")
    role: ApiRole
    projects: list[Annotated[str, Field(max_length=100)]] | None = Field(None, max_length=1_000)
    expires_at: AwareDatetime | None = None


class Me(BaseModel):
    """Who this token is."""

    token_id: str
    name: str
    role: ApiRole
    projects: list[str] | None


@router.post("/v1/tokens", status_code=201, responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def create_token(
    api: ApiDep, caller: CallerDep, write: WriteDep, response: Response, wanted: TokenRequest
) -> NewToken:
    """Make a token; it is shown this once."""
    if wanted.expires_at is not None and wanted.expires_at <= datetime.now(UTC):
        raise Invalid("The token would have expired already.", code="token_expired")
    projects = None if wanted.projects is None else tuple(wanted.projects)
    spec = TokenSpec(wanted.name, wanted.role, projects, wanted.expires_at)
    response.headers["cache-control"] = "no-store"
    return await api.tables.ask(tokens.create_token, spec, caller, write.key)


@router.get("/v1/tokens", responses=OF_ANY)
@allow(*OWNERS)
async def list_tokens(
    api: ApiDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Token]:
    """Tokens without their secrets, oldest first, revoked ones too."""
    return await api.tables.ask(store.list_tokens, caller, cursor=cursor, limit=limit)


@router.delete("/v1/tokens/{token_id}", responses=OF_ANY)
@allow(*OWNERS, writes=True)
async def revoke_token(
    api: ApiDep, caller: CallerDep, token_id: Annotated[str, Path(max_length=100)]
) -> Token:
    """End a token; it is refused everywhere within five seconds."""
    revoked = await api.tables.ask(store.revoke_token, token_id, caller)
    api.callers.forget()
    return revoked


@router.get("/v1/me", responses=OF_ANY)
@allow(*EVERYONE)
async def read_me(caller: CallerDep) -> Me:
    """Name, role and projects of the token that asks."""
    projects = None if caller.projects is None else sorted(caller.projects)
    return Me(token_id=caller.token_id, name=caller.name, role=caller.role, projects=projects)
