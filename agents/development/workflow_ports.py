"""What governed workflows and deliveries need of the rest of Cairn, handed in by the service.

Each call is an effect of the run: its answer is recorded before it is used, so it is a value that
JSON can hold. A call that was begun and not answered is made again, with the same ``key`` where it
changes something outside; a port that is given a key answers the second call as the first one.
Ports raise `DevelopmentError` for what cannot be done now; the workflow then halts for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from agents.development.ports import Driver
from schemas.events.workflow import WorkflowEvent, WorkflowStatus

E = TypeVar("E", bound=WorkflowEvent)


class Value(BaseModel):
    """A value of a port, as the log keeps it."""

    model_config = ConfigDict(frozen=True)


class CodebaseContext(Value):
    """The part of the repository that prompts are given. ``files`` are those that it rests on."""

    sha256: str
    text: str
    files: tuple[str, ...]


class Codebase(Protocol):
    """The files of the repository at the commit of the run."""

    async def read_context(self, document: str) -> CodebaseContext:
        """What of the code ``document`` is about; its table of files to change leads."""
        ...

    async def list_files(self) -> Sequence[str]:
        """All paths, relative to the repository."""
        ...


class EarlierFindings(Value):
    """What a reviewer had against the work on an earlier issue. ``issue`` is its title and text."""

    workflow_id: str
    issue: str
    findings: tuple[str, ...]


class History(Protocol):
    async def list_blocked(self) -> Sequence[EarlierFindings]:
        """Earlier runs of this project with findings that blocked them, the newest first."""
        ...


class Contradiction(Value):
    """Two requirements that cannot both hold."""

    one: str
    other: str
    reason: str


class Ledger(Protocol):
    async def find_contradictions(self, requirements: Sequence[str]) -> Sequence[Contradiction]:
        """The open contradictions of the ledger that touch these requirements."""
        ...


class FiledIssue(Value):
    """``number`` 0: the tracker numbers none. ``address`` is a URL, or the path of a file."""

    number: int
    address: str


class Issues(Protocol):
    async def file_issue(self, title: str, body: str, key: str) -> FiledIssue: ...


class WrittenArtifact(Value):
    """``sha256`` is that of the bytes that are now at ``path``."""

    path: str
    sha256: str


class Artifacts(Protocol):
    """Where approved artifacts are kept as files."""

    async def write(self, artifact_type: str, text: str, key: str) -> WrittenArtifact: ...


class OutsideFinding(Value):
    """What a source outside of the project says; ``found_on`` is an ISO date."""

    text: str
    address: str
    found_on: str


class Research(Protocol):
    async def search(self, query: str) -> Sequence[OutsideFinding]: ...


class Tree(Value):
    """The files of the workspace at one moment; the same files have the same ``tree_id``."""

    tree_id: str


class FileChange(Value):
    """``sha256`` None: the file is gone."""

    path: str
    sha256: str | None


class Commit(Value):
    """``tree_id`` is that of the tree which was committed."""

    commit_id: str
    tree_id: str
    branch: str


class Trees(Protocol):
    """The workspace of one run: a worktree of its own, on a branch of its own."""

    async def prepare(self) -> Tree:
        """The tree from which the work begins, which `restore` takes as any other."""
        ...

    async def restore(self, tree_id: str) -> None:
        """The workspace holds exactly this tree."""
        ...

    async def snapshot(self) -> Tree:
        """The tree of the workspace as it is."""
        ...

    async def list_changes(self, before: str, after: str) -> Sequence[FileChange]:
        """The files that differ, by path."""
        ...

    async def show_diff(self, before: str, after: str) -> str: ...

    async def read_files(self, tree_id: str, paths: Sequence[str]) -> Mapping[str, str]: ...

    async def commit(self, tree_id: str, message: str, key: str) -> Commit:
        """A commit of this tree, whatever the workspace holds."""
        ...


class TestRun(Value):
    """``runner`` names the table of its exit codes; ``exit_code`` None: it did not end by itself.

    ``output`` is the end of what it printed.
    """

    __test__ = False

    runner: str
    exit_code: int | None
    output: str
    commands: tuple[str, ...] = ()


class TestRunner(Protocol):
    """Runs the tests of the workspace, behind walls."""

    __test__: ClassVar[bool] = False

    async def run(self) -> TestRun: ...


class RefusedCall(Value):
    """A call of the coding model that a rule has refused; ``layer`` is the rule's."""

    layer: str
    tool: str
    argument: str
    reason: str


class PullRequest(Value):
    """``address`` is a URL, or the path of the file that stands in for it."""

    address: str
    branch: str


class PullRequests(Protocol):
    async def open(self, title: str, body: str, commit: Commit, key: str) -> PullRequest: ...


@dataclass(frozen=True, slots=True)
class WorkflowPorts:
    """Those that are there; each workflow says in `NEEDED` which ones it cannot do without.

    ``implementer`` writes code: its tools are bound to the workspace of ``trees``, and
    ``take_refused`` gives what they have refused since it was last asked.
    """

    codebase: Codebase | None = None
    history: History | None = None
    ledger: Ledger | None = None
    issues: Issues | None = None
    artifacts: Artifacts | None = None
    research: Research | None = None
    trees: Trees | None = None
    implementer: Driver | None = None
    tests: TestRunner | None = None
    pull_requests: PullRequests | None = None
    take_refused: Callable[[], Sequence[RefusedCall]] | None = None


class WorkflowRecords(Protocol):
    """The log of the run, as far as it has come."""

    async def record(self, kind: type[WorkflowEvent], /, **fields: Any) -> datetime:
        """The event of this step is in the log; the time that it has there."""
        ...

    def list_told(self, kind: type[E]) -> Sequence[E]:
        """The events of a kind that the run has told by now, in their order."""
        ...

    async def tell_agent_event(self, **fields: Any) -> None:
        """One thing that a coding agent does, with the fields of `AgentEventRecorded`; it stands in
        the log where it comes.
        """
        ...


@dataclass(frozen=True, slots=True)
class WorkflowEnd:
    """How a run has ended; the service records it as `WorkflowFinished`.

    ``completed``: ``text`` is the artifact with ``artifact_hash``, kept at ``path``. Otherwise
    nothing is approved: ``rejected`` by a person, or ``halted`` where going on needs other inputs;
    ``error`` is the code, ``message`` says why.
    """

    status: WorkflowStatus
    artifact_type: str = ""
    artifact_hash: str = ""
    text: str = ""
    path: str = ""
    error: str = ""
    message: str = ""
