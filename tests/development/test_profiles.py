"""A profile says which driver, tracker and walls; what does not fit together is refused."""

import pytest
from pydantic import ValidationError

from agents.development.profiles import DEFAULT_PROFILE, NOT_SANDBOXABLE, Profile


@pytest.mark.parametrize("driver", ["claude", "codex"])
@pytest.mark.parametrize("sandbox", ["process", "docker", "daytona"])
def test_a_driver_of_the_machine_is_refused_in_a_sandbox(driver, sandbox):
    with pytest.raises(ValidationError) as caught:
        Profile(name="work", driver=driver, sandbox=sandbox)
    first = caught.value.errors()[0]
    assert first["type"] == NOT_SANDBOXABLE
    assert driver in first["msg"]


@pytest.mark.parametrize(
    ("driver", "sandbox"), [("api", "docker"), ("api", "none"), ("claude", "none")]
)
def test_every_other_pair_is_a_profile(driver, sandbox):
    assert Profile(name="work", driver=driver, sandbox=sandbox).sandbox == sandbox


def test_the_defaults_are_those_of_a_fresh_installation():
    assert DEFAULT_PROFILE.name == "default"
    assert (DEFAULT_PROFILE.driver, DEFAULT_PROFILE.tracker) == ("api", "none")
    assert (DEFAULT_PROFILE.max_review_iterations, DEFAULT_PROFILE.max_review_passes) == (3, 1)
    assert "git" in DEFAULT_PROFILE.allowlist
    assert not [it for it in DEFAULT_PROFILE.allowlist if it.split()[0] in ("pip", "curl", "sh")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Work Shop"},
        {"name": "-work"},
        {"driver": "vim"},
        {"tracker": "trello"},
        {"max_review_iterations": 0},
        {"max_review_passes": 6},
        {"allowlist": [""]},
        {"allowlist": ["git"] * 101},
        {"validator": "pytest 'unclosed"},
        {"validator": "pytest\nrm"},
        {"colour": "red"},
    ],
)
def test_what_is_no_value_is_refused(wrong):
    with pytest.raises(ValidationError):
        Profile(**({"name": "work"} | wrong))


def test_the_validator_is_a_list_of_words():
    profile = Profile(name="work", validator="pytest -q 'tests/my folder'")
    assert profile.validator_argv == ("pytest", "-q", "tests/my folder")
    assert DEFAULT_PROFILE.validator_argv == ()
