"""Processes of `cairn up` that are hidden parts of other commands."""

from __future__ import annotations

import asyncio
import os

from infra.cli.context import locate
from infra.cli.project import quiet_clients
from infra.runtime.supervisor import named


def poll() -> None:
    """Read every connector when it is due."""
    from infra.service.connecting.polling import run_poller

    settings = locate()
    quiet_clients()
    with named(settings, os.environ, "poller"):
        asyncio.run(run_poller(settings, os.environ))


def run_jobs() -> None:
    """Do jobs, and publish what becomes of them."""
    from infra.service.jobs import jobs
    from infra.service.jobs.agent_jobs import ALL_JOB_KINDS

    settings = locate()
    quiet_clients()
    with named(settings, os.environ, "jobs"):
        asyncio.run(jobs.run_jobs(settings, os.environ, kinds=ALL_JOB_KINDS))
