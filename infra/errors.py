"""The refusals a user reads. Each message is one sentence: what was wrong, where, what to do."""


class Refusal(Exception):
    """The work cannot be done as asked; the message is for the user (exit 1)."""


class Unavailable(Exception):
    """Something outside does not answer; never the fault of the record at hand (exit 1)."""


class BrokerUnavailable(Unavailable):
    """Kafka does not answer, or answers that it cannot serve now."""


class DatabaseUnavailable(Unavailable):
    """PostgreSQL does not answer, or ended the connection."""


class DiskFull(Unavailable):
    """A file could not be written, since its disk has no room."""


class TopicsUnfit(Refusal):
    """The broker's topics are not what the settings say: one is missing, or its count differs."""


class MigrationRefused(Refusal):
    """A migration failed, or a released migration file was edited."""


class VaultUnconfigured(Refusal):
    """There is no master key, so nothing can be encrypted or decrypted."""


class Undecryptable(Refusal):
    """The data key is gone (erased), or the bytes are not what was encrypted with it."""
