"""Every write: done once for each idempotency key, and written into the audit log.

A use case makes its ids from the key, so a request that was cut off may simply run again; what is
kept here is the answer, and a fingerprint that tells the same key with another request. A request
that is refused before it has recorded anything does not use its key up.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from infra.http.api import api_of
from infra.http.auth import caller_of
from infra.http.problems import correlation_of, is_expected, respond
from infra.platform.errors import Forbidden, Invalid
from infra.platform.recording import watch_recording
from infra.service.foundation.publishing import check_key, draw_key, redactor_of
from infra.store.requests import (
    Asked,
    AuditEntry,
    Outcome,
    begin_write,
    end_refused,
    end_write,
    record_refused,
)
from infra.store.tokens import Caller

HEADER = "idempotency-key"
KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?")
ANYWHERE = "-"

Handle = Callable[[Request], Coroutine[Any, Any, Response]]


async def perform(request: Request, caller: Caller, operation: str, handle: Handle) -> Response:
    """Answer a write, or repeat the answer that its key has had before.

    Its row is in the audit log before anything is done, so no write is without one.
    """
    tables = api_of(request).tables
    given = read_key(request)
    key = request.state.key = given or draw_key()
    asked = Asked(_scope(request), key, await _fingerprint(request, caller)) if given else None
    begun = await tables.ask(begin_write, asked, audit_entry(request, caller, operation, key))
    earlier = begun.earlier
    if earlier.status is not None:
        return Response(earlier.body, earlier.status, _headers(key, "true"), "application/json")
    request.state.repeated = earlier.repeated
    with watch_recording() as recording:
        try:
            response = await handle(request)
        except Exception as error:
            if not is_expected(error):
                await tables.ask(end_write, begun.written, Outcome(500, "internal_error"))
                raise
            response = respond(request, error)
    outcome = Outcome(response.status_code, _code(response))
    if response.status_code < 300 and _may_be_kept(response):
        body = bytes(response.body).decode()
        await tables.ask(end_write, begun.written, outcome, asked, body)
    elif asked and 400 <= response.status_code < 500 and not recording.is_begun:
        await tables.ask(end_refused, begun.written, outcome, asked, earlier)
    else:
        await tables.ask(end_write, begun.written, outcome)
    response.headers.update(_headers(key))
    return response


async def record_refusal(request: Request, operation: str, error: Forbidden) -> None:
    """Note a write that its caller may not ask for."""
    if caller := caller_of(request.scope):
        entry = audit_entry(request, caller, operation, key="")
        await api_of(request).tables.ask(record_refused, entry, Outcome(403, error.code))


def read_key(request: Request) -> str:
    """The key of the request; empty when it has none. Raises Invalid."""
    key = request.headers.get(HEADER, "")
    if HEADER in request.headers:
        check_given_key(key)
    return key


def check_given_key(key: str) -> None:
    """Raises Invalid."""
    if not KEY.fullmatch(key):
        raise Invalid(
            "An idempotency key has 1 to 200 ASCII characters, visible ones at its ends.",
            code="key_invalid",
        )
    check_key(key)


def _scope(request: Request) -> str:
    return str(request.path_params.get("project", ANYWHERE))


async def _fingerprint(request: Request, caller: Caller) -> bytes:
    """Of all that makes it another request: who asks, what, with which body."""
    head = (
        caller.name,
        caller.role,
        caller.spoken_by,
        request.method,
        request.url.path,
        request.url.query,
    )
    return hashlib.sha256("\n".join(head).encode() + b"\n" + await request.body()).digest()


def audit_entry(
    request: Request, caller: Caller, operation: str, key: str, reason: str = ""
) -> AuditEntry:
    """The row of a write in the audit log; the project of its address is one that they may see.

    A secret that somebody has put into the address is not in it.
    """
    return AuditEntry(
        project_id=request.path_params.get("project"),
        token_id=caller.token_id,
        actor=caller.name,
        role=caller.role,
        operation=operation,
        path=redactor_of(api_of(request).settings).text(request.url.path[:500]),
        key=key,
        correlation_id=correlation_of(request.scope),
        reason=reason,
        spoken_by=caller.spoken_by,
    )


def _code(response: Response) -> str:
    """The code of a problem; ``done`` of anything else."""
    if response.status_code < 400:
        return "done"
    return str(json.loads(bytes(response.body)).get("code", ""))


def _may_be_kept(response: Response) -> bool:
    """A token is shown once: its answer says so by this header."""
    return response.headers.get("cache-control") != "no-store"


def _headers(key: str, replayed: str = "") -> dict[str, str]:
    again = {"idempotency-replayed": replayed} if replayed else {}
    return {HEADER: key} | again
