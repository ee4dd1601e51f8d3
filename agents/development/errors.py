"""What goes wrong while agents write code, by class; each is told in events under its ``kind``."""

from __future__ import annotations

from typing import ClassVar


class DevelopmentError(Exception):
    """``kind`` is its class in events and metrics. The text says what, where and what to do."""

    kind: ClassVar[str] = "error"


class ConfigurationError(DevelopmentError):
    """A profile, role or setting does not fit; nothing was begun."""

    kind: ClassVar[str] = "configuration"


class DriverError(DevelopmentError):
    """A driver has no answer. ``is_retriable``: the same prompt may have one later."""

    kind: ClassVar[str] = "driver"

    def __init__(self, message: str, *, is_retriable: bool = False) -> None:
        super().__init__(message)
        self.is_retriable = is_retriable


class ToolError(DevelopmentError):
    """A tool cannot do what it was asked."""

    kind: ClassVar[str] = "tool"


class SecurityError(DevelopmentError):
    """A rule refuses a call; ``layer`` names it."""

    kind: ClassVar[str] = "security"

    def __init__(self, message: str, *, layer: str) -> None:
        super().__init__(message)
        self.layer = layer


class PathTraversalError(SecurityError):
    """A path leads out of the workspace, or to what nobody may write."""

    def __init__(self, message: str) -> None:
        super().__init__(message, layer="path")


class ReviewLimitError(DevelopmentError):
    """The limit of review rounds is reached without an approval."""

    kind: ClassVar[str] = "review_limit"


class TrackerError(DevelopmentError):
    """An issue tracker cannot be asked, or has no such issue."""

    kind: ClassVar[str] = "tracker"


class SandboxError(DevelopmentError):
    """The walls cannot be built, or do not hold; nothing was run outside of them."""

    kind: ClassVar[str] = "sandbox"
