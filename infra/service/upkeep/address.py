"""Where the API of an installation listens: chosen before it starts, recorded once it does."""

from __future__ import annotations

import json
from pathlib import Path

from infra.platform.settings import Settings
from infra.runtime.local.process import keep_ports


def choose_address(settings: Settings) -> str:
    """CAIRN_HTTP, or a free loopback port that is kept over restarts."""
    if settings.http:
        return settings.http
    settings.run_folder.mkdir(parents=True, exist_ok=True)
    (port,) = keep_ports(settings.home / "http.json", 1)
    return f"127.0.0.1:{port}"


def address_file(settings: Settings) -> Path:
    return settings.run_folder / "http.json"


def read_address(settings: Settings) -> str | None:
    """The URL of the API as its process recorded it last; None when it never ran here."""
    try:
        return str(json.loads(address_file(settings).read_text())["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
