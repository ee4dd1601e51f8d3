"""`cairn assistant conversations`: your talks with the assistant, and what was said in them."""

from __future__ import annotations

import typer

from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import answer, as_lines, cell, table
from infra.client.models.shared import Conversation, ConversationDetail
from infra.client.models.shared_parts import Confirmation

DECIDED = {"approve": "approved", "edit": "changed and approved", "reject": "rejected"}


def register(group: typer.Typer) -> None:
    @group.command()
    def conversations(
        conversation: str | None = typer.Argument(
            None, metavar="[ID]", help="Show this one instead of the list."
        ),
        limit: int = typer.Option(20, min=1, max=1_000, help="How many at most."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List your conversations with the assistant, the newest first, or show one."""
        cairn = connect(start=False)
        if conversation is not None:
            _show(cairn.read_own_conversation(conversation), as_json=as_json)
            return
        found = cairn.list_own_conversations().take(limit)
        if as_json:
            as_lines(each.model_dump() for each in found)
            return
        table(("conversation", "title", "last (UTC)"), map(_row, found), "No conversations.")


def _row(conversation: Conversation) -> tuple[object, ...]:
    return (
        conversation.conversation_id,
        cell(conversation.title),
        f"{conversation.updated_at:%Y-%m-%d %H:%M}",
    )


def _show(whole: ConversationDetail, *, as_json: bool) -> None:
    """What was said, each call with the answer of its turn, and those that wait at the end."""
    if as_json:
        as_lines([whole.model_dump()])
        return
    out = answer()
    for it in whole.messages:
        if it.role != "user":
            for call in whole.decided:
                if call.turn_id == it.turn_id:
                    out.print(_tell(call), markup=False)
        out.print(f"{it.author}, {it.sent_at:%Y-%m-%d %H:%M}: {it.content}", markup=False)
    for call in whole.waiting:
        out.print(f"  waits: {call.summary} ({call.confirmation_id})", markup=False)


def _tell(call: Confirmation) -> str:
    by = f" by {call.given_by}" if call.given_by else ", since nobody decided in time"
    reason = f": {call.reason}" if call.reason else ""
    return f"  {call.tool}: {DECIDED[call.decision or 'reject']}{by}{reason}"
