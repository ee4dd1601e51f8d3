"""The one family of errors that a user reads. Each message is one sentence: what is wrong, where.

An error has a ``code`` that programs compare and that stays as it is once released, and a
``detail`` of plain values. What to do about it depends on where it is read, so hints that name
commands belong to the command line.

``Unavailable`` is of the family, so that one handler at the edge renders all. Code that handles a
refusal and goes on has to let outages through: it names ``Unavailable`` in an earlier ``except`` of
the same ``try`` (a test holds this).
"""

import errno
from collections.abc import Mapping

NO_ROOM = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)


class Refusal(Exception):
    """The work cannot be done as asked; the message is for the user (exit 1)."""

    code = "refused"

    def __init__(
        self, message: str, *, code: str | None = None, detail: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code or self.code
        self.detail = dict(detail or {})


class NotFound(Refusal):
    """What was named does not exist."""

    code = "not_found"


class Conflict(Refusal):
    """What is asked does not fit the state that things are in."""

    code = "conflict"


class Forbidden(Refusal):
    """Whoever asks may not do this."""

    code = "forbidden"


class Invalid(Refusal):
    """What was given is malformed or out of range."""

    code = "invalid"


class Unavailable(Refusal):
    """Something outside does not answer; never the fault of the record at hand (exit 1)."""

    code = "unavailable"


class BrokerUnavailable(Unavailable):
    """Kafka does not answer, or answers that it cannot serve now."""

    code = "broker_unavailable"


class DatabaseUnavailable(Unavailable):
    """PostgreSQL does not answer, or ended the connection."""

    code = "database_unavailable"


class DiskFull(Unavailable):
    """A file could not be written, since its disk has no room."""

    code = "disk_full"


class TopicsUnfit(Conflict):
    """The broker's topics are not what the settings say: one is missing, or its count differs."""

    code = "topics_unfit"


class MigrationRefused(Conflict):
    """A migration failed, or a released migration file was edited."""

    code = "migration_refused"


class VaultUnconfigured(Conflict):
    """There is no master key, so nothing can be encrypted or decrypted."""

    code = "vault_unconfigured"


class Undecryptable(Conflict):
    """The data key is gone (erased), or the bytes are not what was encrypted with it."""

    code = "undecryptable"


def is_without_room(error: BaseException) -> bool:
    """Whether a disk or the machine has no room, or fails: never the fault of a record."""
    return isinstance(error, OSError) and error.errno in NO_ROOM
