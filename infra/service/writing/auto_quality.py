"""Has the quality gate judge each PRD, and a model word new artifacts, by themselves: jobs.

Runs of the gate that begin by themselves only judge, each version that stays. One that revised
would change the PRD at a moment that no log decides, and two installations with the same input
would end with different ones.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from functools import partial

from infra.platform.errors import Refusal, Unavailable
from infra.platform.log import get
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.service.foundation.database import Changes
from infra.service.models.models import has_model
from infra.service.writing.synthesis_jobs import enqueue_syntheses
from infra.store.jobs import queue
from infra.store.jobs.outbox import Conn
from infra.store.jobs.queue import NewJob
from projections.read import quality
from projections.read.quality import UnjudgedPrd
from schemas.envelope import Actor

QUIET_S = 10.0  # a version that another one follows sooner is not judged
LOOK_EVERY_S = 5.0
KEY_PREFIX = "after_generation|"
BY = Actor(type="agent", id="quality_gate")

log = get("quality")


async def watch_prds(settings: Settings, stop: asyncio.Event) -> None:
    """Put what is new before a model and the gate until ``stop``. Outages are waited for."""
    unfit, away = Waiting("synthesis.outage"), Waiting("quality.outage")
    with contextlib.closing(Changes(settings)) as changes:
        while not stop.is_set():
            try:
                words = settings.auto_synthesis and await in_thread(
                    partial(find_model, settings, unfit)
                )
                await changes.make(partial(_enqueue, settings, may_word=words))
                away.tell("")
            except Unavailable as error:
                away.tell(str(error))
            except (
                Exception
            ):  # a watch that ends would leave all later PRDs out, unknown to anybody
                log.exception("quality.watch_failed")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK_EVERY_S)


@dataclass(slots=True)
class Waiting:
    """Says why something waits: each reason once, until there is another one or none."""

    event: str
    told: str = ""

    def tell(self, reason: str) -> None:
        if reason and reason != self.told:
            log.warning(self.event, reason=reason)
        self.told = reason


def find_model(settings: Settings, unfit: Waiting) -> bool:
    """Whether a model may word; the gate judges on while the file of models is ``unfit``."""
    try:
        found = has_model(settings)
    except Unavailable:
        raise
    except Refusal as refused:
        unfit.tell(str(refused))
        return False
    unfit.tell("")
    return found


def _enqueue(settings: Settings, tables: Conn, *, may_word: bool) -> None:
    """The model first: the gate judges what it has worded."""
    if may_word:
        enqueue_syntheses(tables)
    if settings.auto_quality:
        enqueue_judgements(tables)


def enqueue_judgements(tables: Conn, quiet_s: float = QUIET_S) -> list[str]:
    """Put a job into the queue for each PRD that waits for one; the ids of the new jobs.

    Last in the queue: whatever a person or a schedule asks for goes first.
    """
    enqueued = []
    for prd in quality.list_unjudged_prds(tables, KEY_PREFIX, quiet_s):
        job_id, is_new = queue.enqueue(tables, _job_for(prd), BY)
        if is_new:
            enqueued.append(job_id)
    return enqueued


def _job_for(prd: UnjudgedPrd) -> NewJob:
    return NewJob(
        project_id=prd.project_id,
        job_type="quality_run",
        key=f"{KEY_PREFIX}{prd.artifact_id}|{prd.version}",
        payload={"artifact": prd.artifact_id, "version": prd.version, "may_revise": False},
        created_by=f"{BY.type}:{BY.id}",
        priority="background",
    )
