"""The file of the profiles: edited by hand and by command, and an error names its line."""

from pathlib import Path

import pytest

from agents.development.profiles import DEFAULT_PROFILE, Profile
from infra.platform.errors import Conflict, Forbidden, Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.development.profiles import (
    add_profile,
    build_profile,
    find_profile,
    list_profiles,
    use_profile,
)

BY_HAND = """\
# Our profiles.
use = "shop"  # for the shop

[[profiles]]
name = "shop"       # Jira, in a container
tracker = "jira"
sandbox = "docker"
allowlist = ["git", "npm test"]
validator = "npm test"

[[profiles]]
name = "fast"
driver = "claude"
model = "a-model"
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


def write(settings: Settings, text: str, mode: int = 0o600) -> None:
    settings.home.mkdir(exist_ok=True)
    settings.profiles_file.write_text(text)
    settings.profiles_file.chmod(mode)


def test_a_fresh_installation_has_a_profile(settings: Settings):
    (only,) = list_profiles(settings)
    assert only.profile == DEFAULT_PROFILE == find_profile(settings)
    assert only.is_used and only.is_built_in
    assert not settings.profiles_file.exists()


def test_a_file_written_by_hand_is_read(settings: Settings):
    write(settings, BY_HAND)
    assert [(it.profile.name, it.is_used) for it in list_profiles(settings)] == [
        ("default", False),
        ("shop", True),
        ("fast", False),
    ]
    shop = find_profile(settings)
    assert (shop.tracker, shop.sandbox, shop.allowlist) == ("jira", "docker", ("git", "npm test"))
    assert find_profile(settings, "fast").model == "a-model"
    with pytest.raises(NotFound, match="there are default, shop, fast"):
        find_profile(settings, "slow")


def test_the_file_may_replace_the_built_in_profile(settings: Settings):
    write(settings, '[[profiles]]\nname = "default"\ntracker = "github"\n')
    (only,) = list_profiles(settings)
    assert only.profile.tracker == "github"
    assert not only.is_built_in


def test_a_profile_is_added_and_used_and_what_people_wrote_stays(settings: Settings):
    write(settings, BY_HAND)
    new = Profile(name="odd", validator="pytest -q 'my \\ tests' \"é\"", max_review_passes=2)
    add_profile(settings, new)
    assert settings.profiles_file.stat().st_mode & 0o777 == 0o600
    text = settings.profiles_file.read_text()
    assert text.startswith(BY_HAND)
    assert find_profile(settings, "odd") == new
    use_profile(settings, "odd")
    assert find_profile(settings) == new
    kept = settings.profiles_file.read_text()
    assert [line for line in text.splitlines() if line not in kept.splitlines()] == [
        'use = "shop"  # for the shop'
    ]


def test_the_first_profile_makes_the_file_and_may_be_used(settings: Settings):
    add_profile(settings, Profile(name="shop", tracker="jira"))
    use_profile(settings, "shop")
    assert settings.profiles_file.stat().st_mode & 0o777 == 0o600
    assert find_profile(settings).tracker == "jira"
    use_profile(settings, "default")
    assert find_profile(settings) == DEFAULT_PROFILE


def test_a_name_that_is_taken_is_refused(settings: Settings):
    write(settings, BY_HAND)
    with pytest.raises(Conflict, match="profile shop already"):
        add_profile(settings, Profile(name="shop"))
    assert settings.profiles_file.read_text() == BY_HAND


@pytest.mark.parametrize(
    ("wrong", "line", "words"),
    [
        ('tracker = "jira"|tracker = "trello"', 6, "`tracker`: input should be 'jira', 'github'"),
        ('driver = "claude"|driver = "vim"', 13, "`driver`"),
        ('model = "a-model"|colour = "red"', 14, "`colour` is no setting; remove it"),
        ('model = "a-model"|sandbox = "docker"', 11, "driver claude cannot work in a sandbox"),
        ('name = "fast"|name = "shop"', 12, "another profile shop"),
        ('use = "shop"|use = "none"', 2, "there is no profile 'none' to use"),
        ('["git", "npm test"]|["git", 5]', 8, "`allowlist`"),
        ('"npm test"\n\n|"npm \'test"\n\n', 9, "`validator`: it is no command"),
        ('use = "shop"|use = ', 2, "is no TOML"),
    ],
)
def test_an_error_names_its_line(settings: Settings, wrong: str, line: int, words: str):
    old, _, new = wrong.partition("|")
    assert BY_HAND.count(old) == 1
    write(settings, BY_HAND.replace(old, new))
    with pytest.raises(Invalid) as refused:
        list_profiles(settings)
    assert f"line {line}" in str(refused.value)
    assert words in str(refused.value)
    assert str(settings.profiles_file) in str(refused.value)


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_file_that_others_may_read_or_change_is_refused(settings: Settings, mode: int):
    write(settings, BY_HAND, mode)
    with pytest.raises(Forbidden, match="chmod 600"):
        list_profiles(settings)


def test_a_driver_that_cannot_be_sandboxed_has_its_own_code(settings: Settings):
    with pytest.raises(Invalid) as refused:
        build_profile({"name": "work", "driver": "codex", "sandbox": "process"})
    assert refused.value.code == "driver_not_sandboxable"
    with pytest.raises(Invalid) as refused:
        build_profile({"name": "work", "driver": "vim"})
    assert refused.value.code == "profile_invalid"


@pytest.mark.parametrize(
    "text",
    [
        'profiles = [{name = "one"}]\n',
        '["profiles"]\n',
        "profiles = 5\n",
        '[[profiles]]\n[[profiles]]\nname = "a"\n',
        "\0",
        "use = [1]",
        "[" * 3_000,
    ],
)
def test_whatever_the_file_holds_it_is_read_or_refused(settings: Settings, text: str):
    write(settings, text)
    try:
        add_profile(settings, Profile(name="new"))
    except Invalid as error:
        assert error.code == "profiles_file_invalid"
        assert settings.profiles_file.read_text() == text
    else:
        assert find_profile(settings, "new") == Profile(name="new")
