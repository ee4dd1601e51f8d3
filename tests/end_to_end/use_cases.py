"""A whole session without the terminal, in the process of a script beside the servers."""

import asyncio
import os
import sys

from infra.platform.settings import Settings
from infra.runtime.local.runtime import find_running
from infra.service.deciding.decisions import Decider, resolve_contradiction
from infra.service.foundation.database import ask_project
from infra.service.ingesting.ingestion import (
    IngestRequest,
    MilestoneReached,
    SourceListed,
    SourceProgress,
    ingest,
)
from infra.service.projects.projects import create_project
from projections.read.artifacts import read_only_artifact
from projections.read.contradictions import list_contradictions


async def main(folder: str) -> None:
    settings = find_running(Settings.from_env(os.environ))
    project = await create_project(settings, "Script", actor="ana", key="script")
    request = IngestRequest((folder,), project.name, "ana", wait=True)
    async for step in ingest(settings, request):
        match step:
            case SourceListed():
                print(f"{step.root}: {step.items} files", file=sys.stderr)
            case SourceProgress():
                print(f"{step.feed.fed} of {step.feed.listed} sent", file=sys.stderr)
            case MilestoneReached():
                print(f"{step.milestone}: {step.after_ms:.0f} ms", file=sys.stderr)
    pairs = await ask_project(settings, project.project_id, list_contradictions)
    for pair in pairs.items:
        by = Decider("ana", rationale="the security review chose it")
        decided = await resolve_contradiction(settings, pair.contradiction_id, by, "a_wins")
        print(f"{decided.target_id} {decided.outcome} by {decided.actor_id}")
    prd = await ask_project(settings, project.project_id, read_only_artifact, "prd")
    print(prd.rendered_markdown)


asyncio.run(main(sys.argv[1]))
