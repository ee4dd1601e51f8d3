"""One call of a provider's tool: a request, and its answer or what went wrong, never an exception.

A call that changes something is sent once. Where its answer is lost, the outcome says that it may
or may not have happened.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.providers.definition import ProviderDefinition, ToolDefinition
from connectors.providers.showing import (
    UnreadableAnswer,
    clean,
    hide,
    pick,
    show_answer,
    show_detail,
)
from connectors.providers.templates import (
    UnfitArgument,
    fill_body,
    fill_path,
    fill_query,
)
from connectors.rate_limits import Budget
from connectors.transport import (
    AnswerLost,
    BudgetSpent,
    Patience,
    Response,
    Secret,
    Transport,
)
from schemas.ids import sha256_hex

# A person waits: three attempts and their pauses end before a tool's 120 s do.
PATIENCE = Patience(attempts=3, max_wait_s=10.0, whole_s=30.0, advice="try again later")
MAX_ANSWER_BYTES = 4 * 1024 * 1024
LONGEST_ADDRESS = 8_000  # characters of path and query together
SHORTEST_SECRET = 4  # what is shorter stands in any text
MAY_HAVE = "It may or may not have happened: look before you try again."
NOT_DONE = "Nothing was changed."


@dataclass(frozen=True, slots=True)
class Account:
    """Where a provider is asked and as whom. ``credential`` says where the secret is kept.

    ``budget`` is shared by all calls with this account.
    """

    base_url: str
    secret: Secret
    user: Secret | None
    budget: Budget
    credential: str

    @property
    def hidden(self) -> tuple[str, ...]:
        """What no text may show, the longest first."""
        secret = self.secret.reveal()
        shown = {secret, *([self._pair()] if self.user else [])}
        return tuple(sorted((it for it in shown if len(it) >= SHORTEST_SECRET), key=len)[::-1])

    def authorise(self, definition: ProviderDefinition) -> dict[str, str]:
        """The header with the credential. Raises UnfitArgument for one that no header can hold."""
        credential = definition.credential
        value = f"Basic {self._pair()}" if self.user else credential.prefix + self.secret.reveal()
        if not (value.isascii() and value.isprintable()):
            raise UnfitArgument(
                f"The credential in {self.credential} holds characters that no header can carry."
            )
        return {credential.header: value}

    def _pair(self) -> str:
        user = self.user.reveal() if self.user else ""
        return base64.b64encode(f"{user}:{self.secret.reveal()}".encode()).decode()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call. ``error`` is a code for programs; empty: it went well."""

    text: str
    data: Mapping[str, Any]
    error: str = ""


async def call_provider(
    definition: ProviderDefinition,
    tool: ToolDefinition,
    account: Account,
    values: Mapping[str, Any],
    key: str,
) -> Outcome:
    """Calls a tool. ``values``: its arguments, checked before; ``key``: the same for a repetition
    of the same call, sent as Idempotency-Key where it changes something.
    """
    title = definition.title
    try:
        path, query = fill_path(tool.path, values), fill_query(tool.query, values)
        body = fill_body(tool.body, values)
        _check_texts(path, query, body)
        header = account.authorise(definition)
        response = await _send(definition, tool, account, header, (path, query, body), key)
    except UnfitArgument as error:
        return _fail(str(error), "arguments_invalid")
    except AnswerLost as error:
        what = str(error).partition(": what was asked")[0]
        return _fail(f"{title}: {what}. {MAY_HAVE}", "answer_lost")
    except BudgetSpent as error:
        return _fail(f"{title}: {error}{_not_done(tool)}", "rate_limited")
    except SourceUnavailable as error:
        return _fail(f"{title}: {error}{_not_done(tool)}", "provider_unavailable")
    except SourceRefused as error:
        return _fail(f"{title}: {error}", "provider_refused")
    # Beside the loop: an answer may be large, and a mail is read in a child process.
    return await asyncio.to_thread(_read, definition, tool, account, response)


