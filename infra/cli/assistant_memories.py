"""`cairn assistant memories` and `cairn assistant workflows`: yours alone, to read and change."""

from __future__ import annotations

import typer

from infra.cli.context import JSON_OPTION, KEY_OPTION, asking, connect, say
from infra.cli.output import as_lines, cell, table
from infra.client.models.assistant import MemoryRecord, MemoryText, NamedWorkflow, WorkflowText

ID = typer.Argument(metavar="ID", help="Id of the memory.")
TEXT = typer.Argument(metavar="TEXT", help="What to remember, in your own words.")
NAME = typer.Argument(metavar="NAME", help="Small letters, digits and hyphens, at most 40.")
LIMIT = typer.Option(100, min=1, max=1_000, help="How many at most.")
LONGEST_SHOWN = 200

memories = typer.Typer(no_args_is_help=True, help="What is remembered of you.")
workflows = typer.Typer(no_args_is_help=True, help="Prompts with a name, and their tools.")


def register(group: typer.Typer) -> None:
    group.add_typer(memories, name="memories")
    group.add_typer(workflows, name="workflows")


@memories.command("list")
def list_memories(
    agents: bool = typer.Option(
        False, "--agents", help="What the agents have learnt, for all users, instead."
    ),
    limit: int = LIMIT,
    as_json: bool = JSON_OPTION,
) -> None:
    """List what is remembered of you, newest first."""
    found = connect().list_memories(of="agents" if agents else "me").take(limit)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("memory", "from", "since (UTC)", "id")
    table(columns, map(_memory_row, found), "Nothing is remembered.")


@memories.command()
def add(
    text: str = TEXT, idempotency_key: str | None = KEY_OPTION, as_json: bool = JSON_OPTION
) -> None:
    """Have something remembered, and print the id of the memory; what it updates is replaced."""
    cairn = connect()
    with asking(idempotency_key) as key:
        memory = cairn.add_memory(MemoryText.model_construct(text=text), key=key)
    _show_memory(memory, as_json=as_json)


@memories.command()
def edit(
    memory_id: str = ID,
    text: str = TEXT,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Put other words in the place of a memory."""
    cairn = connect()
    with asking(idempotency_key) as key:
        memory = cairn.edit_memory(memory_id, MemoryText.model_construct(text=text), key=key)
    _show_memory(memory, as_json=as_json)


@memories.command()
def forget(
    memory_id: str | None = typer.Argument(None, metavar="[ID]", help="Id of the memory."),
    everything: bool = typer.Option(False, "--all", help="All that is remembered of you."),
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Forget a memory, or all; nothing brings it back."""
    if everything == (memory_id is not None):
        raise typer.BadParameter("give the id of a memory, or --all")
    cairn = connect()
    with asking(idempotency_key) as key:
        if memory_id is not None:
            cairn.forget_memory(memory_id, key=key)
            say("It is forgotten.")
            return
        forgotten = cairn.forget_memories(key=key)
    say(f"Forgotten: {forgotten.memories:,}.")


@workflows.command("list")
def list_workflows(limit: int = LIMIT, as_json: bool = JSON_OPTION) -> None:
    """List your workflows by name."""
    found = connect().list_named_workflows().take(limit)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("name", "prompt", "tools", "saved (UTC)")
    table(columns, map(_workflow_row, found), "No workflow has a name.")


@workflows.command()
def save(
    name: str = NAME,
    prompt: str = typer.Option(..., "--prompt", help="What is to be done."),
    tool: list[str] | None = typer.Option(
        None, "--tool", help="A tool that it may use; again for more. All, unless given."
    ),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Keep a workflow under a name; one that has it is replaced."""
    body = WorkflowText.model_construct(prompt=prompt, tools=tool or [])
    cairn = connect()
    with asking(idempotency_key) as key:
        saved = cairn.save_named_workflow(name, body, key=key)
    if as_json:
        as_lines([saved.model_dump()])
    else:
        say(f"The workflow {saved.name} is saved.")


@workflows.command()
def remove(name: str = NAME, idempotency_key: str | None = KEY_OPTION) -> None:
    """Keep a workflow no more."""
    cairn = connect()
    with asking(idempotency_key) as key:
        cairn.remove_named_workflow(name, key=key)
    say(f"The workflow {name} is removed.")


def _show_memory(memory: MemoryRecord, *, as_json: bool) -> None:
    if as_json:
        as_lines([memory.model_dump()])
        return
    say(f"Remembered: {memory.text}")
    print(memory.memory_id)


def _memory_row(memory: MemoryRecord) -> tuple[object, ...]:
    whose = memory.namespace.removeprefix("agent:")
    origin = "a conversation" if memory.source_thread else "you"
    return (
        cell(memory.text, LONGEST_SHOWN),
        whose if memory.kind == "skill" else origin,
        f"{memory.created_at:%Y-%m-%d %H:%M}",
        memory.memory_id,
    )


def _workflow_row(workflow: NamedWorkflow) -> tuple[object, ...]:
    return (
        workflow.name,
        cell(workflow.prompt),
        cell(", ".join(workflow.tools) or "all"),
        f"{workflow.saved_at:%Y-%m-%d %H:%M}",
    )
