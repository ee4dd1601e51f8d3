"""Names of time zones: one check for all, on any machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.platform.errors import Invalid
from infra.service.foundation.time_zones import check_time_zone
from schemas.time_zones import is_time_zone


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"])
def test_a_name_of_the_database_is_a_time_zone(name: str):
    check_time_zone(name)


@pytest.mark.parametrize(
    "name",
    ["", "Europe", "europe/berlin!", "Mars/Base", "../etc/passwd", "/etc/localtime", "zone.tab",
     "UTC\0", "tzdata.zi", "\ud800", "Europe/" * 9_000],
)  # fmt: skip
def test_anything_else_is_refused_with_one_code(name: str):
    with pytest.raises(Invalid) as refused:
        check_time_zone(name)
    assert refused.value.code == "timezone_unknown"
    assert "Europe/Berlin" in str(refused.value)


@given(st.text())
def test_any_text_has_an_answer(text: str):
    assert is_time_zone(text) in (True, False)


def test_a_machine_without_zone_files_knows_them_too():
    code = (
        "from zoneinfo import ZoneInfo\n"
        "from schemas.time_zones import is_time_zone\n"
        "assert is_time_zone('Europe/Berlin') and not is_time_zone('Mars/Base')\n"
        "ZoneInfo('Europe/Berlin')\n"
    )
    slim = os.environ | {"PYTHONTZPATH": ""}
    subprocess.run([sys.executable, "-c", code], env=slim, check=True, timeout=60)
