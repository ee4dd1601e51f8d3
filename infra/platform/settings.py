"""All settings in one frozen model, made from the environment that `infra.cli` hands in.

Everybody else is handed a `Settings` or single values. Whether broker and database run elsewhere
or have to be started is decided in `infra/runtime/local/runtime.py`; until then the two addresses
are None.
"""

import hashlib
import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    model_validator,
)

from infra.platform.addresses import is_well_formed, without_credentials
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Invalid

MIB = 1024 * 1024
MAX_RECORD_BYTES = 8 * MIB  # the largest record that stays whole
MAX_REQUEST_BYTES = 9 * MIB  # a record plus its batch's and request's framing

Absolute = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
DatabaseUrl = Annotated[
    str,
    StringConstraints(pattern=r"^postgres(ql)?://"),
    AfterValidator(lambda url: _well_formed(url)),
]
Bootstrap = Annotated[
    str, StringConstraints(pattern=r"^[^\s,:/@]+:[0-9]{1,5}(,[^\s,:/@]+:[0-9]{1,5})*$")
]
Listening = Annotated[
    str, StringConstraints(pattern=r"^(\[[0-9a-fA-F:]+\]|[^\s,:/@\[\]]+):[0-9]{1,5}$")
]
ServiceUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")]
# In clear to this machine alone: the keys that it names decide who is owner.
IssuerUrl = Annotated[
    str,
    StringConstraints(
        pattern=r"^(https://[^\s/@?#]+|http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?)"
        r"(/[^\s@?#]*)?$"
    ),
]
TopicPrefix = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]{0,79}$")]


class SettingsError(Invalid):
    """A setting is wrong; the message names the variable, its value and what to do (exit 2)."""

    code = "setting_invalid"


