"""The table of commands, and the group that imports the module of a command when it is called.

`cairn --help` comes from the table alone, and a command does not wait for what another imports.
A test compares the table with what the modules register.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group


@dataclass(frozen=True, slots=True)
class Command:
    """``panel``: its group in `cairn --help`. ``module`` of this package registers it."""

    panel: str
    module: str
    help: str


# In the order of `cairn --help`.
COMMANDS = {
    "up": Command(
        "Run", "up", "Start broker, database, workers, projector, and keep them running."
    ),
    "down": Command("Run", "down", "Stop everything that `cairn up` started; data is kept."),
    "status": Command(
        "Run", "status", "Show processes, addresses, versions and the lag of every stage."
    ),
    "check-cluster": Command(
        "Run",
        "check_cluster",
        "Say what your broker and database lack, before anything is written (exit 1).",
    ),
    "demo": Command(
        "Run", "demo", "Read a small example project, or PATH, and show what comes of it."
    ),
    "project": Command(
        "Feed", "project", "Create, list, rename and delete projects; set their hours."
    ),
    "ingest": Command("Feed", "ingest", "Read sources into a project's ledger."),
    "connector": Command("Feed", "connector", "Connect services and read them."),
    "runs": Command("Feed", "runs", "List ingestion runs; cancel, resume or inspect one."),
    "onboard": Command("Feed", "onboard", "Lead a project from its sources to a planned sprint."),
    "schedules": Command(
        "Feed", "schedules", "Have work done at times: add, list or remove a schedule."
    ),
    "webhooks": Command("Feed", "webhooks", "Send news of a project to other systems, signed."),
    "jobs": Command("Feed", "jobs", "List background jobs; enqueue, cancel or retry one."),
    "show": Command(
        "Read",
        "show",
        "Print the PRD, or a list made from it: features, tasks, sprints and others.",
    ),
    "quality": Command("Read", "quality", "Judge the PRD or a feature; list and show judgements."),
    "atoms": Command(
        "Read",
        "atoms",
        "List atoms with their evidence, most valuable first; live ones by default.",
    ),
    "search": Command(
        "Read",
        "search",
        "Answer a question with passages and atoms, each with the places it comes from.",
    ),
    "chat": Command(
        "Read",
        "chat",
        "Ask the agents of a project or the assistant, or talk with them; answers cite places.",
    ),
    "assistant": Command(
        "Read",
        "assistant",
        "Your conversations with the assistant; what it remembers of you and may use.",
    ),
    "workflow": Command(
        "Build",
        "workflow",
        "Governed workflows: from an idea to code, reviewed at each stage.",
    ),
    "deliver": Command(
        "Build",
        "deliver",
        "Deliver an issue: a plan that you approve, then a reviewed commit for each task.",
    ),
    "blame": Command(
        "Build",
        "blame",
        "Show what a line of code rests on: commit, task, workflows, statements and sources.",
    ),
    "mcp": Command(
        "Read", "mcp_server", "Answer a coding assistant (MCP) about one project, on stdio."
    ),
    "trace": Command(
        "Read",
        "trace",
        "Show the evidence behind an id, down to the log; with --why, the decisions about it.",
    ),
    "contradictions": Command("Read", "contradictions", "List contradictions, most severe first."),
    "explain": Command(
        "Read",
        "explain",
        "Show for each sentence of a document what became of it: an atom, refused, or left out.",
    ),
    "rejections": Command(
        "Read",
        "rejections",
        "List refused candidates and refused evidence rows with the rule that refused each.",
    ),
    "coverage": Command(
        "Read",
        "coverage",
        "Show what has been read of a project, and where its ledger has gaps.",
    ),
    "sources": Command(
        "Read",
        "sources",
        "List sources by path; --skipped: those that are not read, each with its reason.",
    ),
    "role": Command(
        "Decide", "sources", "Say what a document is to the product, whatever its names tell."
    ),
    "roles": Command(
        "Decide", "sources", "Say what all documents at some paths are: one decision each."
    ),
    "next-batch": Command(
        "Read",
        "next_batch",
        "Show the last batch of each run, and the ranking behind the choice.",
    ),
    "export": Command(
        "Read",
        "export",
        "Write PRD, ledger and evidence of a project as pages that open without a server.",
    ),
    "pr-comment": Command(
        "Read",
        "pr_comment",
        "Print which requirements, decisions and risks rest on what a diff changes, as Markdown.",
    ),
    "codebase": Command(
        "Build", "codebase", "Read code for a draft; check drafts and plans by rules."
    ),
    "members": Command("Plan", "members", "Set up the team of a project."),
    "plan": Command(
        "Plan", "members", "Say when the first sprint begins, and how fast the team is."
    ),
    "report": Command(
        "Plan", "report", "Make a report of a project; each line cites artifacts and atoms."
    ),
    "costs": Command("Plan", "costs", "Show what calls of language models have cost a project."),
    "budgets": Command("Plan", "costs", "Limit what models may cost a project."),
    "models": Command("Plan", "models", "Choose the language models that may be asked."),
    "waiting": Command("Decide", "waiting", "List what needs a person's decision."),
    "resolve": Command("Decide", "resolve", "Resolve a contradiction; --rationale is needed."),
    "escalate": Command(
        "Decide", "resolve", "Escalate a contradiction; it blocks artifacts until it is decided."
    ),
    "merges": Command(
        "Decide",
        "merges",
        "List merges and pairs in review; approve or reject a pair.",
    ),
    "unmerge": Command(
        "Decide",
        "merges",
        "Undo a merge: the merged atom becomes separate again.",
    ),
    "undo": Command("Decide", "undo", "Take back a decision, unless another one followed it."),
    "decisions": Command(
        "Decide",
        "proposals",
        "List what people decided, and what can be taken back.",
    ),
    "proposals": Command(
        "Decide", "proposals", "List what members propose, and what became of it."
    ),
    "accept": Command("Decide", "proposals", "Decide as a member proposes."),
    "decline": Command(
        "Decide", "proposals", "Decline what a member proposes (needs --rationale)."
    ),
    "withdraw": Command(
        "Decide", "proposals", "Take back what you have proposed yourself, as long as it waits."
    ),
    "edit": Command("Decide", "edit", "Edit a section of the PRD, or answer a suggestion for it."),
    "verify": Command(
        "Decide", "verify", "Pin an atom: no run removes it or lowers its confidence."
    ),
    "unverify": Command("Decide", "verify", "Withdraw a verification."),
    "dismiss": Command(
        "Decide", "dismiss", "Dismiss an atom (needs --rationale) or a false contradiction."
    ),
    "reinclude": Command("Decide", "dismiss", "Restore a dismissed atom."),
    "profiles": Command(
        "Build", "profiles", "Choose how agents write code: model, tracker, walls."
    ),
    "oracle": Command("Build", "oracle", "Ask for advice when you or an agent is stuck."),
    "brainstorm": Command(
        "Build", "brainstorm", "Turn an idea into a design document, in questions and answers."
    ),
    "worker": Command(
        "Operate", "processes", "Run stages of the pipeline. `cairn up` starts workers by itself."
    ),
    "projector": Command(
        "Operate",
        "processes",
        "Fold the topics into the database's tables (run by `cairn up`).",
    ),
    "web": Command(
        "Operate", "processes", "Serve the HTTP API and webhooks. `cairn up` starts it by itself."
    ),
    "intake": Command(
        "Operate",
        "processes",
        "Process delivered webhooks. `cairn up` starts it by itself.",
    ),
    "model-worker": Command(
        "Operate",
        "processes",
        "Make the calls of model providers. `cairn up` starts it where one is configured.",
    ),
    "dlq": Command("Operate", "dlq", "List or retry records that could not be processed."),
    "rebuild": Command(
        "Operate",
        "rebuild",
        "Rebuild the tables from the log, and replace those that differ (exit 1).",
    ),
    "replay": Command(
        "Operate",
        "replay",
        "Rebuild the ledger as of a moment in schema cairn_replay, and compare it with now.",
    ),
    "checksums": Command(
        "Operate",
        "checksums",
        "Hash the tables of a project after they have caught up with the log.",
    ),
    "verify-log": Command(
        "Operate",
        "verify_log",
        "Check the log: places, schemas, ids, hashes, sequences, quotes, citations.",
    ),
    "agents": Command(
        "Operate",
        "agents",
        "Graphs, tools and turns of the agents: replay, fork and compare turns.",
    ),
    "sandbox": Command(
        "Build",
        "sandbox",
        "Run a command or a tool as agents do, behind walls; check the walls.",
    ),
    "bench": Command("Measure", "bench", "Measure speed, with the baseline in the same run."),
    "eval": Command(
        "Measure",
        "eval",
        "Answer each row of a file as the pipeline would; needs no broker and no network.",
    ),
}

# What works on the files, processes or log of the machine that it is called on.
ONLY_HERE = frozenset(
    ("up", "down", "check-cluster", "worker", "projector", "web", "intake")
    + ("model-worker", "rebuild", "verify-log")
)
# What works in this process, or is a process of `cairn up`, and writes a log.
WITH_LOG = ONLY_HERE | {"bench", "connector", "eval", "jobs"}


class Commands(TyperGroup):
    """Lists the commands of the table, and loads the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        if name in ONLY_HERE and "--help" not in rest and os.environ.get("CAIRN_URL", "").strip():
            ctx.fail(
                f"`cairn {name}` works on the machine of a service, and CAIRN_URL names one"
                " elsewhere: run it there, or unset CAIRN_URL."
            )
        return name, load(str(name)), rest


