# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Models."""

from __future__ import annotations

from typing import Literal

from infra.client import models
from infra.client.connection import Connection


class Models(Connection):
    def list_models(self) -> list[models.models.ProviderState]:
        """The providers in the order in which they are asked, then those without a key."""
        return self._read(list[models.models.ProviderState], "/v1/models")

    def add_provider(
        self, body: models.models.Provider, *, key: str | None = None
    ) -> models.models.AddedProvider:
        """Add a provider, or replace the one of its name, once it has answered one call.

        With the owner's token of the installation. Texts of sources go to it from then on.
        """
        return self._write(models.models.AddedProvider, "POST", "/v1/models", key=key, body=body)

    def test_provider(self, provider: str, *, key: str | None = None) -> models.models.Trial:
        """Ask a provider one thing, and say what calls cost."""
        return self._write(
            models.models.Trial,
            "POST",
            "/v1/models/{provider}/test",
            at={"provider": provider},
            key=key,
        )

    def remove_provider(self, provider: str, *, key: str | None = None) -> None:
        """Remove a provider and its key."""
        self._perform("DELETE", "/v1/models/{provider}", at={"provider": provider}, key=key)

    def read_costs(
        self,
        project: str,
        *,
        group_by: Literal["agent", "stage", "model", "run", "day", "call"] | None = None,
    ) -> models.models.Costs:
        """What models have cost, by agent, stage, model, run, day (UTC) or call (the dearest)."""
        return self._read(
            models.models.Costs,
            "/v1/projects/{project}/costs",
            at={"project": project},
            query={"group_by": group_by},
        )

    def read_call(self, project: str, call_id: str) -> models.models.CallDetail:
        """One call of a model with what was asked and answered, as it is kept: without secrets."""
        return self._read(
            models.models.CallDetail,
            "/v1/projects/{project}/costs/calls/{call_id}",
            at={"project": project, "call_id": call_id},
        )

    def read_budgets(self, project: str) -> list[models.models.BudgetState]:
        """What models may cost, and what of it is spent or set aside."""
        return self._read(
            list[models.models.BudgetState],
            "/v1/projects/{project}/budgets",
            at={"project": project},
        )

    def set_budget(
        self, project: str, body: models.models.BudgetRequest, *, key: str | None = None
    ) -> list[models.models.BudgetState]:
        """Set or lift one budget, and return all of them."""
        return self._write(
            list[models.models.BudgetState],
            "PUT",
            "/v1/projects/{project}/budgets",
            at={"project": project},
            key=key,
            body=body,
        )
