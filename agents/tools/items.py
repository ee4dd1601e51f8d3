"""Tools that read tasks, features, sprints, epics and whole artifacts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from agents.project.state import Citation
from agents.tools.ports import Json, Ports, ToolRefused
from agents.tools.show import answer, cite_item, cut, name_of, show_list, statements_of
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

# What people call a type, one and many, and what it is in the tables.
TYPES = {
    "task": ("tasks", "task"),
    "feature": ("features", "feature"),
    "sprint": ("sprints", "sprint_plan"),
    "epic": ("epics", "epic"),
}
_PLANNED = ("status", "assignee_id", "sprint_id", "estimate_points", "priority", "effort_points")
_PREFIXES = {"feature": "feat", "insight": "ins"}  # of numbers, where they are cut
_NUMBER = re.compile(r"^(?P<prefix>[a-z]+)-0*(?P<number>\d+)$")


class Reference(ToolArguments):
    """``reference``: an id, a number such as ``task-003``, or the title."""

    reference: str = Field(min_length=1, max_length=300)


class ListItems(ToolArguments):
    """``words``: parts of the title; ``status``: only those that have it."""

    words: str = Field(default="", max_length=300)
    status: str = Field(default="", max_length=40)
    limit: int = Field(default=25, ge=1, le=500)


class SectionOf(ToolArguments):
    """``section_id``: the id of a section such as ``functional_requirements``, or its title."""

    section_id: str = Field(min_length=1, max_length=100)


def item_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""
    tools = [
        tool
        for kind, (many, _) in TYPES.items()
        for tool in (_list_tool(ports, kind, many), _get_tool(ports, kind))
    ]
    return [*tools, _artifact_tool(ports), _section_tool(ports)]


async def find_item(ports: Ports, project: str, kind: str, reference: str) -> Json:
    """The one that is meant. Raises ToolRefused when it is none, or one of several."""
    return only_item(await ports.list_items(project, TYPES[kind][1]), kind, reference)


def only_item(items: Sequence[Json], kind: str, reference: str) -> Json:
    """The one with this id, number or title; else the only one whose title holds the words."""
    words = " ".join(reference.lower().split()).strip("«»\"'")
    number = _read_number(words)
    exact = [
        one
        for one in items
        if words in (one["artifact_id"], one["title"].lower())
        or number == _read_number(one["number"].lower())
    ]
    found = exact or [one for one in items if words and words in one["title"].lower()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ToolRefused(f"There is no {kind} {reference!r}.", "unknown_item")
    named = "; ".join(name_of(one) for one in found[:5])
    raise ToolRefused(
        f"{len(found)} {TYPES[kind][0]} fit {reference!r}: {named}. Name one by its number.",
        "ambiguous_item",
    )


def _read_number(words: str) -> str:
    """The number that is written so, as it is shown; the words where they are none."""
    found = _NUMBER.match(words.replace(" ", "-"))
    if found is None:
        return words
    prefix = _PREFIXES.get(found["prefix"], found["prefix"])
    return f"{prefix}-{int(found['number'])}"


def _list_tool(ports: Ports, kind: str, many: str) -> Tool:
    async def list_items(context: ToolContext, wanted: ListItems) -> ToolResult:
        words = wanted.words.lower().split()
        found = [
            one
            for one in await ports.list_items(context.project_id, TYPES[kind][1])
            if all(word in name_of(one).lower() for word in words)
            and wanted.status in ("", _value(one, "status"))
        ][: wanted.limit]
        lines = [f"{name_of(one)}{_describe(one)} [{one['artifact_id']}]" for one in found]
        return answer(show_list(many.capitalize(), lines), {many: found}, cite_items(found))

    description = f"The {many} of the project by number, with status and plan."
    return Tool(f"list_{many}", description, ListItems, list_items, space=many)


def _get_tool(ports: Ports, kind: str) -> Tool:
    async def get_item(context: ToolContext, wanted: Reference) -> ToolResult:
        found = await find_item(ports, context.project_id, kind, wanted.reference)
        return show_item(found)

    description = f"One {kind} with all it says and cites."
    return Tool(f"get_{kind}", description, Reference, get_item, space=TYPES[kind][0])


def _artifact_tool(ports: Ports) -> Tool:
    async def get_artifact(context: ToolContext, wanted: Reference) -> ToolResult:
        if wanted.reference.lower() == "prd":
            return show_item(await ports.read_prd(context.project_id))
        return show_item(await ports.read_artifact(context.project_id, wanted.reference))

    description = "An artifact of any type by its id, or the PRD by the word `prd`."
    return Tool("get_artifact", description, Reference, get_artifact, space="artifacts")


def _section_tool(ports: Ports) -> Tool:
    async def get_prd_section(context: ToolContext, wanted: SectionOf) -> ToolResult:
        prd = await ports.read_prd(context.project_id)
        named = wanted.section_id.lower().replace(" ", "_")
        for section in prd["sections"]:
            if named in (section["section_id"], section["title"].lower().replace(" ", "_")):
                return show_item({**prd, "sections": [section]})
        known = ", ".join(one["section_id"] for one in prd["sections"])
        raise ToolRefused(f"The PRD has no section {wanted.section_id!r}; it has {known}.")

    description = "One section of the PRD with its citations."
    return Tool("get_prd_section", description, SectionOf, get_prd_section, space="artifacts")


def show_item(item: Json) -> ToolResult:
    """All that an artifact says, with its citations."""
    lines = [f"{name_of(item)} [{item['artifact_id']}], {item['artifact_state']}{_describe(item)}"]
    for section in item["sections"]:
        said = statements_of(item, section["section_id"])
        if said or section["gap"]:
            lines.append(f"{section['title']}:")
        lines += [_show_statement(one) for one in said] or [f"- {section['gap']}"]
    return answer([one for one in lines if one != "- "], item, cite_item(item))


def _show_statement(statement: Json) -> str:
    cited = " ".join(f"[{one['atom_id']}]" for one in statement["citations"])
    return f"- {cut(statement['text'])} {cited or '(uncited)'}"


def _describe(item: Json) -> str:
    told = [f"{name}: {value}" for name in _PLANNED if (value := _value(item, name))]
    return f" ({', '.join(told)})" if told else ""


def _value(item: Json, name: str) -> object:
    return (item.get("fields") or {}).get(name) or (item.get("plan") or {}).get(name)


def cite_items(items: Sequence[Json]) -> list[Citation]:
    return [cite_item(one)[0] for one in items]
