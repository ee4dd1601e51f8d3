"""Deliveries of services: who sends one has no token but signs it with the secret of a connector.

A delivery is accepted (202) when it is on the log; at any other answer a service sends it again or
shows it as failed. Limits of bodies are those of the receiver, and there is one delivery for each
connection.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from infra.http.access import Guarded, allow_signed
from infra.http.api import ApiDep
from infra.http.connections import network_of
from infra.http.parameters import problems
from infra.http.problems import respond_with
from infra.platform.errors import NotFound
from infra.service.connecting.received_webhooks import SERVICES

router = APIRouter(route_class=Guarded, tags=["Webhooks"])
RETRY_AFTER_S = 30
CLOSE = {"connection": "close"}
SENT: dict[str, Any] = {
    "requestBody": {
        "description": "What the service sends, signed over its bytes.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/x-www-form-urlencoded": {"schema": {"type": "object"}},
        },
    }
}


class Accepted(BaseModel):
    """``accepted``: it is on the log, or was before (``duplicate``). Slack's first request has its
    ``challenge`` as answer.
    """

    accepted: bool | None = None
    duplicate: bool | None = None
    challenge: str | None = None


class Parts:
    """The body of a request as it comes."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises ConnectionError when the sender goes away."""
        try:
            async for part in self._request.stream():
                yield part
        except ClientDisconnect as error:
            raise ConnectionResetError("The sender has gone.") from error


@router.post(
    "/v1/webhooks/{service}/{project}",
    status_code=202,
    response_model=Accepted,
    responses=problems(400, 401, 404, 408, 409, 413, 422, 500, 503)
    | {200: {"model": Accepted, "description": "The challenge of Slack."}},
    openapi_extra=SENT,
)
@allow_signed()
async def receive_delivery(
    api: ApiDep,
    request: Request,
    service: Annotated[str, Path(description="github, jira, slack or bitbucket.")],
    project: Annotated[str, Path(description="Name or id of the project.")],
) -> Response:
    """Take a delivery; the secret of the connector has signed it as its service does."""
    if service not in SERVICES:
        raise NotFound("There is no such service.", code="unknown_service")
    address = network_of(request.client.host) if request.client else ""
    parts = aiter(Parts(request))
    answer = await api.deliveries.take(service, project, request.headers, address, parts)
    if answer.status < 300:
        return JSONResponse(answer.body, answer.status, CLOSE)
    code, message = str(answer.body["code"]), str(answer.body["message"])
    again = {"retry-after": str(RETRY_AFTER_S)} if answer.retry else {}
    return respond_with(request, answer.status, code, message, CLOSE | again)
