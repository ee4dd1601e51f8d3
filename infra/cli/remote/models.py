"""Models, costs and budgets, and what agents can call, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from infra.cli.remote.asking import adopt, adopt_all, ask, ask_of
from infra.client.client import Client
from infra.client.models.models import BudgetRequest
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import AgentTool
from infra.service.models.costs import BudgetSpec, BudgetState, check_group
from infra.service.models.models import ProviderState
from projections.read.costs import Costs, WholeCall


async def list_models(settings: Settings, environ: Mapping[str, str]) -> list[ProviderState]:
    return await ask(settings, lambda client: adopt_all(ProviderState, client.list_models()))


async def list_agent_tools(settings: Settings) -> list[AgentTool]:
    return await ask(settings, lambda client: adopt_all(AgentTool, client.list_agent_tools()))


async def read_costs(settings: Settings, project: str, group_by: str = "agent") -> Costs:
    known = check_group(group_by)

    def question(client: Client, project_id: str) -> Costs:
        return adopt(Costs, client.read_costs(project_id, group_by=known))

    return await ask_of(settings, project, question)


async def read_call(settings: Settings, project: str, call_id: str) -> WholeCall:
    return await ask_of(
        settings, project, lambda client, known: adopt(WholeCall, client.read_call(known, call_id))
    )


async def read_budgets(settings: Settings, project: str) -> list[BudgetState]:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt_all(BudgetState, client.read_budgets(known)),
    )


async def set_budget(
    settings: Settings, project: str, spec: BudgetSpec, *, actor: str, key: str
) -> list[BudgetState]:
    body = BudgetRequest.model_validate(asdict(spec))
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt_all(BudgetState, client.set_budget(known, body, key=key)),
    )
