"""Conversations of the `api` driver in files: a run that is taken up again goes on in its own.

One file a session, for its owner alone; who reads one that is not there is told so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.development.drivers.sessions import Messages
from agents.models.records import read_json
from infra.platform.files import PRIVATE_FOLDER, write_whole
from schemas.ids import sha256_hex


class FileSessions:
    """``agents.development.drivers.sessions.Sessions`` over a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def load(self, session_id: str) -> Messages | None:
        """The messages; None where the file is not there or cannot be read."""
        return await asyncio.to_thread(self._read, session_id)

    async def save(self, session_id: str, messages: Messages) -> None:
        await asyncio.to_thread(self._write, session_id, list(messages))

    def _path_of(self, session_id: str) -> Path:
        """Whatever the id is, the file lies in the folder."""
        return self._folder / f"{sha256_hex(session_id.encode(errors='replace'))}.json"

    def _read(self, session_id: str) -> Messages | None:
        try:
            messages = read_json(self._path_of(session_id).read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            return None
        is_list = isinstance(messages, list) and all(isinstance(it, dict) for it in messages)
        return messages if is_list else None

    def _write(self, session_id: str, messages: list[Mapping[str, Any]]) -> None:
        self._folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        write_whole(self._path_of(session_id), json.dumps(messages), mode=0o600)
