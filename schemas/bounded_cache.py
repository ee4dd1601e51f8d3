"""What pure functions of a text answered, remembered within a number of bytes.

``functools.lru_cache`` counts entries, and a thousand texts of a stranger may be a megabyte or a
gigabyte. Two generations are kept. When the younger one is full, the older one is dropped: a hit
costs one look-up, and what is asked for again stays.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

KIB, MIB = 1024, 1024 * 1024
ENTRY_BYTES = 200  # of the dictionary and of small objects, beside the text and its answer

V = TypeVar("V")


def bounded_cache(
    budget_bytes: int, times_text: int
) -> Callable[[Callable[[str], V]], Callable[[str], V]]:
    """Remember answers within ``budget_bytes``; what is larger than half of it is not remembered.

    ``times_text``: how many times the memory of the text it takes together with its answer, as
    measured for the function that is decorated.
    """

    def decorate(function: Callable[[str], V]) -> Callable[[str], V]:
        young: dict[str, V] = {}
        old: dict[str, V] = {}
        young_bytes = 0

        @wraps(function)
        def answer_once(text: str) -> V:
            nonlocal young, old, young_bytes
            if text in young:
                return young[text]
            answer = old[text] if text in old else function(text)
            size = ENTRY_BYTES + times_text * sys.getsizeof(text)
            if size > budget_bytes // 2:
                return answer
            if young_bytes + size > budget_bytes // 2:
                young, old, young_bytes = {}, young, 0
            young[text] = answer
            young_bytes += size
            return answer

        return answer_once

    return decorate
