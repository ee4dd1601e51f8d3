"""Why a driver has no reply, in four classes that say whether the same prompt is asked again."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from agents.development.errors import DriverError
from agents.development.ports import Spent
from agents.models.programs import ProgramFailed

Failure = Literal["transient", "idle", "ceiling", "permanent"]

TRANSIENT_STATUS = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_TRANSIENT = re.compile(
    r"\b(408|429|500|502|503|504|529)\b"
    r"|rate.?limit|overloaded|too many requests|temporarily|try again"
    r"|connection (error|reset|refused|closed|aborted)|stream (disconnected|closed|error)"
    r"|econnreset|econnrefused|etimedout|enotfound|eai_again|socket hang up|timed? ?out"
    r"|service unavailable|bad gateway|internal server error|network error|fetch failed",
    re.IGNORECASE,
)
_PERMANENT = re.compile(
    r"invalid api key|authentication|unauthorized|not logged in|please run /login|log ?in again"
    r"|unknown option|unexpected argument|credit balance|quota exceeded|usage limit reached"
    r"|no conversation found|\b(401|402|403|404)\b",
    re.IGNORECASE,
)


class DriverFailed(DriverError):
    """A prompt without a reply. ``spent`` is what all attempts have cost until then.

    ``transient``: the same prompt may have a reply later. ``idle``: nothing came for too long; it
    is asked once more. ``ceiling``: it took too long, or too many rounds, in all; it is never paid
    again. ``permanent``: asking again changes nothing.
    """

    kind: ClassVar[str] = "driver"

    def __init__(
        self,
        failure: Failure,
        message: str,
        *,
        spent: Spent | None = None,
        session_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, is_retriable=failure in ("transient", "idle"))
        self.failure: Failure = failure
        self.spent = spent or Spent()
        self.session_id = session_id
        self.retry_after_s = retry_after_s


def classify_text(text: str) -> Failure:
    """The class of what a program says of its failure; what nobody recognises is permanent."""
    if _PERMANENT.search(text):
        return "permanent"
    return "transient" if _TRANSIENT.search(text) else "permanent"


def classify_status(status: int) -> Failure:
    """The class of a status of HTTP."""
    return "transient" if status in TRANSIENT_STATUS or status >= 500 else "permanent"


def classify_program(failed: ProgramFailed, last_words: str) -> Failure:
    """The class of a program's end; ``last_words`` is what it has printed of its failure."""
    if failed.kind == "idle":
        return "idle"
    if failed.kind == "ceiling":
        return "ceiling"
    if failed.kind == "missing":
        return "permanent"
    return classify_text(f"{last_words}\n{failed.errors}")
