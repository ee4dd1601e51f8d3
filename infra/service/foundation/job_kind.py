"""What a type of job is: a payload, and a handler that gets it with the place it works in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from infra.store.jobs.keeper import RunningJob
from infra.store.jobs.lease import Lease
from projections.read import jobs


class Payload(BaseModel):
    """What a job is asked to do; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Workplace:
    """What handlers work with; secrets of connectors are looked up in ``environ``."""

    settings: Settings
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JobKind:
    """One type of job. ``needs_project``: it cannot be asked for the service as a whole."""

    payload: type[Payload]
    run: Callable[[Workplace, RunningJob, Any], Awaitable[Mapping[str, Any]]]
    needs_project: bool = True

    def check(self, payload: Mapping[str, Any]) -> Payload:
        """The payload as a model. Raises Invalid with the first thing that is wrong."""
        try:
            return self.payload.model_validate(dict(payload))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "payload"
            raise Invalid(
                f"The payload of the job is invalid at {place}: {first['msg']}.",
                code="job_payload_invalid",
                detail={"place": place},
            ) from None


async def is_job_cancelled(settings: Settings, job_id: str) -> bool:
    """Whether somebody has cancelled a job, which its worker may not have seen yet."""
    found = await ask(settings, lambda tables: jobs.read_job(tables, job_id))
    return found.status == "cancelled"


def name_of(lease: Lease) -> str:
    """Who enqueued a job, without the kind of actor."""
    return lease.created_by.partition(":")[2] or lease.created_by
