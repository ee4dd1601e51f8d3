"""The client of one service's address, and which addresses may be one."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import httpx

from connectors.connector import SourceRefused
from infra.platform.addresses import is_loopback, is_well_formed, without_credentials

CONNECT_S, READ_S = 10.0, 30.0
LOCATION = "location"
LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))


def open_client(base_url: str) -> httpx.AsyncClient:
    """A client that uses the environment's proxies, for a service on this machine none.

    Raises SourceRefused if it cannot.
    """
    timeout = httpx.Timeout(READ_S, connect=CONNECT_S)
    try:
        return httpx.AsyncClient(
            timeout=timeout,
            follow_redirects=False,
            trust_env=not is_loopback(base_url),
            event_hooks={"response": [_set_location_aside]},
        )
    except (
        httpx.InvalidURL,
        ValueError,
        ImportError,
    ):  # the message would show parts of the address
        raise SourceRefused(
            "A proxy of the environment cannot be used: set HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
            " to http://user:password@host:port, with %40 for an @ and %2F for a / in a password."
        ) from None


async def _set_location_aside(response: httpx.Response) -> None:
    """The client reads where a redirect leads also where it does not follow, and raises for what is
    no address.
    """
    response.extensions[LOCATION] = response.headers.pop(LOCATION, "")


def check_base_url(url: str) -> str:
    """Returns ``url`` with a slash at its end. Raises SourceRefused if it would leak secrets."""
    if not is_well_formed(url) or "@" in (parts := urlsplit(url)).netloc:
        raise SourceRefused(
            f"{without_credentials(url)!r} is not an address of a service: write https://host/path,"
            " without user, password or query."
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise SourceRefused(
            f"{without_credentials(url)!r} would send the credential unencrypted: give an https"
            " address."
        )
    return url if url.endswith("/") else f"{url}/"


def follow(url: str, place: str) -> str:
    """The address that the service behind ``url`` points to by ``place``.

    Raises SourceRefused where that is no address, or one of another host, which is not asked: our
    credential goes to none.
    """
    host = urlsplit(url).netloc.rpartition("@")[2]
    try:
        target = urljoin(url, place)
        httpx.URL(target)
        is_other = origin_of(target) != origin_of(url)
    except (ValueError, httpx.InvalidURL):
        target, is_other = "", False
    if not target or not place:
        raise SourceRefused(f"{host} points to what is no address: check the address of {host}.")
    if is_other:
        raise SourceRefused(f"{host} points to another host, which is not requested.")
    return target


def origin_of(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