def add_to(app: typer.Typer) -> None:
    """Register an entry for each command of the table, which stands for it in `--help`."""
    for name, command in COMMANDS.items():
        app.command(name, help=command.help, rich_help_panel=command.panel)(_entry)


def load(name: str) -> Any:
    """Import the module of a command of the table and return the command (of click)."""
    return list_registered(COMMANDS[name].module)[name]


def list_registered(module: str) -> dict[str, Any]:
    """Import a module of this package and return the commands that it registers, by name."""
    app = typer.Typer(callback=_entry)  # with a callback Typer makes a group of one command, too
    importlib.import_module(f"infra.cli.{module}").register(app)
    commands = dict(get_group(app).commands)
    for command in commands.values():
        _refuse_empty_arguments(command)
    return commands


def _refuse_empty_arguments(command: Any) -> None:
    """An argument that must be given names something, so an empty one is wrong use."""
    for each in getattr(command, "commands", {}).values():
        _refuse_empty_arguments(each)
    for param in command.params:
        if param.param_type_name == "argument" and param.required and param.callback is None:
            param.callback = _refuse_empty


def _refuse_empty(ctx: typer.Context, param: Any, value: Any) -> Any:
    if "" in (value if isinstance(value, list | tuple) else (value,)):
        raise typer.BadParameter(
            f"it is empty; `{ctx.command_path} --help` says what to give", ctx, param
        )
    return value


def _entry() -> None:
    pass