class Settings(BaseModel):
    """How this process runs. ``from_env`` reads it; the addresses may be filled in later.

    The variable of a field is CAIRN_ and the field's name in capitals.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Absolute = Field(default_factory=lambda: default_home())
    cache: Absolute = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("cairn")))
    runtime: Literal["embedded", "containers"] = "embedded"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], BeforeValidator(str.lower)
    ] = "info"

    kafka_bootstrap: Bootstrap | None = None
    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    kafka_sasl_username: str | None = None
    kafka_sasl_password: SecretStr | None = None
    kafka_sasl_password_file: Absolute | None = None
    kafka_ssl_cafile: Absolute | None = None
    kafka_ssl_certfile: Absolute | None = None
    kafka_ssl_keyfile: Absolute | None = None
    topic_prefix: TopicPrefix = "cairn"
    partitions: Annotated[int, Field(ge=1, le=1000)] = 3
    replication: Annotated[int, Field(ge=1, le=15)] = 1
    min_insync_replicas: Annotated[int, Field(ge=1, le=15)] = 1
    session_timeout_s: Annotated[float, Field(ge=1, le=300)] = 10.0
    fetch_max_wait_ms: Annotated[int, Field(ge=1, le=5000)] = 20
    request_timeout_s: Annotated[float, Field(ge=1, le=300)] = 30.0
    # Twice what a rebalance waits for a member that does not come back.
    stall_after_s: Annotated[float, Field(ge=1, le=86_400)] = 120.0

    url: ServiceUrl | None = None
    token: SecretStr | None = None
    token_file: Absolute | None = None

    http: Listening | None = None
    http_hosts: str | None = None
    auto_quality: bool = True
    heartbeat_s: Annotated[int, Field(ge=1, le=86_400)] = 900
    auto_synthesis: bool = True
    reader: bool = True
    checkpoints: Literal["postgres", "memory"] = "postgres"
    http_proxies: Annotated[str | None, AfterValidator(lambda text: _networks(text))] = None
    http_rate: Annotated[float, Field(ge=1, le=100_000)] = 200.0
    http_keys_days: Annotated[int, Field(ge=1, le=365)] = 7
    # 30: the database's own least; 400: as long as the topic keeps them
    http_audit_days: Annotated[int, Field(ge=30, le=400)] = 400

    stream_key: SecretStr | None = None
    stream_key_file: Absolute | None = None
    oidc_issuer: IssuerUrl | None = None
    oidc_audience: str | None = None
    oidc_role_claim: str = "cairn_role"
    oidc_projects_claim: str = "cairn_projects"
    oidc_rules: str | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: SecretStr | None = None
    oidc_client_secret_file: Absolute | None = None
    oidc_scopes: str = "openid profile email"

    models: Absolute | None = None
    model_timeout_s: Annotated[float, Field(ge=1, le=86_400)] = 120.0
    model_pack: Annotated[int, Field(ge=1, le=32)] = 8
    model_sample_percent: Annotated[float, Field(ge=0, le=100)] = 5.0
    model_format: Literal["auto", "prompt"] = "auto"
    ollama_ttl_seconds: Annotated[float, Field(ge=0, le=86_400)] = 30.0
    ollama_enable_in_cloud: bool = False

    database_url: Annotated[DatabaseUrl | None, Field(repr=False)] = None
    vault_key: SecretStr | None = None
    vault_key_file: Absolute | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """The settings of this process. Raises SettingsError on a value that cannot be used."""
        given = {
            field: value
            for field in cls.model_fields
            if (value := environ.get(variable_of(field), "").strip())
        }
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise SettingsError(_sentence(error, given)) from error

    @model_validator(mode="after")
    def _fits_together(self) -> "Settings":
        if self.kafka_security_protocol.startswith("SASL") and not (
            self.kafka_sasl_username and (self.kafka_sasl_password or self.kafka_sasl_password_file)
        ):
            raise ValueError(
                f"CAIRN_KAFKA_SECURITY_PROTOCOL is {self.kafka_security_protocol}, but user or"
                " password is missing: set CAIRN_KAFKA_SASL_USERNAME, and CAIRN_KAFKA_SASL_PASSWORD"
                " or CAIRN_KAFKA_SASL_PASSWORD_FILE."
            )
        if self.oidc_issuer and not (self.oidc_audience or self.oidc_client_id):
            raise ValueError(
                "CAIRN_OIDC_ISSUER is set, but neither audience nor client: set CAIRN_OIDC_AUDIENCE"
                " to the name that the issuer's tokens give the API, or CAIRN_OIDC_CLIENT_ID to"
                " the one that it gives the console."
            )
        if self.oidc_client_id and not self.oidc_issuer:
            raise ValueError(
                "CAIRN_OIDC_CLIENT_ID is set, but no issuer: set CAIRN_OIDC_ISSUER to the address"
                " of the one that knows this client."
            )
        if self.min_insync_replicas > self.replication:
            raise ValueError(
                f"CAIRN_MIN_INSYNC_REPLICAS is {self.min_insync_replicas}, more than the"
                f" {self.replication} of CAIRN_REPLICATION: nothing could be written; lower it."
            )
        return self

    @property
    def bootstrap(self) -> str:
        """Where the broker is. Raises BrokerUnavailable when none was configured or started."""
        if self.kafka_bootstrap is None:
            raise BrokerUnavailable(
                "No broker is known for this installation.", code="broker_unconfigured"
            )
        return self.kafka_bootstrap

    @property
    def sasl_password(self) -> str | None:
        """The password of the account at the broker. Raises SettingsError for a lost file."""
        if self.kafka_sasl_password:
            return self.kafka_sasl_password.get_secret_value()
        if self.kafka_sasl_password_file is None:
            return None
        try:
            return self.kafka_sasl_password_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"CAIRN_KAFKA_SASL_PASSWORD_FILE names {self.kafka_sasl_password_file}, which"
                f" cannot be read ({type(error).__name__}): name a text file with the password."
            ) from error

    @property
    def conninfo(self) -> str:
        """Where the database is. Raises DatabaseUnavailable when none was configured or started."""
        if self.database_url is None:
            raise DatabaseUnavailable(
                "No database is known for this installation.", code="database_unconfigured"
            )
        return self.database_url

    @property
    def run_folder(self) -> Path:
        """Pids, ready marks and locks: worth nothing once nothing runs."""
        return self.home / "run"

    @property
    def log_folder(self) -> Path:
        return self.home / "logs"

    @property
    def models_file(self) -> Path:
        """Which language models may be asked, with their keys."""
        return self.models or self.home / "models.toml"

    @property
    def profiles_file(self) -> Path:
        """The profiles of agents that write code."""
        return self.home / "profiles.toml"

    def topic(self, name: str) -> str:
        """The full name of topic ``name`` (`source.v1` -> `cairn.source.v1`)."""
        return f"{self.topic_prefix}.{name}"

    def group(self, name: str) -> str:
        """The consumer group of stage or reader ``name`` (`merging` -> `cairn-merging`)."""
        return f"{self.topic_prefix}-{name}"


def variable_of(field: str) -> str:
    """The environment variable that sets ``field``."""
    return f"CAIRN_{field.upper()}"


def default_home() -> Path:
    """A folder per installation: two checkouts of one user never share their data."""
    root = Path(__file__).resolve().parents[2]
    mark = hashlib.sha256(str(root).encode()).hexdigest()[:8]
    return Path(platformdirs.user_data_dir("cairn")) / f"{root.name}-{mark}"


WANTED = {
    "runtime": "use `embedded` or `containers`",
    "kafka_bootstrap": "use host:port, several separated by commas",
    "url": "use the address of a service, such as https://cairn.example.org",
    "http": "use host:port, such as 127.0.0.1:8080",
    "http_proxies": "use addresses or networks with commas between, such as 127.0.0.1,10.0.0.0/8",
    "database_url": "use postgresql://user:password@host:port/database, with %40 for an @ and %2F"
    " for a / in a password",
    "oidc_issuer": "use an https address as the issuer writes it, such as https://id.example.org",
    "topic_prefix": "use letters, digits, dot, dash and underscore, at most 80",
}


def _well_formed(url: str) -> str:
    """``url``. Raises ValueError where libpq might take a part of a password for something else."""
    if not is_well_formed(url, query=True):
        raise ValueError("not well formed")
    return url


def _networks(written: str | None) -> str | None:
    """``written``. Raises ValueError unless it names addresses or networks."""
    for each in (written or "").split(",") if written else ():
        ipaddress.ip_network(each.strip())
    return written


def _sentence(error: ValidationError, given: Mapping[str, str]) -> str:
    """The first problem as one sentence. Secrets are named, never shown."""
    first = error.errors()[0]
    if not first["loc"]:
        return str(first["ctx"]["error"])
    field = str(first["loc"][0])
    secret = any(
        word in field for word in ("url", "password", "vault", "token", "stream_key", "secret")
    )
    shown = "(not shown)" if secret else repr(without_credentials(given[field]))
    advice = WANTED.get(field, first["msg"][0].lower() + first["msg"][1:])
    return f"{variable_of(field)} has the value {shown}, which cannot be used: {advice}."
