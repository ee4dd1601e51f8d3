"""Language models: which there are, what they have cost a project, and what they may cost it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import EVERYONE, LEADERS, OBSERVERS, OPERATORS, OWNERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Project
from infra.service.models import costs, models
from infra.service.models import setup as model_setup
from infra.service.models.costs import BudgetState, CallDetail, CostGroup, Costs
from infra.service.models.entries import ProviderSpec
from infra.service.models.models import ProviderState, Role, RoleState
from infra.service.models.setup import RoleTrial, Trial
from projections.read import costs as costs_read
from schemas.events.project import BudgetScope

router = APIRouter(route_class=Guarded, tags=["Models"])


class BudgetRequest(BaseModel):
    """Without a limit the budget is lifted. ``agent`` only for that scope; empty: each agent."""

    model_config = ConfigDict(extra="forbid")

    scope: BudgetScope
    agent: Annotated[str, Field(max_length=100)] = ""
    limit_usd: Annotated[float, Field(ge=0, le=1e9)] | None = None
    limit_tokens: Annotated[int, Field(ge=0, le=10**15)] | None = None
    warn_at: Annotated[float, Field(gt=0, le=1)] = 0.8
    hard: bool = True


ProviderName = Annotated[str, Path(max_length=100)]


class Provider(BaseModel):
    """``api_key`` is kept in the file of the models; ``api_key_env`` names a variable of the
    service in its place. None: as Cairn knows it by its name. ``program`` is what runs a provider
    that is a program of the service's machine. ``try_it``: only once it answers.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    base_url: str | None = Field(None, max_length=400)
    api_key: str | None = Field(None, max_length=1_000)
    api_key_env: str | None = Field(None, max_length=200)
    needs_key: bool | None = None
    models: list[Annotated[str, Field(max_length=200)]] = Field([], max_length=100)
    program: str | None = Field(None, max_length=1_000)
    try_it: bool = True


class AddedProvider(BaseModel):
    """``trial``: what came of the call, where one was made."""

    trial: Trial | None


@router.get("/v1/models", responses=OF_ANY)
@allow(*EVERYONE)
async def list_models(api: ApiDep) -> list[ProviderState]:
    """The providers in the order in which they are asked, then those without a key."""
    return await models.list_models(api.settings, api.environ)


@router.get("/v1/models/roles", responses=OF_ANY)
@allow(*EVERYONE)
async def list_model_roles(api: ApiDep) -> list[RoleState]:
    """Who drafts and who reviews: models of two families."""
    return models.list_roles(api.settings, api.environ)


@router.post("/v1/models/roles/{role}/test", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def test_model_role(api: ApiDep, role: Role) -> list[RoleTrial]:
    """Ask each model that drafts, or that reviews, one thing."""
    return await model_setup.try_role(api.settings, role, api.environ)


@router.post("/v1/models", status_code=201, responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def add_provider(api: ApiDep, body: Provider) -> AddedProvider:
    """Add a provider, or replace the one of its name, once it has answered one call.

    With the owner's token of the installation. Texts of sources go to it from then on.
    """
    spec = ProviderSpec(**body.model_dump(exclude={"try_it", "models"}), models=tuple(body.models))
    trial = await model_setup.add_provider(api.settings, spec, api.environ, try_it=body.try_it)
    return AddedProvider(trial=trial)


@router.post("/v1/models/{provider}/test", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def test_provider(api: ApiDep, provider: ProviderName) -> Trial:
    """Ask a provider one thing, and say what calls cost."""
    return await model_setup.try_provider(api.settings, provider, api.environ)


@router.delete("/v1/models/{provider}", status_code=204, responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def remove_provider(api: ApiDep, provider: ProviderName) -> None:
    """Remove a provider and its key."""
    await model_setup.remove_provider(api.settings, provider, api.environ)


@router.get("/v1/projects/{project}/costs", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_costs(
    api: ApiDep, project: Project, group_by: Annotated[CostGroup, Query()] = "agent"
) -> Costs:
    """What models have cost, by agent, stage, role, model, run, day (UTC) or call (the dearest)."""
    return await api.tables.ask(costs_read.read_costs, project, group_by)


@router.get("/v1/projects/{project}/costs/calls/{call_id}", responses=OF_ANY)
@allow(*OPERATORS)
async def read_call(
    api: ApiDep, project: Project, call_id: Annotated[str, Path(max_length=100)]
) -> CallDetail:
    """One call of a model with what was asked and answered, as it is kept: without secrets."""
    return await api.tables.ask(costs_read.read_call, project, call_id)


@router.get("/v1/projects/{project}/budgets", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_budgets(api: ApiDep, project: Project) -> list[BudgetState]:
    """What models may cost, and what of it is spent or set aside."""
    return await api.tables.ask(costs.list_budget_states, project)


@router.put("/v1/projects/{project}/budgets", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def set_budget(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: BudgetRequest
) -> list[BudgetState]:
    """Set or lift one budget, and return all of them."""
    spec = costs.BudgetSpec(**body.model_dump())
    return await costs.set_budget(api.settings, project, spec, actor=caller.name, key=write.key)
