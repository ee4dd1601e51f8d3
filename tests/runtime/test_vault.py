"""One key a project whoever comes first, nothing readable without the master key."""

import asyncio
import multiprocessing
import stat
from pathlib import Path
from typing import Any

import psycopg
import pytest

from infra.platform import kafka, postgres
from infra.platform.clock import SystemClock
from infra.platform.errors import DatabaseUnavailable, Undecryptable, VaultUnconfigured
from infra.platform.key_store import CONTENT_TOPICS, TOPIC, KeyStore, Unknown, key_id_of
from infra.platform.settings import Settings
from infra.platform.vault import FRESH_S, Vault, ensure_key_file, master_key, vault_of
from infra.service.upkeep.setup import find_vault_problems
from schemas import codec
from schemas.envelope import SYSTEM, Event, outside_fact
from schemas.events.testimony import MessageReceived
from schemas.events.vault import KeyCreated
from schemas.topics import BY_NAME
from tests.databases import database_beside, migrated_beside
from tests.runtime.topics import values_of, write

MASTER = bytes(range(32))
PROJECT, OTHER = "prj_" + "1" * 32, "prj_" + "2" * 32


@pytest.fixture
def database(migrated: Settings) -> Settings:
    """An installation with a master key, a database and the topics that the vault reads."""
    topics = [BY_NAME[name] for name in (TOPIC, *CONTENT_TOPICS)]
    asyncio.run(kafka.create_topics(migrated, topics))
    key_file = ensure_key_file(migrated.home / "vault.key")
    return migrated.model_copy(update={"vault_key_file": key_file})


def with_a_new_database(settings: Settings) -> Settings:
    """The same installation after its database was lost."""
    url = migrated_beside(settings.conninfo, f"{settings.topic_prefix}_new")
    return settings.model_copy(update={"database_url": url})


def encrypt_once(settings: Settings, start: Any, answers: Any) -> None:
    start.wait()
    answers.put(vault_of(settings).encrypt(PROJECT, b"secret"))


@pytest.mark.broker
def test_what_was_encrypted_is_read_back_by_another_process_only_with_the_key(database: Settings):
    key_id, sealed = vault_of(database).encrypt(PROJECT, b"secret")
    assert b"secret" not in sealed
    assert vault_of(database).decrypt(key_id, sealed) == b"secret"
    stranger = Vault(KeyStore(database), MASTER)
    with pytest.raises(Undecryptable, match="master key"):
        stranger.decrypt(key_id, sealed)
    assert (vault_of(database).count_locked(), stranger.count_locked()) == (0, 1)


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
    told = asyncio.run(values_of(database, TOPIC))
    assert [codec.decode(value).event.aggregate_id for value in told] == [key_id_of(PROJECT, "", 1)]
    vault = vault_of(database)
    assert [vault.decrypt(key_id, bytes_) for key_id, bytes_ in sealed] == [b"secret"] * 2


@pytest.mark.broker
def test_the_master_key_alone_reads_everything_after_the_database_is_lost(database: Settings):
    vault = vault_of(database)
    sealed = [vault.encrypt(PROJECT, b"secret", subject) for subject in ("", "ann", "bob")]
    mark = vault.mark(PROJECT, "member|slack|U1")
    vault.erase(PROJECT, "bob")
    again, once_more = vault.encrypt(PROJECT, b"bob again", "bob"), with_a_new_database(database)
    for attempt in (vault_of(once_more), vault_of(once_more)):
        assert [attempt.decrypt(*each) for each in sealed[:2]] == [b"secret"] * 2
        assert attempt.decrypt(*again) == b"bob again"
        assert attempt.mark(PROJECT, "member|slack|U1") == mark
        assert (
            attempt.encrypt(PROJECT, b"more", "bob")[0] == again[0] == key_id_of(PROJECT, "bob", 2)
        )
        with pytest.raises(Undecryptable, match="was erased"):
            attempt.decrypt(*sealed[2])
    assert len(asyncio.run(values_of(database, TOPIC))) == 5


