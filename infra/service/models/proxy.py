"""The model proxy: models for programs that run behind walls, without their keys.

The model worker answers at a second door, which speaks the OpenAI protocol on loopback and on a
Unix socket that can be bound into a sandbox. Who asks shows a token that is good for one workflow,
some models and a time. Each call is reserved and paid by the process that runs the workflow.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.models.call import Tier
from agents.models.watch import CallWatch
from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid, Unavailable
from infra.platform.files import PRIVATE_FOLDER, write_whole
from infra.platform.settings import Settings
from infra.service.models.file import read_fit_models
from infra.service.models.proxy_account import ProxyAccount, Workflow
from schemas.ids import sha256_hex

PREFIX = "cairn_proxy_"
LONGEST_TTL_S = 24 * 3600.0
LONGEST_TOKEN = 200


class Grant(BaseModel):
    """What a token is good for. ``account`` is where its calls are paid (``host:port``), which
    wants to hear ``account_token``. ``models`` are ``provider/model`` names.
    """

    model_config = ConfigDict(frozen=True)

    workflow_id: str
    models: tuple[str, ...]
    expires_at: datetime
    account: str
    account_token: str


class ProxyAddress(BaseModel):
    """``port`` on 127.0.0.1, and the Unix socket with the same door."""

    model_config = ConfigDict(frozen=True)

    port: int
    socket: str


@dataclass(frozen=True, slots=True)
class ProxyAccess:
    """What a program behind walls is given. ``base_url`` is that of the OpenAI protocol; behind
    walls without network the program reaches the host of ``base_url`` by ``socket``.
    """

    base_url: str
    socket: Path
    token: str
    account: ProxyAccount


def tokens_folder(settings: Settings) -> Path:
    return settings.run_folder / "proxy-tokens"


def address_file(settings: Settings) -> Path:
    return settings.run_folder / "model-proxy.json"


def socket_file(settings: Settings) -> Path:
    return settings.run_folder / "model-proxy.sock"


def issue_token(
    settings: Settings,
    workflow_id: str,
    models: Sequence[str],
    ttl_s: float,
    account: ProxyAccount,
) -> str:
    """A token for ``workflow_id`` and these ``provider/model`` names. Raises Invalid.

    Only its hash is kept, and only until it expires.
    """
    if not workflow_id.strip() or not models or not 0 < ttl_s <= LONGEST_TTL_S:
        raise Invalid(
            "A token for the model proxy needs a workflow, at least one model and a time of at most"
            f" {LONGEST_TTL_S / 3600:.0f} hours.",
            code="proxy_token_invalid",
        )
    drop_expired(settings)
    token = PREFIX + secrets.token_urlsafe(32)
    grant = Grant(
        workflow_id=workflow_id,
        models=tuple(models),
        expires_at=SystemClock().now() + timedelta(seconds=ttl_s),
        account=account.address,
        account_token=account.token,
    )
    folder = tokens_folder(settings)
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    write_whole(_grant_file(settings, token), grant.model_dump_json(), mode=0o600)
    return token


def find_grant(settings: Settings, token: str) -> Grant | None:
    """What ``token`` is good for, also where it has expired; None: it is no token of ours."""
    if not token.startswith(PREFIX) or len(token) > LONGEST_TOKEN:
        return None
    return _read_grant(_grant_file(settings, token))


def has_tokens(settings: Settings) -> bool:
    """Whether there is any token; without one the proxy refuses everything."""
    try:
        return any(tokens_folder(settings).glob("*.json"))
    except OSError:
        return False


def revoke_token(settings: Settings, token: str) -> None:
    """The token is good for nothing any more, at once."""
    _grant_file(settings, token).unlink(missing_ok=True)


def drop_expired(settings: Settings) -> None:
    """Forget tokens whose time has passed, and what is no token."""
    now = SystemClock().now()
    for path in tokens_folder(settings).glob("*.json"):
        grant = _read_grant(path)
        if grant is None or grant.expires_at <= now:
            path.unlink(missing_ok=True)


def read_proxy_address(settings: Settings) -> ProxyAddress | None:
    """Where the proxy listens; None where none has ever run here."""
    try:
        return ProxyAddress.model_validate_json(address_file(settings).read_text())
    except (OSError, ValidationError):
        return None


@asynccontextmanager
async def open_proxy(
    settings: Settings,
    watch: CallWatch,
    *,
    project_id: str,
    workflow_id: str,
    agent: str,
    models: Sequence[str],
    ttl_s: float,
    tier: Tier = "draft",
    run_id: str | None = None,
) -> AsyncIterator[ProxyAccess]:
    """Models for a program behind walls, for the block; the token is revoked after it.

    ``watch`` reserves and pays each call, as for any other model. Raises Unavailable where no model
    worker runs here, Invalid.
    """
    address = read_proxy_address(settings)
    if address is None:
        raise Unavailable("No model worker runs here.", code="model_worker_away")
    local = (each.name for each in read_fit_models(settings).providers if each.is_local)
    workflow = Workflow(project_id, workflow_id, agent, tier, run_id, frozenset(local))
    async with ProxyAccount(watch, workflow) as account:
        token = issue_token(settings, workflow_id, models, ttl_s, account)
        try:
            base_url = f"http://127.0.0.1:{address.port}/workflows/{workflow_id}/v1"
            yield ProxyAccess(base_url, Path(address.socket), token, account)
        finally:
            revoke_token(settings, token)


def _grant_file(settings: Settings, token: str) -> Path:
    return tokens_folder(settings) / f"{sha256_hex(token.encode(errors='replace'))}.json"


def _read_grant(path: Path) -> Grant | None:
    with contextlib.suppress(OSError, ValueError):
        return Grant.model_validate(json.loads(path.read_text()))
    return None
