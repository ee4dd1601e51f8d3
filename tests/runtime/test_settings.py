"""Settings say which variable is wrong and what to do, and never show a secret."""

import asyncio
from pathlib import Path

import pytest

from infra.platform.kafka import answers
from infra.platform.settings import Settings, SettingsError


def test_nothing_set_gives_an_embedded_installation_of_this_checkout():
    settings = Settings.from_env({})
    assert settings.runtime == "embedded"
    assert settings.kafka_bootstrap is None
    assert settings.database_url is None
    assert (settings.topic("source.v1"), settings.group("merging")) == (
        "cairn.source.v1",
        "cairn-merging",
    )
    assert settings.home.name.startswith(Path(__file__).parents[2].name)


def test_variables_are_read_as_their_fields_want_them(tmp_path: Path):
    settings = Settings.from_env(
        {
            "CAIRN_HOME": str(tmp_path),
            "CAIRN_PARTITIONS": "12",
            "CAIRN_SESSION_TIMEOUT_S": "1.5",
            "CAIRN_KAFKA_BOOTSTRAP": "a.example:9092,b.example:9092",
            "CAIRN_LOG_LEVEL": "DEBUG",
            "CAIRN_TOPIC_PREFIX": " ",
        }
    )
    assert (settings.home, settings.partitions, settings.session_timeout_s) == (tmp_path, 12, 1.5)
    assert (settings.log_level, settings.topic_prefix) == ("debug", "cairn")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CAIRN_PARTITIONS", "three"),
        ("CAIRN_PARTITIONS", "0"),
        ("CAIRN_RUNTIME", "docker"),
        ("CAIRN_KAFKA_BOOTSTRAP", "localhost"),
        ("CAIRN_TOPIC_PREFIX", "my topics"),
        ("CAIRN_SESSION_TIMEOUT_S", "0.1"),
        ("CAIRN_LOG_LEVEL", "loud"),
    ],
)
def test_a_wrong_value_is_named_with_its_variable(variable: str, value: str):
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})
    assert f"{variable} has the value '{value}'" in str(caught.value)


def test_a_wrong_database_url_is_refused_without_showing_its_password():
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"CAIRN_DATABASE_URL": "mysql://me:hunter2@host/db"})
    assert "CAIRN_DATABASE_URL" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_no_secret_is_shown_by_printing_the_settings():
    settings = Settings.from_env(
        {"CAIRN_DATABASE_URL": "postgresql://me:hunter2@host/db", "CAIRN_VAULT_KEY": "hunter2"}
    )
    assert "hunter2" not in repr(settings)


def test_sasl_without_a_password_is_refused():
    with pytest.raises(SettingsError, match="CAIRN_KAFKA_SASL_PASSWORD"):
        Settings.from_env({"CAIRN_KAFKA_SECURITY_PROTOCOL": "SASL_SSL"})


def test_a_password_in_a_file_is_as_good(tmp_path: Path):
    file = tmp_path / "password"
    given = {
        "CAIRN_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "CAIRN_KAFKA_SASL_USERNAME": "ana",
        "CAIRN_KAFKA_SASL_PASSWORD_FILE": str(file),
    }
    settings = Settings.from_env(given)
    with pytest.raises(SettingsError, match="CAIRN_KAFKA_SASL_PASSWORD_FILE names"):
        _ = settings.sasl_password
    file.write_text("open sesame\n")
    assert settings.sasl_password == "open sesame"


def test_certificates_that_cannot_be_read_are_named(tmp_path: Path):
    file = tmp_path / "ca.pem"
    file.write_text("no certificate")
    for path in (file, tmp_path / "none.pem"):
        settings = Settings(
            kafka_bootstrap="127.0.0.1:9", kafka_security_protocol="SSL", kafka_ssl_cafile=path
        )
        with pytest.raises(SettingsError, match="CAIRN_KAFKA_SSL_CAFILE"):
            asyncio.run(answers(settings))


def test_more_replicas_in_sync_than_there_are_is_refused():
    with pytest.raises(SettingsError, match="CAIRN_MIN_INSYNC_REPLICAS is 2"):
        Settings.from_env({"CAIRN_MIN_INSYNC_REPLICAS": "2"})
