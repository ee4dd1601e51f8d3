"""`cairn chat`: talk with the agents of a project or the assistant, and see what they do."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from infra.cli.calls import Cairn, unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, OPTIONAL_PROJECT, asking, connect, say
from infra.cli.output import as_lines, cell
from infra.cli.partners import Assistant, Partner, ProjectAgents, find_time_zone
from infra.client.models.chat_parts import AttachedDocument
from infra.client.models.shared import ConfirmationReply, Turn
from infra.platform.errors import Conflict, Invalid

if TYPE_CHECKING:
    from infra.client.events import Frame

LONGEST_SHOWN = 160
PROMPT = "> "
ENDS = ("done", "error")
With = Literal["project", "comms"]
ALWAYS_SHOWN = frozenset({"confirmation_requested", "error"})
ANSWERS = {
    "y": "approve",
    "yes": "approve",
    "n": "reject",
    "no": "reject",
    "e": "edit",
    "edit": "edit",
}


def register(app: typer.Typer) -> None:
    @app.command()
    def chat(
        text: str | None = typer.Argument(None, help="A question; without it you talk."),
        project: str | None = OPTIONAL_PROJECT,
        partner: With = typer.Option(
            "project", "--with", help="The agents of a project, or comms: the assistant."
        ),
        conversation: str | None = typer.Option(
            None, "--conversation", metavar="ID", help="Go on with this conversation."
        ),
        file: list[Path] = typer.Option(
            [], "--file", metavar="FILE", help="A text that becomes a source (repeatable)."
        ),
        workflow: str | None = typer.Option(
            None, "--workflow", metavar="NAME", help="One of your workflows; of the assistant."
        ),
        time_zone: str | None = typer.Option(
            None, "--time-zone", metavar="TZ", help="Yours, unless this machine tells it."
        ),
        verbose: bool = typer.Option(
            False, "--verbose", "-v", help="Show what the agents look up on the way."
        ),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Ask the agents of a project or the assistant, or talk with them; answers cite places."""
        _check_options(partner, project, file, {"--workflow": workflow, "--time-zone": time_zone})
        documents = [read_document(each) for each in file]
        cairn = connect()
        project_id = "" if project is None else cairn.project_of(project)
        talks_with: Partner = ProjectAgents(cairn, project_id)
        if partner == "comms":
            zone = find_time_zone() if time_zone is None else time_zone
            talks_with = Assistant(cairn, project_id, workflow or "", zone)
        talk = Talk(cairn, talks_with, conversation, as_json=as_json, verbose=verbose)
        if text is not None or documents:
            with asking(idempotency_key) as key:
                talk.ask(text or _handed(), key, documents)
        else:
            _converse(talk)
        if talk.has_failed:
            raise typer.Exit(1)


def _check_options(
    partner: With, project: str | None, file: Sequence[Path], own: Mapping[str, str | None]
) -> None:
    """Raises typer.BadParameter; ``own`` are options of the assistant alone."""
    if partner == "comms":
        if file:
            raise typer.BadParameter(
                "the assistant takes no documents: hand them to a project, without --with comms",
                param_hint="'--file'",
            )
        return
    if project is None:
        raise typer.BadParameter(
            "name the project, or talk with the assistant: --with comms",
            param_hint="'--project' / '-p'",
        )
    for name, value in own.items():
        if value is not None:
            raise typer.BadParameter("it goes with --with comms", param_hint=f"'{name}'")


def _handed() -> str:
    """What is said with documents alone."""
    from agents.project.state import HANDED

    return HANDED


def read_document(file: Path) -> AttachedDocument:
    """A text file to hand over. Raises typer.BadParameter for what is none."""
    try:
        return AttachedDocument(name=file.name, text=file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise typer.BadParameter(
            f"{file} is no text in UTF-8: read other files with `cairn ingest`."
        ) from None
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}.") from None


def _converse(talk: Talk) -> None:
    """Ask line by line. What cannot be asked or answered does not end the talk."""
    while (line := _read_line()) is not None:
        if not line.strip():
            continue
        try:
            talk.ask(line)
        except (Conflict, Invalid) as refused:
            talk.has_failed = True
            say(str(refused))


