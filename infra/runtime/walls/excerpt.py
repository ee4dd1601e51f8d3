"""The beginning and the end of a long output; what lies between is only counted."""

from __future__ import annotations

import codecs


class Excerpt:
    """Holds about ``most_chars`` of what it is fed, however long that is."""

    def __init__(self, most_chars: int) -> None:
        self._half = max(1, most_chars // 2)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._head = self._tail = ""
        self._chars = 0

    def feed(self, content: bytes, *, is_last: bool = False) -> None:
        text = self._decoder.decode(content, is_last)
        self._chars += len(text)
        room = max(0, self._half - len(self._head))
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._half :]

    @property
    def left_out_chars(self) -> int:
        return self._chars - len(self._head) - len(self._tail)

    @property
    def text(self) -> str:
        if not self.left_out_chars:
            return self._head + self._tail
        return f"{self._head}\n… {self.left_out_chars:,} characters left out …\n{self._tail}"
