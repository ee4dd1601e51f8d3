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


TYPES = {Kind.prd: "prd", Kind.insights: "insight", Kind.epics: "epic", Kind.features: "feature"}


def register(app: typer.Typer) -> None:
    @app.command()
    def show(
        kind: Kind = typer.Argument(help="Which artifact, or which list."),
        project: str = PROJECT_OPTION,
        form: Format = typer.Option(Format.md, "--format", help="Markdown, or JSON lines."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Print the PRD, or the present insights, epics or features with where they come from.

        What is written while a run goes on comes after them, as speculative.
        """
        from projections.read import ahead, queries

        wanted = Format.json if as_json else form
        with queries.reading(connect().conninfo) as connection:
            project_id = queries.project_of(connection, project)
            early = ahead.speculative(connection, project_id, TYPES[kind])
            gone = queries.gone_items(connection, project_id, TYPES[kind])
            if kind is not Kind.prd:
                found = queries.items(connection, project_id, TYPES[kind])
            elif early and not queries.has_artifact(connection, project_id, TYPES[kind]):
                found = []
            else:
                found = [queries.artifact(connection, project_id, TYPES[kind])]
        if wanted is Format.json:
            as_lines([*found, *early])
            return
        told_as = _document if kind is Kind.prd else told
        shown = [*map(told_as, found), *map(told_ahead, early), *told_gone(gone)]
        print("\n\n".join(shown) or f"There are no {kind.value} yet.")


def _document(prd: dict[str, Any]) -> str:
    return str(prd["rendered_markdown"]).rstrip("\n")


def told_gone(gone: list[dict[str, Any]]) -> list[str]:
    """What was in the list before, in one paragraph, if there is anything."""
    lines = [f"- {item['title']}: {item['why']}" for item in gone]
    return ["\n".join(["# No longer in the list", "", *lines])] if gone else []


def told_ahead(artifact: dict[str, Any]) -> str:
    """What is written so far of an artifact whose input is still coming in."""
    place = f"speculative, from the ledger at {artifact['input_ledger_seq']}"
    return "\n".join([f"# {artifact['title']} ({place})", *_sections(artifact)])


def told(item: dict[str, Any]) -> str:
    """An item as markdown; every statement ends with the places it was read from."""
    lines = [f"# {item['number']} {item['title']} ({item['artifact_state']})"]
    if facts := _facts(item):
        lines += ["", facts]
    lines += _sections(item)
    if item["features"]:
        lines += ["", "## Features", "", *(f"- {feature}" for feature in item["features"])]
    return "\n".join(lines)


def _sections(item: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for section in item["sections"]:
        lines += ["", f"## {section['title']}", ""]
        lines += [f"- {one['text']} ({_places(one)})" for one in section["statements"]]
    return lines


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