class Talk:
    """A conversation at a terminal. ``has_failed``: one of its turns did."""

    def __init__(
        self,
        cairn: Cairn,
        partner: Partner,
        conversation: str | None,
        *,
        as_json: bool,
        verbose: bool = False,
    ) -> None:
        self._cairn, self._partner = cairn, partner
        self._conversation, self._as_json, self._verbose = conversation, as_json, verbose
        self._decided: set[str] = set()
        self.has_failed = False

    def ask(
        self, text: str, key: str | None = None, documents: Sequence[AttachedDocument] = ()
    ) -> None:
        """One question with all that its answer takes; a person is asked in between."""
        self.go_on(self._partner.say(text, self._conversation, documents, key))

    def go_on(self, turn: Turn) -> None:
        """Show a turn up to its end; a person is asked in between."""
        is_new = self._conversation is None
        self._conversation = turn.conversation_id
        waiting = self._follow(turn)
        while waiting:
            answer = _decide(waiting[0], len(waiting))
            if answer is None:
                say("A call waits: answer it with the same command in a terminal, or over HTTP.")
                break
            try:
                turn = self._partner.answer(*answer)
            except Invalid as refused:  # what was changed: the call still waits
                say(str(refused))
            else:
                self._decided.add(answer[0])
                waiting = self._follow(turn)
        if is_new and not self._as_json:
            say(f"conversation: {turn.conversation_id}")

    def _follow(self, turn: Turn) -> list[Mapping[str, Any]]:
        """Show the frames of a turn; the calls that wait, where it pauses at some."""
        printed = ""
        asked: list[Mapping[str, Any]] = []
        suggested: list[str] = []
        for frame in self._cairn.follow_stream(turn.turn_id):
            if int(frame.id.rpartition("-")[2]) <= turn.after:
                continue  # it was told before the last decision
            self.has_failed |= frame.event == "error"
            if self._as_json:
                as_lines([{"event": frame.event, **frame.data}])
            elif frame.event == "token":
                printed = show_piece(frame.data, printed)
            elif frame.event == "done":
                show_answer(frame.data, printed)
                show_suggestions(suggested)
            elif frame.event == "follow_up_actions":
                suggested = frame.data["follow_up_actions"]
            elif self._verbose or frame.event in ALWAYS_SHOWN:
                show_step(frame)
            if frame.event == "confirmation_requested":
                asked.append(frame.data)
                if frame.data.get("more"):
                    continue
                if not any(one["confirmation_id"] in self._decided for one in asked):
                    return asked
                asked = []  # it asked before it knew of the last decision
            if frame.event in ENDS:
                break
        return []


def show_piece(data: Mapping[str, Any], printed: str) -> str:
    """A piece of the answer as it comes; what is printed of it by now."""
    if data.get("retracted"):
        take_back(printed)
        return ""
    print(data["text"], end="", flush=True)
    return printed + str(data["text"])


def take_back(printed: str) -> None:
    """Say that what is printed of an answer is not what it came to."""
    if printed:
        print("\n(taken back)")


def show_step(frame: Frame) -> None:
    """A step on the way, for whoever watches."""
    data = frame.data
    match frame.event:
        case "routing":
            say(f"{data['agent']} -> {data['next_agent']}: {data['thought']}")
        case "thinking":
            say(f"{data['agent']}: {data['thought']}")
        case "tool_call":
            arguments = json.dumps(data["arguments"], ensure_ascii=False)
            say(f"{data['tool']} {cell(arguments, LONGEST_SHOWN)}")
        case "tool_result":
            mark = "failed" if data["is_error"] else "->"
            say(f"  {mark} {cell(str(data.get('text', '')), LONGEST_SHOWN)}")
        case "handoff_started":
            say(f"{data['from_agent']} -> {data['to_agent']}: {cell(data['task'], LONGEST_SHOWN)}")
        case "handoff_finished":
            mark = "failed: " if data["is_error"] else ""
            done = cell(data["summary"], LONGEST_SHOWN)
            say(f"{data['to_agent']} -> {data['from_agent']}: {mark}{done}")
        case "memory_stored":
            say(f"Remembered: {data['text']}")
        case "confirmation_requested":
            say(f"May I? {data['summary']}")
        case "error":
            say(data["message"])
        case _:
            pass


def show_answer(data: Mapping[str, Any], printed: str) -> None:
    """The answer, but for what was printed as it came, and the places that it rests on."""
    text = str(data["text"])
    if not text.startswith(printed):
        take_back(printed)
        printed = ""
    rest = text.removeprefix(printed)
    print(rest if rest.strip() else "")
    places = dict.fromkeys(_place(one) for one in data["citations"] if one.get("path"))
    if places:
        print()
    for place in places:
        print(f"    {place}")


def show_suggestions(suggested: Sequence[str]) -> None:
    """What may be asked next, for whoever reads the answer."""
    if suggested:
        say("You may go on with:")
    for one in suggested:
        say(f"  - {one}")


def _place(citation: Mapping[str, Any]) -> str:
    line = f":{citation['line_start']}" if citation.get("line_start") else ""
    return f"{citation['path']}{line}"


def _decide(asked: Mapping[str, Any], several: int) -> tuple[str, ConfirmationReply] | None:
    """What the person at the terminal says; None where nobody is there."""
    if not sys.stdin.isatty():
        return None
    if several > 1:
        say(f"1 of {several}: {asked['summary']}")
    said = ""
    while said not in ANSWERS:
        said = typer.prompt("y/n/e (e: change it first)", err=True).strip().lower()
    decision = ANSWERS[said]
    arguments = _change(asked["arguments"]) if decision == "edit" else None
    decided = ConfirmationReply(decision=unchecked(decision), arguments=arguments, wait=False)
    return asked["confirmation_id"], decided


def _change(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the person wants them, asked one by one; what is no text is JSON."""
    return {name: _change_one(name, value) for name, value in arguments.items()}


def _change_one(name: str, value: Any) -> Any:
    is_text = isinstance(value, str)
    written = value if is_text else json.dumps(value, ensure_ascii=False)
    said = typer.prompt(name, default=written, err=True)
    try:
        return said if is_text else json.loads(said)
    except ValueError:
        return said  # whoever checks it says what is wrong with it


def _read_line() -> str | None:
    """The next line of the person; None at the end."""
    if sys.stdin.isatty():
        sys.stderr.write(PROMPT)
        sys.stderr.flush()
    line = sys.stdin.readline()
    return line or None
