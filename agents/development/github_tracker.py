"""Issues of GitHub over its command-line program `gh`, which is signed in by its user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.development.errors import TrackerError
from agents.development.trackers import Issue, build_issue
from agents.models.programs import ProgramCall, ProgramFailed, Programs

FIELDS = "number,title,body,url,labels,state"
IDLE_S, CEILING_S = 30.0, 60.0
MOST_CHARS = 4_000_000
NOT_SIGNED_IN = 4  # the code with which `gh` ends then
# All that `gh` is given of an environment: where programs and its sign-in are, and the way out.
VARIABLES = frozenset(
    ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    + ("XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")
    + ("GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_ENTERPRISE_TOKEN", "GH_CONFIG_DIR", "GH_REPO")
    + ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    + ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
)
QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
_OWNER, _NAME = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}", r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}"
_ISSUE = re.compile(
    rf"(?:https://github\.com/)?(?:(?P<repository>{_OWNER}/{_NAME})(?:#|/issues/))?#?"
    r"(?P<number>[0-9]{1,12})/?",
    re.ASCII,
)


class _Label(BaseModel):
    name: str = ""


class _Answer(BaseModel):
    """What `gh issue view --json` prints; fields of no use here are left out."""

    model_config = ConfigDict(strict=True)

    number: int
    title: str
    body: str | None = None
    url: str = ""
    state: str = ""
    labels: list[_Label] = []


@dataclass(frozen=True, slots=True)
class GitHubTracker:
    """``directory``: the checkout whose repository is meant where an issue names none; None: there
    is no checkout.
    """

    programs: Programs
    environ: Mapping[str, str]
    directory: str | None = None
    program: str = "gh"

    async def get_issue(self, issue_id: str) -> Issue:
        """``7``, ``#7``, ``owner/name#7`` or the address of an issue. Raises TrackerError."""
        match = _ISSUE.fullmatch(issue_id.strip())
        if match is None:
            raise TrackerError(
                f"{issue_id!r} names no GitHub issue: write its number, or owner/name#7."
            )
        repository, number = match["repository"], match["number"]
        if repository is None and self.directory is None and not self.environ.get("GH_REPO"):
            raise TrackerError(
                f"Issue {number} of which repository? There is no checkout: write owner/name"
                f"#{number}."
            )
        argv = [self.program, "issue", "view", number, "--json", FIELDS]
        if repository:
            argv.append(f"--repo={repository}")
        output = await self._run(tuple(argv), f"{repository or ''}#{number}")
        return self._build(output, repository, number)

    async def _run(self, argv: tuple[str, ...], issue: str) -> str:
        environ = {name: it for name, it in self.environ.items() if name in VARIABLES} | QUIET
        call = ProgramCall(argv, "", environ, self.directory, IDLE_S, CEILING_S)
        pieces, size = list[str](), 0
        try:
            async with aclosing(self.programs.run(call)) as lines:
                async for line in lines:
                    pieces.append(line)
                    size += len(line)
                    if size > MOST_CHARS:
                        raise TrackerError(
                            f"gh printed more than {MOST_CHARS:,} characters about issue {issue}:"
                            " give its title and description by hand (tracker none)."
                        )
        except ProgramFailed as error:
            raise TrackerError(_explain(issue, error)) from error
        return "\n".join(pieces)

    def _build(self, output: str, repository: str | None, number: str) -> Issue:
        try:
            answer = _Answer.model_validate(_parse(output))
        except (ValueError, RecursionError) as error:
            what = _first_problem(error)
            raise TrackerError(
                f"gh printed no issue for {repository or ''}#{number} ({what}): run"
                f" `gh issue view {number} --json {FIELDS}` and see what it prints."
            ) from error
        return build_issue(
            f"{repository}#{answer.number}" if repository else str(answer.number),
            answer.title,
            (answer.body or "").replace("\r\n", "\n").strip(),
            url=answer.url,
            labels=tuple(label.name for label in answer.labels if label.name),
            status=answer.state.lower(),
        )


def _parse(output: str) -> Any:
    """The JSON that was printed. Raises ValueError, RecursionError."""
    if not output.strip():
        raise ValueError("it printed nothing")
    return json.loads(output)


def _first_problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg'].lower()}"
    if isinstance(error, json.JSONDecodeError | RecursionError):
        return "it is no JSON"
    return str(error)


def _explain(issue: str, error: ProgramFailed) -> str:
    """Why there is no answer, and what to do."""
    if error.kind == "missing":
        return (
            "The GitHub CLI is not installed, or is not in the PATH of the service: install it"
            " from https://cli.github.com and run `gh auth login`."
        )
    if error.kind in ("idle", "ceiling"):
        return f"gh has not answered about issue {issue} ({error}): check the network."
    errors = " ".join(error.errors.split())
    wording = errors.lower()
    if error.code == NOT_SIGNED_IN or "gh auth login" in wording or "http 401" in wording:
        return (
            "The GitHub CLI is not signed in: run `gh auth login` as the user of the service, or"
            " set GH_TOKEN in its environment."
        )
    if "could not resolve to an issue" in wording or "http 404" in wording:
        return f"GitHub has no issue {issue} that you may see: check its number and repository."
    if "could not resolve to a repository" in wording:
        return f"GitHub has no such repository, or you may not see it ({issue}): check its name."
    if "not a git repository" in wording or "no git remotes" in wording:
        return f"The checkout has no repository of GitHub: write owner/name{issue}."
    return f"gh cannot read issue {issue}: {errors[:300] or error}"
