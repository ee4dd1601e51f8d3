"""What host and worker write to each other, a JSON object a line; whatever comes is read.

The host believes the worker nothing but what its model says: commands of that model run beside
it. So events are numbered by the host, and requests go to the proxy alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.development.drivers.events import Draft, clean_text
from agents.development.drivers.failures import DriverFailed, Failure
from agents.development.ports import Reply, ShellLayer, Spent, StreamEvent, StreamEventType
from agents.models.records import get_cost, get_count, get_object, get_text

MOST_LINE_BYTES = 64 * 1024 * 1024
LONGEST_REASON, LONGEST_NAME = 2_000, 100
READY = {"ready": True}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that a rule inside has refused."""

    tool: str
    layer: ShellLayer
    reason: str


class WorkerRequest(BaseModel):
    """All that enters a container. ``proxy_url`` is the root of the model proxy's protocol, and
    ``token`` is good for this workflow alone, for a short time.

    ``is_tunnelled``: requests to the proxy are written as lines, since the container has no
    network; else the worker asks it itself. ``messages``: what the session holds until now.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: str
    system_prompt: str | None = None
    is_agentic: bool = True
    workspace: str
    workflow_id: str
    agent: str
    first_number: int
    session_id: str | None = None
    messages: tuple[dict[str, Any], ...] = ()
    proxy_url: str
    token: str
    is_tunnelled: bool = True
    model: str
    allowlist: tuple[str, ...] = ()
    max_rounds: int
    max_output_tokens: int
    max_retries: int
    base_delay_s: float
    max_delay_s: float

    def __repr__(self) -> str:
        return f"WorkerRequest(workflow_id={self.workflow_id!r}, agent={self.agent!r})"


def read_request(line: str) -> WorkerRequest | None:
    """The request of a line; None where it is none."""
    try:
        return WorkerRequest.model_validate_json(line)
    except ValidationError:
        return None


def word_line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True)


def word_event(event: StreamEvent) -> dict[str, Any]:
    fields = {"type", "content", "tool_name", "tool_input"}
    return {"event": event.model_dump(mode="json", include=fields)}


def read_event(record: Mapping[str, Any]) -> Draft | None:
    event = get_object(record, "event")
    kind: StreamEventType
    for kind in get_args(StreamEventType):
        if event.get("type") == kind:
            name, given = get_text(event, "tool_name"), event.get("tool_input")
            tool_input = given if isinstance(given, Mapping) else None
            return Draft(kind, get_text(event, "content"), name or None, tool_input)
    return None


def read_refusal(record: Mapping[str, Any]) -> Refusal | None:
    refused = record.get("refused")
    if not isinstance(refused, Mapping):
        return None
    layers: tuple[ShellLayer, ...] = get_args(ShellLayer)
    layer = next((it for it in layers if refused.get("layer") == it), layers[-1])
    reason = clean_text(get_text(refused, "reason"))[:LONGEST_REASON]
    return Refusal(clean_text(get_text(refused, "tool"))[:LONGEST_NAME], layer, reason)


def word_reply(reply: Reply) -> dict[str, Any]:
    fields = {"text": reply.text, "session_id": reply.session_id}
    return {"reply": {**fields, "spent": _word_spent(reply.spent)}}


def read_reply(record: Mapping[str, Any]) -> Reply | None:
    reply = record.get("reply")
    if not isinstance(reply, Mapping):
        return None
    return Reply(get_text(reply, "text"), get_text(reply, "session_id") or None, _read_spent(reply))


def word_failure(failed: DriverFailed) -> dict[str, Any]:
    fields = {"failure": failed.failure, "message": str(failed), "session_id": failed.session_id}
    return {"failed": {**fields, "spent": _word_spent(failed.spent)}}


def read_failure(record: Mapping[str, Any]) -> DriverFailed | None:
    failed = record.get("failed")
    if not isinstance(failed, Mapping):
        return None
    kinds: tuple[Failure, ...] = get_args(Failure)
    failure = next((kind for kind in kinds if failed.get("failure") == kind), kinds[-1])
    return DriverFailed(
        failure,
        get_text(failed, "message") or "The worker failed without a word.",
        spent=_read_spent(failed),
        session_id=get_text(failed, "session_id") or None,
    )


def _word_spent(spent: Spent) -> dict[str, Any]:
    return {
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost_usd,
        "is_estimated": spent.is_estimated,
    }


def _read_spent(record: Mapping[str, Any]) -> Spent:
    spent = get_object(record, "spent")
    return Spent(
        get_count(spent, "input_tokens") or 0,
        get_count(spent, "output_tokens") or 0,
        get_cost(spent, "cost_usd"),
        spent.get("is_estimated") is True,
    )
