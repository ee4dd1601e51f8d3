"""The file of the models says who may be asked, and every mistake in it is named with its place."""

from datetime import date
from pathlib import Path

import pytest

from agents.models.call import Usage
from infra.platform.errors import Forbidden
from infra.platform.settings import Settings
from infra.service.models.file import (
    ModelsFile,
    ModelsFileInvalid,
    parse_models,
    read_models,
    read_price_table,
)
from infra.service.models.models import find_first_model, has_model, has_research
from infra.service.models.worker import is_model_configured

OPENAI, LAB = '[[providers]]\nname = "openai"\n', '[[providers]]\nname = "lab"\n'

WEB = '[[providers]]\nname = "perplexity"\napi_key = "k"\n'


def written(home: Path, text: str, mode: int = 0o600) -> Settings:
    settings = Settings(home=home)
    settings.models_file.write_text(text)
    settings.models_file.chmod(mode)
    return settings


def test_without_a_file_there_is_no_model(tmp_path: Path):
    assert not has_model(Settings(home=tmp_path))


def test_a_known_provider_needs_its_key_alone(tmp_path: Path):
    settings = written(tmp_path, '[[providers]]\nname = "anthropic"\napi_key = "k-1"\n')
    (provider,) = read_models(settings).providers
    assert has_model(settings)
    assert provider.api_key is not None and provider.api_key.get_secret_value() == "k-1"
    assert provider.models[0].startswith("claude")


def test_providers_keep_the_order_of_the_file_and_a_tier_names_models(tmp_path: Path):
    settings = written(
        tmp_path,
        """
        [[providers]]
        name = "lab"
        base_url = "http://127.0.0.1:9/v1"
        needs_key = false
        models = ["small", "org/large"]
        [[providers]]
        name = "openai"
        api_key_env = "MY_KEY"
        [tiers]
        strong = ["lab/org/large", "openai/gpt-5.5"]
        """,
    )
    found = read_models(settings, {"MY_KEY": " k-2 "})
    assert [one.name for one in found.providers] == ["lab", "openai"]
    assert [one.is_configured for one in found.providers] == [True, True]
    assert found.tiers == {"strong": ("lab/org/large", "openai/gpt-5.5")}
    assert [one.is_configured for one in read_models(settings, {}).providers] == [True, False]


def test_a_price_of_ones_own_is_read(tmp_path: Path):
    settings = written(tmp_path, '[prices."lab/small"]\ninput = 1\noutput = 2.5\n')
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    assert read_price_table(settings).cost_of("lab", "small", usage, date(2026, 1, 1)) == 3.5


def test_who_only_asks_whether_there_is_a_key_does_not_get_it(tmp_path: Path):
    settings = written(tmp_path, '[[providers]]\nname = "openai"\napi_key = "k-1"\n')
    (provider,) = read_models(settings, with_keys=False).providers
    assert provider.is_configured
    assert provider.api_key is not None and not provider.api_key.get_secret_value()


def test_the_service_that_searches_the_web_is_not_the_first_model(tmp_path: Path):
    settings = written(tmp_path, WEB)
    assert find_first_model(settings) is None
    assert has_research(settings) and is_model_configured(settings)
    written(tmp_path, WEB + OPENAI + 'api_key = "k"\n')
    assert find_first_model(settings) == "openai/gpt-5.5"


def test_a_file_that_became_unfit_means_what_it_said_before(tmp_path: Path):
    settings = written(tmp_path, OPENAI + 'api_key = "k"\n', mode=0o640)
    file = ModelsFile(settings, with_keys=False)
    assert not file.read().has_model
    settings.models_file.chmod(0o600)
    assert file.read().has_model
    written(tmp_path, "[[providers")
    assert file.read().has_model
    settings.models_file.unlink()
    assert not file.read().has_model


def test_a_file_that_others_may_read_is_refused(tmp_path: Path):
    settings = written(tmp_path, "", mode=0o640)
    with pytest.raises(Forbidden, match=f"chmod 600 {settings.models_file}"):
        has_model(settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[providers", "is no TOML"),
        (OPENAI + 'apikey = "secret-1"\n', "provider openai, `apikey` is no setting"),
        (OPENAI + "api_key = 5\n", "provider openai, `api_key` is wrong"),
        (OPENAI + 'api_key = "a"\napi_key_env = "B"\n', "remove one"),
        (OPENAI + 'base_url = "lab:80"\n', "a base_url that is no address"),
        (OPENAI * 2, "names provider openai twice"),
        (LAB + 'models = ["m"]\n', "provider lab has no base_url"),
        (LAB + 'base_url = "http://lab"\n', "provider lab names no models"),
        ('[[providers]]\napi_key = "a"\n', "provider number 1, `name` is wrong"),
        ('[[providers]]\nname = "a/b"\nbase_url = "http://a"\nmodels = ["m"]\n', "no slash"),
        ('[tiers]\nquick = ["openai/gpt-5.5"]\n', "`tiers.quick` is wrong"),
        ('[tiers]\nfast = ["openai/gpt-5.5"]\n', "`tiers.fast` names openai/gpt-5.5"),
        (WEB + '[tiers]\nfast = ["perplexity/sonar-deep-research"]\n', "tier research alone"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_no_key_is_shown(
    tmp_path: Path, text: str, words: str
):
    settings = written(tmp_path, text)
    with pytest.raises(ModelsFileInvalid) as caught:
        read_models(settings)
    assert words in str(caught.value) and str(settings.models_file) in str(caught.value)
    assert "secret-1" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://models.example.org/v1", "unencrypted"),
        ("http://10.0.0.7:8000/v1", "unencrypted"),
        ("http://2130706433/v1", "unencrypted"),
        ("http://0x7f.1/v1", "unencrypted"),
        ("http://127.0.0.1.example.org/v1", "unencrypted"),
        ("http://localhost.example.org/v1", "unencrypted"),
        ("http://[2001:db8::1]/v1", "unencrypted"),
        ("http://localhost@models.example.org/v1", "a user in its base_url"),
        ("http://127.0.0.1\\@models.example.org/v1", "no address"),
        ("http://127.0.0.1#@models.example.org/v1", "no address"),
        ("HTTP://models.example.org/v1", "no address"),
    ],
)
@pytest.mark.parametrize("key", ['api_key = "secret-1"\n', 'api_key_env = "LAB_KEY"\n'])
def test_a_key_is_sent_unencrypted_to_this_machine_alone(
    tmp_path: Path, address: str, words: str, key: str
):
    url = address.replace("\\", "\\\\")
    text = LAB + f'models = ["m"]\nbase_url = "{url}"\n{key}'
    with pytest.raises(ModelsFileInvalid, match=words) as refused:
        parse_models(tmp_path / "models.toml", text, {"LAB_KEY": "secret-1"})
    assert "secret-1" not in str(refused.value)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000/v1", "http://[::1]:8000", "http://localhost/v1", "https://a"]
)
def test_a_key_may_be_sent_to_this_machine_and_over_tls(tmp_path: Path, address: str):
    text = LAB + f'models = ["m"]\nbase_url = "{address}"\napi_key = "secret-1"\n'
    assert parse_models(tmp_path / "models.toml", text, {}).has_model
