"""`cairn next-batch`: which chunks were chosen last, which others stood for choice, and why."""

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import answer, as_lines, table

SHOWN = 20


def register(app: typer.Typer) -> None:
    @app.command("next-batch")
    def next_batch(
        project: str = PROJECT_OPTION,
        run: str | None = typer.Option(None, help="Only this run (default: all, newest first)."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show the last batch of each run, and the ranking behind the choice."""
        cairn = connect()
        found = cairn.list_next_batches(cairn.project_of(project), run_id=run)
        if as_json:
            as_lines(batch.model_dump() for batch in found)
            return
        if not found:
            answer().print("No batch was chosen yet.")
        for batch in found:
            hint, state = batch.hint, "in the ledger" if batch.committed else "under way"
            answer().print(
                f"Run {batch.run_id} ({batch.lane}, {batch.status}): batch {batch.batch_no},"
                f" {state}; rule {hint.decision_rule}, chosen from ledger {batch.basis_seq};"
                f" gaps: {', '.join(hint.gaps_targeted) or 'none'}."
            )
            table(
                ("rank", "read", "score", "reason", "lines"),
                (
                    (
                        chunk.priority_rank,
                        "yes" if chunk.selected else "no",
                        chunk.expected_value_score,
                        chunk.reason_code,
                        f"{chunk.path}:{chunk.line_start}–{chunk.line_end}",
                    )
                    for chunk in hint.candidate_chunks[:SHOWN]
                ),
                "It holds changes of sources and no chunk.",
            )
