"""The model proxy: programs behind walls get an address and a token for models, never a key."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from agents.models.call import Usage
from agents.models.errors import BudgetExceeded
from agents.models.watch import Attempt
from infra.platform.errors import Invalid, Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.models.proxy import (
    ProxyAccess,
    find_grant,
    issue_token,
    open_proxy,
    read_proxy_address,
    revoke_token,
    tokens_folder,
)
from tests.models.book import Book
from tests.models.provider import (
    Answer,
    Failure,
    HalfStream,
    Hang,
    ScriptedProvider,
    Step,
    scripted_provider,
)
from tests.models.worker import ModelWorker, model_worker

KEY = "sk-planted-5f0c"
MODEL = "openai/m-1"
ASKED = {"model": MODEL, "messages": [{"role": "user", "content": "Name a color."}]}
T = TypeVar("T")


class Tight(Book):
    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        raise BudgetExceeded("A call of about $1 does not fit into the day budget.")


class Behind:
    """What a program behind walls has: an address, a token, and nothing else."""

    def __init__(self, access: ProxyAccess) -> None:
        self.access = access
        self.seen = ""  # all that ever came through

    async def ask(
        self,
        body: Any = None,
        *,
        token: str | None = None,
        path: str = "/chat/completions",
        method: str = "POST",
        headers: dict[str, str] | None = None,
        base_url: str | None = None,
        **more: Any,
    ) -> httpx.Response:
        given = {"authorization": f"Bearer {self.access.token if token is None else token}"}
        content = body if isinstance(body, bytes) else json.dumps((body or ASKED) | more).encode()
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            answer = await client.request(
                method,
                (base_url or self.access.base_url) + path,
                content=content if method == "POST" else None,
                headers=given | (headers or {}),
            )
        self.seen += answer.text + str(answer.headers)
        return answer


@asynccontextmanager
async def behind(
    worker: ModelWorker, book: Book, workflow_id: str = "wf-1", *models: str
) -> AsyncIterator[Behind]:
    async with open_proxy(
        worker.settings,
        book,
        project_id="p-1",
        workflow_id=workflow_id,
        agent="developer",
        models=models or (MODEL,),
        ttl_s=600,
    ) as access:
        yield Behind(access)


def configure(worker: ModelWorker, provider: ScriptedProvider) -> None:
    fields = {"base_url": provider.base_url, "api_key": KEY, "models": ["m-1", "m-2"]}
    worker.configure(openai=fields)


def with_proxy(
    worker: ModelWorker, book: Book, *steps: Step, use: Callable[[Behind], Coroutine[Any, Any, T]]
) -> tuple[T, ScriptedProvider]:
    async def run() -> T:
        async with behind(worker, book) as program:
            outcome = await use(program)
            assert KEY not in program.seen
            return outcome

    with scripted_provider(list(steps)) as provider:
        configure(worker, provider)
        return asyncio.run(run()), provider


def refusal_of(answer: httpx.Response) -> tuple[int, str]:
    error = answer.json()["error"]
    assert error["type"] == "proxy_refused" and error["message"]
    return answer.status_code, error["code"]


def test_a_call_is_passed_on_with_the_key_and_paid_by_its_workflow(model_worker: ModelWorker):
    book = Book()
    answer, provider = with_proxy(
        model_worker, book, Answer("Blue.", (70, 9, 64), model="m-1-2026"), use=lambda it: it.ask()
    )
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "Blue."
    (request,) = provider.requests
    assert request.headers["authorization"] == f"Bearer {KEY}" and request.model == "m-1"
    (attempt,), (outcome,) = book.attempts, book.closed.values()
    assert (attempt.request.workflow_id, attempt.request.agent) == ("wf-1", "developer")
    assert (attempt.request.project_id, attempt.request.tier) == ("p-1", "draft")
    assert (attempt.provider, attempt.model) == ("openai", "m-1")
    assert attempt.request.messages[0].content == "Name a color."
    assert (outcome.result, outcome.served_model, outcome.text) == ("answered", "m-1-2026", "Blue.")
    assert outcome.usage == Usage(input_tokens=70, output_tokens=9, cached_tokens=64)


def test_a_stream_comes_in_pieces_and_is_counted(model_worker: ModelWorker):
    book = Book()
    step = Answer("Blue as the sea.", (70, 9, 0))
    answer, provider = with_proxy(model_worker, book, step, use=lambda it: it.ask(stream=True))
    assert answer.headers["content-type"] == "text/event-stream"
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line]
    assert lines.pop() == "[DONE]" and len(lines) > 4
    choices = [choice for line in lines for choice in json.loads(line)["choices"]]
    assert "".join(each["delta"].get("content", "") for each in choices) == step.text
    (outcome,) = book.closed.values()
    assert (outcome.result, outcome.text) == ("answered", step.text)
    assert outcome.usage == Usage(input_tokens=70, output_tokens=9)
    assert provider.requests[0].wants_usage


def test_tools_go_through_and_what_concerns_an_account_does_not(model_worker: ModelWorker):
    tools = [{"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}]
    calls = [{"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    body = {"model": "m-1", "choices": [{"message": message, "finish_reason": "tool_calls"}]}
    step = Failure(200, body=json.dumps(body).encode())
    book = Book()
    history = [*ASKED["messages"], message, {"role": "tool", "tool_call_id": "c1", "content": "x"}]
    answer, provider = with_proxy(
        *(model_worker, book, step),
        use=lambda it: it.ask(messages=history, tools=tools, store=True, user="u", n=50),
    )
    assert answer.json()["choices"][0]["message"]["tool_calls"] == calls
    sent = provider.requests[0].body
    assert sent["tools"] == tools and sent["messages"] == history
    assert not {"store", "user", "n"} & sent.keys()
    (outcome,) = book.closed.values()
    assert outcome.result == "answered" and outcome.usage.estimated and "grep" in outcome.text


def test_the_socket_is_the_same_door(model_worker: ModelWorker):
    async def use(it: Behind) -> int:
        transport = httpx.AsyncHTTPTransport(uds=str(it.access.socket))
        async with httpx.AsyncClient(transport=transport) as client:
            answer = await client.post(
                f"{it.access.base_url}/chat/completions",
                json=ASKED,
                headers={"authorization": f"Bearer {it.access.token}"},
            )
        return answer.status_code

    status, _ = with_proxy(model_worker, Book(), "Blue.", use=use)
    assert status == 200
    address = read_proxy_address(model_worker.settings)
    assert address and stat.S_IMODE(os.stat(address.socket).st_mode) == 0o600


def test_the_models_of_the_token_are_listed(model_worker: ModelWorker):
    async def use(it: Behind) -> Any:
        return (await it.ask(path="/models", method="GET")).json()["data"]

    models, _ = with_proxy(model_worker, Book(), use=use)
    assert [each["id"] for each in models] == [MODEL]


OTHER = [
    (dict(token="cairn_proxy_guessed"), 401, "token"),
    (dict(headers={"authorization": "Bearer"}), 401, "token"),
    (dict(token="../../models"), 401, "token"),
    (dict(headers={"authorization": "Basic eDp5"}), 401, "token"),
    (dict(model="openai/m-2"), 403, "model"),
    (dict(model="m-1"), 403, "model"),
    (dict(model=["openai/m-1"]), 403, "model"),
    (dict(path="/embeddings"), 404, "path"),
    (dict(path="/../../wf-1/v1/files"), 404, "path"),
    (dict(headers={"host": "api.openai.com"}), 403, "host"),
    (dict(headers={"host": "169.254.169.254"}), 403, "host"),
    (dict(body=b"{"), 400, "body"),
    (dict(body=b"[" * 100_000), 400, "body"),
    (dict(body=b'{"model": "openai/m-1"}'), 400, "body"),
    (dict(body=b"x" * 5_000_000), 400, "body"),
    (dict(messages=[{"role": "user", "content": "\ud800"}]), 400, "body"),
    (dict(max_tokens=200_000.0), 400, "body"),
    (dict(max_tokens="200000"), 400, "body"),
    (dict(max_completion_tokens=0), 400, "body"),
    (dict(max_completion_tokens=True), 400, "body"),
    (dict(model="OPENAI/M-1"), 403, "model"),
    (dict(model="openai/m-1/../m-2"), 403, "model"),
    (dict(model="openai/m-1 "), 403, "model"),
    (dict(token="x", path="/chat/completions?token=cairn_proxy_x"), 401, "token"),
    (dict(path="/chat/completions%2f"), 404, "path"),
    (dict(path="//chat/completions"), 404, "path"),
    (dict(headers={"host": "127.0.0.1.example.org"}), 403, "host"),
    (dict(headers={"host": "127.0.0.1@example.org"}), 403, "host"),
]


@pytest.mark.parametrize(("given", "status", "reason"), OTHER)
def test_what_the_token_is_not_good_for_is_refused(
    model_worker: ModelWorker, given: dict[str, Any], status: int, reason: str
):
    book = Book()
    answer, provider = with_proxy(model_worker, book, use=lambda it: it.ask(**given))
    assert refusal_of(answer) == (status, reason)
    assert provider.requests == [] and book.attempts == []


def test_what_is_set_aside_covers_the_larger_limit_and_the_tools(model_worker: ModelWorker):
    """A provider may take either limit, and reads all of the tools."""
    book = Book()
    tools = [{"type": "function", "function": {"name": "f", "description": "x" * 50_000}}]
    given: dict[str, Any] = dict(max_tokens=90_000, max_completion_tokens=1, tools=tools)
    with_proxy(model_worker, book, Answer("blue"), use=lambda it: it.ask(**given))
    (attempt,) = book.attempts
    assert attempt.request.max_output_tokens == 90_000
    assert "x" * 50_000 in attempt.request.messages[-1].content


@pytest.mark.parametrize("depth", (700, 900, 950, 970, 980, 990))
def test_a_deeply_nested_call_has_an_answer(depth: int, model_worker: ModelWorker):
    """Reading and writing JSON give up at different depths."""
    book = Book()
    body = b'{"model": "openai/m-1", "messages": [' + b"[" * depth + b"]" * depth + b"]}"
    answer, _ = with_proxy(model_worker, book, Answer("blue"), use=lambda it: it.ask(body))
    assert answer.status_code in (200, 400, 502)


def test_another_host_in_the_request_line_is_refused(model_worker: ModelWorker):
    """As a client does that takes the proxy for one of HTTP."""

    async def use(it: Behind) -> list[bytes]:
        address = read_proxy_address(model_worker.settings)
        assert address
        found = []
        for line in ("GET http://api.openai.com/v1/models", "CONNECT api.openai.com:443"):
            reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
            bearer = f"Authorization: Bearer {it.access.token}"
            writer.write(f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\n{bearer}\r\n\r\n".encode())
            found.append(await reader.readline())
            writer.close()
        return found

    answers, provider = with_proxy(model_worker, Book(), use=use)
    assert all(b" 403 " in line for line in answers) and provider.requests == []


def test_a_token_of_another_workflow_is_refused_and_its_own_hears_of_it(model_worker: ModelWorker):
    async def run() -> None:
        async with AsyncExitStack() as stack:
            one = await stack.enter_async_context(behind(model_worker, Book(), "wf-1"))
            other = await stack.enter_async_context(behind(model_worker, Book(), "wf-2"))
            answer = await one.ask(base_url=other.access.base_url)
            assert refusal_of(answer) == (403, "other_workflow")
            assert one.access.account.refusals == {"other_workflow": 1}
            assert not other.access.account.refusals

    asyncio.run(run())


def test_an_expired_token_is_refused(model_worker: ModelWorker):
    async def use(it: Behind) -> httpx.Response:
        settings, account = model_worker.settings, it.access.account
        brief = issue_token(settings, "wf-1", [MODEL], 0.01, account)
        grant = find_grant(settings, brief)
        assert grant is not None
        await asyncio.to_thread(wait_until, lambda: _has_passed(grant.expires_at), timeout_s=5)
        return await it.ask(token=brief)

    answer, provider = with_proxy(model_worker, Book(), use=use)
    assert refusal_of(answer) == (401, "expired") and provider.requests == []


def _has_passed(moment: Any) -> bool:
    from datetime import UTC, datetime

    return bool(datetime.now(UTC) > moment)


def test_a_proxy_without_tokens_refuses_everything(model_worker: ModelWorker):
    async def use(it: Behind) -> httpx.Response:
        revoke_token(model_worker.settings, it.access.token)
        assert not list(tokens_folder(model_worker.settings).glob("*.json"))
        return await it.ask()

    answer, provider = with_proxy(model_worker, Book(), use=use)
    assert refusal_of(answer) == (401, "no_tokens") and provider.requests == []


def test_a_token_is_good_for_nothing_after_its_workflow(model_worker: ModelWorker):
    async def run() -> None:
        async with behind(model_worker, Book()) as program:
            pass
        async with behind(model_worker, Book()):
            assert refusal_of(await program.ask()) == (401, "token")

    asyncio.run(run())


def test_without_room_in_the_budget_no_call_is_made(model_worker: ModelWorker):
    answer, provider = with_proxy(model_worker, Tight(), use=lambda it: it.ask())
    assert refusal_of(answer) == (402, "budget") and provider.requests == []
    assert "does not fit" in answer.json()["error"]["message"]


def test_while_nobody_pays_no_call_is_made(model_worker: ModelWorker):
    async def use(it: Behind) -> httpx.Response:
        await it.access.account.__aexit__()
        return await it.ask()

    answer, provider = with_proxy(model_worker, Book(), use=use)
    assert refusal_of(answer) == (503, "account") and provider.requests == []


@pytest.mark.parametrize(
    ("step", "status", "result"),
    [
        (Failure(401, body=b'{"error": {"message": "no such key: sk-planted-5f0c"}}'), 401,
         "refused"),
        (Failure(429), 429, "failed"),
        (Failure(500, body=b"<html>sk-planted-5f0c</html>"), 500, "failed"),
        (Failure(200, body=b"<html>Welcome sk-planted-5f0c</html>"), 502, "failed"),
        (Failure(302, location="http://127.0.0.1:9/stolen"), 502, "failed"),
        (Answer("My key is sk-planted-5f0c."), 200, "answered"),
    ],
)  # fmt: skip
def test_what_a_provider_says_wrongly_is_told_without_the_key(
    model_worker: ModelWorker, step: Step, status: int, result: str
):
    book = Book()
    answer, _ = with_proxy(model_worker, book, step, use=lambda it: it.ask())
    assert answer.status_code == status and book.results == [result]
    assert KEY not in str(book.closed)


def test_a_stream_that_breaks_off_has_no_end_and_is_paid_by_estimate(model_worker: ModelWorker):
    book = Book()

    async def use(it: Behind) -> None:
        with pytest.raises(httpx.RemoteProtocolError):
            await it.ask(stream=True)

    with_proxy(model_worker, book, HalfStream("Half of it", is_cut=False), use=use)
    (outcome,) = book.closed.values()
    assert (outcome.result, outcome.error_class) == ("failed", "half_stream")
    assert outcome.usage.estimated and outcome.usage.output_tokens


def test_a_caller_that_goes_away_ends_the_call(model_worker: ModelWorker):
    book = Book()

    async def use(it: Behind) -> None:
        asking = asyncio.ensure_future(it.ask())
        await asyncio.to_thread(wait_until, lambda: bool(book.opened), timeout_s=20)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await asyncio.to_thread(wait_until, lambda: bool(book.closed), timeout_s=20)

    with_proxy(model_worker, book, Hang(), use=use)
    assert book.results == ["cancelled"]


PROGRAM = """
import json, os, sys, urllib.request
request = urllib.request.Request(
    os.environ["MODEL_URL"] + "/chat/completions",
    json.dumps({"model": "openai/m-1", "messages": [{"role": "user", "content": "Hi"}]}).encode(),
    {"Authorization": "Bearer " + os.environ["MODEL_TOKEN"], "Content-Type": "application/json"})
