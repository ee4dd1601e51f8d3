"""``python -m tests.jobs.process work|relay``: the process of jobs with handlers of these tests."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from connectors.runner import open_publish
from infra.platform import log
from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.job_kind import JobKind, Payload, Workplace
from infra.service.foundation.publishing import redactor_of
from infra.service.jobs.jobs import run_jobs
from infra.store.jobs.keeper import RunningJob, Timing
from infra.store.jobs.relay import Publish, run_relay
from schemas.envelope import Envelope
from schemas.events.job import JobType
from streams.hygiene.redaction.strings import redact_text

TIMING = Timing(lease_s=1.5, renew_every_s=0.3, look_every_s=0.1, first_pause_s=0.1)
LOOK_S = 0.02


class Told(Payload):
    """``gate`` is the file whose coming ends the work; ``how`` the way to work."""

    gate: str = ""
    how: str = ""


async def work(place: Workplace, job: RunningJob, told: Told) -> Mapping[str, Any]:
    gate, pid = Path(told.gate), os.getpid()
    gate.with_suffix(f".started-{pid}").touch()
    job.report(by=pid)
    if told.how == "fails":
        raise ValueError("a password that nobody may see")
    if told.how == "refuses":
        raise Invalid("This is no job.")
    while not gate.exists():
        if told.how == "blocks the loop":
            time.sleep(LOOK_S)
            continue
        try:
            await asyncio.sleep(LOOK_S)
        except asyncio.CancelledError:
            gate.with_suffix(f".cancelled-{pid}").touch()
            if told.how != "goes on":
                raise
    return {"by": pid}


KINDS: dict[JobType, JobKind] = {"report": JobKind(Told, work)}


async def relay_until_sent(settings: Settings) -> None:
    """A relay that is killed when the broker has its first batch, before that is marked."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Publish]:
        async with open_publish(settings, SystemClock(), redactor_of(settings)) as publish:

            async def publish_and_die(facts: Sequence[Envelope]) -> None:
                await publish(facts)
                os.kill(os.getpid(), signal.SIGKILL)

            yield publish_and_die

    await run_relay(settings.conninfo, opened, threading.Event())


def main() -> None:
    log.configure("info", redact=redact_text)
    settings = Settings.from_env(os.environ)
    if sys.argv[1] == "relay":
        asyncio.run(relay_until_sent(settings))
    else:
        asyncio.run(run_jobs(settings, os.environ, kinds=KINDS, timing=TIMING))


if __name__ == "__main__":
    main()
