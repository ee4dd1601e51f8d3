"""Bitbucket as a service that can be connected. It only sends webhooks and is not polled."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from connectors.connector import UnknownSource
from connectors.definitions import Definition
from connectors.service import WEBHOOK_ONLY, OpenService, ServiceContext
from infra.platform.addresses import without_credentials

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class BitbucketService:
    """No streams; its one credential is the secret that signs deliveries."""

    base_url: str = "https://api.bitbucket.org"
    streams: tuple[str, ...] = ()
    roles: tuple[tuple[str, ...], ...] = ()

    def check_target(self, target: str) -> str:
        if not _REPOSITORY.fullmatch(target) or target.startswith((".", "-")):
            raise UnknownSource(
                f"{without_credentials(target)!r} is not a repository: write workspace/repo."
            )
        return target

    def names(self, definition: Definition) -> tuple[str, ...]:
        return ()

    @asynccontextmanager
    async def open(self, context: ServiceContext) -> AsyncIterator[OpenService]:
        yield WEBHOOK_ONLY


BITBUCKET = BitbucketService()
