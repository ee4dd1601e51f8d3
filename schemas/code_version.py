"""The version of code that failed on a record: of the package, and of its files."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path

from schemas.ids import sha256_hex

ROOT = Path(__file__).resolve().parents[1]


@cache
def code_version(*packages: str) -> str:
    """Another one whenever a file of one of the packages was changed."""
    files = sorted(
        file
        for name in packages
        for file in (ROOT / name).rglob("*")
        if file.suffix in (".py", ".toml")  # rules are code and lists
    )
    read = b"".join(file.read_bytes() for file in files)
    return f"{version('cairn')}+{sha256_hex(read)[:8]}"
