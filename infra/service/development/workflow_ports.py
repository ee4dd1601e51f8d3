"""What governed workflows work with on this installation: its tables, files and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from agents.development.errors import DriverError
from agents.development.workflow_ports import (
    Commit,
    Contradiction,
    EarlierFindings,
    FiledIssue,
    OutsideFinding,
    PullRequest,
    WorkflowPorts,
    WrittenArtifact,
)
from agents.models.call import ChatModel
from agents.models.errors import ModelError
from infra.platform.clock import SystemClock
from infra.platform.files import write_whole
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.development.code_files import redact_code
from infra.service.development.codebase import CommittedCode
from infra.service.development.workflow_log import WorkflowPlace
from infra.service.foundation.database import ask
from infra.service.models.research import search_web
from projections.read.contradictions import list_contradiction_pairs
from projections.read.page import LARGEST_PAGE
from projections.read.workflows import list_past_findings
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import WorkflowStarted
from schemas.ids import sha256_hex

FOLDER = "development"  # of CAIRN_HOME, with a folder a run
MOST_EARLIER = 200
OPEN = "open"


def open_ports(
    settings: Settings, place: WorkflowPlace, started: WorkflowStarted, model: ChatModel
) -> WorkflowPorts:
    """The ports of a run, without those that write code. Without a repository there is no code to
    read.
    """
    kept = KeptFiles(settings, place.workflow_id)
    codebase = None
    if started.repository:
        codebase = CommittedCode(started.repository, started.commit, redact_code)
    return WorkflowPorts(
        codebase=codebase,
        history=RunHistory(settings, place, started.workflow_type),
        ledger=OpenContradictions(settings, place.project_id, tuple(started.origin.atom_ids)),
        issues=IssueFiles(kept, started.issue.number),
        artifacts=kept,
        research=WebResearch(model, place),
        pull_requests=PullRequestFiles(kept),
    )


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """Approved artifacts as files below CAIRN_HOME, where no repository is changed by them."""

    settings: Settings
    workflow_id: str

    async def write(self, artifact_type: str, text: str, key: str) -> WrittenArtifact:
        """The file holds ``text``; a second call with the same text changes nothing."""
        name = f"{FOLDER}/{self.workflow_id}/{artifact_type}.md"
        path = self.settings.home / name
        await in_thread(partial(write_whole, path, text))
        kept = await in_thread(path.read_bytes)
        return WrittenArtifact(path=name, sha256=sha256_hex(kept))


@dataclass(frozen=True, slots=True)
class IssueFiles:
    """Issues as files: the stand-in for a tracker that takes no issues from here."""

    files: KeptFiles
    number: int

    async def file_issue(self, title: str, body: str, key: str) -> FiledIssue:
        written = await self.files.write("issue", body, key)
        return FiledIssue(number=self.number, address=written.path)


@dataclass(frozen=True, slots=True)
class PullRequestFiles:
    """Pull requests as files, the stand-in for a service that takes them: the branch is there."""

    files: KeptFiles

    async def open(self, title: str, body: str, commit: Commit, key: str) -> PullRequest:
        head = f"# {title}\n\nBranch `{commit.branch}`, commit `{commit.commit_id}`.\n\n"
        written = await self.files.write("pull_request", f"{head}{body}", key)
        return PullRequest(address=written.path, branch=commit.branch)


@dataclass(frozen=True, slots=True)
class WebResearch:
    """The service that searches the web; each finding has the day on which it was found."""

    model: ChatModel
    place: WorkflowPlace

    async def search(self, query: str) -> Sequence[OutsideFinding]:
        """Raises DriverError where the service does not answer."""
        place = self.place
        try:
            findings = await search_web(
                self.model,
                query,
                project_id=place.project_id,
                agent="scout_research",
                run_id=f"{place.workflow_id}|{query}",
                workflow_id=place.workflow_id,
            )
        except ModelError as error:
            raise DriverError(str(error), is_retriable=True) from error
        found_on = SystemClock().now().date().isoformat()
        return [OutsideFinding(**each, found_on=found_on) for each in findings]


@dataclass(frozen=True, slots=True)
class RunHistory:
    """Earlier runs of the same project and type."""

    settings: Settings
    place: WorkflowPlace
    workflow_type: str

    async def list_blocked(self) -> Sequence[EarlierFindings]:
        place = self.place
        found = await ask(
            self.settings,
            lambda tables: list_past_findings(
                tables, place.project_id, self.workflow_type, place.workflow_id, MOST_EARLIER
            ),
        )
        return [
            EarlierFindings(
                workflow_id=one.workflow_id,
                issue=f"{one.title}\n{one.text}",
                findings=tuple(str(each["text"]) for each in one.findings),
            )
            for one in found
        ]


@dataclass(frozen=True, slots=True)
class OpenContradictions:
    """The open contradictions of the ledger between statements that the run rests on, or that its
    requirements repeat.
    """

    settings: Settings
    project_id: str
    atom_ids: Sequence[str]

    async def find_contradictions(self, requirements: Sequence[str]) -> Sequence[Contradiction]:
        if self.project_id == SERVICE_WIDE:
            return []
        page = await ask(
            self.settings,
            lambda tables: list_contradiction_pairs(
                tables, self.project_id, status=OPEN, limit=LARGEST_PAGE
            ),
        )
        said = [_plain(each) for each in requirements]
        return [
            Contradiction(
                one=each.title_a or each.atom_a_id,
                other=each.title_b or each.atom_b_id,
                reason=each.explanation,
            )
            for each in page.items
            if {each.atom_a_id, each.atom_b_id} & set(self.atom_ids)
            or any(_repeats(said, title) for title in (each.title_a, each.title_b))
        ]


def _repeats(said: Sequence[str], title: str | None) -> bool:
    """Whether a requirement has the words of a statement's title in their order."""
    words = _plain(title or "")
    return bool(words) and any(words in each for each in said)


def _plain(text: str) -> str:
    letters = "".join(mark if mark.isalnum() else " " for mark in text.casefold())
    return " ".join(letters.split())