@pytest.mark.broker
def test_a_mark_is_the_same_for_all_processes_and_another_in_every_project(database: Settings):
    mark = vault_of(database).mark(PROJECT, "member|slack|U1")
    assert vault_of(database).mark(PROJECT, "member|slack|U1") == mark
    assert vault_of(database).mark(PROJECT, "member|slack|U2") != mark
    assert vault_of(database).mark(OTHER, "member|slack|U1") != mark


@pytest.mark.broker
def test_an_outage_stops_new_keys_and_what_may_be_erased_but_not_a_projects(database: Settings):
    now = [0.0]
    vault = Vault(KeyStore(database), MASTER, lambda: now[0])
    key_id, sealed = vault.encrypt(PROJECT, b"secret")
    ann = vault.encrypt(PROJECT, b"about ann", "ann")
    with psycopg.connect(database_beside(database.conninfo, "postgres"), autocommit=True) as other:
        other.execute(f"ALTER DATABASE {database.topic_prefix} RENAME TO {database.topic_prefix}_x")
    assert vault.decrypt(key_id, sealed) == b"secret"
    assert vault.encrypt(PROJECT, b"more")[0] == key_id
    assert vault.decrypt(*ann) == b"about ann"
    with pytest.raises(DatabaseUnavailable):
        vault.encrypt(OTHER, b"new project")
    now[0] = FRESH_S
    assert vault.decrypt(key_id, sealed) == b"secret"
    for use in (lambda: vault.decrypt(*ann), lambda: vault.encrypt(PROJECT, b"more", "ann")):
        with pytest.raises(DatabaseUnavailable):
            use()


@pytest.mark.broker
def test_an_erased_person_cannot_be_read_again_and_others_can(database: Settings):
    vault = vault_of(database)
    ann, anns = vault.encrypt(PROJECT, b"about ann", subject="ann")
    bob, bobs = vault.encrypt(PROJECT, b"about bob", subject="bob")
    assert vault.erase(PROJECT, "ann")
    assert not vault.erase(PROJECT, "ann")
    for each in (vault, vault_of(database)):
        with pytest.raises(Undecryptable, match="was erased"):
            each.decrypt(ann, anns)
        assert each.decrypt(bob, bobs) == b"about bob"
    second, again = vault.encrypt(PROJECT, b"ann again", subject="ann")
    assert (ann, second) == (key_id_of(PROJECT, "ann", 1), key_id_of(PROJECT, "ann", 2))
    assert vault_of(database).decrypt(second, again) == b"ann again"
    for key_id in (ann, second):  # nor under the name of another generation
        with pytest.raises(Undecryptable):
            vault_of(database).decrypt(key_id, anns)


@pytest.mark.broker
def test_other_processes_forget_an_erased_key_within_five_seconds(database: Settings):
    now = [0.0]
    other = Vault(KeyStore(database), master_key(database), lambda: now[0])
    ann, anns = other.encrypt(PROJECT, b"about ann", subject="ann")
    vault_of(database).erase(PROJECT, "ann")
    now[0] = 5.0
    with pytest.raises(Undecryptable, match="was erased"):
        other.decrypt(ann, anns)
    assert other.encrypt(PROJECT, b"ann again", subject="ann")[0] == key_id_of(PROJECT, "ann", 2)


@pytest.mark.broker
def test_an_erasure_takes_the_place_of_the_key_on_the_topic(database: Settings):
    """Compaction keeps the last record of a record key."""
    vault = vault_of(database)
    vault.encrypt(PROJECT, b"about ann", subject="ann")
    vault.erase(PROJECT, "ann")
    facts = [codec.decode(each) for each in asyncio.run(values_of(database, TOPIC))]
    names = [(fact.event.type_name, fact.event.aggregate_id) for fact in facts]
    key_id = key_id_of(PROJECT, "ann", 1)
    assert names == [("vault.key_created", key_id), ("vault.key_erased", key_id)]
    assert BY_NAME[TOPIC].cleanup == "compact"


