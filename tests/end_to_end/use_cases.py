"""A whole session without the terminal: it imports `infra.service` and nothing else of ours."""

import asyncio
import os
import sys

from infra import service


async def main(folder: str) -> None:
    settings = service.connect(service.Settings.from_env(os.environ))
    project = await service.create_project(settings, "Script", actor="ana", key="script")
    request = service.IngestRequest((folder,), project.name, "ana", wait=True)
    async for step in service.ingest(settings, request):
        match step:
            case service.SourceListed():
                print(f"{step.root}: {step.items} files", file=sys.stderr)
            case service.SourceProgress():
                print(f"{step.feed.fed} of {step.feed.listed} sent", file=sys.stderr)
            case service.MilestoneReached():
                print(f"{step.milestone}: {step.after_ms:.0f} ms", file=sys.stderr)
    for pair in await service.list_contradictions(settings, project.project_id):
        by = service.Decider("ana", rationale="the security review chose it")
        decided = await service.resolve_contradiction(settings, pair.contradiction_id, by, "a_wins")
        print(f"{decided.target_id} {decided.outcome} by {decided.actor_id}")
    print((await service.read_prd(settings, project.project_id)).rendered_markdown)


asyncio.run(main(sys.argv[1]))
