"""What a repository holds that a draft is about, and what is wrong with drafts and plans."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import WRITERS, Guarded, allow, check_at_home
from infra.http.api import ApiDep, CallerDep
from infra.http.parameters import OF_ANY
from infra.service.development import drafts
from infra.service.development.drafts import CodeContext, DraftCheck, DraftKind, PlanCheck

router = APIRouter(route_class=Guarded, tags=["Codebase"])
LocalPath = Annotated[str, Field(min_length=1, max_length=4_000)]
DraftText = Annotated[str, Field(max_length=100_000)]


class ContextRequest(BaseModel):
    """``path``: a folder of the service's machine. ``draft``: Markdown with a table of files to
    change. ``budget``: bytes of the answer's text at most.
    """

    model_config = ConfigDict(extra="forbid")

    path: LocalPath
    draft: DraftText
    budget: Annotated[int, Field(ge=1_000, le=1_000_000)] = 60_000


class DraftCheckRequest(BaseModel):
    """``repository``: a folder of the service's machine, where the draft's files should exist."""

    model_config = ConfigDict(extra="forbid")

    kind: DraftKind
    text: DraftText
    repository: LocalPath | None = None


class PlanCheckRequest(BaseModel):
    """``text``: the plan of a delivery, Markdown."""

    model_config = ConfigDict(extra="forbid")

    text: DraftText


@router.post("/v1/dev/codebase/context", responses=OF_ANY)
@allow(*WRITERS, at_home=True)
async def read_code_context(api: ApiDep, body: ContextRequest) -> CodeContext:
    """Read what a repository holds that a draft is about: the files of its table, those built like
    them, what lies beside. Secrets are taken out, secret files and links are never read.

    With the owner's token of the installation.
    """
    return await drafts.read_code_context(api.settings, body.path, body.draft, body.budget)


@router.post("/v1/dev/codebase/drafts/check", responses=OF_ANY)
@allow(*WRITERS)
async def check_draft(api: ApiDep, caller: CallerDep, body: DraftCheckRequest) -> DraftCheck:
    """Check an issue, a design or a specification by rules alone, once its form is mended.

    With the owner's token of the installation ``repository`` may name a folder.
    """
    if body.repository is not None:
        check_at_home(caller)
    return await drafts.check_draft(api.settings, body.kind, body.text, body.repository)


@router.post("/v1/dev/codebase/plans/check", responses=OF_ANY)
@allow(*WRITERS)
async def check_plan(api: ApiDep, body: PlanCheckRequest) -> PlanCheck:
    """Read the goal, key files and tasks of a plan, and say what is wrong with its form."""
    return drafts.check_plan(body.text)
