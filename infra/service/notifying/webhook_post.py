"""One attempt of a delivery: sign it, judge where it goes, send it, and tell what came of it.

Signed as Standard Webhooks says (specification, «Signature scheme»). The host's name is resolved
once for each attempt, and the connection goes to exactly the address that was judged, so a name
that leads elsewhere a moment later changes nothing. No redirect is followed and no proxy is used: a
proxy would resolve the name itself. Of the answer only status and ``Retry-After`` are read.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import ipaddress
import os
import secrets
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from functools import cache, partial

import httpx

from connectors.rate_limits import retry_after
from infra.platform.addresses import may_be_called
from infra.platform.clock import SystemClock
from infra.platform.loop import in_thread
from infra.store.webhook_deliveries import Answer

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
ANSWERS_WITHIN_S = 10.0
TRUSTED = ("SSL_CERT_FILE", "SSL_CERT_DIR")  # of the environment, as other programs read them
MOST_ADDRESSES = 4  # of a name that are tried in one attempt


class AddressRefused(Exception):
    """The rules for outgoing calls forbid this address; the message says why."""


def draw_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret_texts: Sequence[str], message_id: str, timestamp_s: int, body: bytes) -> str:
    """The header ``webhook-signature``: one signature for each secret, with blanks between.

    Raises ValueError for a secret that is none.
    """
    signed = f"{message_id}.{timestamp_s}.".encode() + body
    return " ".join(
        f"v1,{base64.b64encode(hmac.digest(_key_of(each), signed, hashlib.sha256)).decode()}"
        for each in secret_texts
    )


def headers_of(secret_texts: Sequence[str], message_id: str, body: bytes) -> dict[str, str]:
    """What goes with an attempt that is made now."""
    timestamp_s = int(SystemClock().now().timestamp())
    return {
        "content-type": "application/json",
        "user-agent": "Cairn",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": sign(secret_texts, message_id, timestamp_s, body),
    }


async def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    may_be_private: bool,
    within_s: float = ANSWERS_WITHIN_S,
) -> Answer:
    """Send ``body`` once, and return the answer, or why there is none, within ``within_s``."""
    began_s = time.monotonic()

    def took_ms() -> int:
        return int((time.monotonic() - began_s) * 1_000)

    try:
        async with asyncio.timeout(within_s):
            answer = await _post(httpx.URL(url), body, headers, may_be_private)
    except TimeoutError:
        return Answer(took_ms(), error=f"no answer within {within_s:g} s")
    except AddressRefused as error:
        return Answer(took_ms(), error=str(error))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        # Its text may hold what the receiver said.
        return Answer(took_ms(), error=f"no connection or no HTTP ({type(error).__name__})")
    wait_s = retry_after(answer.headers, SystemClock().now()) if answer.is_error else None
    return Answer(took_ms(), answer.status_code, wait_s=wait_s)


async def _post(
    url: httpx.URL, body: bytes, headers: Mapping[str, str], may_be_private: bool
) -> httpx.Response:
    addresses = await _resolve(url, may_be_private)
    named = {"host": url.netloc.decode("ascii"), **headers}
    async with httpx.AsyncClient(
        verify=_tls(*map(os.environ.get, TRUSTED)),
        trust_env=False,
        follow_redirects=False,
        timeout=None,
    ) as client:
        for number, address in enumerate(addresses, 1):
            request = client.build_request(
                "POST",
                url.copy_with(host=address),
                content=body,
                headers=named,
                extensions={"sni_hostname": url.raw_host.decode("ascii")},  # and of the certificate
            )
            try:
                answer = await client.send(request, stream=True)
            except httpx.ConnectError:
                if number == len(addresses):
                    raise
            else:
                await answer.aclose()  # nobody reads the rest
                return answer
    raise AddressRefused("the name has no address")


async def _resolve(url: httpx.URL, may_be_private: bool) -> list[str]:
    """The addresses of the host. Raises AddressRefused if any of them may not be called."""
    port = url.port or (443 if url.scheme == "https" else 80)
    host = url.raw_host.decode("ascii")
    look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        # In a thread of its own: a name server that is slow for one keeps no other one waiting.
        found = await in_thread(look_up)
    except (socket.gaierror, UnicodeError) as error:
        raise AddressRefused("the name of the host is not known") from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses:
        raise AddressRefused("the name of the host has no address")
    for address in addresses:
        if not may_be_called(address, private=may_be_private):
            raise AddressRefused("the host is on a network that may not be called")
        if url.scheme != "https" and not ipaddress.ip_address(address).is_loopback:
            raise AddressRefused("without TLS only this machine may be called")
    return addresses[:MOST_ADDRESSES]


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret is whsec_ and base64") from error


@cache
def _tls(cafile: str | None, capath: str | None) -> ssl.SSLContext:
    """Of the certificate authorities in a file or folder; without both of the public ones."""
    if cafile or capath:
        return ssl.create_default_context(cafile=cafile or None, capath=capath or None)
    return httpx.create_ssl_context(trust_env=False)
