"""Logging: structlog, one JSON object per line on standard error, configured once by `infra.cli`.

The standard library's loggers (aiokafka, faust) go the same way, so that a process has one log.
Standard output is left alone: it belongs to the answers of commands.
"""

import logging
import sys
from typing import TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

LEVELS = ("debug", "info", "warning", "error")


def configure(level: str = "info", *, stream: TextIO | None = None) -> None:
    """Every log line of this process goes to ``stream`` (standard error) as JSON."""
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
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
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
