"""`cairn workflow gate, resume, cancel`: people decide, and the workflow goes on or ends."""

from __future__ import annotations

import typer

from infra.cli.calls import unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, asking, connect, say
from infra.cli.following_workflows import follow_workflow, list_decided
from infra.cli.workflow_reading import show_workflow
from infra.client.models.workflows import Advice, GateDecision

ID = typer.Argument(metavar="ID", help="Id of the workflow.")
GATE = typer.Argument("", metavar="GATE", help="draft, verdict, halt …; without it the open one.")
REASON = typer.Option("", "--reason", "-r", help="Feedback, or why; a waiver needs one.")
WAIT = typer.Option(True, "--wait/--no-wait", help="Follow it up to its end or the next gate.")


def register_gates(workflow: typer.Typer) -> None:
    gate = typer.Typer(
        no_args_is_help=True, help="Decide at a gate: approve, reject with feedback, or waive."
    )
    workflow.add_typer(gate, name="gate")
    for answer, does in (
        ("approve", "Let the workflow go on."),
        ("reject", "Send it back with feedback, or end it where it has halted."),
        ("waive", "Go on without the reviewer's approval; you answer for it."),
    ):
        gate.command(answer, help=does)(_make_decide(answer))
    _register_ends(workflow)


def _make_decide(answer: str):  # type: ignore[no-untyped-def]  # typer reads the inner function
    def decide(
        workflow_id: str = ID,
        gate: str = GATE,
        reason: str = REASON,
        wait: bool = WAIT,
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        cairn = connect(start=False)
        opened = [one for one in cairn.read_workflow(workflow_id).gates if one.is_open]
        known = next((one for one in opened if gate in ("", one.gate, one.confirmation_id)), None)
        if known is None and not gate:
            raise typer.BadParameter(
                f"Workflow {workflow_id} waits at no gate; `cairn workflow status` shows it."
            )
        body = GateDecision.model_construct(
            decision=unchecked(answer),
            reason=reason,
            artifact_hash="" if known is None else known.artifact_hash,
        )
        which = gate if known is None else known.confirmation_id
        decided = list_decided(cairn, workflow_id) | {which}
        with asking(idempotency_key) as key:
            cairn.decide_gate(workflow_id, which, body, key=key)
        has_failed = wait and follow_workflow(cairn, workflow_id, decided, is_quiet=as_json)
        if as_json:
            show_workflow(cairn, workflow_id, as_json=True)
        if has_failed and answer != "reject":
            raise typer.Exit(1)

    return decide


def _register_ends(workflow: typer.Typer) -> None:
    @workflow.command()
    def resume(
        workflow_id: str = ID,
        reason: str = typer.Option("", "--advice", help="Advice to whoever goes on."),
        wait: bool = WAIT,
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Have a workflow that has halted try again."""
        cairn = connect(start=False)
        gates = cairn.read_workflow(workflow_id).gates
        decided = {one.confirmation_id for one in gates}
        with asking(idempotency_key) as key:
            cairn.resume_workflow(workflow_id, Advice(reason=reason), key=key)
        has_failed = wait and follow_workflow(cairn, workflow_id, decided, is_quiet=as_json)
        if as_json:
            show_workflow(cairn, workflow_id, as_json=True)
        if has_failed:
            raise typer.Exit(1)

    @workflow.command()
    def cancel(workflow_id: str = ID, idempotency_key: str | None = KEY_OPTION) -> None:
        """End a workflow; nothing more is asked or called in it."""
        cairn = connect(start=False)
        with asking(idempotency_key) as key:
            cairn.cancel_workflow(workflow_id, key=key)
        say(f"Workflow {workflow_id} ends.")
