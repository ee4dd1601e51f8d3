"""Each trained model has a card that says what it was made of and how it is made again."""

import gzip
import importlib.util
import json
import re
from pathlib import Path

import pytest

import agents.offline.models

HOME = Path(agents.offline.models.__file__).parent
ROOT = Path(__file__).parents[2]
MODELS = sorted(path.name.removesuffix(".json.gz") for path in HOME.glob("*.json.gz"))
PARTS = ("Predicts", "Used by", "Features", "Data", "Seed", "Training", "## Figures", "## Limits")


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


def test_a_card_has_all_parts(name):
    card = (HOME / f"{name}.md").read_text()
    assert [part for part in PARTS if part not in card] == []


def test_a_card_names_the_data_of_the_model_and_the_code_that_made_it(name):
    about = json.loads(gzip.decompress((HOME / f"{name}.json.gz").read_bytes()))["about"]
    card = (HOME / f"{name}.md").read_text()
    assert (ROOT / about["made_by"]).is_file()
    (digest,) = [value for key, value in about.items() if key.endswith("sha256")]
    assert digest in card


def test_the_commands_of_a_card_exist(name):
    commands = re.findall(r"python -m ([\w.]+)", (HOME / f"{name}.md").read_text())
    assert commands
    assert [it for it in commands if importlib.util.find_spec(it) is None] == []
