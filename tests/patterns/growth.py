"""Whether a call ends on a long text, told without a clock on the wall."""

from __future__ import annotations

import signal
from collections.abc import Callable

LONG_TEXT = 200_000  # characters: at a square of them a call takes minutes, else a part of a second
LIMIT_S = 10.0  # of processor time, far from both


def ends(call: Callable[[], object], limit_s: float = LIMIT_S) -> bool:
    """Whether the call is done within the limit; patterns look for signals now and then."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        call()
    except TimeoutError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return True
