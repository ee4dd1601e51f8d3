"""One key a project whoever comes first, nothing readable without the master key."""

import contextlib
import multiprocessing
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

import infra.postgres
from infra.errors import DatabaseUnavailable, Undecryptable, VaultUnconfigured
from infra.settings import Settings
from infra.vault import Vault, ensure_key_file, key_id_of, master_key, vault_of
from tests.conftest import MIGRATIONS

MASTER = bytes(range(32))
PROJECT = "prj_" + "1" * 32


@pytest.fixture
def database(bare: Settings) -> Settings:
    with infra.postgres.connect(bare.conninfo) as connection:
        connection.execute((MIGRATIONS / "0001_operational.sql").read_bytes())
    return bare.model_copy(update={"vault_key_file": ensure_key_file(bare.home / "vault.key")})


def encrypt_once(settings: Settings, start: Any, answers: Any) -> None:
    start.wait()
    answers.put(vault_of(settings).encrypt(PROJECT, b"secret"))


@pytest.mark.broker
def test_what_was_encrypted_is_read_back_by_another_process_only_with_the_key(database: Settings):
    key_id, sealed = vault_of(database).encrypt(PROJECT, b"secret")
    assert b"secret" not in sealed
    assert vault_of(database).decrypt(key_id, sealed) == b"secret"
    stranger = Vault(lambda: infra.postgres.connect(database.conninfo), MASTER)
    with pytest.raises(Undecryptable, match="master key"):
        stranger.decrypt(key_id, sealed)


@pytest.mark.broker
def test_two_processes_meeting_a_project_first_agree_on_one_key(database: Settings):
    context = multiprocessing.get_context("spawn")
    start, answers = context.Barrier(2), context.Queue()
    workers = [
        context.Process(target=encrypt_once, args=(database, start, answers)) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    sealed = [answers.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    with infra.postgres.connect(database.conninfo) as connection:
        keys = connection.execute("SELECT key_id FROM cairn.vault_keys").fetchall()
    assert keys == [(key_id_of(PROJECT),)]
    vault = vault_of(database)
    assert [vault.decrypt(key_id, bytes_) for key_id, bytes_ in sealed] == [b"secret"] * 2


@pytest.mark.broker
def test_a_mark_is_the_same_for_all_processes_and_another_in_every_project(database: Settings):
    mark = vault_of(database).mark(PROJECT, "member|slack|U1")
    assert vault_of(database).mark(PROJECT, "member|slack|U1") == mark
    assert vault_of(database).mark(PROJECT, "member|slack|U2") != mark
    assert vault_of(database).mark("prj_" + "2" * 32, "member|slack|U1") != mark


@pytest.mark.broker
def test_a_database_outage_does_not_stop_reading_with_known_keys(database: Settings):
    away = False

    @contextlib.contextmanager
    def sometimes() -> Iterator[Connection[tuple[Any, ...]]]:
        if away:
            raise DatabaseUnavailable("away")
        with infra.postgres.connect(database.conninfo) as connection:
            yield connection

    vault = Vault(sometimes, MASTER)
    key_id, sealed = vault.encrypt(PROJECT, b"secret")
    away = True
    assert vault.decrypt(key_id, sealed) == b"secret"
    assert vault.encrypt(PROJECT, b"more")[0] == key_id
    with pytest.raises(DatabaseUnavailable):
        vault.encrypt("prj_" + "2" * 32, b"new project")


@pytest.mark.broker
def test_an_erased_person_cannot_be_read_again_and_others_can(database: Settings):
    vault = vault_of(database)
    ann, anns = vault.encrypt(PROJECT, b"about ann", subject="ann")
    bob, bobs = vault.encrypt(PROJECT, b"about bob", subject="bob")
    assert vault.erase(PROJECT, "ann")
    assert not vault.erase(PROJECT, "ann")
    with pytest.raises(Undecryptable, match="erased"):
        vault_of(database).decrypt(ann, anns)
    assert vault_of(database).decrypt(bob, bobs) == b"about bob"
    vault.encrypt(PROJECT, b"ann again", subject="ann")
    with pytest.raises(Undecryptable):
        vault_of(database).decrypt(ann, anns)


@pytest.mark.broker
def test_changed_bytes_do_not_open(database: Settings):
    vault = vault_of(database)
    key_id, sealed = vault.encrypt(PROJECT, b"secret")
    for damaged in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:5], b""):
        with pytest.raises(Undecryptable):
            vault.decrypt(key_id, damaged)


def test_without_a_master_key_the_vault_says_how_to_get_one(tmp_path: Path):
    vault = Vault(lambda: infra.postgres.connect("postgresql://nowhere.invalid/x"), None)
    with pytest.raises(VaultUnconfigured, match="CAIRN_VAULT_KEY_FILE"):
        vault.encrypt(PROJECT, b"secret")
    with pytest.raises(VaultUnconfigured, match="CAIRN_VAULT_KEY_FILE"):
        master_key(Settings(home=tmp_path, vault_key_file=tmp_path / "absent"))


def test_a_key_file_is_made_once_and_for_its_owner_only(tmp_path: Path):
    path = ensure_key_file(tmp_path / "vault.key")
    first = path.read_text()
    assert ensure_key_file(path).read_text() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(master_key(Settings(home=tmp_path, vault_key_file=path)) or b"") == 32
    path.write_text("too short")
    with pytest.raises(VaultUnconfigured, match="32 bytes"):
        master_key(Settings(home=tmp_path, vault_key_file=path))
