"""The assistant that works across a user's tools: which outside services it may use."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from infra.http.access import EVERYONE, Guarded, allow
from infra.http.api import ApiDep, CallerDep
from infra.http.parameters import OF_ANY
from infra.service.assistant import providers
from infra.service.assistant.providers import ProviderList

router = APIRouter(route_class=Guarded, tags=["Assistant"])
OfProject = Annotated[
    str | None,
    Query(max_length=100, description="As a conversation with this project (prj_…) has them."),
]


@router.get("/v1/assistant/providers", responses=OF_ANY)
@allow(*EVERYONE)
async def list_assistant_providers(
    api: ApiDep, caller: CallerDep, project: OfProject = None
) -> ProviderList:
    """The outside services of the assistant: tools, their arguments, and what is missing to use
    them. Their tools take the role `member`, also those that only read.
    """
    if project is not None:
        await api.check_project(project, caller)
    return await providers.describe_providers(api.settings, api.environ, project_id=project)
