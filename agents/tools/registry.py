"""All tools of the project's assistant, over one set of ports."""

from __future__ import annotations

from agents.tools.box import Tools
from agents.tools.changes import change_tools
from agents.tools.gaps import gap_tools
from agents.tools.items import item_tools
from agents.tools.ledger import ledger_tools
from agents.tools.ports import Ports
from agents.tools.reports import report_tools, schedule_tools
from agents.tools.research import research_tools
from agents.tools.sources import source_tools
from agents.tools.work import work_tools


def build_tools(ports: Ports) -> Tools:
    """Every tool there is, in a fixed order; what searches the web only where that can be done."""
    reading = (item_tools, work_tools, ledger_tools, gap_tools)
    groups = (change_tools, *reading, report_tools, schedule_tools, source_tools)
    made = [tool for group in groups for tool in group(ports)]
    return Tools(made + research_tools(ports) if ports.can_research else made)
