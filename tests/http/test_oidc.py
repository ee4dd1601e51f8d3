"""Bearer tokens of an issuer: a real one on this machine, with a key of its own and a forger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from starlette.testclient import TestClient

from infra.http.app import create_app
from infra.platform.errors import Unavailable
from infra.platform.settings import Settings, SettingsError
from infra.service.access.oidc import KEYS_ASKED_EVERY_S, KEYS_KEPT_AWAY_S, KEYS_KEPT_S, Issuer
from tests.http.issuer import FORGED, Served, serving, signed_with_public_key


@pytest.fixture
def issuer() -> Iterator[Served]:
    with serving() as served:
        yield served


def settings_of(issuer: Served, home: Path) -> Settings:
    return Settings(
        home=home,
        database_url="postgresql://nobody@127.0.0.1:1/none",  # these requests need none
        oidc_issuer=issuer.url,
        oidc_audience="cairn",
    )


@pytest.fixture
def client(issuer: Served, tmp_path: Path) -> TestClient:
    return TestClient(create_app(settings_of(issuer, tmp_path)), base_url="http://localhost")


def ask(client: TestClient, token: str, path: str = "/v1/me") -> Any:
    return client.get(path, headers={"authorization": f"Bearer {token}"})


def test_a_token_of_the_issuer_says_who_calls(issuer: Served, client: TestClient):
    me = ask(client, issuer.token()).json()
    assert (me["name"], me["role"], me["projects"]) == ("ana", "pm", ["prj_1"])
    assert me["token_id"].startswith("oidc_")
    assert ask(client, issuer.token(), "/v1/projects/prj_2").status_code == 404
    assert ask(client, issuer.token(cairn_projects=None)).json()["projects"] == []
    assert ask(client, issuer.token(cairn_projects="*")).json()["projects"] is None
    several = issuer.token(cairn_role=["viewer", "owner", "admin"])
    assert ask(client, several).json()["role"] == "owner"
    refused = ask(client, issuer.token(cairn_role="king"))
    assert (refused.status_code, refused.json()["code"]) == (403, "role_missing")
    assert len(issuer.asked) == 2


def test_what_the_issuer_has_not_made_for_us_is_refused(issuer: Served, client: TestClient):
    wrong = {
        "alg none": issuer.token(key=None, algorithm="none"),
        "public key as secret": signed_with_public_key(issuer.token()),
        "another key": issuer.token(key=FORGED),
        "unknown key": issuer.token(key=FORGED, kid="two"),
        "another audience": issuer.token(aud="elsewhere"),
        "no audience": issuer.token(aud=None),
        "another issuer": issuer.token(iss="https://evil.example"),
        "expired": issuer.token(exp=time.time() - 120),
        "without an end": issuer.token(exp=None),
        "not yet": issuer.token(nbf=time.time() + 600),
        "no subject": issuer.token(sub=None),
        "altered": issuer.token()[:-8] + "AAAAAAAA",
        "no token": "a.b.c",
        "nested": jwt.utils.base64url_encode(b"[" * 5_000).decode() + ".b.c",
        "too long": issuer.token(more="x" * 9_000),
    }
    for name, token in wrong.items():
        answer = ask(client, token)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), name
    assert ask(client, issuer.token()).status_code == 200


def test_a_new_key_is_found_and_strangers_do_not_make_us_ask(issuer: Served, tmp_path: Path):
    now = [0.0]
    known = Issuer(settings_of(issuer, tmp_path), lambda: now[0])

    def find(token: str) -> object:
        return asyncio.run(known.find(token))

    assert find(issuer.token())
    issuer.keys = {"two": FORGED}
    for _ in range(5):
        assert find(issuer.token(FORGED, "two")) is None
    assert len(issuer.asked) == 2
    now[0] += KEYS_ASKED_EVERY_S + 1
    assert find(issuer.token(FORGED, "two"))
    assert find(issuer.token()) is None  # the key that was taken back


def test_callers_who_come_at_the_same_time_wait_for_the_same_keys(issuer: Served, tmp_path: Path):
    known = Issuer(settings_of(issuer, tmp_path))

    async def come() -> list[object]:
        return list(await asyncio.gather(*(known.find(issuer.token(sub=each)) for each in "abc")))

    assert all(asyncio.run(come()))
    assert len(issuer.asked) == 2


def test_while_the_issuer_is_away_no_token_is_called_wrong(issuer: Served, tmp_path: Path):
    known = Issuer(settings_of(issuer, tmp_path))
    issuer.says_it_is = "https://evil.example"
    for _ in range(3):
        with pytest.raises(Unavailable):
            asyncio.run(known.find(issuer.token()))
    assert len(issuer.asked) == 1


def test_known_keys_are_used_while_the_issuer_is_away_but_not_for_ever(
    issuer: Served, tmp_path: Path
):
    now = [0.0]
    known = Issuer(settings_of(issuer, tmp_path), lambda: now[0])

    async def find(after_s: float) -> object:
        now[0] += after_s
        found = await known.find(issuer.token())
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
        return found

    assert asyncio.run(find(0))
    issuer.says_it_is = "https://evil.example"
    for after_s in (KEYS_KEPT_S + 1, 1, KEYS_ASKED_EVERY_S + 1):
        assert asyncio.run(find(after_s))
    assert len(issuer.asked) == 4  # twice while it is away, once for each pause
    with pytest.raises(Unavailable):
        asyncio.run(find(KEYS_KEPT_AWAY_S))
    issuer.says_it_is = ""
    assert asyncio.run(find(KEYS_ASKED_EVERY_S + 1))
    issuer.keys = {"two": FORGED}
    assert asyncio.run(find(KEYS_KEPT_S + 1)) is None  # it is not away: the key was taken back


def test_an_issuer_without_keys_has_taken_them_all_back(issuer: Served, tmp_path: Path):
    now = [0.0]
    known = Issuer(settings_of(issuer, tmp_path), lambda: now[0])
    assert asyncio.run(known.find(issuer.token()))
    issuer.keys = {}
    now[0] += KEYS_KEPT_S + 1
    assert asyncio.run(known.find(issuer.token())) is None


def test_who_has_shown_a_token_is_known_by_id_until_it_ends(issuer: Served, tmp_path: Path):
    wall = [time.time()]
    known = Issuer(settings_of(issuer, tmp_path), wall_s=lambda: wall[0])
    caller = asyncio.run(known.find(issuer.token(exp=wall[0] + 300)))
    assert caller
    assert known.find_by_id(caller.token_id) == caller
    assert known.find_by_id("oidc_nobody") is None
    wall[0] += 400
    assert known.find_by_id(caller.token_id) is None


def test_an_issuer_that_says_it_is_another_is_not_believed(issuer: Served, tmp_path: Path):
    issuer.says_it_is = "https://evil.example"
    with pytest.raises(Unavailable, match="issuer"):
        asyncio.run(Issuer(settings_of(issuer, tmp_path)).find(issuer.token()))


def test_without_an_issuer_no_such_token_is_good(issuer: Served, tmp_path: Path):
    settings = settings_of(issuer, tmp_path).model_copy(update={"oidc_issuer": None})
    client = TestClient(create_app(settings), base_url="http://localhost")
    assert ask(client, issuer.token()).status_code == 401
    assert not issuer.asked


def test_an_issuer_needs_an_audience_and_a_private_way():
    with pytest.raises(SettingsError, match="CAIRN_OIDC_AUDIENCE"):
        Settings.from_env({"CAIRN_OIDC_ISSUER": "https://id.example.org/realm"})
    with pytest.raises(SettingsError, match="CAIRN_OIDC_ISSUER"):
        Settings.from_env({"CAIRN_OIDC_CLIENT_ID": "console"})
    for wrong in ("http://id.example.org", "https://", "https://a@b", "id.example.org"):
        with pytest.raises(SettingsError, match="CAIRN_OIDC_ISSUER"):
            Settings.from_env({"CAIRN_OIDC_ISSUER": wrong, "CAIRN_OIDC_AUDIENCE": "cairn"})
