"""The file of the models says who may be asked, and every mistake in it is named with its place."""

from pathlib import Path

import pytest

from infra.errors import Forbidden
from infra.service.model_file import ModelsFileInvalid, read_models
from infra.service.models import has_model
from infra.settings import Settings


def written(home: Path, text: str, mode: int = 0o600) -> Settings:
    settings = Settings(home=home)
    settings.models_file.write_text(text)
    settings.models_file.chmod(mode)
    return settings


def test_without_a_file_there_is_no_model(tmp_path: Path):
    assert not has_model(Settings(home=tmp_path))


def test_a_known_provider_needs_its_key_alone(tmp_path: Path):
    settings = written(tmp_path, '[providers.anthropic]\napi_key = "k-1"\n')
    (provider,) = read_models(settings).providers
    assert has_model(settings)
    assert provider.api_key is not None and provider.api_key.get_secret_value() == "k-1"
    assert provider.models[0].startswith("claude")


def test_providers_keep_the_order_of_the_file_and_a_tier_names_models(tmp_path: Path):
    settings = written(
        tmp_path,
        """
        [providers.lab]
        base_url = "http://127.0.0.1:9/v1"
        needs_key = false
        models = ["small", "org/large"]
        [providers.openai]
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


def test_who_only_asks_whether_there_is_a_key_does_not_get_it(tmp_path: Path):
    settings = written(tmp_path, '[providers.openai]\napi_key = "k-1"\n')
    (provider,) = read_models(settings, with_keys=False).providers
    assert provider.is_configured
    assert provider.api_key is not None and not provider.api_key.get_secret_value()


def test_a_file_that_others_may_read_is_refused(tmp_path: Path):
    settings = written(tmp_path, "", mode=0o640)
    with pytest.raises(Forbidden, match=f"chmod 600 {settings.models_file}"):
        has_model(settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[providers", "is no TOML"),
        ('[providers.openai]\napikey = "secret-1"\n', "no setting `providers.openai.apikey`"),
        ("[providers.openai]\napi_key = 5\n", "`providers.openai.api_key` is wrong"),
        ('[providers.openai]\napi_key = "a"\napi_key_env = "B"\n', "remove one"),
        ('[providers.lab]\nmodels = ["m"]\n', "`providers.lab` has no base_url"),
        ('[providers.openai]\nbase_url = "lab:80"\n', "a base_url that is no address"),
        ('[providers.lab]\nbase_url = "http://lab"\n', "`providers.lab` names no models"),
        ('[tiers]\nquick = ["openai/gpt-5.5"]\n', "`tiers.quick` is wrong"),
        ('[tiers]\nfast = ["openai/gpt-5.5"]\n', "`tiers.fast` names openai/gpt-5.5"),
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
