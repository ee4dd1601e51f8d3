"""GitHub as a service that can be connected: by a token, or by an App's id and key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from connectors.credentials import bearer
from connectors.definitions import Definition
from connectors.github.api import PUBLIC, REST_VERSION, GitHub, by_app, check_repository
from connectors.github.items import root_of
from connectors.github.streams import STREAMS, streams
from connectors.service import Capability, OpenService, ServiceContext
from connectors.transport import AccessLost, SwitchedOff, Transport

# The smallest request of a stream, and the permission it needs (fine-grained token or App).
ASKED: dict[str, tuple[str, str]] = {
    "files": ("commits", "Contents: read"),
    "issues": ("issues", "Issues: read"),
    "comments": ("issues/comments", "Issues: read"),
    "reviews": ("pulls", "Pull requests: read"),
    "review-comments": ("pulls/comments", "Pull requests: read"),
    "releases": ("releases", "Contents: read"),
    "runs": ("actions/runs", "Actions: read"),
}
DISCUSSIONS = (
    "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {"
    " discussions(first: 1) { totalCount } } }"
)


@dataclass(frozen=True)
class GitHubService:
    base_url: str = PUBLIC
    streams: tuple[str, ...] = STREAMS
    roles: tuple[tuple[str, ...], ...] = (("token",), ("app-id", "app-key"))

    def check_target(self, target: str) -> str:
        return check_repository(target).lower()

    def names(self, definition: Definition) -> tuple[str, ...]:
        return tuple(definition.added.streams) or self.streams

    @asynccontextmanager
    async def open(self, context: ServiceContext) -> AsyncIterator[OpenService]:
        added, secrets = context.definition.added, context.secrets
        if "token" in secrets:
            authorise = bearer(secrets["token"])
        else:
            app_id = secrets["app-id"].reveal()
            authorise = by_app(added.base_url, app_id, secrets["app-key"], added.target)
        async with Transport(added.base_url, authorise, context.budget) as transport:
            github = GitHub(added.target, transport)

            async def titles(numbers: Collection[str]) -> Mapping[str, str]:
                by_number: dict[str, str] = {}
                for kind in ("issues", "pulls"):
                    by_number |= await context.titles(root_of(added.target, kind), numbers)
                return by_number

            named = [*added.streams] or [*STREAMS]

            async def check() -> list[Capability]:
                return await capabilities(github, named)

            yield OpenService(streams(github, named, titles), check)


async def capabilities(github: GitHub, names: Collection[str]) -> list[Capability]:
    """Which streams the credential can read. Raises AccessLost if not even the repository."""
    await github.transport.get(f"repos/{github.repository}", headers=REST_VERSION)
    results = []
    for name in (each for each in STREAMS if each in names):
        try:
            if name == "discussions":
                owner, _, repository = github.repository.partition("/")
                await github.query(DISCUSSIONS, {"owner": owner, "name": repository})
            elif name == "files":
                await github.is_empty()
            else:
                await github.list(ASKED[name][0], {"per_page": 1})
        except SwitchedOff:
            results.append(Capability(name, True))  # nothing to read, and no permission is missing
        except AccessLost:
            permission = ASKED.get(name, ("", "Discussions: read"))[1]
            results.append(Capability(name, False, f"{permission} (classic token: scope repo)"))
        else:
            results.append(Capability(name, True))
    return results


GITHUB = GitHubService()
