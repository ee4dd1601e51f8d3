"""`cairn assistant`: your conversations with it, what it remembers of you and may use."""

from __future__ import annotations

import typer

from infra.cli import assistant_conversations, assistant_memories, assistant_providers


def register(app: typer.Typer) -> None:
    assistant = typer.Typer(
        no_args_is_help=True,
        help="Your conversations with the assistant; what it remembers of you and may use.",
    )
    app.add_typer(assistant, name="assistant")
    assistant_conversations.register(assistant)
    assistant_memories.register(assistant)
    assistant_providers.register(assistant)
