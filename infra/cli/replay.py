"""`cairn replay`: the ledger as it was, folded from the log, and what has changed since."""

import typer

from infra.cli.atoms import AS_OF, AS_OF_SEQ, time_of
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect, say
from infra.cli.output import as_lines, table
from infra.client.models.administration import ReplayRequest
from schemas.inflection import count


def register(app: typer.Typer) -> None:
    @app.command()
    def replay(
        project: str = PROJECT_OPTION,
        as_of_seq: int | None = AS_OF_SEQ,
        as_of: str | None = AS_OF,
        diff: bool = typer.Option(False, "--diff", help="Name every row that differs."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Rebuild the ledger as of a moment in schema cairn_replay, and compare it with now.

        Without a moment the whole ledger is rebuilt; a difference then exits 1, unless the ledger
        has grown meanwhile.
        """
        if as_of_seq is not None and as_of:
            raise typer.BadParameter("give --as-of-seq or --as-of, not both")
        moment = time_of(as_of) if as_of else None
        cairn = connect()
        body = ReplayRequest(project=cairn.project_of(project), as_of_seq=as_of_seq, as_of=moment)
        replayed = cairn.await_job(cairn.replay_ledger(body).job_id).result or {}
        found = replayed["rows"]
        if as_json:
            as_lines(found)
        elif diff:
            table(
                ("table", "since", "key", "columns"),
                ((it["table"], it["since"], it["key"], ", ".join(it["columns"])) for it in found),
                "Nothing differs.",
            )
        for left_out in replayed["left_out"]:
            say(f"Left out: {left_out}.")
        differences = replayed["differences"]
        if len(found) < differences:
            say(f"The first {len(found):,} of {differences:,} rows are named.")
        say(
            f"The ledger as of {replayed['as_of_seq']} stands in the schema {replayed['schema']};"
            f" {count(differences, 'row differs', 'rows differ')} from now"
            f" ({'moving on meanwhile' if replayed['has_moved'] else replayed['head']})."
        )
        if replayed["is_wrong"]:
            raise typer.Exit(1)
