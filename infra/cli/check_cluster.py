"""`cairn check-cluster`: what your broker and database lack, before anything is written."""

import json
from dataclasses import asdict

import typer

from infra.cli.context import JSON_OPTION, explain_wrong_use, load
from infra.platform.errors import Invalid


def register(app: typer.Typer) -> None:
    @app.command("check-cluster")
    def check_cluster(
        processes: list[str] = typer.Option(
            [],
            "--process",
            help="Check the account of this process alone: reader, writer, projector, poller,"
            " intake, jobs, web or commands; may be given several times.",
        ),
        rights: str = typer.Option(
            "", "--rights", help="Print the commands that grant this account what it needs."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Say what your broker and database lack, before anything is written (exit 1)."""
        from infra.service.upkeep import cluster_check
        from infra.service.upkeep.rights import PARTS, as_command, rights_of

        settings = load()
        with explain_wrong_use():
            chosen = processes or list(PARTS)
            if strange := sorted(set(chosen) - set(PARTS)):
                known = ", ".join(PARTS)
                raise Invalid(f"there is no process {strange[0]!r}: use {known}")
        if rights:
            for right in rights_of(settings, chosen):
                print(as_command(right, rights))
            return
        remarks = cluster_check.check_cluster(settings, chosen)
        for each in remarks:
            if as_json:
                print(json.dumps(asdict(each)))
            else:
                print(f"{each.standing:8} {each.about}: {each.sentence}")
        if any(each.standing == "missing" for each in remarks):
            raise typer.Exit(1)
