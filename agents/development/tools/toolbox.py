"""The tools of one workspace, as a model calls them: whatever goes wrong is an answer in words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import ValidationError

from agents.development.errors import SandboxError, SecurityError, ToolError
from agents.development.ports import ShellLayer, ToolDescription, ToolOutcome
from agents.development.shell.layers import check_command
from agents.development.tools import files as file_tools
from agents.development.tools.arguments import (
    ARGUMENTS,
    DEVELOPER_TOOLS,
    Bash,
    EditFile,
    Glob,
    Grep,
    ReadFile,
    WriteDesignDoc,
    WriteFile,
)
from agents.development.tools.ports import CommandOutcome, CommandRunner, WorkspaceFiles

NO_MATCH, MATCH = 1, 0
MOST_MATCHES = 200  # of one file
LEADING_DOTS = re.compile(r"^\./", re.MULTILINE)  # paths are told as the other tools take them


class WorkspaceTools:
    """``tools``: which of them there are. ``allowlist`` is the profile's, None the usual one."""

    def __init__(
        self,
        files: WorkspaceFiles,
        runner: CommandRunner,
        tools: Sequence[str] = DEVELOPER_TOOLS,
        allowlist: Sequence[str] | None = None,
    ) -> None:
        self._files, self._runner, self._allowlist = files, runner, allowlist
        self._names = tuple(tools)

    @property
    def tools(self) -> Sequence[ToolDescription]:
        return [
            ToolDescription(name, (it.__doc__ or "").strip(), it.model_json_schema())
            for name, it in ARGUMENTS.items()
            if name in self._names
        ]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Make the call; a refusal names its layer."""
        if name not in self._names:
            return ToolOutcome(
                f"There is no tool {name[:80]} here. Use one of: {', '.join(self._names)}.",
                is_error=True,
            )
        try:
            given = ARGUMENTS[name].model_validate(dict(arguments))
        except ValidationError as error:
            return ToolOutcome(f"{name} cannot be called so: {_problems(error)}.", is_error=True)
        try:
            return await self._make(given)
        except SecurityError as error:
            return ToolOutcome(str(error), is_error=True, layer=_layer(error.layer))
        except SandboxError as error:
            return ToolOutcome(str(error), is_error=True, layer="sandbox")
        except ToolError as error:
            return ToolOutcome(str(error), is_error=True)

    async def _make(self, given: object) -> ToolOutcome:
        match given:
            case ReadFile(path=path, first_line=first, lines=lines):
                text = await asyncio.to_thread(
                    file_tools.read_file, self._files, path, first, lines
                )
            case WriteFile(path=path, content=content):
                text = await asyncio.to_thread(file_tools.write_file, self._files, path, content)
            case EditFile(path=path, old=old, new=new, every=every):
                text = await asyncio.to_thread(
                    file_tools.edit_file, self._files, path, old, new, every=every
                )
            case WriteDesignDoc(path=path, content=content):
                text = await asyncio.to_thread(
                    file_tools.write_design_doc, self._files, path, content
                )
            case Glob(pattern=pattern):
                text = await asyncio.to_thread(file_tools.glob, self._files, pattern)
            case Grep(pattern=pattern, path=path):
                return await self._grep(pattern, path)
            case Bash(command=command):
                argv = check_command(command, self._allowlist)
                return render_outcome(await self._runner.run(argv))
            case _:
                raise ToolError("There is no such tool.")
        return ToolOutcome(text)

    async def _grep(self, pattern: str, path: str) -> ToolOutcome:
        """A program behind the walls searches: a hard expression costs nobody else's time."""
        place = await asyncio.to_thread(file_tools.locate, self._files, path)
        if "\0" in pattern:
            raise ToolError("The expression holds a NUL byte.")
        outcome = await self._runner.run(
            (
                *("grep", "-rnIE", "--exclude-dir=.git", f"--max-count={MOST_MATCHES}"),
                *("-e", pattern, "--", f"./{place}" if place != "." else "."),
            )
        )
        if outcome.limit is None and outcome.code == NO_MATCH and not outcome.output:
            return ToolOutcome(f"No line of {path} fits {pattern}.")
        if outcome.limit is None and outcome.code == MATCH:
            return ToolOutcome(LEADING_DOTS.sub("", outcome.output))
        return render_outcome(outcome)


def render_outcome(outcome: CommandOutcome) -> ToolOutcome:
    """The output, and how the command ended."""
    if outcome.limit:
        end = f"Ended at the limit of {outcome.limit}; it may or may not have completed."
        return ToolOutcome(f"{outcome.output}\n{end}".lstrip("\n"), is_error=True)
    if outcome.code:
        end = f"Exit code {outcome.code}."
        return ToolOutcome(f"{outcome.output}\n{end}".lstrip("\n"), is_error=True)
    return ToolOutcome(outcome.output or "Done, without output.")


def _layer(name: str) -> ShellLayer:
    layers: dict[str, ShellLayer] = {each: each for each in get_args(ShellLayer)}
    return layers.get(name, "sandbox")


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, it['loc'])) or 'the call'}: {it['msg']}" for it in error.errors()[:5]
    )