def _not_done(tool: ToolDefinition) -> str:
    return f" {NOT_DONE}" if tool.is_mutating else ""


async def _send(
    definition: ProviderDefinition,
    tool: ToolDefinition,
    account: Account,
    header: Mapping[str, str],
    request: tuple[str, Mapping[str, str | int], Any],
    key: str,
) -> Response:
    async def authorise() -> Mapping[str, str]:
        return header

    path, query, body = request
    headers = {"Accept": "application/json", **definition.headers}
    if tool.is_mutating:
        headers["Idempotency-Key"] = key if _is_header(key) else sha256_hex(key)
    async with Transport(
        account.base_url,
        authorise,
        account.budget,
        max_answer_bytes=MAX_ANSWER_BYTES,
        patience=PATIENCE,
    ) as transport:
        return await transport.send(
            tool.method,
            path,
            params=query,
            body=body,
            headers=headers,
            is_repeatable=not tool.is_mutating,
        )


def _is_header(key: str) -> bool:
    return key.isascii() and key.isprintable() and 0 < len(key) <= 200


def _check_texts(path: str, query: Mapping[str, str | int], body: Any) -> None:
    """Raises UnfitArgument for what cannot be sent."""
    length = len(path) + sum(len(name) + len(str(value)) for name, value in query.items())
    if length > LONGEST_ADDRESS:
        raise UnfitArgument("The arguments are too long for an address: shorten them.")
    try:
        json.dumps([query, body], ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:  # half a character, or a number that is none
        raise UnfitArgument("The arguments hold what no request can carry.") from error


def _read(
    definition: ProviderDefinition, tool: ToolDefinition, account: Account, response: Response
) -> Outcome:
    """The outcome that an answer tells."""
    title, status, hidden = definition.title, response.status, account.hidden
    is_changed = MAY_HAVE if tool.is_mutating else ""
    try:
        answer = clean(response.json(), hidden) if response.body.strip() else {}
        what = ""
    except (SourceUnavailable, UnreadableAnswer) as error:
        answer, what = None, str(error)
    if 300 <= status < 400:
        text = f"{title} answers with a redirect ({status}), which is not followed. {is_changed}"
        return _fail(text.strip(), "provider_refused")
    if status >= 500:
        code = "answer_lost" if tool.is_mutating else "provider_unavailable"
        return _fail(f"{title} answers with {status}. {is_changed}".strip(), code)
    if status >= 400:
        return _refuse(definition, account, status, show_detail(answer))
    if what:
        return _fail(f"{title}: {what.rstrip('.')}. {is_changed}".strip(), "answer_unreadable")
    if definition.verdict and pick(answer, definition.verdict.ok) != [True]:
        named = pick(answer, definition.verdict.error)
        reason = str(named[0])[:100] if named else "it does not say why"
        return _fail(f"{title} refuses the call: {reason}.", "provider_refused")
    try:
        text, data = show_answer(answer, tool.show)
        data = clean(data, hidden)
    except UnreadableAnswer as error:
        done = f" The call itself succeeded ({status})." if tool.is_mutating else ""
        return _fail(f"{title}: {str(error).rstrip('.')}.{done}", "answer_unreadable")
    return Outcome(hide(text, hidden), data)


def _refuse(definition: ProviderDefinition, account: Account, status: int, detail: str) -> Outcome:
    title = definition.title
    match status:
        case 401:
            code = "unauthorised"
            text = f"{title} does not accept the credential in {account.credential} (401): renew it"
        case 403:
            code = "forbidden_by_provider"
            text = f"{title} does not allow this with the credential in {account.credential} (403)"
        case 404 | 410:
            code = "not_found"
            text = (
                f"{title} has nothing there that our credential may see ({status}): check the ids"
            )
        case _:
            code = "provider_refused"
            text = f"{title} refuses the call ({status})"
    return _fail(f"{text}. It says: {detail}" if detail else f"{text}.", code)


def _fail(text: str, code: str) -> Outcome:
    return Outcome(text, {"error": code}, code)
