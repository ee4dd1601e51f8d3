"""Addresses that may hold credentials: whether one is well formed, and how it may be shown.

A password may hold any character, so in an address that is not well formed nobody can tell where it
ends. Such an address is refused before it is used, and shown only after its last @.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import MutableMapping
from urllib.parse import urlsplit

from infra.platform.errors import Invalid

HIDDEN = "…"
SCHEMES = frozenset(
    ("http", "https", "ssh", "git", "file", "ftp", "socks5", "postgres", "postgresql")
)
WITHOUT_HOST = frozenset(("file", "postgres", "postgresql"))
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SHARED = ipaddress.ip_network("100.64.0.0/10")  # RFC 6598, of carriers and of private networks
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052
_START = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/+|//+")
_GIT_USER = re.compile(r"(?<![\w.+%@:/-])git@(?=[\w.-]+:)")  # everybody's, and no secret
_WHOLE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+")
_REPOSITORY = re.compile(r"https://[^\s\x00-\x1f]{1,2000}|github:[\w.-]{1,100}/[\w.-]{1,100}")
_AT = re.compile(r"@|%40")
_QUERY = re.compile(r"(?<=[^\s?])[?#][^\s'\"]*")
_NAMED = re.compile(r"(?i)\b(\w*(?:passw|pwd|token|secret|key|auth)\w*\s*=\s*)('[^']*'|[^\s&'\"]+)")


def exempt_loopback(environ: MutableMapping[str, str]) -> None:
    """No program that reads the proxies of ``environ`` asks one for this machine itself.

    Other loopback addresses are those that a variable names: a list of hosts knows no networks.
    Both spellings are set, since programs differ in which one goes first.
    """
    named = [urlsplit(url).hostname or "" for url in environ.values() if is_loopback(url)]
    known = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    hosts = [host.strip() for host in known.split(",") if host.strip()]
    hosts += [host for host in dict.fromkeys((*LOOPBACK, *named)) if host not in hosts]
    environ["no_proxy"] = environ["NO_PROXY"] = ",".join(hosts)


def is_loopback(url: str) -> bool:
    """Whether an address leads to this machine itself, so that no proxy can pass it on."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def may_be_called(address: str, *, private: bool = False) -> bool:
    """Whether an IP address may be called that a user has named, by itself or by a host's name.

    Only public ones; with ``private`` also those of this machine and of private networks, but never
    link-local ones, where clouds keep credentials of their machines. An IPv6 address that carries
    an IPv4 address is judged by that one too.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    carried = _carried(parsed) if isinstance(parsed, ipaddress.IPv6Address) else []
    return all(_may_be_called(each, private=private) for each in (parsed, *carried))


def _may_be_called(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, *, private: bool
) -> bool:
    if address.is_multicast or address.is_link_local or address.is_unspecified:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return True  # what it carries decides
    return address.is_global or (private and (address.is_private or address in SHARED))


def _carried(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to: mapped, 6to4, Teredo, NAT64."""
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]


def is_well_formed(url: str, *, query: bool = False) -> bool:
    """Whether it is certain where in ``url`` user and password end; ``query``: whether it may
    have one.
    """
    try:
        parts = urlsplit(url)
        scheme, path, host, _ = parts.scheme, parts.path, parts.netloc, parts.port
    except ValueError:
        return False
    if "://" not in url or not url.isprintable() or not (host or scheme in WITHOUT_HOST):
        return False
    if scheme == "file" and not host:
        return True
    return (
        " " not in url
        and host.count("@") <= 1
        and "\\" not in url
        and "%" not in host.rpartition("@")[2]
        and "@" not in path
        and (query or "?" not in url)
        and "#" not in url
    )


def without_credentials(text: str) -> str:
    """``text``, an address or a message with addresses, without what may be a credential.

    Rather too much is left out than too little; three dots stand for what was.
    """
    start = _START.match(text)
    if start is None:
        return _NAMED.sub(rf"\1{HIDDEN}", _message(text))
    if not is_well_formed(text, query=True):
        *hidden, rest = _AT.split(text[start.end() :])
        place, *query = re.split(r"[?#]", rest, maxsplit=1)
        shown = f"{HIDDEN}@{place}" if hidden else HIDDEN
        return f"{_scheme(start)}{shown}{HIDDEN if query else ''}"
    return _display(text)


def _display(url: str) -> str:
    """A well formed address without user, password and query."""
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc:
        return url
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return f"{shown}?{HIDDEN}" if parts.query else shown


def _exact(found: re.Match[str]) -> str:
    return _display(found[0]) if is_well_formed(found[0], query=True) else found[0]


def _message(text: str) -> str:
    """Well formed addresses are shown without user and password. Where an @ is left, nothing is
    shown from the first address to the last @.
    """
    text = _GIT_USER.sub("git\0", _WHOLE.sub(_exact, text))
    start = _START.search(text)
    if start is None:
        shown = _after_last_at(text)
    else:
        before, rest = text[: start.start()], _after_last_at(text[start.end() :])
        shown = f"{_after_last_at(before)}{_scheme(start)}{_QUERY.sub(HIDDEN, rest)}"
    return shown.replace("\0", "@")


def _after_last_at(text: str) -> str:
    *hidden, rest = _AT.split(text)
    return f"{HIDDEN}@{rest}" if hidden else rest


def _scheme(start: re.Match[str]) -> str:
    """The protocol, unless what stands there may be something else."""
    if start[1] is None:
        return "//"
    return f"{start[1].lower() if start[1].lower() in SCHEMES else HIDDEN}://"


def check_repository_address(address: str) -> None:
    """Raises Invalid unless it is the address of a repository: no client names a local path."""
    if not _REPOSITORY.fullmatch(address):
        raise Invalid(
            "Give the address of a git repository as https://… or github:owner/repo.",
            code="address_invalid",
        )
