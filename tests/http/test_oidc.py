"""Bearer tokens of an issuer: a real one on this machine, with a key of its own and a forger."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.testclient import TestClient

from infra.errors import Unavailable
from infra.http.app import create_app
from infra.service.oidc import KEYS_ASKED_EVERY_S, Issuer
from infra.settings import Settings, SettingsError

KEY = rsa.generate_private_key(65537, 2048)
FORGED = rsa.generate_private_key(65537, 2048)
PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@dataclass
class Served:
    """An issuer that serves its documents; ``asked`` are the paths that were asked for."""

    url: str = ""
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=lambda: {"one": KEY})
    says_it_is: str = ""
    asked: list[str] = field(default_factory=list)

    def document(self, path: str) -> dict[str, Any]:
        self.asked.append(path)
        if path.endswith("openid-configuration"):
            return {"issuer": self.says_it_is or self.url, "jwks_uri": f"{self.url}/keys"}
        algorithm = jwt.algorithms.RSAAlgorithm
        shown = {
            kid: json.loads(algorithm.to_jwk(key.public_key())) for kid, key in self.keys.items()
        }
        return {"keys": [each | {"kid": kid, "alg": "RS256"} for kid, each in shown.items()]}

    def token(self, key: Any = KEY, kid: str = "one", algorithm: str = "RS256", **more: Any) -> str:
        claims = {
            "iss": self.url,
            "aud": "cairn",
            "sub": "u1",
            "exp": time.time() + 300,
            "preferred_username": "ana",
            "cairn_role": "pm",
            "cairn_projects": ["prj_1"],
        }
        told = {name: value for name, value in (claims | more).items() if value is not None}
        return jwt.encode(told, key, algorithm, headers={"kid": kid})


@pytest.fixture
def issuer() -> Iterator[Served]:
    served = Served()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(served.document(self.path)).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        served.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield served
        server.shutdown()


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
    with_public_key = jwt.utils.base64url_encode(
        json.dumps({"alg": "HS256", "kid": "one"}).encode()
    )
    body = issuer.token().split(".")[1].encode()
    signed = with_public_key + b"." + body
    mac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(signed, PUBLIC)
    wrong = {
        "alg none": issuer.token(key=None, algorithm="none"),
        "public key as secret": (signed + b"." + jwt.utils.base64url_encode(mac)).decode(),
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
    for wrong in ("http://id.example.org", "https://", "https://a@b", "id.example.org"):
        with pytest.raises(SettingsError, match="CAIRN_OIDC_ISSUER"):
            Settings.from_env({"CAIRN_OIDC_ISSUER": wrong, "CAIRN_OIDC_AUDIENCE": "cairn"})
