"""`cairn coverage`: how much of a project is read, by tier and by area, and what is missing."""

import asyncio
from typing import TYPE_CHECKING

import typer

from infra.cli import service
from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer, table

if TYPE_CHECKING:
    from projections.read.coverage import Counts

COLUMNS = ("chunks", "extracted", "pending", "skipped")


def register(app: typer.Typer) -> None:
    @app.command()
    def coverage(
        project: str = PROJECT_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show what has been read of a project, and where its ledger has gaps."""
        found = asyncio.run(service.read_coverage(connect(), project))
        if as_json:
            print(found.model_dump_json())
            return
        table(("tier", *COLUMNS), ((row.tier, *_counts(row)) for row in found.tiers))
        table(
            ("area", *COLUMNS, "active atoms", "drafts"),
            ((row.area, *_counts(row), row.active_atoms, row.draft_atoms) for row in found.areas),
        )
        answer().print(f"Gaps: {', '.join(found.gaps) or 'none'}.")


def _counts(row: "Counts") -> tuple[int, int, int, str]:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in row.skipped.items())
    return row.total, row.extracted, row.pending, reasons or "0"
