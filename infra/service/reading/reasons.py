"""Why something is as it is: the decisions about an id, with what the log says of them."""

from __future__ import annotations

import asyncio

from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.log_reader import fact_at
from projections.read import reasons
from projections.read.decisions import TraceReason
from projections.read.session import Conn


async def list_reasons(settings: Settings, known_id: str) -> list[TraceReason]:
    """The decisions about an id, oldest first. Raises NotFound, BrokerUnavailable and
    DatabaseUnavailable.
    """

    def question(tables: Conn) -> list[TraceReason]:
        return reasons.list_reasons(
            tables, known_id, lambda place: asyncio.run(fact_at(settings, place))
        )

    return await ask(settings, question)
