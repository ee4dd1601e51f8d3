"""A worker for turns of agents that kills itself where it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from infra.platform import log
from infra.platform.settings import Settings
from infra.service.asking.agent_turns import run_agent_turn
from infra.service.asking.turn_payload import TurnPayload
from infra.service.foundation.job_kind import JobKind
from infra.service.jobs.agent_jobs import assist
from infra.service.jobs.jobs import Kinds, run_jobs
from infra.service.runs.opening import Opened, open_facts
from infra.service.runs.run_log import Publish
from schemas.envelope import Envelope
from streams.hygiene.redaction.strings import redact_text
from tests.jobs.process import TIMING


def dying_at(point: str) -> Opened:
    dying_type, _, moment = point.partition(" ")

    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[Publish]:
        async with open_facts(settings) as publish:

            async def publish_or_die(facts: Sequence[Envelope]) -> None:
                is_here = dying_type in [fact.event.type_name for fact in facts]
                if is_here and moment == "before":
                    os.kill(os.getpid(), signal.SIGKILL)
                await publish(facts)
                if is_here:
                    os.kill(os.getpid(), signal.SIGKILL)

            yield publish_or_die

    return opened


def do_turns(environ: Mapping[str, str], written: Path, point: str) -> None:
    """Work on turns until the end of this process.

    ``point`` names a type of events and a moment, ``before`` or ``after`` one is published, at
    which it comes; empty: it comes from outside.
    """
    with written.open("ab") as log_file:
        os.dup2(log_file.fileno(), 2)
    log.configure("info", redact=redact_text)
    kinds: Kinds = {
        "agent_turn": JobKind(
            TurnPayload, partial(run_agent_turn, assist=assist, opened=dying_at(point))
        )
    }
    asyncio.run(run_jobs(Settings.from_env(environ), environ, kinds=kinds, timing=TIMING))
