"""What HTTP offers to those who read: HEAD, ETags with `If-None-Match`, and gzip.

Only answers with a whole body are compressed, and only those to reads: live streams are sent frame
by frame, and answers to writes may hold a token beside text that the caller chose. Decided against
Starlette's middleware, which keeps the head of a stream until its first frame, and a compressor of
some 256 KiB for each open stream.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST_BYTES = 1_024  # below that, compressing saves no packet
LEVEL = 3  # of 9: most of what is to be saved, for a fifth of the time
ALONE_BYTES = 128 * 1024  # above that, compressing takes milliseconds: in a thread
QUALITY = re.compile(r"q\s*=\s*0(\.0{0,3})?\s*$")
ANY = frozenset({"gzip", "x-gzip", "*"})


class AnswerHead:
    """Answers HEAD as GET would be, without the body; of a live stream, only the head is made."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        is_over = False

        async def tell(message: Message) -> None:
            nonlocal is_over
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                is_over = True

        async def read() -> Message:
            return {"type": "http.disconnect"} if is_over else await receive()

        await self._app({**scope, "method": "GET"}, read, tell)


async def prepare_answer(request: Request, response: Response) -> Response:
    """The answer to a read: with an ETag, or 304 where the client has it already; compressed where
    the client takes that. Any other answer stays as it is.
    """
    body = getattr(response, "body", None)
    if request.method != "GET" or response.status_code != 200 or not isinstance(body, bytes):
        return response
    # Weak: the same ETag is that of the compressed body.
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    if has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers={"etag": tag, "vary": "Accept-Encoding"})
    response.headers["etag"] = tag
    response.headers.add_vary_header("Accept-Encoding")
    if len(body) >= SMALLEST_BYTES and takes_gzip(request.headers.get("accept-encoding", "")):
        response.body = (
            _compress(body) if len(body) < ALONE_BYTES else await asyncio.to_thread(_compress, body)
        )
        response.headers["content-encoding"] = "gzip"
        response.headers["content-length"] = str(len(response.body))
    return response


def has_tag(given: str, tag: str) -> bool:
    """Whether `If-None-Match` names the ETag, weak or strong; `*` names every one."""
    bare = tag.removeprefix("W/")
    return any(each.strip().removeprefix("W/") in (bare, "*") for each in given.split(","))


def takes_gzip(accepted: str) -> bool:
    """Whether `Accept-Encoding` allows gzip. One that is named counts more than `*`."""
    known = {}
    for each in accepted.lower().split(","):
        name, _, quality = each.partition(";")
        known[name.strip()] = not QUALITY.fullmatch(quality.strip())
    named = [known[name] for name in known if name in ANY - {"*"}]
    return any(named) if named else known.get("*", False)


def _compress(body: bytes) -> bytes:
    return gzip.compress(body, LEVEL, mtime=0)
