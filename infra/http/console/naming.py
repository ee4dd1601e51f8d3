"""Give a project another name, or delete it."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import LEADERS, OWNERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.service.projects import projects

pages = Pages()


@pages.show("/projects/{project}/manage", *LEADERS)
async def manage_project(visit: PageContext) -> Response:
    """The project's name, and for owners its end."""
    return visit.show("manage.html")


@pages.act("/projects/{project}/manage", *LEADERS, page=manage_project)
async def rename_project(visit: PageContext) -> Response:
    """Call the project otherwise; its address stays."""
    renamed = await projects.rename_project(
        visit.api.settings,
        visit.project_id,
        visit.form.get("name", "").strip(),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    told = f"The project is called {renamed.name} now."
    return visit.go("projects", visit.project_id, told=told)


@pages.act("/projects/{project}/manage/delete", *OWNERS, page=manage_project)
async def delete_project(visit: PageContext) -> Response:
    """Delete the project, whose name was typed, for a reason."""
    visit.sent_reason()
    gone = await projects.delete_project(
        visit.api.settings,
        visit.project_id,
        visit.form.get("confirm", "").strip(),
        actor=visit.caller.name,
        key=visit.form["key"],
    )
    visit.api.forget_project(gone.project_id)
    return visit.go("projects", told=f"{gone.name} is deleted.")
