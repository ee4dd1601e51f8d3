"""Who builds clients and opens connections; who may import whom: tests/topology."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"schemas", "infra", "agents", "connectors", "projections", "streams"}


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def test_only_their_modules_build_clients_and_open_connections():
    for package in sorted(OURS):
        for file in files(package):
            text = file.read_text()
            place = str(file.relative_to(ROOT))
            if place != "infra/platform/postgres.py":
                assert "psycopg.connect(" not in text, place
                assert "Connection.connect(" not in text, place
            if place != "infra/platform/kafka.py":
                assert "AIOKafkaProducer(" not in text, place
                assert "AIOKafkaConsumer(" not in text, place


def test_every_package_is_the_one_of_this_checkout():
    import importlib

    for package in sorted(OURS):
        module = importlib.import_module(package)
        assert Path(next(iter(module.__path__))).resolve() == ROOT / package
