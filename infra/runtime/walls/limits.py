"""What a command may use up."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Limits:
    """``memory_bytes`` is for all processes together and for each of them, ``disk_bytes`` for all
    files of the workspace, ``file_bytes`` for one file, ``output_chars`` for the output that is
    kept.
    """

    time_s: float = 120.0
    processes: int = 256
    memory_bytes: int = 2 * GIB
    file_bytes: int = 512 * MIB
    disk_bytes: int = 2 * GIB
    scratch_bytes: int = 256 * MIB
    output_chars: int = 30_000
    open_files: int = 1024


DEFAULT_LIMITS = Limits()
