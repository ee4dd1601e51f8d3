# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Planning."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Planning(Connection):
    def list_members(self, project: str) -> list[models.planning.Member]:
        """The members by name."""
        return self._read(
            list[models.planning.Member], "/v1/projects/{project}/members", at={"project": project}
        )

    def add_member(
        self, project: str, body: models.planning.NewMember, *, key: str | None = None
    ) -> models.planning.Member:
        """Add a member; plans follow by themselves."""
        return self._write(
            models.planning.Member,
            "POST",
            "/v1/projects/{project}/members",
            at={"project": project},
            key=key,
            body=body,
        )

    def update_member(
        self,
        project: str,
        member_id: str,
        body: models.planning.MemberUpdate,
        *,
        key: str | None = None,
    ) -> models.planning.Member:
        """Change what is told of a member; what is left out stays."""
        return self._write(
            models.planning.Member,
            "PATCH",
            "/v1/projects/{project}/members/{member_id}",
            at={"project": project, "member_id": member_id},
            key=key,
            body=body,
        )

    def remove_member(self, project: str, member_id: str, *, key: str | None = None) -> None:
        """Remove a member; what they were to do is planned anew."""
        self._perform(
            "DELETE",
            "/v1/projects/{project}/members/{member_id}",
            at={"project": project, "member_id": member_id},
            key=key,
        )

    def read_plan(self, project: str) -> models.planning.PlanSettings:
        """From which day sprints count, and how fast the team is; null where nobody has said."""
        return self._read(
            models.planning.PlanSettings, "/v1/projects/{project}/plan", at={"project": project}
        )

    def set_plan(
        self, project: str, body: models.planning.Plan, *, key: str | None = None
    ) -> models.planning.PlanSettings:
        """Say so; what is left out stays."""
        return self._write(
            models.planning.PlanSettings,
            "PUT",
            "/v1/projects/{project}/plan",
            at={"project": project},
            key=key,
            body=body,
        )

    def list_rebalances(self, project: str) -> Pages[models.planning.Rebalance]:
        """How the work of a sprint should lie on the team instead, oldest first; no task has
        moved.
        """
        return self._list(
            models.planning.Rebalance, "/v1/projects/{project}/rebalances", at={"project": project}
        )

    def read_rebalance(self, project: str, rebalance_id: str) -> models.planning.Rebalance:
        """One of them, with its moves."""
        return self._read(
            models.planning.Rebalance,
            "/v1/projects/{project}/rebalances/{rebalance_id}",
            at={"project": project, "rebalance_id": rebalance_id},
        )

    def request_report(
        self, project: str, body: models.planning.ReportRequest, *, key: str | None = None
    ) -> models.shared.Item:
        """Make a report of the day; each of its lines cites artifacts or atoms."""
        return self._write(
            models.shared.Item,
            "POST",
            "/v1/projects/{project}/reports",
            at={"project": project},
            key=key,
            body=body,
        )
