"""Whether every content on the log can be opened: its key was told, or told to be erased."""

from __future__ import annotations

from projections.checkpoint import Record
from schemas.envelope import Event
from schemas.events.vault import KeyCreated, KeyErased


class KeyCheck:
    """Sees each event once; then `missing` names contents whose key is nowhere on the log."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._named: dict[str, tuple[Record, int]] = {}  # the first record with a key; how many

    def see(self, record: Record, event: Event) -> None:
        if isinstance(event, KeyCreated | KeyErased):
            self._told.add(event.key_id)
        elif key_id := getattr(event, "key_id", None):
            first, count = self._named.get(key_id, (record, 0))
            self._named[key_id] = (first, count + 1)

    def list_missing(self) -> list[tuple[Record, str]]:
        """The first record of each missing key, and what to say of it; by key."""
        return [
            (
                first,
                f"{key_id} is not on vault.key.v1, so {count} contents cannot be read: restore that"
                " topic from a copy, or read the sources again into a new CAIRN_HOME",
            )
            for key_id, (first, count) in sorted(self._named.items())
            if key_id not in self._told
        ]
