"""What an installation keeps is its user's alone, and its servers ask everybody who they are."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest
from pydantic import SecretStr

from infra.platform import kafka
from infra.platform.files import keep_private
from infra.platform.settings import Settings
from infra.runtime.local.process import recall
from infra.runtime.local.runtime import running
from tests.runtime.topics import ONE_TOPIC, read_all, write

FOR_OTHERS = 0o077


def passable(home: Path) -> set[Path]:
    """Folders that the database's own user passes; it has one when root starts it."""
    return {home, home / "postgres"} if os.geteuid() == 0 else set()


def left_open(home: Path) -> dict[Path, str]:
    """What of ``home`` other users have any right to, with its mode."""
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (home, *home.rglob("*"))}
    return {path: oct(mode) for path, mode in modes.items() if mode & FOR_OTHERS}


@pytest.mark.broker
def test_a_home_of_an_earlier_build_is_closed_and_keeps_its_records(
    home: Path, cache: Path
) -> None:
    """Of one whose files others could read, and whose broker asked for nothing."""
    settings, before = Settings(home=home, cache=cache), os.umask(0)
    try:
        with running(settings, print) as located:
            asyncio.run(kafka.create_topics(located, ONE_TOPIC))
            asyncio.run(write(located, [b"before"]))
        (home / "kafka.password").unlink()
        for path in (home, *(each for each in home.rglob("*") if "postgres" not in each.parts)):
            path.chmod(0o777 if path.is_dir() else 0o666)
        with running(settings, print) as located:
            assert left_open(home) == dict.fromkeys(passable(home), "0o711")
            asyncio.run(write(located, [b"after"]))
            assert asyncio.run(read_all(located)) == [b"before", b"after"]
            plain = located.model_copy(update={"kafka_sasl_mechanism": "PLAIN"})
            assert not asyncio.run(kafka.answers(plain))
    finally:
        os.umask(before)


def test_a_link_out_of_the_home_is_not_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "everybody's"
    outside.touch()
    outside.chmod(0o644)
    (home / "link").symlink_to(outside)
    keep_private(home)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_a_home_of_somebody_else_is_refused(home: Path) -> None:
    """As another user where we may become one, else by a folder that is root's."""
    home.chmod(0o755)
    become, theirs = ("os.setuid(65533)", home) if os.geteuid() == 0 else ("", Path("/usr/lib"))
    code = (
        "import os, sys\n"
        "from pathlib import Path; from infra.platform.files import keep_private\n"
        f"{become}\n"
        "keep_private(Path(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, theirs], capture_output=True, text=True)
    assert "Forbidden" in done.stderr
    assert f"{theirs} can be read by other users and belongs to one" in done.stderr


@pytest.mark.broker
def test_the_broker_serves_nobody_who_does_not_know_the_password(bare: Settings) -> None:
    stranger = bare.model_copy(update={"kafka_security_protocol": "PLAINTEXT"})
    guessing = bare.model_copy(update={"kafka_sasl_password": SecretStr("guessed")})
    plain = bare.model_copy(update={"kafka_sasl_mechanism": "PLAIN"})
    assert asyncio.run(kafka.answers(bare, timeout_s=30))
    for other in (stranger, guessing, plain):
        assert not asyncio.run(kafka.answers(other))


@pytest.mark.broker
def test_the_controller_serves_nobody_who_does_not_know_its_password(
    installation: Settings,
) -> None:
    _, controller = json.loads((installation.home / "kafka" / "ports.json").read_text())
    place = {"kafka_bootstrap": f"127.0.0.1:{controller}"}
    for how in ({"kafka_security_protocol": "PLAINTEXT"}, {"kafka_sasl_mechanism": "PLAIN"}):
        assert not asyncio.run(kafka.answers(installation.model_copy(update=place | how)))


@pytest.mark.broker
def test_the_database_serves_nobody_who_does_not_know_the_password(installation: Settings) -> None:
    with psycopg.connect(installation.conninfo) as connection:
        rules = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
        sockets = connection.execute("SHOW unix_socket_directories").fetchone()
    assert rules == [("scram-sha-256",)]
    assert sockets == ("",)
    password = (installation.home / "postgres.password").read_text()
    for given in ("", ":guessed"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(installation.conninfo.replace(f":{password}", given))


@pytest.mark.broker
def test_no_password_stands_in_a_list_of_processes_or_a_log(installation: Settings) -> None:
    secrets = [
        (installation.home / name).read_text() for name in ("kafka.password", "postgres.password")
    ]
    shown = [path.read_text() for path in (installation.home / "logs").iterdir()]
    for name in ("kafka", "postgres"):
        server = recall(installation.run_folder / f"{name}.pid")
        assert server
        process = psutil.Process(server.pid)
        shown += [*process.cmdline(), *process.environ().values()]
    assert all(secret not in text for secret in secrets for text in shown)


def test_what_a_command_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text(json.dumps({"id": "1", "text": "Nothing to hide."}) + "\n")
    subprocess.run(
        [
            *(sys.executable, "-m", "infra.cli", "eval", "redact"),
            *("--in", str(tmp_path / "rows"), "--out", str(tmp_path / "answers")),
        ],
        check=True,
        umask=0,
    )
    assert stat.S_IMODE((tmp_path / "answers").stat().st_mode) == 0o600
