"""`cairn show`: artifacts as people read them, or as data."""

from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from infra.cli.atoms import AS_OF, AS_OF_SEQ, place_of
from infra.cli.calls import moment_of
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import as_lines
from schemas.inflection import count
from schemas.provisional import is_mostly_provisional

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from infra.client.models.shared import (
        Burndown,
        Item,
        SpeculativeArtifact,
    )
    from infra.client.models.shared_parts import CitingSection, CitingStatement
    from infra.client.models.views import ArtifactView
    from infra.client.models.views_parts import Artifact, RemovedItem


class Kind(StrEnum):
    prd = "prd"
    insights = "insights"
    epics = "epics"
    features = "features"
    tasks = "tasks"
    sprint = "sprint"
    report = "report"


# What a line of facts shows of tasks and sprints: fields, ids with a name, lists.
OF_WORK = ("estimate_points", "complexity", "capacity_points", "planned_points")
OF_TYPE = {"retro": "sprint"}  # where the fields of a report are, if not under its own name
OF_REPORTS = (
    *("remaining_points", "velocity_mean", "velocity_stddev", "sprints_needed"),
    *("p50_date", "p85_date", "confidence"),
    *("planned_points", "completed_points", "velocity"),
)
NAMED = {"assignee_id": "assignee", "sprint_id": "in", "feature_id": "for"}
LISTED = {"required_skills": "needs", "depends_on": "after"}


class Format(StrEnum):
    md = "md"
    json = "json"


MORE = typer.Option(False, "--more", help="All statements of the PRD, not the first of a section.")
SECTION = typer.Option(
    None, "--section", metavar="ID", help="This section of the PRD alone, e.g. goals, in full."
)
NO_PRD = (
    "There is no PRD yet: nothing that was read so far belongs in one."
    " `cairn atoms` shows what was read."
)
PROVISIONAL = "_(provisional): rests on drafts alone; nobody has confirmed it._"
MOSTLY_PROVISIONAL = (
    "_Most statements rest on drafts alone. Those marked (confirmed) do not: several places say"
    " them, one says them plainly, or somebody has confirmed them._"
)
TYPES = {
    Kind.prd: "prd",
    Kind.insights: "insight",
    Kind.epics: "epic",
    Kind.features: "feature",
    Kind.tasks: "task",
    Kind.sprint: "sprint_plan",
    Kind.report: "report",
}


