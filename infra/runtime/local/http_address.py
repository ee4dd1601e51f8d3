"""Where the API of an installation listens: chosen before it starts, recorded once it does."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.runtime.local.process import ProcessId, identify, keep_ports


def choose_address(settings: Settings) -> str:
    """CAIRN_HTTP, or a free loopback port that is kept over restarts."""
    if settings.http:
        return settings.http
    settings.run_folder.mkdir(parents=True, exist_ok=True)
    (port,) = keep_ports(settings.home / "http.json", 1)
    return f"127.0.0.1:{port}"


def address_file(settings: Settings) -> Path:
    return settings.run_folder / "http.json"


def record_address(settings: Settings, url: str) -> None:
    """This process serves at ``url``."""
    served = {"url": url, "process": asdict(identify(os.getpid()))}
    settings.run_folder.mkdir(parents=True, exist_ok=True)
    write_whole(address_file(settings), json.dumps(served))


def read_address(settings: Settings) -> str | None:
    """The URL of the API as its process recorded it last; None when it never ran here."""
    return str(_read(settings).get("url", "")) or None


def find_served_address(settings: Settings) -> str | None:
    """The same while that very process runs: nobody else at its port is shown a token."""
    known = _read(settings)
    try:
        is_served = ProcessId(**known["process"]).alive()
    except (KeyError, TypeError):
        return None
    return str(known["url"]) if is_served else None


def _read(settings: Settings) -> dict[str, Any]:
    try:
        known = json.loads(address_file(settings).read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
