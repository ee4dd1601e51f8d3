"""Files exported from Jira: issues as JSON (as in its interface), or as CSV.

JSON contains what a poll reads, so its items are equal. CSV has no ids of comments and writes times
without a zone: comments become remarks of their issue, which a later poll replaces, and times are
read as UTC. A child process parses the format; the meaning is read here. One record that cannot be
read is named and in no other's way.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from pathlib import Path

from connectors.connector import SourceRefused, SourceUnavailable, printable
from connectors.jira.items import records_of
from connectors.jira.table import records_of_table
from connectors.payloads import UnreadablePayload
from connectors.records import Records
from connectors.sandbox import (
    MIB,
    ReadingFailed,
    ReadingRefused,
    Sandbox,
    limits_of,
    open_regular,
)
from connectors.unpacking.exports import JiraReader

MAX_FILE_BYTES = 256 * MIB
MEMORY_BYTES = 3 * 1024 * MIB  # parsed JSON takes about ten times its file's size


def records_in(path: Path, site: str) -> Records:
    """The items of an export file. Raises SourceUnavailable, SourceRefused."""
    name = printable(path.name)
    try:
        read = _records(path, site)
    except OSError as error:
        raise SourceUnavailable(f"{name} cannot be read: give a file.") from error
    except UnreadablePayload as error:
        raise SourceRefused(f"{name} is not a Jira export in JSON or CSV: {error}.") from None
    except ReadingRefused as error:
        raise SourceRefused(f"{name} is refused ({error}): export fewer issues at once.") from error
    except ReadingFailed as error:
        raise SourceRefused(
            f"{name} is not a Jira export in JSON or CSV that can be read: export it again, as"
            " UTF-8."
        ) from error
    if read.lost and not read.items:
        raise SourceRefused(
            f"{name} is not a Jira export that can be read: of {read.lost:,} records none is an"
            f" issue ({read.notices[0].reason})."
        )
    return read


def _records(path: Path, site: str) -> Records:
    with open_regular(path) as file, ExitStack() as ends:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_FILE_BYTES:
            raise ReadingRefused(f"more than {MAX_FILE_BYTES:,} bytes")
        child = Sandbox(JiraReader, file, limits_of(size, memory_bytes=MEMORY_BYTES), {})
        ends.callback(child.close)
        answers = ends.enter_context(closing(child.ask("issues")))
        form, _ = next(answers)
        given = [each for objects, _ in answers for each in objects]
        if not form["json"]:
            return records_of_table(site, form["heads"], given)
        read = Records()
        for number, issue in enumerate(given, start=1):
            if isinstance(issue, str):
                read.tell(f"record {number}", issue)
            else:
                read.extend(records_of(site, issue, form["names"]))
        return read
