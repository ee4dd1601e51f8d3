"""``python -m tests.chaos.turns PLAN``: does turns of agents, and kills itself where PLAN says.

The file names a type of events and a moment, ``before`` or ``after`` they are published. An empty
one lets the process live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from infra import log
from infra.service.agent_turns import Opened, open_facts, run_agent_turn
from infra.service.job_kind import JobKind
from infra.service.jobs import Kinds, run_jobs
from infra.service.turn_log import Publish
from infra.service.turn_payload import TurnPayload
from infra.settings import Settings
from schemas.envelope import Envelope
from streams.hygiene.strings import redact_text
from tests.jobs.process import TIMING


def dying_at(plan: Path) -> Opened:
    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[Publish]:
        async with open_facts(settings) as publish:

            async def publish_or_die(facts: Sequence[Envelope]) -> None:
                event_type, _, moment = plan.read_text().partition(" ")
                is_here = event_type in [fact.event.type_name for fact in facts]
                if is_here and moment == "before":
                    os.kill(os.getpid(), signal.SIGKILL)
                await publish(facts)
                if is_here:
                    os.kill(os.getpid(), signal.SIGKILL)

            yield publish_or_die

    return opened


def main() -> None:
    log.configure("info", redact=redact_text)
    settings = Settings.from_env(os.environ)
    run = partial(run_agent_turn, opened=dying_at(Path(sys.argv[1])))
    kinds: Kinds = {"agent_turn": JobKind(TurnPayload, run)}
    asyncio.run(run_jobs(settings, os.environ, kinds=kinds, timing=TIMING))


if __name__ == "__main__":
    main()
