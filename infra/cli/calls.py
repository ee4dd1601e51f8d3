"""The client that commands ask: a service with its projects by name, and who is spoken for."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from infra.client.client import Client
from infra.client.models.shared import Job
from infra.platform.errors import Conflict, Invalid, NotFound, Refusal, Unavailable

PROJECT_ID = "prj_"
JOB_DONE_WITHIN_S, LOOK_EVERY_S = 600.0, 0.4
MCP_ANSWERS = (400, 404)  # of which the protocol has words of its own
ENDED = ("succeeded", "dead", "cancelled")

T = TypeVar("T")


class Cairn(Client):
    is_here = False  # it runs on this machine for whoever runs the command, so it reads their files

    def place_of(self, source: str) -> str:
        """A path as the service finds it from anywhere; anything else as it is written."""
        path = Path(source).expanduser()
        return str(path.absolute()) if self.is_here and path.exists() else source

    def project_of(self, name_or_id: str) -> str:
        """The id of the project with this name or id. Raises Invalid, NotFound, Conflict."""
        if not name_or_id.strip():
            raise Invalid("No project is named: give its name or id.", code="project_missing")
        found = [each.project_id for each in self.list_projects(name=name_or_id)]
        if name_or_id.startswith(PROJECT_ID):
            with suppress(NotFound):  # it may be a name
                found.append(self.read_project(name_or_id).project_id)
        if not found:
            raise NotFound(f"There is no project {name_or_id}.", code="unknown_project")
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} projects are called {name_or_id}: name one by its id.",
                code="project_name_ambiguous",
            )
        return found[0]

    def project_with(self, known_id: str) -> str:
        """The id of the project that something belongs to."""
        return self.find_project_of_id(known_id).project_id

    def pass_mcp_on(self, project_id: str, message: bytes) -> str:
        """The answer of `/mcp` about a project to a message; empty where it wants none."""
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "cairn-project": project_id,
        }
        asked = self._http.build_request("POST", "/mcp", content=message, headers=headers)
        return self._send(asked, also=MCP_ANSWERS).text

    def await_job(self, job_id: str, patience_s: float = JOB_DONE_WITHIN_S) -> Job:
        """A job when it has succeeded. Raises Refusal with what it failed of, Unavailable."""

        def look() -> Job | None:
            job = self.read_any_job(job_id)
            return job if job.status in ENDED else None

        job = look_until_there(look, patience_s)
        if job is None:
            raise Unavailable(
                f"The job {job_id} is not done after {patience_s:.0f} s; it goes on.",
                code="job_not_done",
            )
        if job.status != "succeeded":
            why = job.last_error or "without a reason"
            raise Refusal(f"The job {job_id} is {job.status}: {why}", code="job_not_done")
        return job


def look_until_there(look: Callable[[], T | None], patience_s: float) -> T | None:
    """What ``look`` finds, as soon as it finds something; None where that takes too long."""
    deadline_s = time.monotonic() + patience_s
    while (found := look()) is None and time.monotonic() < deadline_s:
        time.sleep(LOOK_EVERY_S)
    return found


def moment_of(moment: int | datetime) -> dict[str, Any]:
    """A moment as the API takes it."""
    if isinstance(moment, datetime):
        return {"as_of": moment.isoformat()}
    return {"as_of_seq": moment}


def unchecked(text: Any) -> Any:
    """A word of an enumeration as it was typed: the service says what there is."""
    return text


def told(**given: Any) -> dict[str, Any]:
    """What was said; what was not said is not sent."""
    return {name: value for name, value in given.items() if value is not None}
