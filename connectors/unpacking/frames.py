"""The protocol of the pipe: frames of JSON and bytes, which execute nothing when read.

A frame is a value and bytes that would be wasteful in JSON. Names keep invalid Unicode.
"""

from __future__ import annotations

import json
import struct
from typing import Any

LENGTHS = struct.Struct(">II")  # of the JSON, of the bytes after it
JSON_BYTES = 32 * 1024 * 1024
CONTENT_BYTES = 8 * 1024 * 1024 + 1  # as much of a content as anyone reads
OUT_OF_MEMORY = 12  # what the child ends with

Frame = tuple[Any, bytes]


class TooLarge(ValueError):
    """A frame is larger than either side takes."""


def encode_frame(value: Any, content: bytes = b"") -> bytes:
    """Raises TooLarge."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    written = text.encode("utf-8", "surrogatepass")
    if len(written) > JSON_BYTES or len(content) > CONTENT_BYTES:
        raise TooLarge(f"more than {JSON_BYTES >> 20} MiB in one piece")
    return LENGTHS.pack(len(written), len(content)) + written + content


def lengths_of(head: bytes) -> tuple[int, int]:
    """How much JSON and how many bytes follow. Raises TooLarge."""
    json_bytes, content = LENGTHS.unpack(head)
    if json_bytes > JSON_BYTES or content > CONTENT_BYTES:
        raise TooLarge("a frame that is too large")
    return json_bytes, content


def value_of(encoded: bytes | bytearray) -> Any:
    """Raises ValueError, RecursionError."""
    return json.loads(encoded.decode("utf-8", "surrogatepass"))
