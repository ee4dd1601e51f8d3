"""The operations of the area Models."""

from __future__ import annotations

from typing import Literal

from infra.client.connection import Connection
from infra.client.models.models import BudgetRequest, BudgetState, CallDetail, Costs, ProviderState


class Models(Connection):
    def list_models(self) -> list[ProviderState]:
        """The providers in the order in which they are asked, then those without a key."""
        return self._read(list[ProviderState], "/v1/models")

    def read_costs(
        self,
        project: str,
        *,
        group_by: Literal["agent", "stage", "model", "run", "day", "call"] | None = None,
    ) -> Costs:
        """What models have cost, by agent, stage, model, run, day (UTC) or call (the dearest)."""
        return self._read(
            Costs,
            "/v1/projects/{project}/costs",
            at={"project": project},
            query={"group_by": group_by},
        )

    def read_call(self, project: str, call_id: str) -> CallDetail:
        """One call of a model with what was asked and answered, as it is kept: without secrets."""
        return self._read(
            CallDetail,
            "/v1/projects/{project}/costs/calls/{call_id}",
            at={"project": project, "call_id": call_id},
        )

    def read_budgets(self, project: str) -> list[BudgetState]:
        """What models may cost, and what of it is spent or set aside."""
        return self._read(
            list[BudgetState], "/v1/projects/{project}/budgets", at={"project": project}
        )

    def set_budget(
        self, project: str, body: BudgetRequest, *, key: str | None = None
    ) -> list[BudgetState]:
        """Set or lift one budget, and return all of them."""
        return self._write(
            list[BudgetState],
            "PUT",
            "/v1/projects/{project}/budgets",
            at={"project": project},
            key=key,
            body=body,
        )
