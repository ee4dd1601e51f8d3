"""What the model layer leaves of a provider's limit: many requests, a few at a time, by the worker.

The stand-in for a provider answers on loopback after a fixed time, in a process of its own. Its
limit is what its time and the number of requests at a time allow; a bare client of HTTP is measured
beside, in the same run. Budgets and records are not part of it: nobody watches the calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

from agents.models.call import Message, ModelAnswer, ModelRequest, Usage
from agents.models.chain import ask_model
from agents.models.watch import Attempt, Outcome
from infra.measure.benches import say
from infra.platform.errors import Unavailable
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.runtime.local.process import own_command, wait_until
from infra.runtime.supervisor import ready_file
from infra.service.models.file import read_models
from infra.service.models.worker import find_model_worker, keep_variables

REQUESTS, AT_A_TIME, LATENCY_S = 1_000, 8, 0.3
TARGET_SHARE = 0.90
STARTS_WITHIN_S = 120.0
SENTENCE = "The service keeps every event, so that a table can be folded again at any time. "
PROMPT = SENTENCE * 20  # about the length of a chunk
ANSWER = {"atoms": [{"kind": "decision", "sentence": number} for number in range(8)]}
ANSWER_SCHEMA = {
    "type": "object",
    "properties": {"atoms": {"type": "array"}},
    "required": ["atoms"],
}
Ask = Callable[[int], Awaitable[object]]


def model(requests: int = REQUESTS, latency_s: float = LATENCY_S) -> dict[str, Any]:
    """Requests a second as a share of the stand-in's limit. Raises Unavailable."""
    limit = AT_A_TIME / latency_s
    with _stand_in(latency_s) as base_url, _worker(base_url) as settings:
        say(f"Asking {requests:,} times, {AT_A_TIME} at a time…")
        rate = asyncio.run(_measure_layer(settings, requests))
        bare = asyncio.run(_measure_bare(base_url, max(AT_A_TIME, requests // 5)))
    return {
        "requests": requests,
        "at_a_time": AT_A_TIME,
        "latency_ms": round(latency_s * 1000),
        "limit_per_s": round(limit, 2),
        "requests_per_s": round(rate, 2),
        "share": round(rate / limit, 3),
        "target_share": TARGET_SHARE,
        "share_of_bare_http": round(bare / limit, 3),
    }


async def _measure_layer(settings: Settings, requests: int) -> float:
    client = find_model_worker(settings)
    assert client
    configuration = read_models(settings, with_keys=False)

    async def ask(number: int) -> object:
        return await ask_model(_request(number), configuration, client, _Nobody())

    await _ask_all(ask, AT_A_TIME)  # the library loads parts of itself at the first call
    return await _ask_all(ask, requests)


async def _measure_bare(base_url: str, requests: int) -> float:
    body = {"model": "m", "messages": [{"role": "user", "content": PROMPT}]}
    async with httpx.AsyncClient() as http:

        async def ask(number: int) -> object:
            answer = await http.post(f"{base_url}/chat/completions", json=body)
            return answer.raise_for_status().json()

        return await _ask_all(ask, requests)


async def _ask_all(ask: Ask, requests: int) -> float:
    """Requests a second, always as many at a time as may be."""
    numbers = iter(range(requests))

    async def ask_next() -> None:
        for number in numbers:
            await ask(number)

    began_s = time.perf_counter()
    await asyncio.gather(*(ask_next() for _ in range(AT_A_TIME)))
    return requests / (time.perf_counter() - began_s)


def _request(number: int) -> ModelRequest:
    return ModelRequest(
        tier="standard",
        prompt_version="bench",
        messages=(Message(role="user", content=f"{PROMPT}{number}"),),
        answer_schema=ANSWER_SCHEMA,
        project_id="bench",
        agent="bench",
        stage="bench",
    )


class _Nobody:
    """Watches calls and keeps nothing."""

    async def find(self, request: ModelRequest) -> ModelAnswer | None:
        return None

    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        return "call"

    async def settle(self, call_id: str, attempt: Attempt, outcome: Outcome) -> float | None:
        return 0.0

    async def record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        return None


@contextlib.contextmanager
def _worker(base_url: str) -> Iterator[Settings]:
    """A model worker that knows the stand-in alone. Raises Unavailable."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench-", ignore_cleanup_errors=True) as home:
        settings = Settings(home=Path(home))
        fields = {"base_url": base_url, "api_key": "bench", "models": ["m"]}
        lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
        write_whole(
            settings.models_file, "\n".join(["[[providers]]", 'name = "openai"', *lines, ""])
        )
        own = {"CAIRN_HOME": home, "CAIRN_PROCESS_NAME": "model-worker", "CAIRN_LOG_LEVEL": "error"}
        process = subprocess.Popen(
            own_command("model-worker"),
            env=keep_variables(settings, os.environ) | own,
            stdout=sys.stderr,
        )
        try:
            ready = ready_file(settings, "model-worker")
            if not wait_until(ready.exists, timeout_s=STARTS_WITHIN_S):
                raise Unavailable(f"The model worker did not start in {STARTS_WITHIN_S:.0f} s.")
            yield settings
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def _stand_in(latency_s: float) -> Iterator[str]:
    """The address of a provider that answers everything after ``latency_s``."""
    apart = multiprocessing.get_context("spawn")
    here, there = apart.Pipe()
    process = apart.Process(target=_answer_all, args=(there, latency_s), daemon=True)
    process.start()
    try:
        if not here.poll(STARTS_WITHIN_S):
            raise Unavailable("The stand-in for a provider did not start.")
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _answer_all(told: Connection, latency_s: float) -> None:
    body = json.dumps(_completion()).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    whole = head.encode() + body

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                asked = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(asked.partition(b"content-length:")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                await asyncio.sleep(latency_s)
                writer.write(whole)
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def _completion() -> dict[str, Any]:
    message = {"role": "assistant", "content": json.dumps(ANSWER)}
    return {
        "id": "bench",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 80, "total_tokens": 480},
    }
