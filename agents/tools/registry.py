"""All tools of the project's assistant, over one set of ports."""

from __future__ import annotations

from agents.tools.box import Tools
from agents.tools.changes import change_tools
from agents.tools.gaps import gap_tools
from agents.tools.items import item_tools
from agents.tools.ledger import ledger_tools, open_point_tools, source_list_tools
from agents.tools.ports import Ports
from agents.tools.reports import (
    breakdown_tools,
    forecast_tools,
    quality_tools,
    report_tools,
    schedule_tools,
)
from agents.tools.research import research_tools
from agents.tools.sources import source_tools
from agents.tools.work import (
    analysis_tools,
    operation_tools,
    priority_tools,
    search_tools,
    team_tools,
)


def build_tools(ports: Ports) -> Tools:
    """Every tool there is, in a fixed order; what searches the web only where that can be done."""
    work = (team_tools, search_tools, analysis_tools, priority_tools, operation_tools)
    facts = (ledger_tools, open_point_tools, source_list_tools, gap_tools)
    written = (report_tools, forecast_tools, breakdown_tools, quality_tools)
    groups = (change_tools, item_tools, *work, *facts, *written, schedule_tools, source_tools)
    made = [tool for group in groups for tool in group(ports)]
    return Tools(made + research_tools(ports) if ports.can_research else made)
