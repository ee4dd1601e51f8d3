"""Content at rest: AES-256-GCM with one random data key per project (and per person, for erasure).

Data keys are kept by `infra.platform.key_store`, wrapped by a master key that is in neither topics
nor database, so a copy of both alone cannot be read. What is sealed is bound to whose it is
(project, subject, generation of the key), to the format and, of chat, to the testimony, so that it
opens nowhere else. Keys are kept in memory once used: an outage stops new projects and persons, not
reading a project's contents. A person's key is used for `FRESH_S` without asking whether it was
erased, and not at all while nobody can be asked.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from infra.platform.errors import DatabaseUnavailable, Undecryptable, VaultUnconfigured
from infra.platform.key_store import KeyRecord, KeyStore
from infra.platform.settings import Settings

KEY_BYTES = 32
MARK_PURPOSE = b"cairn marks"  # one key, one use: marks have a key derived for them
NONCE_BYTES = 12  # NIST SP 800-38D §5.2.1.1; random, far below 2^32 uses of one key
PAUSE_S = 30.0  # before a database that does not answer is asked about a project's own key again
FRESH_S = 4.0  # others have to drop an erased key within 5 s; asking takes some of them
SCHEMA = "cairn content 1"
KEY_SCHEMA = "cairn key 1"


@dataclass(frozen=True, slots=True)
class _Key:
    """A data key ready for use."""

    record: KeyRecord
    cipher: AESGCM
    mark_key: bytes

    def binding(self, place: str) -> bytes:
        return _binding(SCHEMA, self.record, place)


class Vault:
    """Encrypts and decrypts for one installation. Safe to share between threads.

    ``master_key`` None: every use raises VaultUnconfigured. Uses of a key that is new here raise
    DatabaseUnavailable, those of one that is new to all BrokerUnavailable too.
    """

    def __init__(
        self,
        store: KeyStore,
        master_key: bytes | None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._master = AESGCM(master_key) if master_key else None
        self._monotonic = monotonic
        self._asked_s = monotonic()
        self._tried_s = self._asked_s  # for a project's own key
        self._keys: dict[str, _Key] = {}
        self._current: dict[tuple[str, str], _Key] = {}

    def encrypt(
        self, project_id: str, plaintext: bytes, subject: str = "", place: str = ""
    ) -> tuple[str, bytes]:
        """The key's id and nonce + ciphertext, which opens for the same ``place`` (an id) only.

        Raises VaultUnconfigured, …Unavailable.
        """
        key = self._key_for(project_id, subject)
        nonce = os.urandom(NONCE_BYTES)
        return key.record.key_id, nonce + key.cipher.encrypt(nonce, plaintext, key.binding(place))

    def decrypt(self, key_id: str, ciphertext: bytes, place: str = "") -> bytes:
        """The plaintext. Raises Undecryptable, VaultUnconfigured, …Unavailable."""
        if key := self._keys.get(key_id):
            self._drop_erased_of(key.record.subject)
            key = self._keys.get(key_id)
        key = key or self._find_key(key_id)
        return _open(key.cipher, ciphertext, key.binding(place), key_id)

    def mark(self, project_id: str, text: str) -> str:
        """64 hex digits that stand for ``text`` in this project and cannot be guessed from it.

        A keyed hash under the project's data key: who has only the log cannot try names. Raises
        VaultUnconfigured, …Unavailable.
        """
        key = self._key_for(project_id, "")
        return hmac.new(key.mark_key, text.encode(), hashlib.sha256).hexdigest()

    def erase(self, project_id: str, subject: str) -> bool:
        """Nothing encrypted for the person ``subject`` can be read; whether there was a key.

        Here from now on, in other processes within 5 s. What the person says next gets a new
        generation of the key. Raises DatabaseUnavailable, BrokerUnavailable: then do it again.
        """
        if not subject:
            raise ValueError("a project's own key goes with the project alone: name a person")
        return self._erase(project_id, subject)

    def erase_project(self, project_id: str) -> bool:
        """Nothing encrypted for the project or a person in it can be read; whether there was a key.

        Here from now on, in other processes within 5 s while the database answers. For a project
        that was deleted. Raises DatabaseUnavailable, BrokerUnavailable: then do it again.
        """
        return self._erase(project_id, None)

    def _erase(self, project_id: str, subject: str | None) -> bool:
        done = self._store.erase(project_id, subject)
        self._asked_s = float("-inf")
        self._drop_erased()
        return done

    def count_locked(self) -> int:
        """How many data keys do not open with this master key. Raises …Unavailable."""
        master, closed = self._require_master(), 0
        for record in self._store.all():
            if record.wrapped is not None:
                try:
                    _open(master, record.wrapped, _binding(KEY_SCHEMA, record), record.key_id)
                except Undecryptable:
                    closed += 1
        return closed

    def _key_for(self, project_id: str, subject: str) -> _Key:
        self._drop_erased_of(subject)
        known = self._current.get((project_id, subject))
        if known:
            return known
        master = self._require_master()

        def wrap(generation: int) -> bytes:
            nonce = os.urandom(NONCE_BYTES)
            whose = KeyRecord("", project_id, subject, generation, None)
            new_key = secrets.token_bytes(KEY_BYTES)
            return nonce + master.encrypt(nonce, new_key, _binding(KEY_SCHEMA, whose))

        key = self._keep(self._store.current(project_id, subject, wrap))
        self._current[project_id, subject] = key
        return key

    def _find_key(self, key_id: str) -> _Key:
        self._require_master()
        record = self._store.find(key_id)
        if record is None:
            raise Undecryptable(
                f"Key {key_id} is unknown, in the database and on the topic of keys: restore that"
                " topic, or read the source again."
            )
        if record.generation == 0:
            raise Undecryptable(
                f"Key {key_id} is of an earlier build, whose contents are not read any more: read"
                " the sources again with a new CAIRN_HOME."
            )
        if record.wrapped is None:
            raise Undecryptable(f"Key {key_id} was erased, and nobody can read what it was for.")
        return self._keep(record)

    def _keep(self, record: KeyRecord) -> _Key:
        assert record.wrapped is not None
        opened = _open(
            self._require_master(), record.wrapped, _binding(KEY_SCHEMA, record), record.key_id
        )
        key = _Key(record, AESGCM(opened), hmac.digest(opened, MARK_PURPOSE, "sha256"))
        self._keys[record.key_id] = key
        return key

    def _drop_erased_of(self, subject: str) -> None:
        """As `_drop_erased`. A project's own key (no ``subject``) is used on while nobody answers:
        projects are read and webhooks taken without the database.
        """
        if subject:
            self._drop_erased()
        elif self._monotonic() - self._tried_s >= FRESH_S:
            self._tried_s = self._monotonic()
            try:
                self._drop_erased()
            except DatabaseUnavailable:
                self._tried_s += PAUSE_S

    def _drop_erased(self) -> None:
        """No key is at hand that was erased more than `FRESH_S` ago. Raises DatabaseUnavailable."""
        now = self._monotonic()
        if now - self._asked_s < FRESH_S:
            return
        erased = self._store.list_erased()
        self._asked_s = now
        for key_id in erased & self._keys.keys():
            key = self._keys.pop(key_id)
            self._current.pop((key.record.project_id, key.record.subject), None)

    def _require_master(self) -> AESGCM:
        if self._master is None:
            raise VaultUnconfigured(
                "Content cannot be encrypted or decrypted without a master key: set"
                " CAIRN_VAULT_KEY_FILE to a file with one (make it with"
                " `head -c 32 /dev/urandom | base64`)."
            )
        return self._master


def vault_of(settings: Settings) -> Vault:
    """The vault of an installation whose broker and database are known."""
    return Vault(KeyStore(settings), master_key(settings))


def master_key(settings: Settings) -> bytes | None:
    """The 32 bytes of CAIRN_VAULT_KEY or CAIRN_VAULT_KEY_FILE (base64 or hex); None without.

    Raises VaultUnconfigured when one is given but is no key.
    """
    if settings.vault_key:
        return parse_key(settings.vault_key.get_secret_value(), "CAIRN_VAULT_KEY")
    if settings.vault_key_file:
        try:
            text = settings.vault_key_file.read_text()
        except OSError as error:
            raise VaultUnconfigured(
                f"The key file {settings.vault_key_file} (CAIRN_VAULT_KEY_FILE) cannot be read"
                f" ({error.strerror}): make it readable, or point to another."
            ) from error
        return parse_key(text, f"the key file {settings.vault_key_file}")
    return None


def ensure_key_file(path: Path) -> Path:
    """``path`` holds a new key, readable by its owner only; an existing one is kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n")
    try:
        os.link(draft, path)  # fails when it is there: the first key wins, whole
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path


def parse_key(text: str, where: str) -> bytes:
    """The 32 bytes that ``text`` is, in base64 or hex. Raises VaultUnconfigured."""
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else base64.b64decode(text)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise VaultUnconfigured(
            f"The key in {where} is not {KEY_BYTES} bytes in base64 or hex: make one with"
            " `head -c 32 /dev/urandom | base64`."
        )
    return key


def _binding(schema: str, record: KeyRecord, place: str = "") -> bytes:
    """Associated data: bytes sealed for one key, format or place do not open as another's."""
    whose = (schema, record.project_id, record.subject, str(record.generation), place)
    return "\n".join(whose).encode()


def _open(cipher: AESGCM, sealed: bytes, binding: bytes, key_id: str) -> bytes:
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], binding)
    except (InvalidTag, ValueError) as error:
        raise Undecryptable(
            f"The bytes do not open with key {key_id}: they were changed, or the master key is"
            " another one."
        ) from error
