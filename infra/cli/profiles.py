"""`cairn profiles`: which model writes code, whose issues, in which walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from infra.cli.calls import told
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, say
from infra.cli.output import as_lines, table
from infra.client.models.development import NewProfile, ProfileTry

if TYPE_CHECKING:
    from infra.client.models.development import ProfileState, ProfileTrial

NAME = typer.Argument(metavar="NAME", help="Name of the profile.")

LINES_SHOWN = 20  # of one event
_LABELS = {
    "CLAUDE_THINKING": "thinks",
    "CLAUDE_TOOL_CALL": "calls ",
    "CLAUDE_TOOL_RESULT": "result",
    "AGENT_OUTPUT": "says  ",
}

profiles = typer.Typer(
    no_args_is_help=True, help="Choose how agents write code: model, tracker, walls."
)


def register(app: typer.Typer) -> None:
    app.add_typer(profiles, name="profiles")


@profiles.command("list")
def list_profiles(as_json: bool = JSON_OPTION) -> None:
    """List the profiles; `*` marks the one that is used where none is named."""
    found = connect().list_profiles()
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    columns = ("", "name", "driver", "model", "tracker", "sandbox", "validator")
    table(columns, map(_row_of, found))


@profiles.command()
def add(
    name: str = NAME,
    driver: str | None = typer.Option(None, help="api, claude or codex."),
    model: str | None = typer.Option(
        None, help="Of the driver; for api as PROVIDER/MODEL. Else its own choice."
    ),
    tracker: str | None = typer.Option(None, help="jira, github or none."),
    sandbox: str | None = typer.Option(None, help="none, process, docker or daytona."),
    max_review_iterations: int | None = typer.Option(
        None, min=1, max=20, help="Rounds of review and repair of a task."
    ),
    max_review_passes: int | None = typer.Option(
        None, min=1, max=5, help="How often a whole task is reviewed."
    ),
    allow: list[str] | None = typer.Option(
        None,
        "--allow",
        metavar="COMMAND",
        help="A program that may be started, with what it begins with; again for more.",
    ),
    validator: str | None = typer.Option(
        None, metavar="COMMAND", help="A command that has to succeed after each task."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Add a profile; what is not given is as in the built-in one."""
    body = NewProfile.model_construct(
        **told(
            name=name,
            driver=driver,
            model=model,
            tracker=tracker,
            sandbox=sandbox,
            max_review_iterations=max_review_iterations,
            max_review_passes=max_review_passes,
            allowlist=allow or None,
            validator=validator,
        )
    )
    with explain_wrong_use():
        found = connect().add_profile(body)
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    say(f"The profile {name} is added. `cairn profiles check {name}` tries it.")


@profiles.command()
def use(name: str = NAME) -> None:
    """Have a profile taken where none is named."""
    connect().use_profile(name)
    say(f"The profile {name} is used from now on.")


@profiles.command()
def check(
    name: str | None = typer.Argument(None, metavar="[NAME]", help="Else the one that is used."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Try each part of a profile, and say what to do where one does not work (exit 1).

    A model may be asked one tiny question.
    """
    cairn = connect()
    wanted = name or next(each.profile.name for each in cairn.list_profiles() if each.is_used)
    found = cairn.check_profile(wanted)
    if as_json:
        as_lines([found.model_dump()])
    else:
        rows = (
            (each.part, "works" if each.works else "fails", each.finding, each.advice or None)
            for each in found.parts
        )
        table(("part", "state", "what was seen", "what to do"), rows)
    if not found.works:
        raise typer.Exit(1)


@profiles.command("try")
def try_profile(
    name: str = NAME,
    prompt: str = typer.Argument(..., metavar="PROMPT", help="What the model is asked to do."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Give a profile's driver one prompt in an empty folder, and show what it does (exit 1: it
    failed). The model is paid; the folder is thrown away.
    """
    with explain_wrong_use():
        trial = connect().try_profile(name, ProfileTry(prompt=prompt))
    if as_json:
        as_lines([trial.model_dump()])
    else:
        _show_trial(trial)
    if trial.failure:
        raise typer.Exit(1)


def _show_trial(trial: ProfileTrial) -> None:
    for event in trial.events:
        lines = event.content.splitlines() or [""]
        labels = (_LABELS[event.type], *(" " * 6 for _ in lines))
        for label, line in zip(labels, lines[:LINES_SHOWN], strict=False):
            print(f"{label}  {_printable(line)}")
    cost = "price not known" if trial.cost_usd is None else f"${trial.cost_usd:.4f}"
    about = " (estimated)" if trial.is_estimated else ""
    print(f"{trial.input_tokens} tokens in, {trial.output_tokens} out, {cost}{about}.")
    if trial.files:
        print(f"Files: {', '.join(map(_printable, trial.files))}")
    if trial.failure:
        say(f"Failed ({trial.failure}): {_printable(trial.reason)}")


def _printable(text: str) -> str:
    """What a model has written may hold commands for terminals."""
    return "".join(sign if sign.isprintable() or sign == "\t" else "\ufffd" for sign in text)


def _row_of(each: ProfileState) -> tuple[object, ...]:
    profile = each.profile
    return (
        "*" if each.is_used else "",
        f"{profile.name} (built in)" if each.is_built_in else profile.name,
        profile.driver,
        profile.model,
        profile.tracker,
        profile.sandbox,
        profile.validator,
    )
