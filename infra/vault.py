"""Content at rest: AES-256-GCM with one random data key per project (and per person, for erasure).

Data keys live in `cairn.vault_keys`, wrapped by a master key that is never in the database, so
neither the topics nor a copy of the database alone can be read. Keys are kept in memory once used:
a database outage stops new projects, not decrypting. A key's id is derived, so that two processes
meeting a project for the first time agree on one row.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import Connection

from infra.errors import Undecryptable, VaultUnconfigured
from infra.postgres import connect
from infra.settings import Settings

KEY_BYTES = 32
MARK_PURPOSE = b"cairn marks"  # one key, one use: marks have a key derived for them
NONCE_BYTES = 12  # NIST SP 800-38D §5.2.1.1; random, far below 2^32 uses of one key

Connect = Callable[[], AbstractContextManager[Connection[tuple[Any, ...]]]]


class Vault:
    """Encrypts and decrypts for one installation. Safe to share between threads.

    ``master_key`` None: every use raises VaultUnconfigured.
    """

    def __init__(self, connect: Connect, master_key: bytes | None) -> None:
        self._connect = connect
        self._master = AESGCM(master_key) if master_key else None
        self._keys: dict[str, AESGCM] = {}
        self._mark_keys: dict[str, bytes] = {}

    def encrypt(self, project_id: str, plaintext: bytes, subject: str = "") -> tuple[str, bytes]:
        """The key's id and nonce + ciphertext. Raises VaultUnconfigured, DatabaseUnavailable."""
        key_id = key_id_of(project_id, subject)
        key = self._keys.get(key_id) or self._obtain(key_id, project_id, subject)
        nonce = os.urandom(NONCE_BYTES)
        return key_id, nonce + key.encrypt(nonce, plaintext, key_id.encode())

    def decrypt(self, key_id: str, ciphertext: bytes) -> bytes:
        """The plaintext. Raises Undecryptable, VaultUnconfigured, DatabaseUnavailable."""
        key = self._keys.get(key_id)
        if key is None:
            with self._connect() as connection:
                key = self._read(connection, key_id)
        if key is None:
            raise Undecryptable(f"Key {key_id} is not in the vault: it was erased or never here.")
        nonce, sealed = ciphertext[:NONCE_BYTES], ciphertext[NONCE_BYTES:]
        return _opened(key, nonce, sealed, key_id)

    def mark(self, project_id: str, text: str) -> str:
        """64 hex digits that stand for ``text`` in this project and cannot be guessed from it.

        A keyed hash under the project's data key: who has only the log cannot try names. Raises
        VaultUnconfigured, DatabaseUnavailable.
        """
        key_id = key_id_of(project_id)
        if key_id not in self._mark_keys:
            self._obtain(key_id, project_id, "")
        return hmac.new(self._mark_keys[key_id], text.encode(), hashlib.sha256).hexdigest()

    def erase(self, project_id: str, subject: str) -> bool:
        """Nothing encrypted for ``subject`` can be read any more; whether there was a key.

        Other processes forget their copy when they restart. Raises DatabaseUnavailable.
        """
        key_id = key_id_of(project_id, subject)
        self._keys.pop(key_id, None)
        self._mark_keys.pop(key_id, None)
        with self._connect() as connection:
            gone = connection.execute("DELETE FROM cairn.vault_keys WHERE key_id = %s", (key_id,))
            return gone.rowcount == 1

    def _obtain(self, key_id: str, project_id: str, subject: str) -> AESGCM:
        """The key of the row, whoever made it: ours is offered, then the row is read."""
        master = self._require_master()
        nonce = os.urandom(NONCE_BYTES)
        offered = nonce + master.encrypt(nonce, secrets.token_bytes(KEY_BYTES), key_id.encode())
        with self._connect() as connection:
            connection.execute(
                "INSERT INTO cairn.vault_keys (key_id, project_id, subject, wrapped)"
                " VALUES (%s, %s, %s, %s) ON CONFLICT (key_id) DO NOTHING",
                (key_id, project_id, subject, offered),
            )
            key = self._read(connection, key_id)
        if key is None:
            raise Undecryptable(f"Key {key_id} was erased while it was first used: try again.")
        self._keys[key_id] = key
        return key

    def _read(self, connection: Connection[tuple[Any, ...]], key_id: str) -> AESGCM | None:
        master = self._require_master()
        row = connection.execute(
            "SELECT wrapped FROM cairn.vault_keys WHERE key_id = %s", (key_id,)
        ).fetchone()
        if row is None:
            return None
        wrapped = bytes(row[0])
        opened = _opened(master, wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], key_id)
        key = AESGCM(opened)
        self._keys[key_id] = key
        self._mark_keys[key_id] = hmac.digest(opened, MARK_PURPOSE, "sha256")
        return key

    def _require_master(self) -> AESGCM:
        if self._master is None:
            raise VaultUnconfigured(
                "Content cannot be encrypted or decrypted without a master key: set"
                " CAIRN_VAULT_KEY_FILE to a file with one (make it with"
                " `head -c 32 /dev/urandom | base64`)."
            )
        return self._master


def vault_of(settings: Settings) -> Vault:
    """The vault of an installation whose database is known."""
    return Vault(lambda: connect(settings.conninfo), master_key(settings))


def key_id_of(project_id: str, subject: str = "") -> str:
    """``key_`` and the hash of whom the key is for."""
    digest = hashlib.sha256(f"vault\n{project_id}\n{subject}".encode()).hexdigest()
    return f"key_{digest[:32]}"


def master_key(settings: Settings) -> bytes | None:
    """The 32 bytes of CAIRN_VAULT_KEY or CAIRN_VAULT_KEY_FILE (base64 or hex); None without.

    Raises VaultUnconfigured when one is given but is no key.
    """
    if settings.vault_key:
        return _key_from(settings.vault_key.get_secret_value(), "CAIRN_VAULT_KEY")
    if settings.vault_key_file:
        try:
            text = settings.vault_key_file.read_text()
        except OSError as error:
            raise VaultUnconfigured(
                f"The key file {settings.vault_key_file} (CAIRN_VAULT_KEY_FILE) cannot be read"
                f" ({error.strerror}): make it readable, or point to another."
            ) from error
        return _key_from(text, f"the key file {settings.vault_key_file}")
    return None


def ensure_key_file(path: Path) -> Path:
    """``path`` holds a master key, readable by its owner only; an existing one is kept."""
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


def _key_from(text: str, where: str) -> bytes:
    text = text.strip()
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_BYTES else base64.b64decode(text)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise VaultUnconfigured(
            f"The master key in {where} is not {KEY_BYTES} bytes in base64 or hex: make one with"
            " `head -c 32 /dev/urandom | base64`."
        )
    return key


def _opened(key: AESGCM, nonce: bytes, sealed: bytes, key_id: str) -> bytes:
    try:
        return key.decrypt(nonce, sealed, key_id.encode())
    except (InvalidTag, ValueError) as error:
        raise Undecryptable(
            f"The bytes do not open with key {key_id}: they were changed, or the master key is"
            " another one."
        ) from error
