"""One service for all tests that end nothing for good; `backbone` is its ingested project."""

import base64
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.alone import no_keys, plant_engines
from tests.parcel import write_to
from tests.service import Service, service


@dataclass(frozen=True)
class Backbone:
    """A running service, its project, and the secrets that were planted in the source."""

    cairn: Service
    project: str
    folder: Path
    secrets: tuple[str, ...]


@pytest.fixture(scope="session")
def planted(tmp_path_factory) -> tuple[Path, tuple[str, ...]]:
    """The parcel project with secrets in it, made up at this moment."""
    folder = tmp_path_factory.mktemp("planted") / "parcel"
    write_to(folder)
    password = "pw-" + secrets.token_hex(12)
    key_body = [secrets.token_urlsafe(48) for _ in range(3)]
    access_key = "AKIA" + secrets.token_hex(8).upper()
    marker = "-----{} RSA " + "PRIVATE KEY-----"
    pem = [marker.format("BEGIN"), *key_body, marker.format("END")]
    (folder / "deploy" / "leak.env").write_text(
        f"DATABASE_URL=postgres://parcel:{password}@db.internal/parcel\nAWS={access_key}\n"
    )
    with (folder / "docs" / "operations.md").open("a") as page:
        page.write("\n## Keys\n\n```\n" + "\n".join(pem) + "\n```\n")
    of_file, of_folder = ("gh" + "p_" + secrets.token_hex(20) for _ in range(2))
    (folder / of_folder).mkdir()
    (folder / of_folder / f"{of_file}.md").write_text("# Keys\n\nThe depot must rotate its keys.\n")
    long_key = base64.b64encode("\n".join(pem * 20).encode()).decode()
    (folder / "deploy" / "cluster.yaml").write_text(f"client-key-data: {long_key}\n")
    return folder, (password, access_key, *key_body, of_file, of_folder, long_key[-16:])


@pytest.fixture(scope="session")
def engines(tmp_path_factory) -> tuple[str, Path]:
    """A PATH whose container engines fail, and the file that tells whether one was asked."""
    return plant_engines(tmp_path_factory.mktemp("engines"))


@pytest.fixture(scope="package")
def shared(engines: tuple[str, Path]) -> Iterator[Service]:
    """A running service without keys of models and without a container engine.

    A file that asks for it has projects of its own. It ends with its folder: a service at rest
    keeps a third of a processor busy.
    """
    with service(PATH=engines[0], CAIRN_AUTO_QUALITY="on", **no_keys()) as cairn:
        yield cairn


@pytest.fixture(scope="package")
def backbone(shared: Service, planted) -> Backbone:
    folder, planted_secrets = planted
    shared.run("project", "create", "Parcel", "--idempotency-key", "parcel")
    shared.ingest(folder, "Parcel", "first")
    return Backbone(shared, "Parcel", folder, planted_secrets)