seen = urllib.request.urlopen(request).read().decode()
seen += json.dumps(dict(os.environ))
for folder, _, names in os.walk("."):
    for name in names:
        seen += open(os.path.join(folder, name), errors="replace").read()
print(seen)
"""


def test_the_key_is_nowhere_where_the_program_runs(model_worker: ModelWorker, tmp_path: Path):
    """In its answers, its environment and its files; a grant that is read back is no key either."""
    (tmp_path / "main.py").write_text(textwrap.dedent(PROGRAM))

    async def use(it: Behind) -> str:
        environ = {"MODEL_URL": it.access.base_url, "MODEL_TOKEN": it.access.token}
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "main.py"],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        )
        for path in tokens_folder(model_worker.settings).iterdir():
            grant = path.read_text()
            assert KEY not in grant and it.access.token not in grant
        return done.stdout

    seen, _ = with_proxy(model_worker, Book(), "Blue.", use=use)
    assert "Blue." in seen and "MODEL_TOKEN" in seen and KEY not in seen


@pytest.mark.parametrize(
    ("workflow_id", "models", "ttl_s"),
    [("", [MODEL], 60), ("wf", [], 60), ("wf", [MODEL], 0), ("wf", [MODEL], 10**6)],
)
def test_a_token_without_bounds_is_not_issued(
    model_worker: ModelWorker, workflow_id: str, models: list[str], ttl_s: float
):
    async def use(it: Behind) -> None:
        settings, account = model_worker.settings, it.access.account
        with pytest.raises(Invalid):
            issue_token(settings, workflow_id, models, ttl_s, account)

    with_proxy(model_worker, Book(), use=use)


def test_without_a_model_worker_there_is_no_proxy(tmp_path: Path):
    worker = ModelWorker(Settings(home=tmp_path), None)  # type: ignore[arg-type]

    async def run() -> None:
        async with behind(worker, Book()):
            pass

    with pytest.raises(Unavailable, match="No model worker"):
        asyncio.run(run())


@pytest.mark.slow
def test_a_recycled_worker_listens_where_it_did_and_keeps_its_tokens():
    with model_worker("--recycle-after", "1") as worker, scripted_provider(["Blue."] * 3) as here:
        configure(worker, here)

        async def run() -> None:
            async with behind(worker, Book()) as program:
                before = read_proxy_address(worker.settings)
                await worker.client.list_models("openai")  # its last call
                await asyncio.to_thread(wait_until, lambda: _answers(program), timeout_s=120)
                assert (await program.ask()).status_code == 200
                assert read_proxy_address(worker.settings) == before

        asyncio.run(run())


def _answers(program: Behind) -> bool:
    try:
        with socket.create_connection(
            ("127.0.0.1", httpx.URL(program.access.base_url).port or 0), timeout=1
        ):
            return True
    except OSError:
        return False
