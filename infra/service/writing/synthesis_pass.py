"""One pass of a model over a project, or over one sprint plan or report: what only rules have
worded, in the order of artifacts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable

from agents.models.errors import BudgetExceeded, RequestRefused
from agents.synthesis.order import GROUPS, LISTS
from infra.service.writing.synthesis import Cancelled, Report, WordsRefused, Writer, find_open
from infra.service.writing.synthesis_lists import word_list


async def word_project(writer: Writer) -> Report:
    """Word what only rules have worded. Raises AllProvidersFailed and Unavailable, after which it
    goes on where it was.
    """
    return await _report(writer, _word_all(writer))


async def word_document(writer: Writer, artifact_id: str) -> Report:
    """Word a sprint plan or report, section by section. Raises as ``word_project``."""
    return await _report(writer, _word_sections(writer, artifact_id))


async def _report(writer: Writer, work: Awaitable[None]) -> Report:
    report = writer.report
    try:
        await work
    except BudgetExceeded:
        report.stopped = "budget_exceeded"
    except RequestRefused:
        report.stopped = "model_request_refused"
    except Cancelled:
        report.stopped = "cancelled"
    return report


async def _word_all(writer: Writer) -> None:
    await _word_sections(writer, "prd")
    for artifact_type in LISTS:
        await word_list(writer, artifact_type)
    for artifact_type in GROUPS:
        for item in await writer.ports.list_items(artifact_type):
            await _word_item(writer, item.artifact_id)


async def _word_sections(writer: Writer, name: str) -> None:
    """One by one, each from the artifact as it is by then."""
    artifact = await writer.ports.find(name)
    for section in find_open(artifact) if artifact else ():
        await _word_item(writer, name, only=section.section_id)


async def _word_item(writer: Writer, name: str, only: str | None = None) -> None:
    artifact = await writer.ports.find(name)
    sections = find_open(artifact) if artifact else []
    wanted = [one for one in sections if only in (None, one.section_id)]
    if artifact and wanted:
        with contextlib.suppress(WordsRefused):
            await writer.hand_over(await writer.ask(artifact, wanted))
