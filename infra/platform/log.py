"""Logging: structlog, one JSON object per line on standard error, configured once by `infra.cli`.

The standard library's loggers (aiokafka, faust) go the same way, so that a process has one log.
Standard output is left alone: it belongs to the answers of commands. A line that comes again and
again is shown once and then counted, so that a fault of hours does not hide all others. No string
of a line, a traceback included, shows a secret that the given function knows.
"""

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

LEVELS = ("debug", "info", "warning", "error")
FIRST_WINDOW_S, LAST_WINDOW_S = 60.0, 3600.0  # doubling while a line goes on coming
LINES_KNOWN = 256


def configure(
    level: str = "info",
    *,
    redact: Callable[[str], str],
    stream: TextIO | None = None,
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Every log line of this process goes to ``stream`` (standard error) as JSON.

    ``redact`` returns a string without its secrets.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = _Counting(stream or sys.stderr, now)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _redact_strings(redact),
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)  # of strangers only what is wrong; ours are filtered above
    ours = logging.getLogger("cairn")
    ours.setLevel(level.upper())


def get(name: str) -> FilteringBoundLogger:
    """A logger whose lines carry ``part=name``; event names are dotted (`stage.decided`)."""
    logger: FilteringBoundLogger = structlog.get_logger("cairn", part=name)
    return logger


def _redact_strings(redact: Callable[[str], str]) -> Processor:
    """A processor for all lines, ours and of strangers, behind those that add strings."""

    def redact_value(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, dict):
            return {redact_value(name): redact_value(each) for name, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [redact_value(each) for each in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        return redact(repr(value))

    def redact_strings(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {name: redact_value(value) for name, value in event.items()}

    return redact_strings


@dataclass
class _Line:
    """A line that was shown, and how often it came since."""

    last: logging.LogRecord
    window_s: float
    until: float
    repeats: int = 0


class _Counting(logging.StreamHandler[TextIO]):
    """Shows a line at once, and its repeats as a number when a while is over."""

    def __init__(self, stream: TextIO, now: Callable[[], float]) -> None:
        super().__init__(stream)
        self._now = now
        self._lines: dict[str, _Line] = {}

    def emit(self, record: logging.LogRecord) -> None:
        now, key = self._now(), _identity(record)
        self._close(now)
        if known := self._lines.get(key):
            known.last = _light(record)
            known.repeats += 1
            return
        if len(self._lines) >= LINES_KNOWN:
            self._end(next(iter(self._lines)))
        self._lines[key] = _Line(_light(record), FIRST_WINDOW_S, now + FIRST_WINDOW_S)
        super().emit(record)

    def close(self) -> None:
        for key in list(self._lines):
            self._end(key)
        super().close()

    def _close(self, now: float) -> None:
        """Windows that are over are told of; what came in one has a longer one after it."""
        for key in [key for key, line in self._lines.items() if now >= line.until]:
            line = self._end(key)
            if line.repeats:
                window_s = min(LAST_WINDOW_S, 2 * line.window_s)
                self._lines[key] = _Line(line.last, window_s, now + window_s)

    def _end(self, key: str) -> _Line:
        line = self._lines.pop(key)
        if line.repeats:
            super().emit(_count_repeats(line))
        return line


def _identity(record: logging.LogRecord) -> str:
    """All of a line but its time."""
    said = record.msg
    if isinstance(said, dict):
        said = {name: value for name, value in said.items() if name != "at"}
    error = record.exc_info[1] if record.exc_info else None
    return f"{record.name} {record.levelno} {said} {record.args} {error!r}"


def _light(record: logging.LogRecord) -> logging.LogRecord:
    """The line without the frames of its traceback, which would live as long as it is known."""
    light = logging.makeLogRecord(record.__dict__ | {"exc_info": None, "args": None})
    light.msg = dict(record.msg) if isinstance(record.msg, dict) else record.getMessage()
    return light


def _count_repeats(line: _Line) -> logging.LogRecord:
    """The last of the repeats, with their number."""
    record = line.last
    if isinstance(record.msg, dict):
        record.msg["repeats"] = line.repeats
    else:
        record.msg = f"{record.msg} [{line.repeats} repeats]"
    return record
