"""HTTP for the `api` driver: over the network, or over a socket file that leads out of walls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from agents.development.drivers.posting import HttpAnswer, HttpFailed

CONNECTS_WITHIN_S = 10.0
SILENT_S = 600.0  # an answer is not streamed, so nothing comes while a model thinks
MOST_BODY_BYTES = 64 * 1024 * 1024


class HttpClient:
    """Posts JSON. With ``socket_path`` every host is reached through that socket."""

    def __init__(self, *, socket_path: str | None = None, silent_s: float = SILENT_S) -> None:
        self._socket_path = socket_path
        self._timeout = httpx.Timeout(silent_s, connect=CONNECTS_WITHIN_S)

    async def post(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> HttpAnswer:
        """The whole answer. Raises HttpFailed; no redirect is followed, since keys would be."""
        socket = self._socket_path
        transport = httpx.AsyncHTTPTransport(uds=socket) if socket else None
        try:
            async with (
                httpx.AsyncClient(transport=transport, timeout=self._timeout) as client,
                client.stream("POST", url, headers=dict(headers), json=body) as answer,
            ):
                text = await _read(answer)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise HttpFailed("connection", f"{_host(url)} does not answer: {error}") from error
        except httpx.TimeoutException as error:
            raise HttpFailed("timeout", f"{_host(url)} was silent for too long.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HttpFailed("cut", f"The answer of {_host(url)} broke off: {error}") from error
        return HttpAnswer(
            answer.status_code, {name.lower(): it for name, it in answer.headers.items()}, text
        )


async def _read(answer: httpx.Response) -> str:
    pieces, size = list[bytes](), 0
    async for piece in answer.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BODY_BYTES:
            raise HttpFailed("cut", f"An answer of more than {MOST_BODY_BYTES:,} bytes.")
    return b"".join(pieces).decode("utf-8", "replace")


def _host(url: str) -> str:
    """The address without what may be secret in it."""
    return url.split("?")[0].rsplit("@")[-1][:200]
