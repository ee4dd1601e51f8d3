"""Certificates of a test: one authority, and what it signs for servers and clients."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
HERE = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))


class Authority:
    """Signs certificates; ``file`` is what clients trust."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        made = self._begin(self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(_pem(made.sign(self._key, hashes.SHA256())))

    def sign(self, name: str, place: x509.GeneralName = HERE) -> tuple[Path, Path, Path]:
        """Certificate, key, and both in one file, for ``name`` at ``place`` alone."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._begin(_named(name), key.public_key()).add_extension(
            x509.SubjectAlternativeName([place]), critical=False
        )
        certificate = _pem(made.sign(self._key, hashes.SHA256()))
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        parts = (certificate, secret, secret + certificate)
        files = tuple(self._folder / f"{name}.{part}" for part in ("crt", "key", "both.pem"))
        for file, content in zip(files, parts, strict=True):
            file.write_bytes(content)
            file.chmod(0o600)
        return files[0], files[1], files[2]

    def serve_as(self, host: str) -> ssl.SSLContext:
        """What a server of this name, and not of its address, speaks TLS with."""
        certificate, key, _ = self.sign(host, x509.DNSName(host))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    def _begin(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + 2 * DAY)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(issuer, critical=False)
        )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
