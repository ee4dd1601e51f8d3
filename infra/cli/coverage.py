"""`cairn coverage`: how much of a project is read, by tier and by area, and what is missing."""

from typing import TYPE_CHECKING

import typer

from infra.cli.atoms import AS_OF, AS_OF_SEQ, place_of
from infra.cli.calls import moment_of
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import answer, table
from schemas.model_reading import describe_owed

if TYPE_CHECKING:
    from infra.client.models.sources import PastCoverage
    from infra.client.models.sources_parts import AreaCounts, TierCounts

COLUMNS = ("chunks", "extracted", "pending", "skipped")


def register(app: typer.Typer) -> None:
    @app.command()
    def coverage(
        project: str = PROJECT_OPTION,
        as_of_seq: int | None = AS_OF_SEQ,
        as_of: str | None = AS_OF,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show what has been read of a project, and where its ledger has gaps.

        As of a moment: what had been read and was held then. How much there was to be read at that
        time is not kept.
        """
        moment, cairn = place_of(as_of_seq, as_of), connect()
        known = cairn.project_of(project)
        if moment is not None:
            show_past(cairn.read_past_coverage(known, **moment_of(moment)), as_json)
            return
        found = cairn.read_coverage(known)
        if as_json:
            print(found.model_dump_json())
            return
        table(("tier", *COLUMNS), ((row.tier, *_counts(row)) for row in found.tiers))
        table(
            ("area", *COLUMNS, "active atoms", "drafts"),
            ((row.area, *_counts(row), row.active_atoms, row.draft_atoms) for row in found.areas),
        )
        answer().print(f"Gaps: {', '.join(found.gaps) or 'none'}.")
        if owed := describe_owed(found.by_rules):
            answer().print(f"{owed}.", soft_wrap=True)


def show_past(found: "PastCoverage", as_json: bool) -> None:
    if as_json:
        print(found.model_dump_json())
        return
    rows = ((row.area, row.chunks_read, row.live_atoms) for row in found.areas)
    table(("area", "chunks read", "live atoms"), rows)
    answer().print(f"As of change set {found.as_of_seq}.")


def _counts(row: "AreaCounts | TierCounts") -> tuple[int, int, int, str]:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in row.skipped.items())
    return row.total, row.extracted, row.pending, reasons or "0"
