"""Projects, members, plans, reports, edits and runs over HTTP.

Who acts is the person of the token, so ``actor`` and ``editor`` of the use cases do not travel.
"""

from __future__ import annotations

from dataclasses import asdict

from infra.cli.remote.asking import adopt, adopt_all, ask, ask_about, ask_of
from infra.client.client import Client
from infra.client.models.planning import ChangedMember, NewMember, Plan, ReportRequest
from infra.client.models.projects import ProjectRequest
from infra.client.models.quality import SectionText
from infra.client.models.runs import Cancellation, Resumption
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.ingesting.runs import AcceptedRemovals, RunRequest
from infra.service.planning.section_edits import PrdEdit
from infra.service.planning.team import MemberChange
from infra.service.projects.projects import Project
from projections.read.artifacts import Edit, Item
from projections.read.team import Member, find_only_member
from schemas.events.team import ReportType


async def create_project(settings: Settings, name: str, *, actor: str, key: str) -> Project:
    def create(client: Client) -> Project:
        made = client.create_project(ProjectRequest(name=name), key=key)
        return Project(made.project_id, made.name)

    return await ask(settings, create)


async def rename_project(
    settings: Settings, project: str, name: str, *, actor: str, key: str
) -> Project:
    def rename(client: Client, known: str) -> Project:
        renamed = client.rename_project(known, ProjectRequest(name=name), key=key)
        return Project(renamed.project_id, renamed.name)

    return await ask_of(settings, project, rename)


async def delete_project(
    settings: Settings, project: str, name: str, *, actor: str, key: str
) -> Project:
    def delete(client: Client, known: str) -> Project:
        client.delete_project(known, name=name, key=key)
        return Project(known, name)

    return await ask_of(settings, project, delete)


async def list_members(settings: Settings, project: str) -> list[Member]:
    return await ask_of(settings, project, _members)


async def add_member(
    settings: Settings, project: str, told: MemberChange, *, actor: str, key: str
) -> Member:
    if told.name is None:
        raise Invalid("A member has a name.", code="member_invalid")
    body = NewMember.model_validate(_told(told))
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(Member, client.add_member(known, body, key=key)),
    )


async def update_member(
    settings: Settings, project: str, member: str, told: MemberChange, *, actor: str, key: str
) -> Member:
    body = ChangedMember.model_validate(_told(told))

    def update(client: Client, project_id: str) -> Member:
        known = find_only_member(_members(client, project_id), member)
        return adopt(Member, client.update_member(project_id, known.member_id, body, key=key))

    return await ask_of(settings, project, update)


async def remove_member(
    settings: Settings, project: str, member: str, *, actor: str, key: str
) -> Member:
    def remove(client: Client, project_id: str) -> Member:
        known = find_only_member(_members(client, project_id), member)
        client.remove_member(project_id, known.member_id, key=key)
        return known

    return await ask_of(settings, project, remove)


async def set_plan(
    settings: Settings,
    project: str,
    *,
    start_day: str | None = None,
    velocity: int | None = None,
    actor: str,
    key: str,
) -> None:
    body = Plan(start_day=start_day, velocity=velocity)
    await ask_of(settings, project, lambda client, known: client.set_plan(known, body, key=key))


async def request_report(
    settings: Settings,
    project: str,
    report_type: ReportType,
    *,
    as_of: str | None = None,
    actor: str,
    key: str,
) -> Item:
    body = ReportRequest(report_type=report_type, as_of=as_of)
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(Item, client.request_report(known, body, key=key)),
    )


async def edit_prd_section(settings: Settings, edit: PrdEdit, *, editor: str) -> Edit:
    body = SectionText(text=edit.text, action=edit.action, expected_version=edit.expected_version)

    def write(client: Client, project_id: str) -> Edit:
        done = client.edit_prd_section(project_id, edit.section_id, body, key=edit.key)
        return adopt(Edit, done)

    return await ask_of(settings, edit.project, write)


async def cancel_run(
    settings: Settings, run_id: str, *, actor: str, key: str, reason: str = ""
) -> RunRequest:
    body = Cancellation(reason=reason)
    return await ask_about(
        settings,
        run_id,
        lambda client, known: adopt(RunRequest, client.cancel_run(known, run_id, body, key=key)),
    )


async def resume_run(
    settings: Settings, run_id: str, *, actor: str, key: str, retry_poison: bool = False
) -> RunRequest:
    body = Resumption(retry_poison=retry_poison)
    return await ask_about(
        settings,
        run_id,
        lambda client, known: adopt(RunRequest, client.resume_run(known, run_id, body, key=key)),
    )


async def accept_removals(
    settings: Settings, project: str, run_id: str, *, actor: str
) -> AcceptedRemovals:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(AcceptedRemovals, client.accept_removals(known, run_id)),
    )


def _members(client: Client, project_id: str) -> list[Member]:
    return adopt_all(Member, client.list_members(project_id))


def _told(told: MemberChange) -> dict[str, object]:
    """What was said of a member; what was not said is not sent."""
    return {name: value for name, value in asdict(told).items() if value is not None}
