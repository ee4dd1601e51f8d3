"""`cairn show`: artifacts as people read them, or as data."""

from enum import StrEnum
from typing import Any

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines


class Kind(StrEnum):
    prd = "prd"
    insights = "insights"
    epics = "epics"
    features = "features"


class Format(StrEnum):
    md = "md"
    json = "json"


TYPES = {Kind.insights: "insight", Kind.epics: "epic", Kind.features: "feature"}


def register(app: typer.Typer) -> None:
    @app.command()
    def show(
        kind: Kind = typer.Argument(help="Which artifact, or which list."),
        project: str = PROJECT_OPTION,
        form: Format = typer.Option(Format.md, "--format", help="Markdown, or JSON lines."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Print the PRD, or the present insights, epics or features with where they come from."""
        from projections import queries

        wanted = Format.json if as_json else form
        with queries.reading(connect().conninfo) as connection:
            project_id = queries.project_of(connection, project)
            if kind is Kind.prd:
                found = [queries.artifact(connection, project_id, kind.value)]
            else:
                found = queries.items(connection, project_id, TYPES[kind])
        if wanted is Format.json:
            as_lines(found)
        elif kind is Kind.prd:
            print(found[0]["rendered_markdown"].rstrip("\n"))
        else:
            print("\n\n".join(told(item) for item in found) or f"There are no {kind.value} yet.")


def told(item: dict[str, Any]) -> str:
    """An item as markdown; every statement ends with the places it was read from."""
    lines = [f"# {item['number']} {item['title']} ({item['artifact_state']})"]
    if facts := _facts(item):
        lines += ["", facts]
    for section in item["sections"]:
        lines += ["", f"## {section['title']}", ""]
        lines += [f"- {one['text']} ({_places(one)})" for one in section["statements"]]
    return "\n".join(lines)


def _facts(item: dict[str, Any]) -> str:
    """The fields a reader of the list looks for, on one line."""
    fields = item["fields"] | item["plan"]
    shown = ("category", "priority", "effort_points", "start_date", "end_date", "status")
    words = [f"{name.replace('_', ' ')} {fields[name]}" for name in shown if fields.get(name)]
    if fields.get("feature_ids"):
        words.append(f"{len(fields['feature_ids'])} features")
    return ", ".join(words)


def _places(statement: dict[str, Any]) -> str:
    """Where each cited atom was first read; the atom's id when that is not known."""
    return ", ".join(
        citation["places"][0] if citation["places"] else citation["atom_id"]
        for citation in statement["citations"]
    )
