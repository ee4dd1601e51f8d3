"""Repositories over https on loopback: git's `http-backend`, behind a door that asks who comes."""

from __future__ import annotations

import base64
import ipaddress
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class GitServer:
    """Serves the repositories in ``folder`` to who signs in with ``token``, and to nobody else."""

    folder: Path
    token: str
    url: str = ""
    certificate: Path = Path()
    statuses: list[int] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[GitServer]:
        self.certificate = self.folder / "certificate.pem"
        self.certificate.write_bytes(a_certificate())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.url = f"https://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer, pair = self, base64.b64encode(f"x-access-token:{self.token}".encode()).decode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.headers.get("Authorization") != f"Basic {pair}":
                    self._answer(401, [("WWW-Authenticate", "Basic")], b"")
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path, _, query = self.path.partition("?")
                told = {
                    "GIT_PROJECT_ROOT": str(outer.folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": "safe.directory",
                    "GIT_CONFIG_VALUE_0": "*",
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "CONTENT_LENGTH": str(len(body)),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                }
                done = subprocess.run(
                    ("git", "http-backend"),
                    input=body,
                    env=dict(os.environ) | told,
                    capture_output=True,
                    check=True,
                )
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                lines = [line.split(": ", 1) for line in head.decode().split("\r\n")]
                fields = [(name, value) for name, value in lines]
                status = next((value for name, value in fields if name == "Status"), "200")
                self._answer(int(status[:3]), fields, content)

            do_POST = do_GET

            def _answer(self, status: int, fields: list[tuple[str, str]], body: bytes) -> None:
                outer.statuses.append(status)
                self.send_response(status)
                for name, value in fields:
                    if name != "Status":
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        return Handler


def a_certificate() -> bytes:
    """Key and certificate of 127.0.0.1, signed by itself, in PEM form."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ) + made.public_bytes(serialization.Encoding.PEM)