def register(app: typer.Typer) -> None:
    @app.command()
    def show(
        kind: Kind = typer.Argument(help="Which artifact, or which list."),
        project: str = PROJECT_OPTION,
        form: Format = typer.Option(Format.md, "--format", help="Markdown, or JSON lines."),
        more: bool = MORE,
        section: str | None = SECTION,
        as_of_seq: int | None = AS_OF_SEQ,
        as_of: str | None = AS_OF,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Print the PRD, or a list made from it: features, tasks, sprints and others.

        Of each section of the PRD the first statements; --more and JSON have all of them. Sections
        written during a run follow, marked as speculative.
        """
        wanted = Format.json if as_json else form
        if kind is not Kind.prd and (more or section):
            raise typer.BadParameter("--more and --section are for the PRD.")
        moment = place_of(as_of_seq, as_of)
        if moment is not None:
            if kind is not Kind.prd or section:
                raise typer.BadParameter("--as-of and --as-of-seq are for the whole PRD.")
            show_past_prd(project, moment, as_json=wanted is Format.json)
            return
        cairn = connect()
        view = cairn.read_view(cairn.project_of(project), TYPES[kind])
        found: list[Artifact] | list[Item] = view.items
        if view.prd is not None:
            found = [select_section(view.prd, section) if section else view.prd]
        if wanted is Format.json:
            as_lines(one.model_dump() for one in (*found, *view.ahead))
            return
        asked = section is not None
        told = [document_of(one, view, in_full=more or asked, asked=asked) for one in found]
        shown = [*told, *map(render_ahead, view.ahead), *render_gone(view.gone)]
        shown += render_left_out(view.left_out)
        print("\n\n".join(shown) or f"There are no {kind.value} yet.")


def show_past_prd(project: str, moment: "int | datetime", *, as_json: bool) -> None:
    """The PRD as it was then, with all its statements where it is data."""
    cairn = connect()
    known = cairn.project_of(project)
    now = cairn.read_view(known, TYPES[Kind.prd]).prd
    assert now is not None, "a view of a PRD that is not there is refused"
    then = cairn.read_past_artifact(known, now.artifact_id, **moment_of(moment))
    if as_json:
        as_lines([then.model_dump()])
    else:
        print(then.rendered_markdown, end="")


def select_section(prd: "Artifact", section_id: str) -> "Artifact":
    """The PRD with one section. Raises typer.BadParameter for a section that there is not."""
    chosen = [one for one in prd.sections if one.section_id == section_id]
    if not chosen:
        known = ", ".join(one.section_id for one in prd.sections)
        raise typer.BadParameter(f"There is no section {section_id!r}: there are {known}.")
    return prd.model_copy(update={"sections": chosen})


def document_of(
    one: "Artifact | Item", view: "ArtifactView", *, in_full: bool = False, asked: bool = False
) -> str:
    """As markdown; ``asked``: for this section of a PRD, which may be empty."""
    from infra.client.models.views_parts import Artifact

    if not isinstance(one, Artifact):
        burndowns = {it.sprint_id: it for it in view.burndowns}
        return render_item(one, view.names, burndowns.get(one.artifact_id))
    if not asked and not any(section.statements for section in one.sections):
        return NO_PRD
    return render_prd(one, in_full=in_full)


def render_prd(prd: "Artifact", *, in_full: bool) -> str:
    """The PRD as markdown; below every statement the places and atoms that it rests on."""
    from streams.reduce.artifacts.markdown import STATES
    from streams.reduce.texts.sections import SHOWN

    lines = [f"# {prd.title} (version {prd.version}, {STATES[prd.artifact_state]})"]
    lines += _tell_hindrance(prd)
    statements = [one for section in prd.sections for one in section.statements]
    mostly = is_mostly_provisional(statements)
    if any(one.provisional for one in statements):
        lines += ["", MOSTLY_PROVISIONAL if mostly else PROVISIONAL]
    lines += _tell_engine(prd)
    for section in prd.sections:
        shown = section.statements if in_full else section.statements[:SHOWN]
        lines += ["", f"## {section.title}", ""]
        lines += [line for one in shown for line in _cited(one, mostly=mostly)]
        lines += _notes(section, len(section.statements) - len(shown))
    return "\n".join(lines)


def _tell_hindrance(prd: "Artifact") -> list[str]:
    """Why a PRD is not final although everything is read."""
    if prd.artifact_state != "preview_stable" or prd.lane != "deep":
        return []
    why = "a severe contradiction is open" if prd.blocked_by else "no quality gate has passed it"
    return ["", f"_Everything is read; it is not final because {why}._"]


def _tell_engine(artifact: "Artifact | Item") -> list[str]:
    """How many sections a model has worded, if any."""
    said = [one for one in artifact.sections if one.statements]
    worded = sum(one.engine == "model" for one in said)
    if not worded:
        return []
    others = ", the others by rules" if worded < len(said) else ""
    return ["", f"_{worded} of {len(said)} sections worded by {artifact.model}{others}._"]


def _cited(statement: "CitingStatement", *, mostly: bool = False) -> list[str]:
    """A statement, then a line for each atom that it cites; ``mostly``: most of the others are
    provisional.
    """
    mark = "(provisional)" if statement.provisional and not mostly else ""
    if mostly and statement.citations and not statement.provisional:
        mark = "(confirmed)"
    marked = f" {mark}" if mark else ""
    places = [f"  {' '.join([*one.places[:1], one.atom_id])}" for one in statement.citations]
    uncited = "" if statement.citations else " (uncited)"
    return [f"- {statement.text}{marked}{uncited}", *places]


def _notes(section: "CitingSection", more: int) -> list[str]:
    said = f"{more} more: `cairn show prd --section {section.section_id}`" if more else ""
    edited = f"edited by {section.edited_by}" if section.edited_by else ""
    waiting = "what was read since suggests another text: `cairn edit prd --help`"
    suggested = waiting if section.suggestion else ""
    return [f"_{note}_" for note in (said, section.gap, edited, suggested) if note]


def render_gone(gone: "list[RemovedItem]") -> list[str]:
    """What was in the list before, in one paragraph, if there is anything."""
    lines = [f"- {item.title}: {item.why}" for item in gone]
    return ["\n".join(["# No longer in the list", "", *lines])] if gone else []


def render_ahead(artifact: "SpeculativeArtifact") -> str:
    """What is written so far of an artifact whose input is still coming in."""
    place = f"speculative, from the ledger at {artifact.input_ledger_seq}"
    return "\n".join([f"# {artifact.title} ({place})", *_sections(artifact)])


def render_left_out(left_out: "list[str]") -> list[str]:
    """What became no task and why, in one paragraph, if there is anything."""
    lines = [f"- {one}" for one in left_out]
    return ["\n".join(["# No task", "", *lines])] if left_out else []


def render_item(
    item: "Item",
    names: "Mapping[str, str] | None" = None,
    burndown: "Burndown | None" = None,
) -> str:
    """An item as markdown; every statement ends with the places it was read from. ``names`` of
    members, tasks and sprints by id; ``burndown`` that of a sprint.
    """
    names = names or {}
    lines = [f"# {item.number} {item.title} ({item.artifact_state})"]
    if facts := _facts(item, names):
        lines += ["", facts]
    lines += _tell_burndown(burndown) if burndown else []
    lines += _tell_engine(item)
    lines += _sections(item)
    lines += _plan_of(item, names)
    if item.features:
        lines += ["", "## Features", "", *(f"- {feature}" for feature in item.features)]
    return "\n".join(lines)


def _tell_burndown(burndown: "Burndown") -> list[str]:
    """What was left at the end of the last day that is known, and what an even pace leaves."""
    known = [it for it in burndown.days if it.remaining is not None]
    if not known:
        return []
    day, came = known[-1], sum(it.added or 0 for it in known)
    went = sum(it.dropped or 0 for it in known)
    closed = f", closed on {burndown.closed_on}" if burndown.closed_on else ""
    return [
        "",
        f"burndown: {day.remaining} of {burndown.committed} points left on {day.day}"
        f" (an even pace: {day.ideal:g}), {came} added, {went} dropped{closed}",
    ]


def _sections(item: "Item | SpeculativeArtifact") -> list[str]:
    lines: list[str] = []
    for section in item.sections:
        lines += ["", f"## {section.title}", ""]
        lines += [f"- {one.text} ({_places(one)})" for one in section.statements]
        lines += [f"_{section.gap}_"] if section.gap and section.statements else []
    return lines


def _plan_of(item: "Item", names: "Mapping[str, str]") -> list[str]:
    """What a sprint leaves out, and what it takes for granted."""
    lines: list[str] = []
    for one in item.fields.get("unplanned", ()):
        lines.append(f"- {names.get(one['task_id'], one['task_id'])}: {one['reason']}")
    lines = ["", "## Not in this sprint", "", *lines] if lines else []
    forecast = item.fields.get("forecast") or {}
    if said := item.fields.get("assumptions") or forecast.get("assumptions"):
        lines += ["", "## Assumptions", "", *(f"- {one}" for one in said)]
    return lines


def _facts(item: "Item", names: "Mapping[str, str]") -> str:
    """The fields a reader of the list looks for, on one line."""
    fields = item.fields | item.plan
    ahead = () if fields.get("status") == "done" else ("priority", "effort_points")
    shown = ("category", *ahead, "start_date", "end_date", *OF_WORK, "status")
    words = [f"{name.replace('_', ' ')} {fields[name]}" for name in shown if fields.get(name)]
    words += [
        f"{word} {names.get(fields[name], fields[name])}"
        for name, word in NAMED.items()
        if fields.get(name)
    ]
    for name, word in LISTED.items():
        if fields.get(name) and item.fields.get("estimate_points"):
            words.append(f"{word} {', '.join(names.get(one, one) for one in fields[name])}")
    if fields.get("feature_ids"):
        words.append(count(len(fields["feature_ids"]), "feature"))
    kind = str(fields.get("report_type"))
    words += [
        f"{name.replace('_', ' ')} {told}"
        for name, told in (fields.get(OF_TYPE.get(kind, kind)) or {}).items()
        if name in OF_REPORTS and told is not None
    ]
    return ", ".join(words)


def _places(statement: "CitingStatement") -> str:
    """Where each cited atom was first read; the atom's id when that is not known."""
    return ", ".join(
        citation.places[0] if citation.places else citation.atom_id
        for citation in statement.citations
    )
