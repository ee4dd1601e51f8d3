"""What the assistant remembers of whoever has signed in, and what its agents have learnt."""

from __future__ import annotations

from starlette.responses import Response

from infra.http.access import OBSERVERS
from infra.http.console.page_context import PageContext
from infra.http.console.pages import Pages
from infra.service.assistant import memories as service
from projections.read import memories

pages = Pages()
PLACE = "/memories"
SHOWN = 50


@pages.show(PLACE, *OBSERVERS)
async def list_memories(visit: PageContext) -> Response:
    """What is remembered, newest first, each with other words and its end; and a form for more."""
    namespace, viewer = service.namespace_of(visit.caller), visit.caller.viewer
    cursor, after_skills = visit.asked("cursor"), visit.asked("skills")
    listed = await visit.ask(memories.list_memories, namespace, viewer, cursor=cursor, limit=SHOWN)
    skills = await visit.ask(memories.list_skills, viewer, cursor=after_skills, limit=SHOWN)
    return visit.show(
        "memories.html",
        listed=listed,
        skills=skills,
        changes_skills=service.may_change_skills(visit.caller),
    )


@pages.act(PLACE + "/add", *OBSERVERS, page=list_memories)
async def add_memory(visit: PageContext) -> Response:
    """Have something remembered."""
    text = visit.form.get("text", "")
    await service.add_memory(visit.api.settings, visit.caller, text)
    return visit.go("memories", told="It is remembered.")


@pages.act(PLACE + "/edit", *OBSERVERS, page=list_memories)
async def edit_memory(visit: PageContext) -> Response:
    """Put other words in the place of a memory."""
    memory_id, text = visit.form.get("memory", ""), visit.form.get("text", "")
    key = visit.form["key"]
    await service.edit_memory(visit.api.settings, visit.caller, memory_id, text, key=key)
    return visit.go("memories", told="The memory is changed.")


@pages.act(PLACE + "/forget", *OBSERVERS, page=list_memories)
async def forget_memory(visit: PageContext) -> Response:
    """Forget a memory."""
    memory_id, key = visit.form.get("memory", ""), visit.form["key"]
    await service.forget_memory(visit.api.settings, visit.caller, memory_id, key=key)
    return visit.go("memories", told="It is forgotten.")


@pages.act(PLACE + "/forget-all", *OBSERVERS, page=list_memories)
async def forget_memories(visit: PageContext) -> Response:
    """Forget all that is remembered of whoever has signed in."""
    await service.forget_memories(visit.api.settings, visit.caller, key=visit.form["key"])
    return visit.go("memories", told="All is forgotten.")
