"""The reporter: standups, sprint reports, forecasts, retrospectives and management reports, from
what the writer of artifacts reports of the plan and the ledger.
"""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import BaseModel, ValidationError

from agents.project.outputs import REPORTS, MarkdownReport
from agents.project.specialist import SpecialistContext, cite_slim, slim_item
from agents.project.state import AgentResult
from agents.runs.effects import Json
from agents.tools.ports import ToolRefused
from agents.tools.tool import ToolContext

RETROSPECTIVE = "retro"
KINDS = (
    ("standup", re.compile(r"\bstand-?ups?\b|\bstand up\b|\bdaily\b")),
    (RETROSPECTIVE, re.compile(r"\bretro\w*")),
    ("forecast", re.compile(r"\bforecasts?\b|\bwhen\b.*\b(?:done|finished|ready|delivered?)\b")),
    ("sprint", re.compile(r"\bsprints?\b")),
)
MANAGEMENT = "management"
NOT_ASKED = "Nothing is written, since that is no order for it: say 'write a {wanted} report'."


async def report(specialist: SpecialistContext, began: datetime) -> AgentResult:
    """The report that the request asks for; a management report where it names no other."""
    wanted = _choose(specialist.request)
    day = began.date().isoformat()
    made = await _request(specialist, wanted, day)
    try:
        output = _read(made, wanted)
    except ValidationError:
        text = "The report has not the form that it should have."
        raise ToolRefused(text, "report_invalid") from None
    markdown = output.markdown if isinstance(output, MarkdownReport) else made["markdown"]
    return await specialist.finish(output, markdown, began, citations=cite_slim([made]))


def _choose(request: str) -> str:
    asked = request.lower()
    return next((kind for kind, words in KINDS if words.search(asked)), MANAGEMENT)


async def _request(specialist: SpecialistContext, wanted: str, day: str) -> Json:
    """The report, with its markdown."""

    async def make(context: ToolContext, _: Json) -> Json:
        item = await specialist.ports.request_report(context, wanted, day)
        return slim_item(item) | {"markdown": render_report(item)}

    asked = {"report_type": wanted, "as_of": day}
    if not specialist.is_asked("request_report", asked):
        raise ToolRefused(NOT_ASKED.format(wanted=wanted), "not_asked_for")
    return await specialist.change("request_report", asked, make, needs="member")


def _read(made: Json, wanted: str) -> BaseModel:
    kind = REPORTS.get(wanted)
    if kind is not None:
        return kind.model_validate(made["fields"][wanted])
    names = ("title", "artifact_id", "markdown")
    return MarkdownReport(**{name: made[name] for name in names})


def render_report(item: Json) -> str:
    """A report as markdown, a section after the other."""
    lines = [f"# {item['title']}"]
    for section in item.get("sections") or ():
        lines += ["", f"## {section['title']}", ""]
        statements = [f"- {statement['text']}" for statement in section["statements"]]
        lines += [*statements, *([""] if statements and section["gap"] else [])]
        lines += [section["gap"]] if section["gap"] else [] if statements else ["–"]
    return "\n".join(lines)
