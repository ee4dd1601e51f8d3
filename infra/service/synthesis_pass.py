"""One pass of a model over a project: what only rules have worded, in the order of artifacts."""

from __future__ import annotations

import contextlib

from agents.models.errors import BudgetExceeded, RequestRefused
from agents.synthesis.order import GROUPS, LISTS
from infra.service.synthesis import Cancelled, Report, WordsRefused, Writer, find_open
from infra.service.synthesis_lists import word_list


async def word_project(writer: Writer) -> Report:
    """Word what only rules have worded. Raises AllProvidersFailed and Unavailable, after which it
    goes on where it was.
    """
    report = writer.report
    try:
        await _word_prd(writer)
        for artifact_type in LISTS:
            await word_list(writer, artifact_type)
        for artifact_type in GROUPS:
            for item in await writer.desk.list_items(artifact_type):
                await _word_item(writer, item.artifact_id)
    except BudgetExceeded:
        report.stopped = "budget_exceeded"
    except RequestRefused:
        report.stopped = "model_request_refused"
    except Cancelled:
        report.stopped = "cancelled"
    return report


async def _word_prd(writer: Writer) -> None:
    """Section by section, each from the PRD as it is by then."""
    prd = await writer.desk.find("prd")
    for section in find_open(prd.sections) if prd else ():
        await _word_item(writer, "prd", only=section.section_id)


async def _word_item(writer: Writer, name: str, only: str | None = None) -> None:
    artifact = await writer.desk.find(name)
    sections = find_open(artifact.sections) if artifact else []
    wanted = [one for one in sections if only in (None, one.section_id)]
    if artifact and wanted:
        with contextlib.suppress(WordsRefused):
            await writer.hand_over(await writer.ask(artifact, wanted))
