"""Tools that read tasks, features, sprints, epics and whole artifacts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from agents.project.state import Citation
from agents.tools.ports import Json, Ports, ToolRefused
from agents.tools.show import (
    answer,
    cite_item,
    cut,
    name_of,
    show_page,
    statements_of,
    take_page,
)
from agents.tools.tool import Paging, Tool, ToolArguments, ToolContext, ToolResult

STATUSES: Mapping[str, tuple[str, ...]] = {
    "task": ("todo", "in_progress", "in_review", "done", "blocked"),
    "feature": ("proposed", "planned", "in_progress", "done"),
}
# What people call a type, one and many, and what it is in the tables.
TYPES = {
    "task": ("tasks", "task"),
    "feature": ("features", "feature"),
    "sprint": ("sprints", "sprint_plan"),
    "epic": ("epics", "epic"),
}
_PLANNED = (
    *("status", "priority", "estimate_points", "effort_points", "assignee_id", "sprint_id"),
    *("feature_id", "epic_id", "start_date", "end_date", "planned_points", "capacity_points"),
)
_PREFIXES = {"feature": "feat", "insight": "ins"}  # of numbers, where they are cut
_NUMBER = re.compile(r"^(?P<prefix>[a-z]+)-0*(?P<number>\d+)$")


class Reference(ToolArguments):
    """``reference``: an id such as `art_…`, a number such as `task-003` or `feat-001`, or the
    title.
    """

    reference: str = Field(min_length=1, max_length=300)


class ArtifactId(ToolArguments):
    """``reference``: an id such as `art_…`, or `prd`."""

    reference: str = Field(min_length=1, max_length=300)


class ListItems(Paging):
    """``words``: words that the title holds; empty: any. ``status``: only those that have it, such
    as `todo`, `planned` or `done`; empty: any. ``limit``: how many at most, 1 to 100. ``offset``:
    how many to leave out at the start, for the rest of a long list.
    """

    words: str = Field(default="", max_length=300)
    status: str = Field(default="", max_length=40)


class SectionOf(ToolArguments):
    """``section_id``: the id of a section such as `functional_requirements`, or its title."""

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
        item
        for item in items
        if words in (item["artifact_id"], item["title"].lower())
        or number == _read_number(item["number"].lower())
    ]
    matches = exact or [item for item in items if words and words in item["title"].lower()]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise ToolRefused(
            f"There is no {kind} {reference!r} in this project: list_{TYPES[kind][0]} names those"
            " that there are.",
            "unknown_item",
        )
    named = "; ".join(name_of(item) for item in matches[:5])
    raise ToolRefused(
        f"{len(matches)} {TYPES[kind][0]} fit {reference!r}: {named}. Name one by its number.",
        "ambiguous_item",
    )


def _read_number(words: str) -> str:
    """The number that is written so, as it is shown; the words where they are none."""
    match = _NUMBER.match(words.replace(" ", "-"))
    if match is None:
        return words
    prefix = _PREFIXES.get(match["prefix"], match["prefix"])
    return f"{prefix}-{int(match['number'])}"


def _list_tool(ports: Ports, kind: str, many: str) -> Tool:
    async def list_items(context: ToolContext, wanted: ListItems) -> ToolResult:
        if wanted.status and wanted.status not in STATUSES.get(kind, ()):
            statuses = ", ".join(STATUSES.get(kind, ())) or "none"
            raise ToolRefused(
                f"No {kind} has the status {wanted.status!r}: there are {statuses}.",
                "unknown_status",
            )
        words = wanted.words.lower().split()
        items = [
            item
            for item in await ports.list_items(context.project_id, TYPES[kind][1])
            if all(word in name_of(item).lower() for word in words)
            and wanted.status in ("", _value(item, "status"))
        ]
        page = take_page(items, wanted)
        lines = [f"{name_of(item)}{_describe(item)} [{item['artifact_id']}]" for item in page]
        shown = show_page(many.capitalize(), lines, wanted, len(items))
        return answer(shown, {many: page, "total": len(items)}, cite_items(page))

    description = f"List the {many} by number, with id, status and plan."
    return Tool(f"list_{many}", description, ListItems, list_items, space=many)


def _get_tool(ports: Ports, kind: str) -> Tool:
    async def get_item(context: ToolContext, wanted: Reference) -> ToolResult:
        item = await find_item(ports, context.project_id, kind, wanted.reference)
        return show_item(item)

    description = f"Read one {kind}: all it says, with the atoms that it cites."
    return Tool(f"get_{kind}", description, Reference, get_item, space=TYPES[kind][0])


def _artifact_tool(ports: Ports) -> Tool:
    async def get_artifact(context: ToolContext, wanted: ArtifactId) -> ToolResult:
        if wanted.reference.lower() == "prd":
            return show_item(await ports.read_prd(context.project_id))
        return show_item(await ports.read_artifact(context.project_id, wanted.reference))

    description = "Read an artifact of any type by its id, or the PRD by the word `prd`."
    return Tool("get_artifact", description, ArtifactId, get_artifact, space="artifacts")


def _section_tool(ports: Ports) -> Tool:
    async def get_prd_section(context: ToolContext, wanted: SectionOf) -> ToolResult:
        prd = await ports.read_prd(context.project_id)
        named = wanted.section_id.lower().replace(" ", "_")
        for section in prd["sections"]:
            if named in (section["section_id"], section["title"].lower().replace(" ", "_")):
                return show_item({**prd, "sections": [section]})
        section_ids = ", ".join(section["section_id"] for section in prd["sections"])
        raise ToolRefused(
            f"The PRD has no section {wanted.section_id!r}; it has {section_ids}.",
            "unknown_section",
        )

    description = "Read one section of the PRD with its citations."
    return Tool("get_prd_section", description, SectionOf, get_prd_section, space="artifacts")


def show_item(item: Json) -> ToolResult:
    """All that an artifact says, with its citations."""
    lines = [f"{name_of(item)} [{item['artifact_id']}], {item['artifact_state']}{_describe(item)}"]
    for section in item["sections"]:
        statements = statements_of(item, section["section_id"])
        if statements or section["gap"]:
            lines.append(f"{section['title']}:")
        lines += [_show_statement(statement) for statement in statements]
        lines.append(f"- {section['gap']}")
    return answer([line for line in lines if line != "- "], item, cite_item(item))


def change_of(item: Json, op: str) -> dict[str, Any]:
    """The change ``op`` of an item in the version that was just read."""
    return {"op": op, "item_id": item["artifact_id"], "expected_version": item["version"]}


def tell_change(verb: str, done: Json) -> ToolResult:
    """What was changed, as it is now."""
    if done.get("accepted"):
        return answer(["Accepted; the tables do not show it yet."], done)
    shown = show_item(done)
    return answer([f"{verb}: {shown.text}"], done, shown.citations)


def tell_deletion(item: Json, done: Json) -> ToolResult:
    text = "Asked to delete" if done.get("accepted") else "Deleted"
    return answer([f"{text} {name_of(item)}."], done, cite_item(item)[:1])


def _show_statement(statement: Json) -> str:
    cited = " ".join(f"[{citation['atom_id']}]" for citation in statement["citations"])
    return f"- {cut(statement['text'])} {cited or '(uncited)'}"


def _describe(item: Json) -> str:
    names = item.get("names") or {}
    parts = [
        f"{name.removesuffix('_id')}: {names.get(value, value)}"
        for name in _PLANNED
        if (value := _value(item, name))
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _value(item: Json, name: str) -> object:
    return (item.get("fields") or {}).get(name) or (item.get("plan") or {}).get(name)


def cite_items(items: Sequence[Json]) -> list[Citation]:
    return [cite_item(item)[0] for item in items]
