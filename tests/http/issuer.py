"""An OpenID Connect issuer on this machine with a key of its own: documents, codes, tokens."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY = rsa.generate_private_key(65537, 2048)
FORGED = rsa.generate_private_key(65537, 2048)
PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
CLIENT, SECRET = "console", "s3cret&more"


@dataclass
class Served:
    """``asked`` are the paths that were asked for.

    ``make``: the token of a sign-in from its claims. ``answers``: the body at a path instead of the
    usual one.
    """

    url: str = ""
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=lambda: {"one": KEY})
    says_it_is: str = ""
    asked: list[str] = field(default_factory=list)
    says: dict[str, Any] = field(default_factory=dict)
    make: Callable[[dict[str, Any]], str] | None = None
    answers: dict[str, bytes] = field(default_factory=dict)
    takes_codes_twice: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def document(self, path: str) -> dict[str, Any]:
        if path.endswith("openid-configuration"):
            return {
                "issuer": self.says_it_is or self.url,
                "jwks_uri": f"{self.url}/keys",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
            } | self.says
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

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser of somebody who has said yes is led."""
        assert asked["response_type"] == "code" and asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256" and "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return asked["redirect_uri"] + "?" + urlencode({"code": code, "state": asked["state"]})

    def exchange(self, form: dict[str, str], account: str) -> tuple[int, dict[str, Any]]:
        given = base64.b64decode(account.removeprefix("Basic ")).decode()
        if given != f"{CLIENT}:s3cret%26more":
            return 401, {"error": "invalid_client"}
        begun = self.codes.get(form["code"])
        if not self.takes_codes_twice:
            self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if begun is None or (begun["redirect_uri"], begun["code_challenge"]) != (
            form["redirect_uri"],
            challenge,
        ):
            return 400, {"error": "invalid_grant"}
        claims: dict[str, Any] = {"aud": CLIENT, "iat": time.time(), "nonce": begun["nonce"]}
        return 200, {"id_token": self.make(claims) if self.make else self.token(**claims)}


def signed_with_public_key(token: str) -> str:
    """The claims of ``token`` under HS256, with the public key as the secret."""
    head = jwt.utils.base64url_encode(json.dumps({"alg": "HS256", "kid": "one"}).encode())
    signed = head + b"." + token.split(".")[1].encode()
    mac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(signed, PUBLIC)
    return (signed + b"." + jwt.utils.base64url_encode(mac)).decode()


@contextmanager
def serving() -> Iterator[Served]:
    served = Served()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            served.asked.append(asked.path)
            if asked.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(asked.query).items()}
                self._answer(302, b"", served.authorize(query))
            else:
                self._answer(200, json.dumps(served.document(asked.path)).encode())

        def do_POST(self) -> None:
            served.asked.append(self.path)
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            status, said = served.exchange(form, self.headers.get("authorization", ""))
            self._answer(status, json.dumps(said).encode())

        def _answer(self, status: int, body: bytes, location: str = "") -> None:
            body = served.answers.get(self.path, body)
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            if location:
                self.send_header("location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        served.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield served
        server.shutdown()