@pytest.mark.broker
def test_what_is_sealed_for_one_opens_for_no_other(database: Settings):
    vault = vault_of(database)
    key_id, sealed = vault.encrypt(PROJECT, b"secret")
    another = vault.encrypt(OTHER, b"secret")[0]
    placed = vault.encrypt(PROJECT, b"said", "ann", "tst_1")
    assert vault.decrypt(*placed, "tst_1") == b"said"
    with pytest.raises(Undecryptable, match="do not open"):
        vault.decrypt(*placed, "tst_2")
    with postgres.connect(database.conninfo) as connection:
        connection.execute(
            "UPDATE cairn.vault_keys SET wrapped = (SELECT wrapped FROM cairn.vault_keys"
            " WHERE key_id = %s) WHERE key_id = %s",
            (key_id, another),
        )
    for asked in (
        lambda: vault.decrypt(another, sealed),
        lambda: vault_of(database).decrypt(another, sealed),
    ):
        with pytest.raises(Undecryptable, match="do not open"):
            asked()


@pytest.mark.broker
def test_changed_bytes_do_not_open(database: Settings):
    vault = vault_of(database)
    key_id, sealed = vault.encrypt(PROJECT, b"secret")
    for damaged in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:5], b""):
        with pytest.raises(Undecryptable):
            vault.decrypt(key_id, damaged)


@pytest.mark.broker
def test_keys_that_the_log_names_and_nobody_has_are_counted(database: Settings):
    known, _ = vault_of(database).encrypt(PROJECT, b"secret")
    messages = [
        a_message(key_id, number) for number, key_id in enumerate((known, "key_x", "key_x"))
    ]
    asyncio.run(write(database, [b"no fact", *messages], "tdl.intake.v1"))
    store = KeyStore(database)
    assert store.unknown() == Unknown()
    (line,) = find_vault_problems(database, look=True)
    assert line.startswith("vault_keys_unknown: 2 contents of the log cannot be read, since 1 key ")
    assert store.look_for_unknown() == store.unknown() == Unknown(("key_x",), 2)
    with pytest.raises(Undecryptable, match="key_x is unknown"):
        vault_of(database).decrypt("key_x", b"")
    found = KeyCreated(key_id="key_x", generation=1, wrapped=b"found in a copy")
    asyncio.run(write(database, [a_record(found, OTHER)], TOPIC, key=b"key_x"))
    assert store.look_for_unknown() == store.unknown() == Unknown()
    (line,) = find_vault_problems(database)
    assert line.startswith("vault_keys_locked: 1 data keys do not open with the master key")


@pytest.mark.broker
def test_a_key_of_an_earlier_build_is_told_apart(database: Settings):
    with postgres.connect(database.conninfo) as connection:
        connection.execute(
            "INSERT INTO cairn.vault_keys (key_id, project_id, subject, wrapped, generation)"
            " VALUES ('key_old', %s, '', '', 0)",
            (PROJECT,),
        )
    with pytest.raises(Undecryptable, match="earlier build.* new CAIRN_HOME"):
        vault_of(database).decrypt("key_old", b"")
    assert vault_of(database).encrypt(PROJECT, b"new")[0] == key_id_of(PROJECT, "", 1)


def test_without_a_master_key_the_vault_says_how_to_get_one(tmp_path: Path):
    vault = Vault(KeyStore(Settings(home=tmp_path)), None)
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


def a_message(key_id: str, number: int) -> bytes:
    event = MessageReceived(
        testimony_id=f"tst_{number}",
        connector="slack",
        author_pseudonym="p_1",
        channel_ref_hash="",
        thread_ref_hash="",
        risk_class="none",
        risk_version="1",
        key_id=key_id,
        nonce=b"",
        ciphertext=b"",
    )
    return a_record(event, PROJECT)


def a_record(event: Event, project_id: str) -> bytes:
    at = codec.utc_millis(SystemClock().now())
    fact = outside_fact(event, project_id=project_id, occurred_at=at, actor=SYSTEM)
    return codec.encode(fact.recorded(at))
