"""Which files are never read into a prompt, by their names alone."""

from __future__ import annotations

import re

_FOLDERS = frozenset((".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"))
_NAMES = re.compile(
    r"""
      \.env(?!.*\.(?:example|sample|template|dist)$)(?:\..*|rc)? | .+\.env
    | .*\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars|ovpn|keytab|der)
    | .*\.(?:tfstate|tfvars)\..* | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?
    | [._]netrc | \.(?:npmrc|pypirc|pgpass|htpasswd|my\.cnf|git-credentials|dockercfg|yarnrc\.yml)
    | \.?vault[_-]?pass(?:word)?(?:\.txt)? | credentials(?:\.(?:json|ya?ml|toml|ini|csv|xml))?
    | (?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|properties|txt|enc|xml)
    | .*\.password | token | (?:models|profiles)\.toml
    | (?:.*[._-])?service[_-]?account.*\.json | client_secret.*\.json | .*passwords?\.(?:txt|csv)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def is_secret_path(path: str) -> bool:
    """Whether a file of this name holds keys or passwords by custom."""
    *folders, name = path.split("/")
    return any(it.casefold() in _FOLDERS for it in folders) or bool(_NAMES.fullmatch(name))


def is_inside(path: str) -> bool:
    """Whether the path is relative, and leads nowhere but down."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and not any(it in ("", ".", "..") for it in parts)
