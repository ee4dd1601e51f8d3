"""Styles, scripts and icons: files of this package, with their hash in the address.

They hold no secret, so they are compressed; pages are not, whose forms carry the mark of a session
beside words that others may have chosen (BREACH).
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from infra.http.auth import CONSOLE
from infra.http.problems import respond
from infra.platform.errors import NotFound

KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


async def serve_asset(request: Request) -> Response:
    """A file under the address that `asset_address` gives it; any other is not there."""
    name = str(request.path_params["name"])
    assets = read_assets()
    if name not in assets or asset_address(name) != request.url.path:
        return respond(request, NotFound("There is no such file.", code="unknown_path"))
    kind = KINDS[name.rpartition(".")[2]]
    headers = {
        "cache-control": FOREVER,
        "x-content-type-options": "nosniff",
        "vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(compress_asset(name), 200, headers | {"content-encoding": "gzip"}, kind)
    return Response(assets[name], 200, headers, kind)


@cache
def compress_asset(name: str) -> bytes:
    return gzip.compress(read_assets()[name], mtime=0)


@cache
def asset_address(name: str) -> str:
    """Where it is served: another content has another address. Raises KeyError."""
    return f"{CONSOLE}/static/{hashlib.sha256(read_assets()[name]).hexdigest()[:12]}/{name}"


@cache
def read_assets() -> dict[str, bytes]:
    folder = files("infra.http.console") / "static"
    kept = (each for each in folder.iterdir() if each.name.rpartition(".")[2] in KINDS)
    return {each.name: each.read_bytes() for each in kept}
