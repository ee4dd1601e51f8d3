"""What a research service says, for the agents that may ask one: the analyst and the planner.

It is asked only where it is configured, the request is for research, and a person has said yes.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.project.outputs import ResearchFinding
from agents.project.specialist import SpecialistContext
from agents.runs.confirmations import CallDeclined
from agents.runs.consent.own_words import take_own_words
from agents.runs.effects import Json
from agents.tools.ports import ToolRefused
from agents.tools.research import DEEP_RESEARCH, tell_finding
from agents.tools.tool import ToolContext

LONGEST_QUERY = 1_000
TITLE = "Outside sources (no evidence of the project)"


async def ask_outside(specialist: SpecialistContext) -> list[ResearchFinding]:
    """What a research service answers, where there is one and the request is for it."""
    own = take_own_words(specialist.request)
    if not specialist.can_research or "research" not in own.lower():
        return []
    query = own[:LONGEST_QUERY]

    async def make(context: ToolContext, args: Json) -> Json:
        return await specialist.ports.research(context, args["query"])

    args = {"query": query}
    try:  # the words leave the machine, so a person says so first
        result = await specialist.change(DEEP_RESEARCH, args, make, needs="member", confirm=True)
    except (ToolRefused, CallDeclined):
        return []
    return [ResearchFinding.model_validate(finding) for finding in result.get("findings", ())]


def tell_findings(findings: Sequence[ResearchFinding]) -> list[str]:
    """What was found, a line each, with its address and day."""
    return [tell_finding(finding.model_dump())[2:] for finding in findings]
